import { randomUUID } from 'node:crypto'
import { allLanes, type Lane } from '../../../account/service-user/rate-limit/budget.ts'
import type { CountedAttempt } from '../../../account/service-user/rate-limit/rate-limit-store.ts'
import { ageWithSleep, momentOf } from '../../../clock.ts'
import { minute, second } from '../../../duration.ts'
import * as lua from '../../lua/rate-limit.lua.ts'
import { membershipTimes } from '../../membership/membership.ts'
import type { Argument } from '../../redis/connection.ts'
import { type Reply, type Script, type Scripts, scriptsOf, type UserParts } from '../../redis/scripts.ts'

const scripts = scriptsOf(lua)

/** Milliseconds by which attempts are limited. */
export interface RateLimitTimes {
  window: number
  /** Added to the window for steps of the server's clock, and rounding. */
  margin: number
  /** An attempt without an end counts as ended this long after its timeout: its process was killed. */
  overdue: number
  /** An attempt that was asked for this long ago is not sent any more; shorter than `overdue`. */
  fresh: number
}

/** The times of the product. */
export const rateLimitTimes: RateLimitTimes = {
  window: minute,
  margin: second,
  overdue: 10 * second,
  // As long as the session is valid: a slow server is no reason not to send.
  fresh: membershipTimes.validity,
}

/**
 * Runs a script that tells limit, use and backoff, and notes them.
 * @throws KeyholderError
 */
export type Ask = (script: Script, args: readonly Argument[], through?: Scripts) => Promise<Reply<string>[]>

/** An attempt of this instance. Times are milliseconds of the monotonic clock. */
interface OwnAttempt {
  readonly id: string
  /** The number of its log. A tenth of the limit is reserved for commands, so these have their own. */
  readonly log: 1 | 2
  /** Without an end, it counts as ended then. */
  readonly endsBy: number
  endedAt: number | undefined
}

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
  readonly #ask: Ask
  /** Those of this instance in their order. The first one counts. */
  readonly #own: OwnAttempt[] = []
  /** The ends that the server does not know yet, by threes: number of the log, id, milliseconds for which it counts. */
  readonly #ended: Argument[] = []
  /** Until when there is no use in asking, by lane (milliseconds of the monotonic clock). */
  readonly #opens: Record<Lane, number> = { command: 0, urgent: 0, poll: 0 }

  constructor(parts: UserParts, times: RateLimitTimes, ask: Ask) {
    this.#parts = parts
    this.#times = times
    this.#ask = ask
  }

  /** Milliseconds for which an attempt counts after its end. */
  get counts(): number {
    return this.#times.window + this.#times.margin
  }

  /** The keys of the logs: of commands, and of the other lanes. */
  get logKeys(): string[] {
    return ['commands', 'others'].map((part) => userKey(this.#parts, part))
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
   * @param onEnd called once when the attempt ends
   * @throws KeyholderError
   */
  async take(lane: Lane, timeout: number, onEnd: () => void): Promise<CountedAttempt | undefined> {
    const { clock } = this.#parts
    const id = randomUUID()
    const asked = momentOf(clock)
    const longest = Math.ceil(timeout + this.#times.overdue)
    const answer = await this.#ask(scripts.take, [id, lane, longest, ...this.#takeEnded()])
    const [result, wait] = answer as [string, number]
    if (result !== 'taken') {
      this.#opens[lane] = this.#now + (wait < 0 ? retryAfterRunning : Math.max(1, wait))
      return undefined
    }
    this.#opens[lane] = 0
    if (ageWithSleep(asked, clock) > this.#times.fresh) {
      // By now others may have counted on its end: it would arrive outside its window.
      void this.#ask(scripts.giveBack, [id, lane]).catch(() => {})
      this.#opens[lane] = this.#now + 1
      return undefined
    }
    const log = lane === 'command' ? 1 : 2
    const attempt: OwnAttempt = { id, log, endsBy: asked.monotonic + longest, endedAt: undefined }
    this.#own.push(attempt)
    // Those behind one that still counts stay a little longer: to look at all would take long with many.
    while (this.#own[0] !== undefined && this.#left(this.#own[0]) <= 0) this.#own.shift()
    return {
      end: () => {
        if (attempt.endedAt !== undefined) return
        this.#end(attempt)
        onEnd()
      },
    }
  }

  /**
   * Puts the attempts of this instance back on a server that may have forgotten them.
   * @throws KeyholderError
   */
  async restore(through: Scripts): Promise<void> {
    const entries = this.#own
      .map((one) => [one.log, one.id, Math.ceil(this.#left(one))] as const)
      .filter(([, , left]) => left > 0)
    if (entries.length > 0) await through.run(scripts.note, this.logKeys, entries.flat())
  }

  #end(attempt: OwnAttempt): void {
    attempt.endedAt = this.#now
    this.#ended.push(attempt.log, attempt.id, this.counts)
    // The next attempt in the queue begins in this turn of the event loop, and takes the end along.
    setImmediate(() => {
      const ended = this.#takeEnded()
      if (ended.length > 0) void this.#parts.scripts.tryRun(scripts.note, this.logKeys, ended)
    })
  }

  /** Returns the milliseconds for which an attempt still counts, without another end. */
  #left({ endsBy, endedAt }: OwnAttempt): number {
    return (endedAt ?? endsBy) + this.counts - this.#now
  }

  /** Returns the ends that the server does not know yet; it is told of them now. */
  #takeEnded(): Argument[] {
    return this.#ended.splice(0)
  }

  get #now(): number {
    return this.#parts.clock.monotonic()
  }
}

/** Returns the key of a part of what the server has of a service user. */
export function userKey({ user }: UserParts, part: string): string {
  return `user:${user}:${part}`
}
