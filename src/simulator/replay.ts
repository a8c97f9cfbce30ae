import type { ApiName } from './http/auth/tokens.ts'
import { errorResponse, type HttpResponse, ok } from './http/http-response.ts'
import type { Operation } from './http/operation.ts'
import type { Api } from './http/router.ts'

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

/** Names in the diagnostics that differ from the path. */
const paths: Readonly<Record<string, string>> = { event_profiles: 'had/rules/event-profiles' }

/** The operations that the recording cannot replace, because their answers are tokens. */
const signIns = ['auth', 'panel/login']

/**
 * Returns the service of the recording, in its version, and the other one without versions. It answers as in the recording:
 * sign-ins with new tokens, the recorded reads, and nothing else. A command would change the simulated panel, which nobody
 * sees.
 */
export function replayApis(apis: readonly Api[], recording: Recording): readonly Api[] {
  return apis.map((api) => ({
    ...api,
    versions: api.name !== recording.api ? [] : recording.version ? [recording.version] : api.versions,
    operations: replayOperations(api.operations, recording),
  }))
}

function replayOperations(operations: readonly Operation[], { responses }: Recording): Operation[] {
  const session = responses.get('session')
  const own = operations.filter(({ name }) => signIns.includes(name))
  const reads = [...responses].filter(([name]) => name !== 'session')
  return [
    ...own.map((operation) => (operation.name === 'auth' ? withSession(operation, session) : operation)),
    ...reads.map(([name, response]): Operation => {
      const path = paths[name] ?? name
      const { needs = 'session', argument = false } = operations.find((one) => one.name === path) ?? {}
      return { name: path, method: 'GET', argument, needs, answer: () => response } as Operation
    }),
  ]
}

/** Returns the sign-in with the recorded answer around its token, or with the recorded error. */
function withSession(operation: Operation, session: HttpResponse | undefined): Operation {
  if (session === undefined || operation.needs !== 'nothing') return operation
  const answer: typeof operation.answer = (request, service) => {
    if (session.status !== 200) return session
    const signedIn = operation.answer(request, service)
    if (signedIn.status !== 200) return signedIn
    const { user_token } = signedIn.body as { user_token: string }
    return { ...signedIn, body: { user_token, ...(session.body as object) } }
  }
  return { ...operation, answer }
}
