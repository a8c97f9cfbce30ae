import type { Lane } from '../../account/service-user/rate-limit/budget.ts'
import { type DeliveringNode, following, publishing } from '../lease.ts'
import type { AnswerTimes } from '../snapshot.ts'
import { NextPoll, PollLoop } from './poll-loop.ts'
import {
  conditionWithout,
  type PollCondition,
  type PolledSource,
  type PollFigures,
  type Subscriber,
  Subscribers,
} from './subscribers.ts'

export type { PollCondition, Subscriber } from './subscribers.ts'

/**
 * Polls one source for all subscribers, when it is due, and only while it has subscribers and holds the lease.
 *
 * The first subscriber starts it. The removal of the last one stops it and aborts its reads. Without the lease it
 * follows if it delivers to a node: after each poll of the process that has the lease, it reads the answers that this
 * one has published. Else it stands by: it reads only for callers that wait, and tells the subscribers nothing but
 * that.
 */
export class Poller<T extends AnswerTimes> {
  readonly #source: PolledSource<T>
  readonly #next: NextPoll
  readonly #subscribers: Subscribers<T>
  /** Exists while it polls or follows; another one after each change of the lease. */
  loop: PollLoop<T> | undefined
  #leave: (() => void) | undefined
  /** The number of those that keep it polled without listening. */
  #followers = 0
  /** The time of the latest announced change. */
  #changedAt = Number.NEGATIVE_INFINITY
  /** Ends the renewal under way. */
  #refreshing: AbortController | undefined

  constructor(source: PolledSource<T>) {
    this.#source = source
    this.#next = new NextPoll(source)
    this.#subscribers = new Subscribers(source)
  }

  /** The current condition. */
  get condition(): PollCondition {
    return this.#subscribers.condition
  }

  /** True while there are subscribers. */
  get hasSubscribers(): boolean {
    return !this.#subscribers.isEmpty
  }

  /** True while somebody listens to the views; false also if it is polled for the pace of another poller alone. */
  get hasListeners(): boolean {
    return this.#subscribers.count > this.#followers
  }

  /** The latest view; undefined while it does not poll. */
  get latest(): T | undefined {
    return this.#subscribers.latest
  }

  /** Statistics about the polls; undefined while there are no subscribers. Reading them sends no request. */
  get figures(): PollFigures | undefined {
    return this.#subscribers.figures
  }

  /**
   * Adds a subscriber and returns a function that removes it. A later subscriber receives the latest view at once.
   * @param node the node that subscribes: it receives nothing while another process delivers to it
   */
  subscribe(subscriber: Subscriber<T>, node?: DeliveringNode): () => void {
    const isFirst = !this.hasSubscribers
    const { deliveryLease } = this.#source
    const delivery = this.#subscribers.add(subscriber, node && deliveryLease(node))
    if (isFirst) this.#start()
    else if (this.latest !== undefined) delivery.deliver(this.latest)
    delivery.begin(() => {
      const before = this.condition
      this.#followLease()
      delivery.followLease(this.condition, this.condition !== before, this.latest)
    })
    return () => {
      this.#subscribers.remove(delivery)
      if (!this.hasSubscribers) this.#stop()
      else this.#followLease()
    }
  }

  /** Keeps it polled for the pace of another poller. Returns a function that ends this. */
  follow(): () => void {
    this.#followers += 1
    const leave = this.subscribe(
      { snapshot: () => {}, condition: () => {} },
      { id: 'pace', instances: 'one' },
    )
    return () => {
      this.#followers -= 1
      leave()
    }
  }

  /** Returns the condition for a subscriber, which may stand by while others receive views. */
  conditionOf(subscriber: Subscriber<T>): PollCondition {
    return this.#subscribers.conditionOf(subscriber)
  }

  /**
   * Reads now for a caller that waits. All subscribers receive the view before the answer is returned, and only
   * once if several callers have requested it.
   * @param subscriber a subscriber that uses the answer itself; it receives other views only if there is no answer
   * @throws KeyholderError the error of the read, which does not change the condition of the poller
   */
  async read(signal: AbortSignal, subscriber?: Subscriber<T>): Promise<T> {
    const ask = async () => {
      const view = await this.#loadNow('urgent', signal)
      // A poll that was requested later may have been answered first.
      return this.latest !== undefined && this.latest.sentAt > view.sentAt ? this.latest : view
    }
    return subscriber === undefined ? ask() : this.#subscribers.wait(subscriber, ask)
  }

