import { randomUUID } from 'node:crypto'
import type {
  Backoff,
  CountedAttempt,
  RateLimitStore,
  UserRecord,
} from '../../../account/service-user/rate-limit/rate-limit-store.ts'
import { RunningAttempts } from '../../../account/service-user/rate-limit/running-attempts.ts'
import type { Lane } from '../../../account/service-user/rate-limit/sliding-window.ts'
import { closedError, type KeyholderError } from '../../../service/error.ts'
import { notify } from '../../membership/notify.ts'
import type { Scripts } from '../../redis/scripts.ts'
import { FormerRecord, type FormerRecordOptions } from './former-record.ts'
import { guardKill } from './kill-guard.ts'
import { type RateLimitTimes, rateLimitTimes } from './rate-limit-times.ts'
import { SharedAttempts } from './shared-attempts.ts'
import { SharedBackoff } from './shared-backoff.ts'
import { type BudgetOptions, SharedBudget, userKey } from './shared-budget.ts'
import { SharedSignIns } from './shared-sign-ins.ts'

/** The dependencies of the store of a service user. */
export interface RateLimitOptions extends BudgetOptions, FormerRecordOptions {
  times?: RateLimitTimes
}

/** The rate-limit store of all instances: every attempt is counted on the server before it is sent. */
export class SharedRateLimits implements RateLimitStore {
  readonly #options: RateLimitOptions
  readonly #id = randomUUID()
  #ids = 0
  readonly #listeners = new Set<() => void>()
  readonly #running = new RunningAttempts()
  readonly #budget: SharedBudget
  readonly #attempts: SharedAttempts
  readonly #backoff: SharedBackoff
  readonly #signIns: SharedSignIns
  readonly #former: FormerRecord
  #recalled: Promise<void> | undefined

  constructor(options: RateLimitOptions) {
    this.#options = options
    const { scripts, clock, user, attemptLog, times = rateLimitTimes } = options
    const budget = new SharedBudget(options, times, (told) => {
      if (this.#backoff.note(told)) notify(this.#listeners)
    })
    const nextId = () => this.#nextId()
    this.#budget = budget
    this.#attempts = new SharedAttempts({ scripts, clock, times, budget, nextId })
    this.#backoff = new SharedBackoff({ clock, attemptLog, budget, nextId })
    this.#signIns = new SharedSignIns(clock, userKey(user, 'sign-ins'))
    this.#former = new FormerRecord(options)
  }

  get limit(): number {
    return this.#budget.limit
  }

  set limit(limit: number) {
    if (this.#budget.setCap(limit)) this.refresh()
  }

  endLimit(): void {
    this.#budget.endCap()
  }

  /** True if `refresh` would take the cap of this instance back: its last requests do not count any more. */
  get isLimitDue(): boolean {
    return this.#budget.isCapDue
  }

  get used(): number {
    return this.#budget.used
  }

  get backoff(): Backoff | undefined {
    return this.#backoff.current
  }

  wait(lane: Lane): number {
    return this.#attempts.wait(lane)
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** True after the use has ended. */
  get isOver(): boolean {
    return this.#running.isOver
  }

  open(): Promise<void> {
    return this.recall()
  }

  async take(lane: Lane): Promise<CountedAttempt | undefined> {
    if (this.isOver) throw closedError()
    const noteEnd = this.#running.begin()
    try {
      // The connection may have come after the recall has failed.
      if (!this.#former.isCounted) await this.#moveIn()
      const taken = await this.#attempts.take(lane)
      if (taken !== undefined) return { end: () => this.#attempts.end(taken) && noteEnd() }
    } catch (thrown) {
      noteEnd()
      throw thrown
    }
    noteEnd()
    return undefined
  }

  recall(before?: Promise<UserRecord>): Promise<void> {
    this.#former.follow(before)
    this.#recalled ??= this.#moveIn().catch(() => {
      this.#recalled = undefined
    })
    return this.#recalled
  }

  async handOver(): Promise<UserRecord> {
    await this.#running.over()
    const countedIn = this.#options.generation?.()
    if (this.#former.uncounted !== undefined) return this.#former.uncounted
    const used = await this.#budget.refresh().then(
      () => this.#budget.used,
      // Without an answer, the others may have used all of it.
      () => Math.max(this.#budget.used, this.limit),
    )
    const shared = this.#attempts.ages
    const others = Array.from({ length: Math.max(0, used - shared.length) }, () => 0)
    return { ages: [...shared, ...others], backoff: this.backoff, countedIn }
  }

  async startBackoff(pause: number, error: KeyholderError, isRequested: boolean): Promise<void> {
    await this.#backoff.start(pause, error, isRequested)
  }

  endBackoff(): void {
    if (this.#backoff.end()) this.#attempts.forgetWaits()
  }

  guardKill(pause: number): Promise<() => Promise<void>> {
    return guardKill(this.#options, userKey(this.#options.user, 'guards'), this.#nextId(), pause)
  }

  noteSignIn(): Promise<number> {
    return this.#signIns.note(this.#nextId(), this.#options.scripts)
  }

  /** Asks for the limit and the backoff again, because another instance has changed them. Never throws. */
  refresh(): void {
    // If it fails, the next attempt reports the error.
    this.#budget.refresh().then(
      () => this.noteLoss(),
      () => {},
    )
  }

  /** Lets those who wait for room ask at once, because the connection is lost or the limit has changed. */
  noteLoss(): void {
    this.#attempts.forgetWaits()
    notify(this.#listeners)
  }

  /**
   * Puts back what this instance did itself, on a server right after the handshake.
   * @throws KeyholderError
   */
  async restore(through: Scripts): Promise<void> {
    await this.#attempts.restore(through)
    await this.#signIns.restore(through)
    await this.#backoff.restore(through)
    if (!this.isOver) await this.#former.noteJoined()
    this.#attempts.forgetWaits()
  }

  /** Goes on with what this process knows of the time before. @throws KeyholderError */
  async #moveIn(): Promise<void> {
    const { ages, backoff } = await this.#former.recall()
    if (!this.#former.isCounted) {
      this.#attempts.adopt(ages)
      this.#backoff.adopt(backoff)
    }
    this.#former.isCounted = true
    // What was counted before must be there before the first attempt asks.
    await this.restore(this.#options.scripts)
    await this.#budget.refresh()
  }

  #nextId(): string {
    this.#ids += 1
    return `${this.#id}.${this.#ids}`
  }
}
