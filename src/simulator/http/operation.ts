import type { Panel } from '../world/panel.ts'
import type { World } from '../world/world.ts'
import type { Accounts } from './accounts.ts'
import { type Answer, ok } from './answer.ts'
import type { Processes } from './processes.ts'
import type { Session } from './tokens.ts'

/** What a request asks, after its credentials were checked. */
export interface Question {
  /** The version in the path as a number, such as 14. */
  readonly version: number
  /** What stood for the `{...}` at the end of the path; empty when the operation takes none. */
  readonly argument: string
  /** What followed the path after a `?`; nearly every operation ignores it (field fact). */
  readonly query: URLSearchParams
  /** The JSON object sent; empty for a GET. */
  readonly body: Readonly<Record<string, unknown>>
  /** The valid user token; empty when the operation needs none. */
  readonly userToken: string
}

/** A question about one panel. */
export interface PanelQuestion extends Question {
  readonly panel: Panel
}

/** A question about the panel of a valid session. */
export interface SessionQuestion extends PanelQuestion {
  readonly session: Session
}

/** What answers come from. */
export interface Service {
  readonly world: World
  readonly accounts: Accounts
  readonly processes: Processes
  readonly eventOrder: 'oldest-first' | 'newest-first'
  readonly installerEventIds: 'rising' | 'zero'
}

interface Named {
  /** The path after the version, without a last `{...}`: `panel/login`. Scripts and `without` use this name. */
  readonly name: string
  readonly method: 'GET' | 'POST'
  /** True when one more path segment follows. */
  readonly argument?: boolean
}

/**
 * One row of an operation table: what it is called, what it needs, and how it answers.
 *
 * `panel` needs a user token alone; a session token is honoured too, and says which panel is meant.
 */
export type Operation = Named &
  (
    | { readonly needs: 'nothing' | 'user token'; answer(question: Question, service: Service): Answer }
    | { readonly needs: 'panel'; answer(question: PanelQuestion, service: Service): Answer }
    | { readonly needs: 'session'; answer(question: SessionQuestion, service: Service): Answer }
  )

/** A GET that needs both tokens; `body` is its answer. */
export function sessionRead(
  name: string,
  body: (question: SessionQuestion, service: Service) => unknown,
): Operation {
  return { name, method: 'GET', needs: 'session', answer: (question, service) => ok(body(question, service)) }
}

/** A GET about a panel that needs a user token alone; `body` is its answer. */
export function panelRead(
  name: string,
  body: (question: PanelQuestion, service: Service) => unknown,
): Operation {
  return { name, method: 'GET', needs: 'panel', answer: (question, service) => ok(body(question, service)) }
}
