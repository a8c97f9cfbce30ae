import type { HttpResponse } from '../http/http-response.ts'
import type { Operation } from '../http/operation.ts'
import type { Recording } from './recording.ts'

/** Names in the diagnostics that differ from the path. */
const paths: Readonly<Record<string, string>> = { event_profiles: 'had/rules/event-profiles' }

/** The operations that the recording cannot replace, because their answers are tokens. */
const signIns = ['auth', 'panel/login']

/**
 * Returns the operations of a service that answers as in the recording: sign-ins with new tokens, the recorded
 * reads, and nothing else. A command would change the simulated panel, which nobody sees.
 */
export function replayOperations(operations: readonly Operation[], { responses }: Recording): Operation[] {
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
