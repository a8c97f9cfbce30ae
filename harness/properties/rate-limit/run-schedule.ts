import type { PollDue } from '../../../src/account/service-user/rate-limit/attempt-queue.ts'
import type { Lane } from '../../../src/account/service-user/rate-limit/budget.ts'
import type { LoggedAttempts } from '../../../src/account/service-user/rate-limit/local-rate-limit-store.ts'
import { LocalRateLimitStore } from '../../../src/account/service-user/rate-limit/local-rate-limit-store.ts'
import { RateLimiter } from '../../../src/account/service-user/rate-limit/rate-limiter.ts'
import { FakeClock } from '../../clock/fake-clock.ts'
import { ProcessClock } from '../../clock/process-clock.ts'
import type { Incident, Requester, Schedule } from './request-schedules.ts'

/** A request with the times at which it was queued, started and ended, in milliseconds of the monotonic clock. */
export interface Attempt {
  lane: Lane
  panel: string | undefined
  /** True if its place among others follows its age, and not the turn of its panel. */
  isPaced: boolean
  /** The number of its process, from 0. */
  process: number
  queuedAt: number
  startedAt: number
  /** The latest time at which it may have arrived. */
  endedAt: number
}

/** The result of a schedule. */
export interface Outcome {
  /** The attempts in the order of their starts. */
  attempts: readonly Attempt[]
  /** The changes of the cap, in order. */
  caps: readonly { from: number; cap: number }[]
  /** The start times of the processes. */
  begins: readonly number[]
  /** Requests that were neither sent nor aborted, although their process was not killed. */
  unserved: number
  /** Milliseconds for which a timer of a rate limiter ran after the end of the last request. */
  idleTimers: number
}

/** Stores the times of attempts across processes. */
export interface AttemptStore {
  open(clock: ProcessClock): LoggedAttempts
  /** Waits until everything is written. */
  settled(): Promise<void>
}

/** The progress of a request. */
interface Manner {
  lasts: number
  fails: boolean
  signal: AbortSignal
}

interface Process {
  beganAt: number
  clock: ProcessClock
  budget: RateLimiter
  life: AbortController
  /** Settles when the process is killed or closes its account. */
  gone: Promise<void>
  isKilled: boolean
  unserved: number
}

/** Runs a schedule on its own fake clock. */
export async function runSchedule(schedule: Schedule, memory: AttemptStore): Promise<Outcome> {
  const scheduled = new ScheduleRun(schedule, memory)
  await scheduled.happen()
  return scheduled.outcome
}

class ScheduleRun {
  readonly #schedule: Schedule
  readonly #memory: AttemptStore
  readonly #clock = new FakeClock()
  readonly #attempts: Attempt[] = []
  readonly #caps: { from: number; cap: number }[]
  readonly #processes: Process[] = []
  #lastSettledAt = 0
  /** The last time at which a rate limiter waited for a timer. */
  #lastTimerAt = 0

  constructor(schedule: Schedule, memory: AttemptStore) {
    this.#schedule = schedule
    this.#memory = memory
    this.#caps = [{ from: 0, cap: schedule.cap }]
    this.#begin()
  }

  get outcome(): Outcome {
    const settledAt = this.#lastSettledAt
    return {
      attempts: this.#attempts,
      caps: this.#caps,
      begins: this.#processes.map(({ beganAt }) => beganAt),
      unserved: this.#processes.reduce((sum, { unserved, isKilled }) => sum + (isKilled ? 0 : unserved), 0),
      idleTimers: Math.max(0, this.#lastTimerAt - settledAt),
    }
  }

  async happen(): Promise<void> {
    const { askers, incidents } = this.#schedule
    for (const asker of askers) this.#clock.after(asker.from, () => void this.#ask(asker))
    for (const incident of incidents) this.#clock.after(incident.at, () => this.#meet(incident))
    await this.#settle()
    while (this.#clock.untilNext !== undefined) {
      this.#clock.advance(this.#clock.untilNext)
      await this.#settle()
      if (this.#processes.some(({ clock }) => clock.pending > 0)) this.#lastTimerAt = this.#clock.monotonic()
    }
  }

  async #settle(): Promise<void> {
    // All decisions happen in microtasks, before the next turn of the event loop.
    await new Promise(setImmediate)
    await this.#memory.settled()
  }

  get #process(): Process {
    return this.#processes.at(-1) as Process
  }

