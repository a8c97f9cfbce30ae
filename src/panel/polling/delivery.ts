import type { ErrorCode, KeyholderError } from '../../service/error.ts'
import type { Lease } from '../lease.ts'

/** The condition of a poller, for the status of the nodes that listen. */
export type PollCondition =
  /** The first read is in progress. */
  | { state: 'reading' }
  | { state: 'fine' }
  /** No poll has failed, but there was no answer for a long time. */
  | { state: 'stale' }
  | { state: 'failing'; error: KeyholderError }
  /**
   * Another process polls, or delivers to this node; its name, as far as known. `ownFailure`: why the polls of this one
   * failed until then. `holderFailure`: why those of the other one fail.
   */
  | {
      state: 'standby'
      holder: string | undefined
      ownFailure?: ErrorCode
      holderFailure?: ErrorCode
    }

/** A subscriber of a poller; its functions must not throw. */
export interface Subscriber<T> {
  snapshot(view: T): void
  condition(condition: PollCondition): void
}

/** Returns the condition of what needs a lease that this process does not hold. */
export function conditionWithout({
  holder,
  failure: error,
  ownFailure,
  holderFailure,
}: Lease): PollCondition {
  if (error !== undefined) return { state: 'failing', error }
  const failures = { ...(ownFailure && { ownFailure }), ...(holderFailure && { holderFailure }) }
  return { state: 'standby', holder, ...failures }
}

/**
 * The delivery of views to one subscriber. A node gets them only while this process holds its delivery lease; when it
 * is gained, the node gets the present view once.
 */
export class Delivery<T> {
  readonly subscriber: Subscriber<T>
  /** Undefined for a subscriber that is no node, which gets whatever there is. */
  readonly #lease: Lease | undefined
  #wasHeld = false
  #leave: (() => void) | undefined
  /** The reads whose answers the subscriber waits for, each with the latest view that was withheld because of it. */
  #reads: readonly { withheld: T | undefined }[] = []

  constructor(subscriber: Subscriber<T>, lease: Lease | undefined) {
    this.subscriber = subscriber
    this.#lease = lease
  }

  /** True while the subscriber may get views. */
  get isHeld(): boolean {
    return this.#lease?.isHeld ?? true
  }

  /** True if the subscriber is a node that this process delivers to, so that it needs views here. */
  get needsViews(): boolean {
    return this.#lease?.isHeld ?? false
  }

  /**
   * Wants the lease until `end`.
   * @param onChange called when the lease is gained or lost, or when another process has it
   */
  begin(onChange: () => void): void {
    if (this.#lease === undefined) return
    this.#wasHeld = this.isHeld
    const ignore = this.#lease.onChange(onChange)
    const giveUp = this.#lease.want()
    this.#leave = () => {
      ignore()
      giveUp()
    }
  }

  end(): void {
    this.#leave?.()
    for (const read of this.#reads) read.withheld = undefined
  }

  /**
   * Runs `load` for the subscriber, which waits for the answer and uses it itself. New views are withheld from it
   * meanwhile; the latest of them is delivered once its last read is over, if none was answered since.
   * @throws the error of `load`
   */
  async wait(load: () => Promise<T>): Promise<T> {
    const read: { withheld: T | undefined } = { withheld: undefined }
    this.#reads = [...this.#reads, read]
    try {
      const answer = await load()
      for (const other of this.#reads) other.withheld = undefined
      return answer
    } finally {
      this.#reads = this.#reads.filter((other) => other !== read)
      if (read.withheld !== undefined && this.#reads.length === 0) this.deliver(read.withheld)
    }
  }

  /** Delivers a new view to the subscriber if it may get views and does not wait for an answer of its own. */
  offer(view: T): void {
    if (this.isHeld && this.#reads.length > 0) for (const read of this.#reads) read.withheld = view
    else this.deliver(view)
  }

  /** Delivers a view to the subscriber if it may get views. */
  deliver(view: T): void {
    if (this.isHeld) this.subscriber.snapshot(view)
  }

  /**
   * Follows a change of the lease: tells the subscriber its condition, and delivers the view to who begins to get views.
   * @param condition of the poller
   * @param isTold true if this was told to all who get views
   */
  followLease(condition: PollCondition, isTold: boolean, view: T | undefined): void {
    const { isHeld } = this
    const isGained = isHeld && !this.#wasHeld
    this.#wasHeld = isHeld
    if (!isTold || !isHeld) this.subscriber.condition(this.conditionWith(condition))
    if (isGained && view !== undefined) this.deliver(view)
  }

  /** Returns the subscriber's condition, which is that of the poller while the lease is held. */
  conditionWith(condition: PollCondition): PollCondition {
    return this.#lease === undefined || this.#lease.isHeld ? condition : conditionWithout(this.#lease)
  }
}
