import type { KeyholderError } from '../../service/error.ts'

/** Thrown by what only the holder of a lease may do, after the lease was lost. */
export class LeaseLost {}

/**
 * The right to do what only one process at a time may do, such as to poll a panel.
 *
 * A process that holds it may lose it at any time. Look at `isHeld` right before each step.
 */
export interface Lease {
  readonly isHeld: boolean
  /** The name of the process that holds it, for display; undefined if it is this one or unknown. */
  readonly holder: string | undefined

  /**
   * True while this process is cut off from the others and goes on without knowing what they do: what it delivers may
   * be repeats.
   */
  readonly isAlone?: boolean

  /** The reason why nobody can know who holds it; undefined if it is known, and for a process that is alone. */
  readonly failure?: KeyholderError | undefined

  /** Notes that this process wants the lease. Returns a function that ends the wish; the last one gives the lease up. */
  want(): () => void

  /**
   * Calls `listener` when `isHeld`, `holder` or `failure` has changed; after each loss at least once while `isHeld` is false.
   * Returns a function that ends this.
   */
  onChange(listener: () => void): () => void

  /**
   * Notes that a work of the holder begins, such as a poll; call `end` after it. Returns false if it must not: the
   * lease is no longer held or, after a takeover, another process has begun the same work a short time ago. Never
   * rejects.
   * @param work its name
   * @param minGap milliseconds that must have passed since it was begun
   */
  begin(work: string, minGap: number): boolean | Promise<boolean>

  /** Notes that a work has ended that `begin` has allowed, whatever its outcome; the lease may then be passed on. */
  end(work: string): void

  /** Milliseconds of a clock that all processes that want the lease share, for the grid of the polls. */
  now(): number
}

/** Returns the lease of a process that is alone: it always holds it. */
export function lastingLease(now: () => number): Lease {
  return {
    isHeld: true,
    holder: undefined,
    want: () => () => {},
    onChange: () => () => {},
    begin: () => true,
    end: () => {},
    now,
  }
}
