import { allLanes, type Lane } from '../../../account/service-user/rate-limit/budget.ts'
import { ageWithSleep, type Clock, momentOf } from '../../../clock.ts'
import * as lua from '../../lua/rate-limit.lua.ts'
import type { Argument } from '../../redis/connection.ts'
import { type Scripts, scriptsOf } from '../../redis/scripts.ts'
import { type OwnAttempt, OwnAttempts } from './own-attempts.ts'
import type { RateLimitTimes } from './rate-limit-times.ts'
import type { SharedBudget } from './shared-budget.ts'

const scripts = scriptsOf(lua)

/** Milliseconds until another try if a running attempt of another instance must end first. */
const retryAfterRunning = 250

/** The dependencies of the attempts of a service user. */
export interface SharedAttemptsOptions {
  scripts: Scripts
  clock: Clock
  times: RateLimitTimes
  budget: SharedBudget
  /** Returns a new id of this instance. */
  nextId(): string
}

/**
 * The attempts of this instance that are counted on the server: each before it is sent.
 *
 * An answer that was lost counts as an attempt, until it would have ended. What this instance did itself is
 * remembered for a window, so that it can be put back on a server that has forgotten it.
 */
export class SharedAttempts {
  readonly #options: SharedAttemptsOptions
  readonly #own: OwnAttempts
  /** The ends that the server does not know yet, by pairs: number of the log, id. */
  readonly #ended: Argument[] = []
  /** Until when there is no use in asking, by lane (milliseconds of the monotonic clock). */
  readonly #opens: Record<Lane, number> = { command: 0, urgent: 0, poll: 0 }

  constructor(options: SharedAttemptsOptions) {
    this.#options = options
    this.#own = new OwnAttempts(options.times)
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
    const { clock, times, budget, nextId } = this.#options
    const id = nextId()
    const asked = momentOf(clock)
    const longest = Math.ceil(timeout + times.overdue)
    const answer = await budget.ask(scripts.take, [id, lane, longest, ...this.#takeEnded()])
    const [result, wait] = answer as [string, number]
    if (result !== 'taken') {
      this.#opens[lane] = this.#now + (wait < 0 ? retryAfterRunning : Math.max(1, wait))
      return undefined
    }
    this.#opens[lane] = 0
    if (ageWithSleep(asked, clock) > times.fresh) {
      // By now others may have counted on its end: it would arrive outside its window.
      void budget.ask(scripts.giveBack, [id, lane]).catch(() => {})
      this.#opens[lane] = this.#now + 1
      return undefined
    }
    const attempt: OwnAttempt = { id, lane, endsBy: asked.monotonic + longest, endedAt: undefined }
    this.#own.add(attempt, this.#now)
    return attempt
  }

  /** Notes the end of an attempt. Returns false if it was known. */
  end(attempt: OwnAttempt): boolean {
    if (attempt.endedAt !== undefined) return false
    this.#own.end(attempt, this.#now)
    this.#ended.push(logOf(attempt.lane), attempt.id)
    // The next attempt in the queue begins in this turn of the event loop, and takes the end along.
    setImmediate(() => {
      const ended = this.#takeEnded()
      const { scripts: calls, times, budget } = this.#options
      const counts = times.window + times.margin
      if (ended.length > 0) void calls.tryRun(scripts.ended, budget.logKeys, [counts, ...ended])
    })
    return true
  }

  /**
   * Puts the attempts of this instance back on a server that may have forgotten them.
   * @throws KeyholderError
   */
  async restore(through: Scripts): Promise<void> {
    const now = this.#now
    const entries = this.#own
      .of(now)
      .flatMap((one) => [logOf(one.lane), one.id, Math.ceil(this.#own.countsUntil(one) - now)])
    if (entries.length > 0) await through.run(scripts.restore, this.#options.budget.logKeys, entries)
  }

  /** Returns the ends that the server does not know yet; it is told of them now. */
  #takeEnded(): Argument[] {
    return this.#ended.splice(0)
  }

  get #now(): number {
    return this.#options.clock.monotonic()
  }
}

/** Returns the number of the log of a lane. A tenth of the limit is reserved for commands. */
function logOf(lane: Lane): number {
  return lane === 'command' ? 1 : 2
}
