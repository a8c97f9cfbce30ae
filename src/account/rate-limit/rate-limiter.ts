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

type LaneQueue = PQueue<Turns, TurnOptions>

/** Polls go one at a time. Whoever waits, perhaps to disarm, is not to wait for an answer to others that does not come. */
const atATime: Readonly<Record<Lane, number>> = { urgent: 3, poll: 1 }

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
 * yet; each lane runs few attempts at a time, and a start in one lane is looked at by both. A budget needs no end.
 */
export class Budget {
  readonly #allowance: Allowance
  readonly #ledger: Pick<Ledger, 'recall' | 'note'>
  readonly #clock: Clock
  readonly #lanes: Readonly<Record<Lane, LaneQueue>>
  /** The lane that has waited longer for its turn, of two that wait for the same room. */
  #first: Lane = 'urgent'
  #recalled: Promise<void> | undefined
  #cancelTimer = () => {}

  constructor(allowance: Allowance, ledger: Pick<Ledger, 'recall' | 'note'>, clock: Clock) {
    this.#allowance = allowance
    this.#ledger = ledger
    this.#clock = clock
    const queue = (lane: Lane): LaneQueue => new PQueue({ concurrency: atATime[lane], queueClass: Turns })
    this.#lanes = { urgent: queue('urgent'), poll: queue('poll') }
  }

  get figures(): BudgetFigures {
    const { urgent, poll } = this.#lanes
    return {
      limit: this.#allowance.limit,
      usedLastMinute: this.#allowance.used(this.#clock.monotonic()),
      waiting: urgent.size + poll.size,
    }
  }

  /** Attempts in any sliding minute; a change holds at once, also for those who wait. */
  set limit(limit: number) {
    this.#allowance.limit = limit
    this.#gate()
  }

  /**
   * Makes one attempt when its turn has come and the allowance has room.
   * @param mayStart throws where the attempt is not to be made after all
   * @throws KeyholderError CLOSED when the signal is aborted before the turn comes, and what `mayStart` throws
   */
  async attempt<T>({ lane, panel, signal }: Place, mayStart: () => void, run: () => Promise<T>): Promise<T> {
    this.#recalled ??= this.#recall()
    await this.#recalled
    if (signal.aborted) throw closedError()
    const turn = async () => {
      mayStart()
      return { result: await this.#counted(lane, mayStart, run) }
    }
    // Closed before the call is added, or an idle queue would start it without a look at the allowance.
    this.#gate()
    const added = this.#lanes[lane].add(turn, { signal, ...(panel === undefined ? {} : { panel }) })
    this.#gate()
    try {
      return (await added).result
    } catch (thrown) {
      if (!(thrown instanceof KeyholderError) && signal.aborted) throw closedError()
      throw thrown
    }
  }

  async #recall(): Promise<void> {
    this.#allowance.recall(await this.#ledger.recall(), this.#clock.monotonic())
  }

  async #counted<T>(lane: Lane, mayStart: () => void, run: () => Promise<T>): Promise<T> {
    this.#allowance.start(lane, this.#clock.monotonic())
    this.#first = lane === 'urgent' ? 'poll' : 'urgent'
    this.#gate()
    try {
      await this.#ledger.note('start')
      // While that was written, the other lane's answer may have brought a hold.
      mayStart()
      return await run()
    } finally {
      void this.#ledger.note('end')
      this.#allowance.end(lane, this.#clock.monotonic())
      this.#gate()
    }
  }

  /** Lets the lanes go whose next attempt may be made, and looks again when that changes, if somebody waits. */
  #gate(): void {
    const lanes: readonly Lane[] = this.#first === 'urgent' ? ['urgent', 'poll'] : ['poll', 'urgent']
    for (const lane of lanes) {
      if (this.#wait(lane) > 0) this.#lanes[lane].pause()
      else this.#lanes[lane].start()
    }
    this.#cancelTimer()
    const waiting = lanes.filter((lane) => this.#lanes[lane].isPaused && this.#lanes[lane].size > 0)
    const soonest = Math.min(...waiting.map((lane) => this.#wait(lane)))
    if (Number.isFinite(soonest))
      this.#cancelTimer = this.#clock.after(Math.ceil(soonest), () => this.#gate())
  }

  #wait(lane: Lane): number {
    return this.#allowance.wait(lane, this.#clock.monotonic())
  }
}

function closedError(): KeyholderError {
  return new KeyholderError('CLOSED', 'The alarm panel account was closed while a call was waiting.')
}
