import { isDeepStrictEqual } from 'node:util'
import type { ReadOptions } from '../../account/requests/request.ts'
import type { Clock } from '../../clock.ts'
import type { ErrorCode, KeyholderError } from '../../service/error.ts'
import type { DeliveringNode, Lease, PollLease } from '../lease.ts'
import type { AnswerTimes } from '../snapshot.ts'
import type { OutageReporter } from './outage-reporter.ts'

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

/** The source that a poller reads. */
export interface PolledSource<T> {
  /** The name of the source in the outage reporter. */
  name: string
  outages: OutageReporter
  clock: Clock
  /** Only its holder polls; who delivers to nodes without it follows. */
  lease: PollLease
  /** Returns the lease whose holder delivers to a node. */
  deliveryLease(node: DeliveringNode): Lease
  /** True if the user has entered the interval: this process needs it also while it follows, whatever pace the other one has. */
  isConstant: boolean
  /**
   * Milliseconds between polls, determined again for each poll; without the lease, as the process that polls has told, unless
   * it is constant.
   */
  interval(): number
  /** The time of the monotonic clock at which the next poll is due. */
  dueAt(): number
  /** Milliseconds after which a new view is too old to rely on. */
  validFor(): number
  /** Milliseconds until the account may send again; 0 if it may now. */
  pauseLeft?(): number
  /** The priority of the first poll after a start: with many panels, the first answers of all of them take long. */
  firstPriority: number
  /** Milliseconds for which the first poll of a process that takes over waits for more urgent ones; 0 by default. */
  takeoverDelay?: number
  load(options: ReadOptions): Promise<T>
  /** True if answers are cached: to read one again is no request then. */
  isCached: boolean
  /** Called if another process tells that the source changes, and this one polls. */
  noteChange?(): void
  /**
   * Notes the milliseconds between the polls of the process that polls, as it has told; undefined once this process polls
   * itself.
   */
  noteInterval?(every: number | undefined): void
  /** Called when the first subscriber comes. Returns a function that is called when the last one has left. */
  noteUse?(): () => void
  /** Called after a view was delivered to the subscribers. */
  noteDelivery?(): void
}

// One for all pollers.
const reading: PollCondition = { state: 'reading' }
const fine: PollCondition = { state: 'fine' }
const stale: PollCondition = { state: 'stale' }

/** The subscribers of a source, and what they are told: the latest view, and the condition of the polls. */
export class Subscribers<T extends AnswerTimes> {
  /** The current condition. */
  condition: PollCondition = reading
  /** The latest view; undefined while none is kept up to date. */
  latest: T | undefined
  /** The time at which it was delivered: all that it was made of had arrived. */
  deliveredAt = Number.NEGATIVE_INFINITY
  readonly #source: PolledSource<T>
  #deliveries: readonly Delivery<T>[] = []
  /** Exists while there are subscribers. */
  #stats: PollStats | undefined
  #cancelStaleness: (() => void) | undefined

  constructor(source: PolledSource<T>) {
    this.#source = source
  }

  /** The number of subscribers, those that stand by among them. */
  get count(): number {
    return this.#deliveries.length
  }

  /** True if there are none. */
  get isEmpty(): boolean {
    return this.count === 0
  }

  /** True if one of them is a node that this process delivers to. */
  get needViews(): boolean {
    return this.#deliveries.some(({ needsViews }) => needsViews)
  }

  /** Statistics about the polls; undefined while there are no subscribers. */
  get figures(): PollFigures | undefined {
    return this.#stats?.figures
  }

  /**
   * Adds a subscriber, and tells it the condition.
   * @param lease of a node; without it, the subscriber gets whatever there is
   */
  add(subscriber: Subscriber<T>, lease: Lease | undefined): Delivery<T> {
    const delivery = new Delivery(subscriber, lease)
    this.#deliveries = this.#deliveries.concat(delivery)
    this.#stats ??= new PollStats(this.#source.clock)
    subscriber.condition(delivery.conditionWith(this.condition))
    return delivery
  }

  /** Removes a subscriber; what was told is forgotten with the last one. */
  remove(delivery: Delivery<T>): void {
    this.#deliveries = this.#deliveries.filter((other) => other !== delivery)
    delivery.end()
    if (!this.isEmpty) return
    this.forget()
    this.condition = reading
    this.#stats = undefined
  }

  /** Returns the condition for a subscriber, which may stand by while others receive views. */
  conditionOf(subscriber: Subscriber<T>): PollCondition {
    return this.#deliveryTo(subscriber)?.conditionWith(this.condition) ?? this.condition
  }

