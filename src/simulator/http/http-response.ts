/** An HTTP response: an object is sent as JSON, text as an HTML page. */
export interface HttpResponse {
  readonly status: number
  /** Empty if absent. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Reason phrase of a status that HTTP does not define (field fact). */
  readonly phrase?: string
  /** Milliseconds before it is sent; `Infinity` for an answer that never comes. */
  readonly latency?: number
  /** True if the connection is closed instead. */
  readonly isDropped?: boolean
  /** Milliseconds by which the clock of the service is ahead. */
  readonly clockAhead?: number
}

/** Returns true if a value is a response, and not a value read from a request. */
export function isResponse(read: HttpResponse | object): read is HttpResponse {
  return 'status' in read
}

/** A field of a request and what is wrong with it. */
export interface FieldError {
  key: string
  value: string | number
}

/** Returns the body as it is sent. */
export function bodyText({ body }: HttpResponse): string {
  if (body === undefined) return ''
  return typeof body === 'string' ? body : JSON.stringify(body)
}

/** Returns a success with a JSON body. */
export function ok(body: unknown): HttpResponse {
  return { status: 200, body }
}

/** Returns the response with another body: a string, sent as JSON even if it is not. */
export function withJsonText(response: HttpResponse, body: string): HttpResponse {
  return {
    ...response,
    body,
    headers: { ...response.headers, 'Content-Type': 'application/json; charset=utf-8' },
  }
}

/**
 * Returns an error in the service's format (field fact; the interface specification 7 does not show errors).
 */
export function errorResponse(
  status: number,
  error: number,
  reason: string,
  message: string,
  extras?: readonly FieldError[],
): HttpResponse {
  const body = { error, error_message: message, error_reason_code: reason }
  return { status, body: extras ? { ...body, extras } : body, phrase: message }
}

/** 400 `BadRequestParams` with the names of the fields: `required`, `incorrect`, `minLength:4`, ... */
export function badParams(extras: readonly FieldError[]): HttpResponse {
  return errorResponse(400, 10001, 'BadRequestParams', 'Bad request params', extras)
}

/** 404 in JSON: the version exists, but not the operation. */
export const operationNotFound = errorResponse(404, 404, 'NotFound', 'Not found')

/** 404 as a web page: a withdrawn version, or an unknown path (field fact). */
export const pageNotFound: HttpResponse = {
  status: 404,
  body: '<!DOCTYPE html><html><head><title>404 Not Found</title></head><body><h1>Not Found</h1></body></html>\n',
}

/** 405 with the allowed method. */
export function methodNotAllowed(allowed: string): HttpResponse {
  return { ...errorResponse(405, 405, 'MethodNotAllowed', 'Method not allowed'), headers: { Allow: allowed } }
}

/** 413: the body is larger than any that the service accepts. */
export const requestTooLarge = errorResponse(413, 413, 'RequestTooLarge', 'Request too large')

/** 400: the body is not a JSON object. */
export const invalidBody = errorResponse(400, 400, 'InvalidRequestFormat', 'Unable to parse request body')

/** 500: the simulator has a defect; see `defects`. */
export const internalError = errorResponse(500, 500, 'InternalError', 'Internal error')
