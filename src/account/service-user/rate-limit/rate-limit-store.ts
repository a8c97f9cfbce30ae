import { KeyholderError } from '../../../service/error.ts'
import type { Lane } from './budget.ts'

/** The error of a backoff of an earlier process. */
export const backoffBeforeRestart = new KeyholderError(
  'LOGIN_BLOCKED',
  'Node-RED was restarted and waits, to protect the account from a block.',
  {},
  { text: 'finding.restarted' },
)

/** A time without requests. */
export interface Backoff {
  /** Milliseconds of the monotonic clock of this machine. */
  readonly since: number
  /** Milliseconds of the same clock. */
  readonly until: number
  /** The end of what the service asked for; until then, not even a command is sent. */
  readonly requestedUntil: number
  readonly error: KeyholderError
}

/** Returns the backoff after another one has begun: the longer one stays, and so does the longest end of a request. */
export function longerBackoff<B extends Backoff>(before: B | undefined, begun: B): B {
  const requestedUntil = Math.max(before?.requestedUntil ?? 0, begun.requestedUntil)
  return { ...(before !== undefined && begun.until <= before.until ? before : begun), requestedUntil }
}

/** An attempt that counts from its start until a minute after its end. */
export interface CountedAttempt {
  /** Notes that the attempt is over, or was not made after all. */
  end(): void
}

/**
 * The attempts and the backoff of one service user, of all who send requests for it: one process and those
 * before it, or several processes at the same time.
 *
 * The policy is not here: `RateLimiter` decides which attempt is next, `ServiceUser` how long a backoff is.
 */
export interface RateLimitStore {
  /**
   * Attempts in any sliding minute. Set it to the lowest cap of the config nodes of this process; it then is the
   * lowest of all processes, as far as known here.
   */
  limit: number
  /**
   * Notes that no config node of this process needs the user any more, until `limit` is set again. Resolves when the next
   * process would not count attempts that were never made; never rejects.
   */
  endLimit?(): Promise<void>
  /** The attempts of the last minute, as far as known here. */
  readonly used: number
  /** The attempts since midnight in UTC, as far as known here. */
  readonly usedToday: number

  /**
   * Returns at once the milliseconds for which there is no use in `take`, as far as known here; Infinity if that
   * depends on a running attempt or on another process, and `onChange` tells the end.
   */
  wait(lane: Lane): number

  /**
   * Calls `listener` when `wait` may have become shorter or the backoff has changed because of another process.
   * Returns a function that ends this.
   */
  onChange(listener: () => void): () => void

  /**
   * Counts an attempt that is about to be sent. It stays counted if this process is killed. An attempt alone in
   * its process is counted before the first await.
   *
   * Returns undefined if another process was faster; `wait` then is above 0.
   * @param timeout milliseconds after its start at which it has ended, if this process lives; else unknown
   * @throws KeyholderError if the store cannot be reached: nothing must be sent
   */
  take(lane: Lane, timeout?: number): Promise<CountedAttempt | undefined>

  /**
   * Resolves when the attempts and the backoff of earlier processes are known, which is found out once; never
   * rejects. If attempts of the last minute may have been counted elsewhere, because the user has moved into a cluster or
   * out of it, a backoff of a minute begins instead.
   * @param before at the first call, the end of the use of the store before, if this process has one
   */
  recall(before?: Promise<void>): Promise<void>

  /**
   * Resolves like `recall` when an attempt may be counted.
   * If the process after this one would not know of it, a backoff of a minute begins, as it does in that process.
   * @throws KeyholderError BAD_SETTING if what earlier processes have noted is not known: nothing must be sent
   */
  open(): Promise<void>

  /**
   * Ends the use of the store, because the user moves into a cluster or out of it: `take` rejects with CLOSED from now
   * on. Resolves when no attempt of this process runs any more; never rejects.
   */
  close(): Promise<void>

  /** The latest backoff, as far as known here, until `endBackoff`; it may be over. */
  readonly backoff: Backoff | undefined

  /**
   * Starts a backoff now; a longer one that is already running stays. Until `endBackoff`, no attempt starts while
   * another one is running.
   *
   * It applies at once in this process. The promise resolves when it would survive this process and the others
   * will respect it; it never rejects.
   * @param pause milliseconds
   * @param isRequested true if not even a command may be sent
   */
  startBackoff(pause: number, error: KeyholderError, isRequested: boolean): Promise<void>

  /** Notes that the service has accepted a request after a backoff; others may follow. Does nothing without one. */
  endBackoff(): void

  /**
   * Notes that something is about to be sent whose answer must be known before anybody sends it again, such as
   * secrets that may be wrong: if this process ends before it calls the returned function, the others, or the
   * process after it, have a backoff of `pause` milliseconds from now. The promise of that function never rejects.
   * @throws KeyholderError if this cannot be noted: do not send it
   */
  guardKill(pause: number): Promise<() => Promise<void>>

  /** Counts a sign-in that the service answered. Returns the sign-ins of the last hour; never rejects. */
  noteSignIn(): Promise<number>
}
