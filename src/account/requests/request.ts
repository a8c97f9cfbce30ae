import type { PollDue } from '../service-user/rate-limit/attempt-queue.ts'
import type { Lane } from '../service-user/rate-limit/budget.ts'

export type { PollDue } from '../service-user/rate-limit/attempt-queue.ts'

/** A panel as the service identifies it. The code is a text, since a number would lose leading zeros. */
export interface PanelKey {
  serial: string
  userCode: string
}

/** The options of a read request. */
export interface ReadOptions {
  lane: Lane
  /** Requests with a higher one go before all others of the lane; 0 without it. */
  priority?: number
  /** The place of a poll without a priority among the polls of all panels; without it, panels take turns. */
  due?: PollDue
  /** An answer younger than this many milliseconds is reused; 0 reuses none. */
  maxAge: number
  /** Aborted when the caller leaves. The call ends when no caller waits for it any more. */
  signal: AbortSignal
  /**
   * Publishes the answer for other processes, or takes the one that another process has published within `maxAge`
   * milliseconds. Of what hardly ever changes, it takes what any process has kept, or keeps the answer.
   */
  share?:
    | { readonly as: 'publish' | 'follow'; readonly answersOf: string; readonly maxAge?: number }
    | { readonly as: 'description' }
}

/** The subject of a read request, beside its operation. */
export interface ReadSubject {
  /** Required for operations that use a session token. */
  panel?: PanelKey
  locale?: string
  /** The process token that the operation refers to. */
  token?: string
}

/** A read request to the service. */
export type ReadRequest = ReadOptions & ReadSubject

/** A command for a panel. */
export interface CommandRequest {
  panel: PanelKey
  body: Readonly<Record<string, unknown>>
  /** Cancels the command before it is sent. A sent command cannot be stopped. */
  signal: AbortSignal
  /** Updated while the command is in progress. */
  sendState?: SendState
  /** Returns false if the command must not be sent any more; asked right before the first byte. Must not throw. */
  maySend?(): boolean
}

/**
 * The send state of a command. `wasSent` is true if the service may have received the command. It becomes
 * false again if the service did not accept the command and it is sent again.
 */
export interface SendState {
  wasSent: boolean
}
