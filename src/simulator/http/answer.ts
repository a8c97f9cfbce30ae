/** What goes back over HTTP: objects as JSON, text as an HTML page. */
export interface Answer {
  readonly status: number
  /** None: an empty body. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Stands beside a status of the service's own invention, where HTTP has no phrase for it (field fact). */
  readonly phrase?: string
}

/** True for an answer, false for what was read from a request. */
export function isAnswer(read: Answer | object): read is Answer {
  return 'status' in read
}

/** One field of a request and what is wrong with it. */
export interface Extra {
  key: string
  value: string | number
}

/** The body as it goes onto the wire. */
export function textOf({ body }: Answer): string {
  if (body === undefined) return ''
  return typeof body === 'string' ? body : JSON.stringify(body)
}

/** Success with a JSON body. */
export function ok(body: unknown): Answer {
  return { status: 200, body }
}

/** The answer with another body: a text that claims to be JSON, whatever it is. */
export function withJsonText(answer: Answer, body: string): Answer {
  return {
    ...answer,
    body,
    headers: { ...answer.headers, 'Content-Type': 'application/json; charset=utf-8' },
  }
}

/** A refusal in the service's form (field fact; the interface specification 7 shows none). */
export function refusal(
  status: number,
  error: number,
  reason: string,
  message: string,
  extras?: readonly Extra[],
): Answer {
  const body = { error, error_message: message, error_reason_code: reason }
  return { status, body: extras ? { ...body, extras } : body, phrase: message }
}

/** 400 `BadRequestParams`, naming the fields: `required`, `incorrect`, `minLength:4`, ... */
export function badParams(extras: readonly Extra[]): Answer {
  return refusal(400, 10001, 'BadRequestParams', 'Bad request params', extras)
}

/** 404 in JSON: the version is right, the operation is not there. */
export const unknownOperation = refusal(404, 404, 'NotFound', 'Not found')

/** 404 as a web page: a version that was withdrawn, or a path beside the service (field fact). */
export const noSuchPage: Answer = {
  status: 404,
  body: '<!DOCTYPE html><html><head><title>404 Not Found</title></head><body><h1>Not Found</h1></body></html>\n',
}

/** 405, naming the method that would do. */
export function wrongMethod(allowed: string): Answer {
  return { ...refusal(405, 405, 'MethodNotAllowed', 'Method not allowed'), headers: { Allow: allowed } }
}

/** 413: nothing that the service takes is this large. */
export const tooLarge = refusal(413, 413, 'RequestTooLarge', 'Request too large')

/** 400: the body is not a JSON object. */
export const unreadable = refusal(400, 400, 'InvalidRequestFormat', 'Unable to parse request body')

/** 500: the simulator has a defect; see `defects`. */
export const defective = refusal(500, 500, 'InternalError', 'Internal error')
