import { allLanes, type Lane } from '../../../account/service-user/rate-limit/budget.ts'
import { ageWithSleep, momentOf } from '../../../clock.ts'
import * as lua from '../../lua/rate-limit.lua.ts'
import type { Argument } from '../../redis/connection.ts'
import { type Scripts, scriptsOf, type UserParts } from '../../redis/scripts.ts'
import type { RateLimitTimes, SharedBudget } from './shared-budget.ts'

const scripts = scriptsOf(lua)

/** An attempt of this instance. Times are milliseconds of the monotonic clock. */
interface OwnAttempt {
  readonly id: string
  readonly lane: Lane
  /** Without an end, it counts as ended then. */
  readonly endsBy: number
  endedAt: number | undefined
}

/** The attempts of this instance that are looked through at least for those that count no more. */
const minOwn = 100

/** Milliseconds until another try if a running attempt of another instance must end first. */
const retryAfterRunning = 250

/**
 * The attempts of this instance that are counted on the server: each before it is sent.
 *
 * An answer that was lost counts as an attempt, until it would have ended. What this instance did itself is
 * remembered for a window, so that it can be put back on a server that has forgotten it.
 */
export class SharedAttempts {
  readonly #parts: UserParts
  readonly #times: RateLimitTimes
  readonly #budget: SharedBudget
  /** Those of this instance that count, and fewer than as many that count no more: a look at all would take long with many. */
  #own: OwnAttempt[] = []
  #maxOwn = minOwn
  /** The ends that the server does not know yet, by threes: number of the log, id, milliseconds for which it counts. */
  readonly #ended: Argument[] = []
  /** Until when there is no use in asking, by lane (milliseconds of the monotonic clock). */
  readonly #opens: Record<Lane, number> = { command: 0, urgent: 0, poll: 0 }

  constructor(parts: UserParts, times: RateLimitTimes, budget: SharedBudget) {
    this.#parts = parts
    this.#times = times
    this.#budget = budget
  }

  /** Returns the milliseconds for which there is no use in `take`, as far as known. */
  wait(lane: Lane): number {
    return Math.max(0, this.#opens[lane] - this.#now)
  }

  /** Lets who waits ask at once. */
  forgetWaits(): void {
    for (const lane of allLanes) this.#opens[lane] = 0
  }

  /**
   * Counts an attempt that is about to be sent. Returns undefined if there is no room for it.
   * @param timeout milliseconds after its start at which it has ended, if this process lives
   * @throws KeyholderError
   */
  async take(lane: Lane, timeout: number): Promise<OwnAttempt | undefined> {
    const { clock } = this.#parts
    const id = this.#budget.nextId()
    const asked = momentOf(clock)
    const longest = Math.ceil(timeout + this.#times.overdue)
    const answer = await this.#budget.ask(scripts.take, [id, lane, longest, ...this.#takeEnded()])
    const [result, wait] = answer as [string, number]
    if (result !== 'taken') {
      this.#opens[lane] = this.#now + (wait < 0 ? retryAfterRunning : Math.max(1, wait))
      return undefined
    }
    this.#opens[lane] = 0
    if (ageWithSleep(asked, clock) > this.#times.fresh) {
      // By now others may have counted on its end: it would arrive outside its window.
      void this.#budget.ask(scripts.giveBack, [id, lane]).catch(() => {})
      this.#opens[lane] = this.#now + 1
      return undefined
    }
    const attempt: OwnAttempt = { id, lane, endsBy: asked.monotonic + longest, endedAt: undefined }
    this.#own.push(attempt)
    if (this.#own.length > this.#maxOwn) {
      this.#own = this.#own.filter((one) => this.#left(one) > 0)
      this.#maxOwn = Math.max(minOwn, 2 * this.#own.length)
    }
    return attempt
  }

  /** Notes the end of an attempt. Returns false if it was known. */
  end(attempt: OwnAttempt): boolean {
    if (attempt.endedAt !== undefined) return false
    attempt.endedAt = this.#now
    this.#ended.push(logOf(attempt.lane), attempt.id, this.#budget.counts)
    // The next attempt in the queue begins in this turn of the event loop, and takes the end along.
    setImmediate(() => {
      const ended = this.#takeEnded()
      if (ended.length > 0) void this.#parts.scripts.tryRun(scripts.note, this.#budget.logKeys, ended)
    })
    return true
  }

  /**
   * Puts the attempts of this instance back on a server that may have forgotten them.
   * @throws KeyholderError
   */
  async restore(through: Scripts): Promise<void> {
    const entries = this.#own
      .map((one) => [logOf(one.lane), one.id, Math.ceil(this.#left(one))] as const)
      .filter(([, , left]) => left > 0)
    if (entries.length > 0) await through.run(scripts.note, this.#budget.logKeys, entries.flat())
  }

  /** Returns the milliseconds for which an attempt still counts, without another end. */
  #left({ endsBy, endedAt }: OwnAttempt): number {
    return (endedAt ?? endsBy) + this.#budget.counts - this.#now
  }

  /** Returns the ends that the server does not know yet; it is told of them now. */
  #takeEnded(): Argument[] {
    return this.#ended.splice(0)
  }

  get #now(): number {
    return this.#parts.clock.monotonic()
  }
}

/** Returns the number of the log of a lane. A tenth of the limit is reserved for commands. */
function logOf(lane: Lane): number {
  return lane === 'command' ? 1 : 2
}
