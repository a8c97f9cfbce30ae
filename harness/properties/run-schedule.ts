import type { AttemptLog } from '../../src/account/rate-limit/attempt-log.ts'
import { RateLimiter } from '../../src/account/rate-limit/rate-limiter.ts'
import { type Lane, SlidingWindow } from '../../src/account/rate-limit/sliding-window.ts'
import { FakeClock } from '../clock/fake-clock.ts'
import { ProcessClock } from '../clock/process-clock.ts'
import type { Incident, Requester, Schedule } from './request-schedules.ts'

/** One call: when it stood in line, when its attempt was made and over. Milliseconds of the monotonic clock. */
export interface Attempt {
  lane: Lane
  panel: string | undefined
  /** Number of the process that made it, from 0. */
  process: number
  queuedAt: number
  startedAt: number
  /** The latest moment at which it may have arrived. */
  endedAt: number
}

/** What became of a schedule. */
export interface Outcome {
  /** In the order of their starts. */
  attempts: readonly Attempt[]
  /** The cap from a moment on, in order. */
  caps: readonly { from: number; cap: number }[]
  /** When each process began. */
  begins: readonly number[]
  /** Calls that were neither made nor given up, though their process was not killed. */
  unserved: number
  /** For how long a budget's timer ran after the last call had come to its end. */
  idleTimers: number
}

/** What keeps the times of attempts from process to process. */
export interface AttemptStore {
  open(clock: ProcessClock): Pick<AttemptLog, 'recall' | 'note'>
  /** Waits until all is noted. */
  settled(): Promise<void>
}

/** How a call goes. */
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
  /** Settles when it is killed or closes its account. */
  gone: Promise<void>
  isKilled: boolean
  unserved: number
}

/** Lets a schedule happen on a fake clock of its own. */
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
  /** When a budget last waited for a timer. */
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
    // All that is decided happens in microtasks, which are over before the next turn of the event loop.
    await new Promise(setImmediate)
    await this.#memory.settled()
  }

  get #process(): Process {
    return this.#processes.at(-1) as Process
  }

  #begin(): void {
    const clock = new ProcessClock(this.#clock)
    const cap = this.#caps.at(-1)?.cap ?? 1
    const budget = new RateLimiter(new SlidingWindow(cap), this.#memory.open(clock), clock)
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
  }

  /** The rounds of one asker, on a grid. */
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
    const leaving = new AbortController()
    const { leaves } = asker
    const cancel = leaves === undefined ? () => {} : this.#clock.after(leaves, () => leaving.abort())
    const signal = AbortSignal.any([process.life.signal, leaving.signal])
    for (const lasts of asker.calls) {
      for (let failures = asker.failures; failures >= 0 && !signal.aborted; failures -= 1) {
        await this.#call(process, asker, { lasts, fails: failures > 0, signal })
      }
    }
    cancel()
  }

  /** One call: never rejects. */
  async #call(process: Process, { lane, panel }: Requester, { lasts, fails, signal }: Manner): Promise<void> {
    process.unserved += 1
    const place = { lane, signal, ...(panel === undefined ? {} : { panel }) }
    const attempt: Attempt = {
      lane,
      panel,
      process: this.#processes.indexOf(process),
      queuedAt: this.#clock.monotonic(),
      startedAt: Number.POSITIVE_INFINITY,
      endedAt: Number.POSITIVE_INFINITY,
    }
    const made = process.budget.schedule(
      place,
      () => {},
      () => this.#made(process, attempt, { lasts, fails, signal }),
    )
    await made.catch(() => {})
    if (attempt.startedAt !== Number.POSITIVE_INFINITY || signal.aborted) process.unserved -= 1
    this.#lastSettledAt = this.#clock.monotonic()
  }

  /** One attempt: it lasts its time, or until somebody goes away. */
  #made(process: Process, attempt: Attempt, { lasts, fails, signal }: Manner): Promise<void> {
    // What a killed process was about to do is not done.
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
