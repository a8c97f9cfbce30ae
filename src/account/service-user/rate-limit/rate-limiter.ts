import PQueue from 'p-queue'
import type { Clock } from '../../../clock.ts'
import { closedError, KeyholderError } from '../../../service/error.ts'
import {
  type AttemptOptions,
  AttemptQueue,
  HeldBackWarning,
  type HeldPlace,
  PollDemand,
  type PollDue,
  whileHeld,
} from './attempt-queue.ts'
import {
  allLanes,
  type BudgetFigures,
  DailyBudget,
  type Lane,
  requestsPerDayOfPanel,
  reserveOf,
} from './budget.ts'
import type { CountedAttempt, RateLimitStore } from './rate-limit-store.ts'

/** The place of an attempt in the queue. */
export interface QueuePosition {
  lane: Lane
  /** The serial of the panel that takes its turn; undefined for requests of the account itself. */
  panel?: string | undefined
  /** Attempts with a higher one go before all others of the lane; 0 without it. */
  priority?: number | undefined
  /** The place of a poll among the polls of all panels. */
  due?: PollDue | undefined
  /** Names what is polled. */
  resource?: string | undefined
  /** Milliseconds after its start at which the attempt has ended, whatever happens. */
  timeout?: number | undefined
  /** Removes the attempt from the queue. The caller itself must end an attempt that already runs. */
  signal: AbortSignal
  /**
   * True if all callers wait for the attempt. While a command needs it, it moves to the lane of commands and is
   * let through a backoff of our own.
   */
  isForAllCallers?: boolean
}

/**
 * Returns the place of a call for all callers, such as a sign-in: all of them wait for it, and it does not
 * end when one of them leaves; its own timeout ends it.
 * @param panel the serial of the panel that it opens
 */
export function forAllCallers(panel?: string): QueuePosition {
  const { signal } = new AbortController()
  return { lane: 'urgent', signal, isForAllCallers: true, panel }
}

type LaneQueue = PQueue<AttemptQueue, AttemptOptions>

/**
 * The number of concurrent attempts per lane. Polls run one at a time. Urgent attempts do not: a caller must
 * not wait for a missing answer to another call. A command waits only for the sliding window.
 */
const maxConcurrent: Readonly<Record<Lane, number>> = {
  command: Number.POSITIVE_INFINITY,
  urgent: 3,
  poll: 1,
}

/** A call that all callers wait for, as long as it waits in the urgent lane. */
interface WaitingForAll {
  panel: string | undefined
  moveUp(): void
}

/** A turn in which another process was faster. */
interface Outrun {
  lane: Lane
  retry(): void
}

/**
 * Starts HTTP attempts one by one, as soon as the store has room for them.
 *
 * p-queue provides order, turns and abort. The rate limit is our own, on the monotonic clock, since p-queue's
 * window follows the wall clock and allows bursts at its edge. The queue of a lane is paused while its next
 * attempt must not start. A start in one lane causes a check of all lanes. A rate limiter needs no disposal.
 */
export class RateLimiter {
  readonly #store: RateLimitStore
  readonly #clock: Clock
  readonly #lanes: Readonly<Record<Lane, LaneQueue>>
  /** The lanes by their latest start, oldest first: they take turns if they wait for the same capacity. */
  #turns: readonly Lane[] = allLanes
  readonly #waitingForAll = new Set<WaitingForAll>()
  /** The panels of the commands that wait for a sign-in. */
  readonly #hurried = new Set<{ panel: string | undefined }>()
  readonly #outrun = new Set<Outrun>()
  #cancelTimer: (() => void) | undefined
  readonly #demand = new PollDemand()
  readonly #dailyBudget = new DailyBudget()
  readonly #warning = new HeldBackWarning()
  /** The requests of a day: Infinity without a limit, undefined for the default for each panel. */
  requestsPerDay: number | undefined
  /** Returns the number of panels of the account; 0 while it is not known. */
  countPanels: () => number = () => 0
  /** Gets a sentence for the log if the limits hold the polls back. Must not throw. */
  onHeldBack: (sentence: string) => void = () => {}

