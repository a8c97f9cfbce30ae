import type { Clock } from '../../clock.ts'
import type { Lane } from '../service-user/rate-limit/sliding-window.ts'

/** A panel as the service identifies it. The code is a text, since a number would lose leading zeros. */
export interface PanelKey {
  serial: string
  userCode: string
}

/** A checked value of the service, and the circumstances of its request. */
export interface Success<T> {
  readonly value: T
  /** Milliseconds of the monotonic clock: of two answers, the one with the later request is newer. */
  readonly sentAt: number
  /** The sign-in whose tokens the request had; lists are thin right after it (field fact). */
  readonly session?: string | undefined
}

/** The answer of the service to a request, and the times of its arrival. */
export interface Answer<T> extends Success<T> {
  /** Milliseconds since 1970. */
  readonly fetchedAt: number
  /** Milliseconds of the monotonic clock. */
  readonly at: number
}

/**
 * Returns the age of an answer in milliseconds: the greater one of both clocks, because the monotonic clock stands
 * still while the machine sleeps. A wall clock that was put forward costs one more request and makes messages stale
 * until the next answer, one that was put back changes nothing.
 */
export function ageOf({ at, fetchedAt }: Pick<Answer<unknown>, 'at' | 'fetchedAt'>, clock: Clock): number {
  return Math.max(clock.monotonic() - at, clock.wall() - fetchedAt)
}

/** The options of a read request. */
export interface ReadOptions {
  lane: Lane
  /** Requests with a higher one go before all others of the lane; 0 without it. */
  priority?: number
  /** An answer younger than this many milliseconds is reused; 0 reuses none. */
  maxAge: number
  /** Aborted when the caller leaves. The call ends when no caller waits for it any more. */
  signal: AbortSignal
  /**
   * Publishes the answer for other processes, or takes the one that another process has published within `maxAge`
   * milliseconds.
   */
  share?: { readonly as: 'publish' | 'follow'; readonly answersOf: string; readonly maxAge?: number }
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