  /**
   * Reads a source that is changing now, at once and for all subscribers; reads nothing if there are none.
   *
   * A failure is reported only by the polls, which become more frequent if the change makes them so. If another process
   * polls, it is told to do this.
   */
  refresh(): void {
    const { clock, lease } = this.#source
    this.#changedAt = clock.monotonic()
    // The process that polls reads it, and publishes the answer.
    if (!lease.isHeld) lease.tell('change')
    else if (this.loop !== undefined && this.#refreshing === undefined) void this.#refreshAll(this.loop)
  }

  /** Does `pollNow` of the loop, if this process polls or follows. */
  pollNow(maxAge = 0, servedUntil = Number.NEGATIVE_INFINITY): void {
    this.loop?.pollNow(maxAge, servedUntil)
  }

  /** Determines the time of the next poll again, because something else has changed; if another process polls, it is told. */
  trigger(): void {
    const { lease } = this.#source
    if (lease.isHeld) this.loop?.reschedule()
    else lease.tell('change')
  }

  /**
   * Reads now for another poll that waits for it, and delivers the view; a process that follows reads what the other one
   * has published, if anybody here needs it.
   * @throws KeyholderError
   */
  async readFor(signal: AbortSignal, isFollowing: boolean): Promise<void> {
    const { lease, interval } = this.#source
    if (!isFollowing) {
      await this.#loadNow('urgent', signal)
    } else if (this.loop?.isFollowing) {
      const share = following(lease, interval())
      this.loop.deliver(await this.#source.load({ lane: 'poll', maxAge: 0, signal, ...share }))
    }
  }

  async #loadNow(lane: Lane, signal: AbortSignal): Promise<T> {
    const { lease } = this.#source
    // Never taken from another process: a caller that waits wants the present state, not that of the latest poll.
    const sharing = publishing(lease)
    const view = await this.#source.load({ lane, maxAge: 0, signal, ...sharing })
    this.loop?.deliver(view)
    if (sharing.share !== undefined) lease.tell(`answers:${Math.ceil(this.#next.every)}`)
    // The change may have shortened the interval.
    this.loop?.reschedule()
    return view
  }

  /**
   * Reads in the lane of the polls, which is served soon: the urgent reserve is left to the next command.
   * Never rejects.
   */
  async #refreshAll(loop: PollLoop<T>): Promise<void> {
    const refreshing = new AbortController()
    this.#refreshing = refreshing
    const { signal } = refreshing
    try {
      let { sentAt } = await this.#loadNow('poll', signal)
      // An answer that was requested before the change does not show it yet.
      while (!signal.aborted && sentAt < this.#changedAt) ({ sentAt } = await this.#loadNow('poll', signal))
    } catch {
      loop.reschedule()
    }
    if (this.#refreshing === refreshing) this.#refreshing = undefined
  }

  #start(): void {
    const { lease, noteUse } = this.#source
    const ignoreHints = lease.onHint((hint) => this.loop?.heed(hint))
    const ignore = lease.onChange(() => this.#followLease())
    const giveUp = lease.want()
    const endUse = noteUse?.()
    this.#leave = () => {
      endUse?.()
      ignore()
      ignoreHints()
      giveUp()
    }
    this.#followLease()
  }

  #stop(): void {
    this.#endLoop()
    this.#leave?.()
    this.#leave = undefined
  }

  /** Polls while it holds the lease, else follows while it delivers to a node, else stands by. */
  #followLease(): void {
    const { lease } = this.#source
    if (!lease.isHeld && !(this.#subscribers.needViews && lease.failure === undefined)) {
      this.#endLoop()
      this.#subscribers.forget()
      this.#subscribers.setCondition(conditionWithout(lease))
      return
    }
    if (this.loop !== undefined && lease.isHeld !== this.loop.isFollowing) return
    this.#endLoop()
    this.loop = new PollLoop(this.#source, this.#next, this.#subscribers)
    this.loop.begin()
  }

  #endLoop(): void {
    this.#refreshing?.abort()
    this.#refreshing = undefined
    this.loop?.end()
    this.loop = undefined
  }
}