  /**
   * Runs `load` for a subscriber that waits for the answer and uses it itself. Other views are delivered to it
   * afterwards, and only if there is no answer.
   * @throws the error of `load`
   */
  wait(subscriber: Subscriber<T>, load: () => Promise<T>): Promise<T> {
    return this.#deliveryTo(subscriber)?.wait(load) ?? load()
  }

  /** Delivers a view to all subscribers, unless it is older than the latest one or the same. */
  deliver(view: T): void {
    // A slow answer must not replace the view of a faster one that was requested later; a shared answer is
    // delivered only once.
    if (view.sentAt < (this.latest?.sentAt ?? 0)) return
    if (view.sentAt === this.latest?.sentAt && isDeepStrictEqual(view, this.latest)) {
      if (view.failure !== undefined) this.noteFailure(view.failure)
      return
    }
    const { clock } = this.#source
    this.latest = view
    this.deliveredAt = clock.monotonic()
    this.#stats?.noteAnswer(view)
    for (const delivery of this.#deliveries) delivery.offer(view)
    if (view.failure === undefined) this.setCondition(fine)
    else this.noteFailure(view.failure)
    this.expectAnswer()
    this.#source.noteDelivery?.()
  }

  /** Tells them, until there is a view, that the first read is in progress. */
  expectFirst(): void {
    if (this.latest !== undefined) return
    this.#cancelStaleness?.()
    if (this.condition.state !== 'reading') this.setCondition(reading)
  }

  /** Shows that there was no answer for a long time, unless there is one. */
  expectAnswer(): void {
    const { clock, validFor } = this.#source
    this.#cancelStaleness?.()
    this.#cancelStaleness = clock.after(validFor(), () => {
      const { state } = this.condition
      if (state === 'fine' || state === 'reading') this.setCondition(stale)
    })
  }

  /** Notes that a poll has failed. */
  noteFailure(error: KeyholderError): void {
    this.#stats?.noteFailure()
    this.setCondition({ state: 'failing', error })
  }

  /** Sets the condition, and tells it to those who may get views. */
  setCondition(condition: PollCondition): void {
    const { name, outages } = this.#source
    const before = this.condition.state
    this.condition = condition
    if (condition.state === 'failing') outages.noteFailure(name, condition.error)
    if (condition.state === 'fine' && before !== 'fine') outages.noteRecovery(name)
    for (const { subscriber, isHeld } of this.#deliveries) if (isHeld) subscriber.condition(condition)
  }

  /** Forgets the view, because it is no longer kept up to date. */
  forget(): void {
    const { name, outages } = this.#source
    this.latest = undefined
    this.deliveredAt = Number.NEGATIVE_INFINITY
    this.#cancelStaleness?.()
    outages.forget(name)
  }

  #deliveryTo(subscriber: Subscriber<T>): Delivery<T> | undefined {
    return this.#deliveries.find((delivery) => delivery.subscriber === subscriber)
  }
}

/** Statistics about the polls of one thing, for display; null means that it has not happened yet. */
export interface PollFigures {
  /** The end of the latest poll, successful or not: milliseconds since 1970. */
  lastAt: number | null
  /** The time of the service's latest answer: milliseconds since 1970. */
  lastOk: number | null
  /** Milliseconds since that answer, independent of changes of the wall clock. */
  ageMs: number | null
  /** Number of polls that failed in a row. */
  failures: number
  /** Milliseconds that the latest answers had got old when the next one came, in their order. */
  ages: readonly number[]
}

/** The number of ages that are kept. */
const maxAges = 50

/** Counts the polls of one thing. */
class PollStats {
  readonly #clock: Clock
  #lastAt: number | null = null
  #answer: AnswerTimes | undefined
  #failures = 0
  #ages: readonly number[] = []

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Notes an answer, which can be somewhat older than the poll. */
  noteAnswer(answer: AnswerTimes): void {
    this.#lastAt = this.#clock.wall()
    const age = answer.at - (this.#answer?.at ?? answer.at)
    if (age > 0) this.#ages = [...this.#ages.slice(1 - maxAges), age]
    this.#answer = answer
    this.#failures = 0
  }

  /** Notes a poll without an answer. */
  noteFailure(): void {
    this.#lastAt = this.#clock.wall()
    this.#failures += 1
  }

  get figures(): PollFigures {
    const { fetchedAt = null, at } = this.#answer ?? {}
    return {
      lastAt: this.#lastAt,
      lastOk: fetchedAt,
      ageMs: at === undefined ? null : Math.round(this.#clock.monotonic() - at),
      failures: this.#failures,
      ages: this.#ages,
    }
  }
}
