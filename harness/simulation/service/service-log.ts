import { bodyText, type HttpResponse } from '../../../src/simulator/http/http-response.ts'
import type { SentRequest } from '../process/network.ts'

/** Returns the path of a request below the version of the service: `status`, `panel/login`; `version`. */
export function operationOf({ url }: SentRequest): string {
  return url.pathname.replace(/^\/rest_api\/(installer\/)?(\d+\.\d+\/)?/, '')
}

/** The operations that make tokens. */
export const signIns: readonly string[] = ['auth', 'panel/login']

/** Returns true for a request that makes a token: it has a password or a code. */
export function isSignIn(request: SentRequest): boolean {
  return signIns.includes(operationOf(request))
}

/** Returns the answer to a request, with the headers that say when to ask again; undefined if none has come. */
export function answerOf({ arrival }: SentRequest): HttpResponse | undefined {
  if (arrival === undefined || 'error' in arrival) return undefined
  const { status, headers, body } = arrival
  const retryAfter = headers['retry-after']
  return {
    status,
    body: body.toString(),
    headers: retryAfter === undefined ? {} : { 'Retry-After': retryAfter },
  }
}

/** Returns true if the answer to a request tells what its operation asks for. */
export function isReadable(request: SentRequest): boolean {
  const answer = answerOf(request)
  if (answer?.status !== 200) return false
  try {
    const body = JSON.parse(bodyText(answer))
    const isStatus = operationOf(request) === 'status'
    return isStatus ? Array.isArray(body?.partitions) : typeof body === 'object' && body !== null
  } catch {
    return false
  }
}
