import type { AttemptLog } from '../../../account/service-user/rate-limit/attempt-log.ts'
import { type Lane, RunningAttempts } from '../../../account/service-user/rate-limit/budget.ts'
import type {
  Backoff,
  CountedAttempt,
  RateLimitStore,
} from '../../../account/service-user/rate-limit/rate-limit-store.ts'
import { hour, minute } from '../../../duration.ts'
import { closedError, KeyholderError } from '../../../service/error.ts'
import * as lua from '../../lua/rate-limit.lua.ts'
import { notify } from '../../membership/notify.ts'
import { away } from '../../redis/redis-error.ts'
import { type Reply, type Scripts, scriptsOf, type UserParts } from '../../redis/scripts.ts'
import { SharedAttempts } from './shared-attempts.ts'
import { SharedBackoff } from './shared-backoff.ts'
import { type RateLimitTimes, rateLimitTimes, SharedBudget, userKey } from './shared-budget.ts'

const scripts = scriptsOf(lua)

/** Milliseconds of the longest timeout of an account. */
const maxTimeout = 5 * minute

const joined = new KeyholderError(
  'RATE_LIMITED',
  'The account has moved into a cluster, where its last requests are not known.',
)

/** The rate-limit store of all instances: every attempt is counted on the server before it is sent. */
export class SharedRateLimits implements RateLimitStore {
  readonly #parts: UserParts
  readonly #attemptLog: AttemptLog | undefined
  readonly #listeners = new Set<() => void>()
  readonly #running = new RunningAttempts()
  readonly #budget: SharedBudget
  readonly #attempts: SharedAttempts
  readonly #backoff: SharedBackoff
  /** The times of the sign-ins of this instance in the last hour, by id, for a server that has forgotten them. */
  readonly #signIns = new Map<string, number>()
  /** True when all attempts of the last minute count in the cluster, or are waited for. */
  #isJoined = false
  /** The generation that the log has. */
  #notedGeneration: string | undefined
  /** The end of the use of the store before. */
  #before: Promise<void> | undefined
  #recalled: Promise<void> | undefined

  /** @param attemptLog tells if this process has sent requests elsewhere in the last minute, and the process after it the same */
  constructor(parts: UserParts, times: RateLimitTimes = rateLimitTimes, attemptLog?: AttemptLog) {
    this.#parts = parts
    this.#attemptLog = attemptLog
    this.#budget = new SharedBudget(parts, times, (told) => {
      if (this.#backoff.note(told)) notify(this.#listeners)
    })
    this.#attempts = new SharedAttempts(parts, times, this.#budget)
    this.#backoff = new SharedBackoff(parts.clock, this.#budget)
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

  startBackoff(pause: number, error: KeyholderError, isRequested: boolean): Promise<void> {
    return this.#backoff.start(pause, error, isRequested)
  }

  endBackoff(): void {
    if (this.#backoff.end()) this.#attempts.forgetWaits()
  }

  async guardKill(pause: number): Promise<() => Promise<void>> {
    const { scripts: calls, membership } = this.#parts
    const [keys, id, owner] = [[userKey(this.#parts, 'guards')], this.#budget.nextId(), membership.session]
    await calls.run(scripts.guard, keys, [id, owner, Math.ceil(pause)])
    return async () => {
      await calls.tryRun(scripts.guard, keys, [id, owner, 0])
    }
  }

  async noteSignIn(): Promise<number> {
    const now = this.#parts.clock.monotonic()
    for (const [id, at] of this.#signIns) if (now - at >= hour) this.#signIns.delete(id)
    this.#signIns.set(this.#budget.nextId(), now)
    const answer = await this.#sendSignIns(this.#parts.scripts).catch(() => [])
    return Math.max(this.#signIns.size, Number(answer[0] ?? 0))
  }

  /** Asks for the limit and the backoff again, because another instance has changed them. Never throws. */
  refresh(): void {
    // If it fails, the next attempt reports the error.
    this.#budget.ask(scripts.refresh, []).then(
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
    if (this.#signIns.size > 0) await this.#sendSignIns(through)
    await this.#backoff.restore(through)
    await this.#noteJoined()
    this.#attempts.forgetWaits()
  }

  #sendSignIns(through: Scripts): Promise<Reply<string>[]> {
    const now = this.#parts.clock.monotonic()
    const signIns = [...this.#signIns].flatMap(([id, at]) => [id, Math.floor(now - at)])
    return through.run(scripts.signIn, [userKey(this.#parts, 'sign-ins')], [hour, ...signIns])
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
      await this.#backoff.start(this.#budget.counts, joined, true)
    }
    this.#isJoined = true
    await this.#noteJoined()
    await this.#budget.ask(scripts.refresh, [])
  }

  async #hasSentElsewhere(generation: string): Promise<boolean> {
    const log = this.#attemptLog
    if (log === undefined) return false
    const known = await log.joined()
    return known === undefined ? (await log.recall()).length > 0 : known !== generation
  }

  /** Notes where the attempts are counted, for a process after this one. Never rejects after the first connection. */
  async #noteJoined(): Promise<void> {
    if (!this.#isJoined || this.isOver) return
    const generation = this.#generation
    if (generation === this.#notedGeneration) return
    this.#notedGeneration = generation
    await this.#attemptLog?.noteJoined(generation)
  }

  /** @throws KeyholderError without a connection */
  get #generation(): string {
    const generation = this.#parts.generation()
    if (generation === undefined) throw away('not connected yet')
    return generation
  }
}