  constructor(store: RateLimitStore, clock: Clock) {
    this.#store = store
    this.#clock = clock
    class AgingQueue extends AttemptQueue {
      constructor() {
        super(clock)
      }
    }
    const queue = (lane: Lane): LaneQueue =>
      new PQueue({ concurrency: maxConcurrent[lane], queueClass: AgingQueue })
    this.#lanes = { command: queue('command'), urgent: queue('urgent'), poll: queue('poll') }
    store.onChange(() => this.#openLanes())
  }

  get figures(): BudgetFigures {
    const { limit, used: usedLastMinute, usedToday } = this.#store
    const waiting = Object.values(this.#lanes).reduce((sum, { size }) => sum + size, this.#outrun.size)
    const wanted = this.#demand.wanted(this.#clock.monotonic())
    return { limit, usedLastMinute, waiting, wanted, usedToday }
  }

  /** The factor by which all targets of polls grow, because requests are used faster than the day passes. */
  get paceFactor(): number {
    return this.#dailyBudget.paceFactor(this.#clock.monotonic())
  }

  /** The requests that the polls of this process want, in relation to those that polls can use. */
  get pollLoad(): number {
    const { limit } = this.#store
    return this.#demand.wanted(this.#clock.monotonic()) / (limit - reserveOf(limit))
  }

  /** True while attempts wait because the minute has no room for them. */
  get isFull(): boolean {
    return allLanes.some((lane) => {
      const wait = this.#store.wait(lane)
      return this.#lanes[lane].size > 0 && wait > 0 && Number.isFinite(wait)
    })
  }

  get limit(): number {
    return this.#store.limit
  }

  /** Attempts in any sliding minute. A change applies at once, also to queued attempts. */
  set limit(limit: number) {
    this.#store.limit = limit
    this.#openLanes()
  }

  /**
   * Waits until the turn of an attempt has come and the store has room, counts it, and makes it.
   * @param mayStart called right before the attempt is counted; throws if it must not be made. The count may take a
   * while, so ask once more before it is sent.
   * @param make called after the count; the turn lasts until it is done, and some seconds longer than its timeout at most
   * @throws KeyholderError CLOSED if the signal is aborted before the attempt is made
   * @throws the errors of the store, of `mayStart` and of `make`
   */
  async run<T>(
    position: QueuePosition,
    mayStart: () => void,
    make: (place: HeldPlace) => Promise<T>,
  ): Promise<T> {
    const { panel, resource = '', due, signal, isForAllCallers } = position
    await this.#store.open()
    if (signal.aborted) throw closedError()
    if (!isForAllCallers) {
      const leave = due && this.#demand.wait(panel, resource, due)
      try {
        return await this.#enqueue(position, mayStart, make)
      } finally {
        leave?.(this.#clock.monotonic())
      }
    }
    if (!this.#isHurried(panel)) {
      const leaving = new AbortController()
      const waiting = { panel, moveUp: () => leaving.abort() }
      this.#waitingForAll.add(waiting)
      try {
        const mayStartHere = () => {
          this.#waitingForAll.delete(waiting)
          mayStart()
        }
        return await this.#enqueue({ ...position, signal: leaving.signal }, mayStartHere, make)
      } catch (thrown) {
        if (!leaving.signal.aborted) throw thrown
        this.#waitingForAll.delete(waiting)
      }
    }
    return this.#enqueue({ ...position, lane: 'command' }, mayStart, make)
  }

  /**
   * Moves the attempts that a command waits for, such as a sign-in, to the lane of commands: those of the
   * account and those of the panel. Applies also to later ones, until the returned function is called.
   */
  hurry(panel: string | undefined): () => void {
    const command = { panel }
    this.#hurried.add(command)
    for (const waiting of this.#waitingForAll) if (this.#isHurried(waiting.panel)) waiting.moveUp()
    for (const { retry } of this.#outrun) retry()
    return () => this.#hurried.delete(command)
  }

  #isHurried(panel: string | undefined): boolean {
    return [...this.#hurried].some((command) => panel === undefined || panel === command.panel)
  }

  /** Makes an attempt in its turn in the queue of a lane. */
  async #enqueue<T>(
    position: QueuePosition,
    mayStart: () => void,
    make: (place: HeldPlace) => Promise<T>,
  ): Promise<T> {
    const { lane, panel, priority = 0, due, signal } = position
    const queue = this.#lanes[lane]
    const makeInPlace = async (place: HeldPlace) => {
      const attempt = await this.#take(position, mayStart, place)
      try {
        if (signal.aborted || place.isOver) throw closedError()
        return await make(place)
      } finally {
        attempt.end()
        this.#openLanes()
      }
    }
    const turn = () => whileHeld(this.#clock, position.timeout, makeInPlace)
    // The gate is checked before the call is added: otherwise an idle queue would start the call regardless
    // of the sliding window.
    this.#openLanes()
    // p-queue also watches the signal while the attempt runs, which takes as long as all else it does.
    const mustWait = queue.isPaused || queue.size > 0 || queue.pending >= queue.concurrency
    try {
      const made = queue.add(turn, mustWait ? { panel, priority, due, signal } : { panel, priority, due })
      if (queue.size > 0) this.#openLanes()
      return await made
    } catch (thrown) {
      throw !(thrown instanceof KeyholderError) && signal.aborted ? closedError() : thrown
    }
  }

  /** Counts an attempt whose turn has come, and waits for it if other processes are faster. */
  async #take(position: QueuePosition, mayStart: () => void, place: HeldPlace): Promise<CountedAttempt> {
    const { panel, signal, isForAllCallers } = position
    for (;;) {
      mayStart()
      const lane = isForAllCallers && this.#isHurried(panel) ? 'command' : position.lane
      const taking = this.#store.take(lane, position.timeout)
      this.#turns = [...this.#turns.filter((other) => other !== lane), lane]
      this.#openLanes()
      const attempt = await taking
      if (attempt !== undefined) {
        this.#noteStart(position)
        return attempt
      }
      await this.#untilRoom(lane, signal)
      place.beginAnew()
      if (signal.aborted) throw closedError()
    }
  }

  /** Notes an attempt in the budget of the day, and a poll with a target besides; tells if the limits hold polls back. */
  #noteStart({ due }: QueuePosition): void {
    const now = this.#clock.monotonic()
    const panels = this.countPanels() || Math.max(1, this.#demand.panels(now))
    const perDay = this.requestsPerDay ?? requestsPerDayOfPanel * panels
    this.#dailyBudget.note(this.#store.usedToday, perDay, { wall: this.#clock.wall(), monotonic: now })
    if (due === undefined) return
    this.#demand.noteStart(now)
    const sentence = this.#warning.sentenceAt(now, this.#demand, this.#store, this)
    if (sentence !== undefined) this.onHeldBack(sentence)
  }

  /** Waits until the store may have room for a lane; until the signal is aborted at the longest. */
  #untilRoom(lane: Lane, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const retry = () => {
        this.#outrun.delete(outrun)
        signal.removeEventListener('abort', retry)
        resolve()
      }
      const outrun = { lane, retry }
      this.#outrun.add(outrun)
      signal.addEventListener('abort', retry)
      this.#openLanes()
      if (signal.aborted) retry()
    })
  }

  /** Starts the lanes whose next attempt is allowed, pauses the others, and repeats if attempts wait. */
  #openLanes(): void {
    for (const lane of this.#turns) {
      if (this.#store.wait(lane) > 0) this.#lanes[lane].pause()
      else this.#lanes[lane].start()
    }
    for (const { lane, retry } of this.#outrun) if (this.#store.wait(lane) <= 0) retry()
    this.#cancelTimer?.()
    let soonest = Number.POSITIVE_INFINITY
    for (const lane of allLanes) {
      const { isPaused, size } = this.#lanes[lane]
      if (isPaused && size > 0) soonest = Math.min(soonest, this.#store.wait(lane))
    }
    for (const { lane } of this.#outrun) soonest = Math.min(soonest, this.#store.wait(lane))
    if (Number.isFinite(soonest))
      this.#cancelTimer = this.#clock.after(Math.ceil(soonest), () => this.#openLanes())
  }
}