  #begin(): void {
    const clock = new ProcessClock(this.#clock)
    const cap = this.#caps.at(-1)?.cap ?? 1
    const store = new LocalRateLimitStore(this.#memory.open(clock), clock)
    const budget = new RateLimiter(store, clock)
    budget.limit = cap
    // As a service user does when its process starts: attempts that were cut off count from then on, not from the first request.
    void store.recall()
    const life = new AbortController()
    const gone = new Promise<void>((resolve) => {
      life.signal.addEventListener('abort', () => resolve())
    })
    const beganAt = this.#clock.monotonic()
    this.#processes.push({ beganAt, clock, budget, life, gone, isKilled: false, unserved: 0 })
  }

  #meet(incident: Incident): void {
    if (incident.what === 'step') this.#clock.stepWall(incident.by)
    else if (incident.what === 'cap') {
      this.#caps.push({ from: this.#clock.monotonic(), cap: incident.cap })
      this.#process.budget.limit = incident.cap
    } else {
      if (incident.what === 'kill') this.#kill()
      this.#process.life.abort()
      this.#begin()
    }
  }

  #kill(): void {
    this.#process.isKilled = true
    this.#process.clock.stop()
    const now = this.#clock.monotonic()
    for (const attempt of this.#attempts) attempt.endedAt = Math.min(attempt.endedAt, now)
    // Those that wait or run end with their process.
    if (this.#process.unserved > 0) this.#lastSettledAt = now
  }

  /** Runs the rounds of one requester at fixed intervals. */
  async #ask(asker: Requester): Promise<void> {
    for (let round = 0; round < asker.rounds; round += 1) {
      const process = this.#process
      await Promise.race([this.#round(process, asker), process.gone])
      const since = this.#clock.monotonic() - asker.from
      await new Promise<void>((resolve) => this.#clock.after(asker.every - (since % asker.every), resolve))
      if (this.#clock.monotonic() > this.#schedule.lasts) return
    }
  }

  async #round(process: Process, asker: Requester): Promise<void> {
    const { signal, cancel } = this.#presence(process, asker)
    for (const lasts of asker.calls) {
      for (let failures = asker.failures; failures >= 0 && !signal.aborted; failures -= 1) {
        await this.#call(process, asker, { lasts, fails: failures > 0, signal })
      }
    }
    cancel()
  }

  /** Returns the signal that aborts when a requester leaves or its process ends. Most never leave and need none of their own. */
  #presence({ life }: Process, { leaves }: Requester): { signal: AbortSignal; cancel(): void } {
    if (leaves === undefined) return { signal: life.signal, cancel: () => {} }
    const leaving = new AbortController()
    const cancel = this.#clock.after(leaves, () => leaving.abort())
    return { signal: AbortSignal.any([life.signal, leaving.signal]), cancel }
  }

  /** Sends one request; never rejects. */
  async #call(process: Process, asker: Requester, { lasts, fails, signal }: Manner): Promise<void> {
    process.unserved += 1
    const { lane, panel } = asker
    const due = asker.isPaced ? this.#dueOf(asker) : undefined
    const place = { lane, signal, ...(panel === undefined ? {} : { panel }), due }
    const attempt: Attempt = {
      lane,
      panel,
      isPaced: due !== undefined,
      process: this.#processes.indexOf(process),
      queuedAt: this.#clock.monotonic(),
      startedAt: Number.POSITIVE_INFINITY,
      endedAt: Number.POSITIVE_INFINITY,
    }
    try {
      const made = () => this.#made(process, attempt, { lasts, fails, signal })
      await process.budget.run(place, () => {}, made)
    } catch {
      // It failed, or its process or its asker has left.
    }
    if (attempt.startedAt !== Number.POSITIVE_INFINITY || signal.aborted) process.unserved -= 1
    this.#lastSettledAt = this.#clock.monotonic()
  }

  /** Returns the place of a poll among the others, whose age is that of its request. */
  #dueOf({ every, calls, failures }: Requester): PollDue {
    const since = this.#clock.monotonic() - every
    return {
      weight: 0.7 + calls.length,
      targetMs: every,
      age: (now) => (now - since) / every,
      factor: 1 + failures,
    }
  }

  /** Makes one attempt, which ends after its duration or when it is aborted. */
  #made(process: Process, attempt: Attempt, { lasts, fails, signal }: Manner): Promise<void> {
    // A killed process does nothing any more.
    if (process.isKilled) return new Promise(() => {})
    attempt.startedAt = this.#clock.monotonic()
    this.#attempts.push(attempt)
    return new Promise((resolve, reject) => {
      const leave = () => over(false)
      const over = (isWell: boolean) => {
        cancel()
        signal.removeEventListener('abort', leave)
        if (attempt.endedAt !== Number.POSITIVE_INFINITY) return
        attempt.endedAt = this.#clock.monotonic()
        if (isWell) resolve()
        else reject(new Error('failed'))
      }
      const cancel = this.#clock.after(lasts, () => over(!fails))
      signal.addEventListener('abort', leave)
    })
  }
}
