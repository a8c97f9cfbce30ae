import type { World } from '../world/world.ts'
import type { Accounts, Session } from './accounts.ts'
import type { Answer } from './answer.ts'

/** What a request asks, after its credentials were checked. */
export interface Question {
  /** The version in the path as a number, such as 14. */
  readonly version: number
  /** What stood for the `{...}` at the end of the path; empty when the operation takes none. */
  readonly argument: string
  /** The JSON object sent; empty for a GET. */
  readonly body: Readonly<Record<string, unknown>>
  /** The valid user token; empty when the operation needs none. */
  readonly userToken: string
}

/** A question about the panel of a valid session. */
export interface PanelQuestion extends Question {
  readonly session: Session
}

/** What answers come from. */
export interface Service {
  readonly world: World
  readonly accounts: Accounts
  readonly eventOrder: 'oldest-first' | 'newest-first'
}

interface Named {
  /** The path after the version, without a last `{...}`: `panel/login`. Scripts and `without` use this name. */
  readonly name: string
  readonly method: 'GET' | 'POST'
  /** True when one more path segment follows. */
  readonly argument?: boolean
}

/** One row of an operation table: what it is called, what it needs, and how it answers. */
export type Operation = Named &
  (
    | { readonly needs: 'nothing' | 'user token'; answer(question: Question, service: Service): Answer }
    | { readonly needs: 'session'; answer(question: PanelQuestion, service: Service): Answer }
  )
