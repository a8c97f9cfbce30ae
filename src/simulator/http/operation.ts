import type { Panel } from '../world/panel.ts'
import type { World } from '../world/world.ts'
import type { Accounts } from './auth/accounts.ts'
import type { Session } from './auth/tokens.ts'
import { type HttpResponse, ok } from './http-response.ts'
import type { Processes } from './processes.ts'

/** The input of an operation, after the credentials were checked. */
export interface OperationRequest {
  /** The version in the path as a number, such as 14. */
  readonly version: number
  /** The value of `{...}` at the end of the path; empty for other operations. */
  readonly argument: string
  /** The part of the URL after `?`; nearly all operations ignore it (field fact). */
  readonly query: URLSearchParams
  /** The JSON object in the body; empty for a GET. */
  readonly body: Readonly<Record<string, unknown>>
  /** The valid user token; empty if the operation does not need it. */
  readonly userToken: string
}

/** A request about one panel. */
interface PanelRequest extends OperationRequest {
  readonly panel: Panel
}

/** A request about the panel of a valid session. */
export interface SessionRequest extends PanelRequest {
  readonly session: Session
}

/** The environment of all operations. */
export interface Service {
  readonly world: World
  readonly accounts: Accounts
  readonly processes: Processes
  readonly eventOrder: 'oldest-first' | 'newest-first'
  /** The language of the texts in lists, such as `en_US`. */
  readonly locale: string
  readonly installerEventIds: 'rising' | 'zero'
}

interface OperationName {
  /**
   * The path after the version, without a last `{...}`: `panel/login`. Scripts and `without` use this name.
   */
  readonly name: string
  readonly method: 'GET' | 'POST'
  /** True if one more path segment follows. */
  readonly argument?: boolean
}

/**
 * One row of an operation table: name, required credentials, and the function that answers.
 *
 * `panel` needs only a user token; with a session token, that selects the panel.
 */
export type Operation = OperationName &
  (
    | {
        readonly needs: 'nothing' | 'user token'
        answer(request: OperationRequest, service: Service): HttpResponse
      }
    | { readonly needs: 'panel'; answer(request: PanelRequest, service: Service): HttpResponse }
    | { readonly needs: 'session'; answer(request: SessionRequest, service: Service): HttpResponse }
  )

/** Returns a GET that needs both tokens; `body` returns its response. */
export function defineSessionRead(
  name: string,
  body: (request: SessionRequest, service: Service) => unknown,
): Operation {
  return { name, method: 'GET', needs: 'session', answer: (request, service) => ok(body(request, service)) }
}

/** Returns a GET about a panel that needs only a user token; `body` returns its response. */
export function definePanelRead(
  name: string,
  body: (request: PanelRequest, service: Service) => unknown,
): Operation {
  return { name, method: 'GET', needs: 'panel', answer: (request, service) => ok(body(request, service)) }
}
