import PQueue from 'p-queue'
import type { Clock } from '../../clock.ts'
import { closedError, KeyholderError } from '../../service/error.ts'
import type { AttemptLog } from './attempt-log.ts'
import { type RoundRobinOptions, RoundRobinQueue } from './round-robin-queue.ts'
import type { Lane, SlidingWindow } from './sliding-window.ts'

/** The place of an attempt in the queue. */
export interface QueuePosition {
  lane: Lane
  /** The serial of the panel that takes its turn; undefined for requests of the account itself. */
  panel?: string
  /** Removes the attempt from the queue. The caller itself must end an attempt that already runs. */
  signal: AbortSignal
  /**
   * The attempts that a backoff of our own lets through: those for a command, and those that serve all callers
   * while a command waits for them.
   */
  purpose?: 'command' | 'all callers'
}

/**
 * Returns the place of a call for all callers, such as a sign-in: all of them wait for it, and it does not
 * end when one of them leaves; its own timeout ends it.
 */
export function forAllCallers(): QueuePosition {
  return { lane: 'urgent', signal: new AbortController().signal, purpose: 'all callers' }
}

type LaneQueue = PQueue<RoundRobinQueue, RoundRobinOptions>

/**
 * The number of concurrent attempts per lane. Polls run one at a time. Urgent attempts do not: a caller,
 * perhaps one that disarms, must not wait for a missing answer to another call.
 */
const maxConcurrent: Readonly<Record<Lane, number>> = { urgent: 3, poll: 1 }

/** The figures of the request budget, for display. */
export interface BudgetFigures {
  limit: number
  usedLastMinute: number
  waiting: number
}

/**
 * Starts HTTP attempts one by one, within the sliding window.
 *
 * p-queue provides order, turns and abort. The rate limit is our own, on the monotonic clock, since p-queue's
 * window follows the wall clock and allows bursts at its edge. The queue of a lane is paused while its next
 * attempt must not start. Each lane runs few attempts at a time, and a start in one lane causes a check of
 * both. A rate limiter needs no disposal.
 */
export class RateLimiter {
  readonly #slidingWindow: SlidingWindow
  readonly #attemptLog: Pick<AttemptLog, 'recall' | 'note'>
  readonly #clock: Clock
  readonly #lanes: Readonly<Record<Lane, LaneQueue>>
  /** The lane that has waited longer for its turn, if both wait for the same capacity. */
  #first: Lane = 'urgent'
  #recalled: Promise<void> | undefined
  #cancelTimer = () => {}

  constructor(slidingWindow: SlidingWindow, attemptLog: Pick<AttemptLog, 'recall' | 'note'>, clock: Clock) {
    this.#slidingWindow = slidingWindow
    this.#attemptLog = attemptLog
    this.#clock = clock
    const queue = (lane: Lane): LaneQueue =>
      new PQueue({ concurrency: maxConcurrent[lane], queueClass: RoundRobinQueue })
    this.#lanes = { urgent: queue('urgent'), poll: queue('poll') }
  }

  get figures(): BudgetFigures {
    const { urgent, poll } = this.#lanes
    return {
      limit: this.#slidingWindow.limit,
      usedLastMinute: this.#slidingWindow.used(this.#clock.monotonic()),
      waiting: urgent.size + poll.size,
    }
  }

  /** Attempts in any sliding minute. A change applies at once, also to queued attempts. */
  set limit(limit: number) {
    this.#slidingWindow.limit = limit
    this.#openLanes()
  }

  /**
   * Makes one attempt when its turn has come and the sliding window has capacity.
   * @param mayStart throws if the attempt must not be made after all
   * @throws KeyholderError CLOSED if the signal is aborted before the turn comes
   * @throws the errors of `mayStart` and `run`
   */
  async schedule<T>(
    { lane, panel, signal }: QueuePosition,
    mayStart: () => void,
    run: () => Promise<T>,
  ): Promise<T> {
    this.#recalled ??= this.#recall()
    await this.#recalled
    if (signal.aborted) throw closedError()
    const turn = async () => {
      mayStart()
      return { result: await this.#run(lane, mayStart, run) }
    }
    // The gate is checked before the call is added: otherwise an idle queue would start the call regardless
    // of the sliding window.
    this.#openLanes()
    const added = this.#lanes[lane].add(turn, { signal, ...(panel === undefined ? {} : { panel }) })
    this.#openLanes()
    try {
      return (await added).result
    } catch (thrown) {
      if (!(thrown instanceof KeyholderError) && signal.aborted) throw closedError()
      throw thrown
    }
  }

  async #recall(): Promise<void> {
    this.#slidingWindow.recall(await this.#attemptLog.recall(), this.#clock.monotonic())
  }

  async #run<T>(lane: Lane, mayStart: () => void, run: () => Promise<T>): Promise<T> {
    this.#slidingWindow.start(lane, this.#clock.monotonic())
    this.#first = lane === 'urgent' ? 'poll' : 'urgent'
    this.#openLanes()
    try {
      await this.#attemptLog.note('start')
      // While the log was written, an answer in the other lane may have started a backoff.
      mayStart()
      return await run()
    } finally {
      void this.#attemptLog.note('end')
      this.#slidingWindow.end(lane, this.#clock.monotonic())
      this.#openLanes()
    }
  }

  /** Starts the lanes whose next attempt is allowed, pauses the others, and repeats if attempts wait. */
  #openLanes(): void {
    const lanes: readonly Lane[] = this.#first === 'urgent' ? ['urgent', 'poll'] : ['poll', 'urgent']
    for (const lane of lanes) {
      if (this.#wait(lane) > 0) this.#lanes[lane].pause()
      else this.#lanes[lane].start()
    }
    this.#cancelTimer()
    const waiting = lanes.filter((lane) => this.#lanes[lane].isPaused && this.#lanes[lane].size > 0)
    const soonest = Math.min(...waiting.map((lane) => this.#wait(lane)))
    if (Number.isFinite(soonest))
      this.#cancelTimer = this.#clock.after(Math.ceil(soonest), () => this.#openLanes())
  }

  #wait(lane: Lane): number {
    return this.#slidingWindow.wait(lane, this.#clock.monotonic())
  }
}
