import type { Account } from '../../account/account.ts'
import type { ReadOptions } from '../../account/requests/request.ts'
import { minute } from '../../duration.ts'
import { type Operation, operations } from '../../service/operations.ts'
import type { PanelClient } from '../panel-client.ts'
import { validFor } from '../snapshot.ts'
import { KnownFaults } from './known-devices.ts'
import type { PanelFaults } from './readings.ts'

/** Milliseconds for which the lists of what a panel reports of itself are not read again. */
const readEvery = 10 * minute

/** The number of lists that show that a fault is over. */
export const agreeingLists = 2

/** Reads the lists of what a panel reports of itself, while somebody needs them. */
export class FaultReader {
  readonly #account: Account
  readonly #panelClient: PanelClient
  readonly #known = new KnownFaults()
  readonly #waiters = new Set<symbol>()
  /** The faults of the panel itself; null before they were read, undefined if nobody needs them, or if there are no lists. */
  latest: PanelFaults | null | undefined
  /** The number of polls of the devices with which new lists are read: an event tells that a fault has begun or ended. */
  due = 0
  #pausedUntil = Number.NEGATIVE_INFINITY

  constructor(account: Account, panelClient: PanelClient) {
    this.#account = account
    this.#panelClient = panelClient
  }

  /** Asks for the lists; returns a function that ends this. */
  await(): () => void {
    const waiter = Symbol('faults')
    if (this.#waiters.size === 0) this.latest = null
    this.#waiters.add(waiter)
    return () => {
      this.#waiters.delete(waiter)
      // Nobody reads them any more, so they would stay as they are.
      if (this.#waiters.size === 0) this.latest = undefined
    }
  }

  /** True if the devices are told with lists that are read now, because they have changed. */
  get isAwaited(): boolean {
    return this.due > 0 && this.#waiters.size > 0
  }

  /**
   * Reads the lists after a poll of the devices, but not after each; never rejects.
   * @param isCurrent false if the panel may be offline
   * @param isFirst true for the first poll: the process that polls publishes these lists after that of the devices
   */
  async readAfterDevices(options: ReadOptions, isCurrent: boolean, isFirst: boolean): Promise<void> {
    const isFollowing = options.share?.as === 'follow'
    if (this.#waiters.size === 0 || this.#now < this.#pausedUntil || (isFollowing && isFirst)) return
    // The polls of the devices must not wait for lists that fail again and again.
    const pause = () => {
      if (this.latest !== null) this.#pausedUntil = this.#now + readEvery
    }
    await this.#read(options, isCurrent, pause).catch(pause)
  }

  async #read(options: ReadOptions, isCurrent: boolean, pause: () => void): Promise<void> {
    await this.#panelClient.readLimits(options)
    if (!this.#panelClient.areLimitsKnown) return
    const { listsTroubles, listsAlerts } = this.#panelClient.limits
    const { share } = options
    const published = share?.as === 'follow' && { share: { ...share, maxAge: 1.5 * readEvery } }
    const maxAge = this.due > 0 ? 0 : readEvery
    this.due = Math.max(0, this.due - 1)
    const seldom = { ...options, maxAge, ...published }
    let hasFailed = false
    const noteFailure = () => {
      hasFailed = true
      return undefined
    }
    const read = async <T>(isListed: boolean, operation: Operation<T>) =>
      isListed ? this.#panelClient.requestIfSupported(operation, seldom).catch(noteFailure) : undefined
    const troubles = await read(listsTroubles, operations.troubles)
    const alerts = await read(listsAlerts, operations.alerts)
    if (this.#waiters.size === 0) return
    if (troubles === undefined && alerts === undefined && !hasFailed) {
      if (this.latest === null) this.latest = undefined
      return
    }
    const { timeZone } = this.#account.settings
    const isReliable = isCurrent && !hasFailed
    const faults = this.#known.note({ troubles, alerts }, isReliable, validFor(readEvery), timeZone)
    // A list that could not be read yet may have some.
    if (this.latest !== null || !hasFailed || faults.present.length > 0) this.latest = faults
    if (hasFailed) pause()
  }

  get #now(): number {
    return this.#account.clock.monotonic()
  }
}
