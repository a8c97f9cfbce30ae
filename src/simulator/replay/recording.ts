import type { ApiName } from '../http/auth/tokens.ts'
import { errorResponse, type HttpResponse, ok } from '../http/http-response.ts'

/** The content of a diagnostics file about a service: the answers for one panel. */
export interface Recording {
  readonly api: ApiName
  /** Undefined if the file does not tell it. */
  readonly version: string | undefined
  readonly serial: string
  /** The responses, by the names of operations in the diagnostics. */
  readonly responses: ReadonlyMap<string, HttpResponse>
}

type Members = Readonly<Record<string, unknown>>

/**
 * Reads the text of a diagnostics file, as the panel's dialog saves it.
 * @throws RangeError with a sentence about what is wrong with it
 */
export function parseRecording(text: string): Recording {
  const file = membersOf(parsed(text))
  if (file.format !== 'keyholder-diagnostics-1')
    throw new RangeError('it is not a diagnostics file of this version')
  const { type, apiVersion } = membersOf(file.account)
  const { serial } = file
  if (typeof serial !== 'string' && typeof serial !== 'number')
    throw new RangeError('it has no serial number')
  const responses = Object.entries(membersOf(file.answers)).map(
    ([name, recorded]) => [name, responseOf(membersOf(recorded))] as const,
  )
  return {
    api: type === 'service' ? 'installer' : 'end user',
    version: typeof apiVersion === 'string' ? apiVersion : undefined,
    serial: String(serial),
    responses: new Map(responses),
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new RangeError('it is not JSON')
  }
}

function membersOf(value: unknown): Members {
  return typeof value === 'object' && value !== null ? (value as Members) : {}
}

/** Returns the recorded answer or error; an error without a status had no answer, which looks like a gateway. */
function responseOf(recorded: Members): HttpResponse {
  if ('answer' in recorded) return ok(recorded.answer)
  const { status, reason } = membersOf(recorded.error)
  // Nobody can send an answer with another status.
  const isStatus = Number.isInteger(status) && Number(status) >= 200 && Number(status) <= 999
  if (typeof status !== 'number' || !isStatus)
    return errorResponse(504, 504, 'GatewayTimeout', 'There was no answer')
  // The answer was not usable, and is not in the file.
  if (status < 300) return { status, body: 'not usable' }
  return errorResponse(status, status, typeof reason === 'string' ? reason : 'Recorded', 'Recorded error')
}
