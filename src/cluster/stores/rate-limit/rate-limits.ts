import { randomUUID } from 'node:crypto'
import type { AttemptLog } from '../../../account/service-user/rate-limit/attempt-log.ts'
import { type Lane, RunningAttempts } from '../../../account/service-user/rate-limit/budget.ts'
import type {
  Backoff,
  CountedAttempt,
  RateLimitStore,
} from '../../../account/service-user/rate-limit/rate-limit-store.ts'
import { closedError, KeyholderError } from '../../../service/error.ts'
import * as lua from '../../lua/rate-limit.lua.ts'
import { notify } from '../../membership/notify.ts'
import { away } from '../../redis/redis-error.ts'
import { type Scripts, script } from '../../redis/scripts.ts'
import { maxTimeout, type RateLimitTimes, rateLimitTimes } from './rate-limit-times.ts'
import { SharedAttempts } from './shared-attempts.ts'
import { SharedBackoff } from './shared-backoff.ts'
import { type BudgetOptions, SharedBudget, userKey } from './shared-budget.ts'
import { SharedSignIns } from './shared-sign-ins.ts'

const guard = script(lua.guard)

/** The dependencies of the store of a service user. */
export interface RateLimitOptions extends BudgetOptions {
  times?: RateLimitTimes
  /** Returns the generation of the server's data; undefined before the first handshake. */
  generation?(): string | undefined
  /** Tells if this process has sent requests elsewhere in the last minute, and the process after it the same. */
  attemptLog?: AttemptLog | undefined
}

const joined = new KeyholderError(
  'RATE_LIMITED',
  'The account has moved into a cluster, where its last requests are not known.',
)

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
  /** True when all attempts of the last minute count in the cluster, or are waited for. */
  #isJoined = false
  /** The generation that the log has. */
  #notedGeneration: string | undefined
  /** The end of the use of the store before. */
  #before: Promise<void> | undefined
  #recalled: Promise<void> | undefined

  constructor(options: RateLimitOptions) {
    this.#options = options
    const { scripts, clock, user, times = rateLimitTimes } = options
    const budget = new SharedBudget(options, times, (told) => {
      if (this.#backoff.note(told)) notify(this.#listeners)
    })
    const nextId = () => this.#nextId()
    this.#budget = budget
    this.#attempts = new SharedAttempts({ scripts, clock, times, budget, nextId })
    this.#backoff = new SharedBackoff({ clock, budget, nextId })
    this.#signIns = new SharedSignIns(clock, userKey(user, 'sign-ins'))
  }

  get limit(): number {
    return this.#budget.limit
  }

  set limit(limit: number) {
    if (this.#budget.setCap(limit)) this.refresh()
  }

  async endLimit(): Promise<void> {
    this.#budget.endCap()
  }

  /** True if `refresh` would take the cap of this instance back: its last requests do not count any more. */
  get isLimitDue(): boolean {
    return this.#budget.isCapDue
  }

  get used(): number {
    return this.#budget.figures.used
  }

  get usedToday(): number {
    return this.#budget.figures.usedToday
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

  async take(lane: Lane, timeout = maxTimeout): Promise<CountedAttempt | undefined> {
    if (this.isOver) throw closedError()
    const noteEnd = this.#running.begin()
    try {
      // The connection may have come after the recall has failed.
      if (!this.#isJoined) await this.#join()
      const taken = await this.#attempts.take(lane, timeout)
      if (taken !== undefined) return { end: () => this.#attempts.end(taken) && noteEnd() }
    } catch (thrown) {
      noteEnd()
      throw thrown
    }
    noteEnd()
    return undefined
  }

  recall(before?: Promise<void>): Promise<void> {
    this.#before ??= before
    this.#recalled ??= this.#join().catch(() => {
      this.#recalled = undefined
    })
    return this.#recalled
  }

  close(): Promise<void> {
    return this.#running.over()
  }

  async startBackoff(pause: number, error: KeyholderError, isRequested: boolean): Promise<void> {
    await this.#backoff.start(pause, error, isRequested)
  }

  endBackoff(): void {
    if (this.#backoff.end()) this.#attempts.forgetWaits()
  }

  async guardKill(pause: number): Promise<() => Promise<void>> {
    const { scripts, session, user } = this.#options
    const [keys, id, owner] = [[userKey(user, 'guards')], this.#nextId(), session()]
    await scripts.run(guard, keys, [id, owner, Math.ceil(pause)])
    return async () => {
      await scripts.tryRun(guard, keys, [id, owner, 0])
    }
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
    await this.#noteJoined()
    this.#attempts.forgetWaits()
  }

  /**
   * Begins to count in the cluster. If this process may have sent requests of the last minute that are not counted there,
   * all instances pause until these count no more.
   * @throws KeyholderError without a connection, or if the log cannot be read
   */
  async #join(): Promise<void> {
    await this.#before
    const generation = this.#generation
    if (!this.#isJoined && (await this.#hasSentElsewhere(generation))) {
      const { window, margin } = this.#options.times ?? rateLimitTimes
      await this.#backoff.start(window + margin, joined, true)
    }
    this.#isJoined = true
    await this.#noteJoined()
    await this.#budget.refresh()
  }

  async #hasSentElsewhere(generation: string): Promise<boolean> {
    const { attemptLog } = this.#options
    if (attemptLog === undefined) return false
    const known = await attemptLog.joined()
    return known === undefined ? (await attemptLog.recall()).length > 0 : known !== generation
  }

  /** Notes where the attempts are counted, for a process after this one. Never rejects after the first connection. */
  async #noteJoined(): Promise<void> {
    if (!this.#isJoined || this.isOver) return
    const generation = this.#generation
    if (generation === this.#notedGeneration) return
    this.#notedGeneration = generation
    await this.#options.attemptLog?.noteJoined(generation)
  }

  /** @throws KeyholderError without a connection */
  get #generation(): string {
    const { generation = () => '' } = this.#options
    const current = generation()
    if (current === undefined) throw away('not connected yet')
    return current
  }

  #nextId(): string {
    this.#ids += 1
    return `${this.#id}.${this.#ids}`
  }
}
