import PQueue from 'p-queue'
import type { Clock } from '../clock.ts'
import { KeyholderError } from '../service/error.ts'
import type { Allowance, Lane } from './allowance.ts'
import type { Ledger } from './ledger.ts'
import { type TurnOptions, Turns } from './turns.ts'

/** How an attempt stands in line. */
export interface Place {
  lane: Lane
  /** Whose turn it is: the serial of the panel, or nothing for what concerns the account alone. */
  panel?: string
  /** Takes the attempt out of line; what runs already is ended by whoever runs it. */
  signal: AbortSignal
}

/**
 * The place of a call that serves everybody, such as a sign-in: everything waits for it, and it does not end because
 * one of those who wait goes away; its own timeout ends it.
 */
export function forEverybody(): Place {
  return { lane: 'urgent', signal: new AbortController().signal }
}

interface LaneQueue {
  readonly lane: Lane
  readonly queue: PQueue<Turns, TurnOptions>
  cancelTimer: () => void
}

/** The budget's figures, for people to look at. */
export interface BudgetFigures {
  limit: number
  usedLastMinute: number
  waiting: number
}

/**
 * Lets HTTP attempts through one by one, within the allowance.
 *
 * p-queue keeps order, turns and abort; the rate is our own gate on the monotonic clock, since p-queue's window
 * follows the wall clock and bursts at its edge. A lane's queue is paused whenever its next attempt may not start
 * yet; each lane runs one attempt at a time, and a start in one lane is looked at by both. A budget needs no end.
 */
export class Budget {
  readonly #allowance: Allowance
  readonly #ledger: Pick<Ledger, 'recall' | 'note'>
  readonly #clock: Clock
  readonly #lanes: Readonly<Record<Lane, LaneQueue>>
  #recalled: Promise<void> | undefined

  constructor(allowance: Allowance, ledger: Pick<Ledger, 'recall' | 'note'>, clock: Clock) {
    this.#allowance = allowance
    this.#ledger = ledger
    this.#clock = clock
    const lane = (lane: Lane): LaneQueue => ({
      lane,
      queue: new PQueue({ concurrency: 1, queueClass: Turns }),
      cancelTimer: () => {},
    })
    this.#lanes = { urgent: lane('urgent'), poll: lane('poll') }
  }

  get figures(): BudgetFigures {
    const { urgent, poll } = this.#lanes
    return {
      limit: this.#allowance.limit,
      usedLastMinute: this.#allowance.used(this.#clock.monotonic()),
      waiting: urgent.queue.size + poll.queue.size,
    }
  }

  /**
   * Makes one attempt when its turn has come and the allowance has room.
   * @param mayStart throws where the attempt is not to be made after all; then it does not count
   * @throws KeyholderError CLOSED when the signal is aborted before the turn comes, and what `mayStart` throws
   */
  async attempt<T>({ lane, panel, signal }: Place, mayStart: () => void, run: () => Promise<T>): Promise<T> {
    this.#recalled ??= this.#recall()
    await this.#recalled
    if (signal.aborted) throw closedError()
    const { queue } = this.#lanes[lane]
    const turn = async () => {
      mayStart()
      return { result: await this.#counted(lane, run) }
    }
    // Closed before the call is added, or an idle queue would start it without a look at the allowance.
    this.#gate(this.#lanes[lane])
    const added = queue.add(turn, { signal, ...(panel === undefined ? {} : { panel }) })
    this.#gate(this.#lanes[lane])
    try {
      return (await added).result
    } catch (thrown) {
      if (!(thrown instanceof KeyholderError) && signal.aborted) throw closedError()
      throw thrown
    }
  }

  async #recall(): Promise<void> {
    const ages = await this.#ledger.recall(this.#allowance.limit)
    this.#allowance.recall(ages, this.#clock.monotonic())
  }

  async #counted<T>(lane: Lane, run: () => Promise<T>): Promise<T> {
    this.#allowance.start(lane, this.#clock.monotonic())
    this.#gateAll()
    try {
      await this.#ledger.note('start')
      return await run()
    } finally {
      void this.#ledger.note('end')
      this.#allowance.end(lane, this.#clock.monotonic())
      this.#gateAll()
    }
  }

  #gateAll(): void {
    this.#gate(this.#lanes.urgent)
    this.#gate(this.#lanes.poll)
  }

  /** Starts a lane whose next attempt may be made; pauses it otherwise, with a timer if somebody waits. */
  #gate(entry: LaneQueue): void {
    entry.cancelTimer()
    const wait = this.#allowance.wait(entry.lane, this.#clock.monotonic())
    if (wait <= 0) {
      entry.queue.start()
      return
    }
    entry.queue.pause()
    if (Number.isFinite(wait) && entry.queue.size > 0) {
      entry.cancelTimer = this.#clock.after(Math.ceil(wait), () => this.#gate(entry))
    }
  }
}

function closedError(): KeyholderError {
  return new KeyholderError('CLOSED', 'The alarm panel account was closed while a call was waiting.')
}
