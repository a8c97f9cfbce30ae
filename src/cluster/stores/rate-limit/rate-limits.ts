import { randomUUID } from 'node:crypto'
import type { AttemptLog } from '../../../account/service-user/rate-limit/attempt-log.ts'
import { type Lane, RunningAttempts } from '../../../account/service-user/rate-limit/budget.ts'
import type {
  Backoff,
  CountedAttempt,
  RateLimitStore,
} from '../../../account/service-user/rate-limit/rate-limit-store.ts'
import { Lazy } from '../../../concurrency.ts'
import { hour, minute } from '../../../duration.ts'
import { closedError, KeyholderError } from '../../../service/error.ts'
import * as lua from '../../lua/rate-limit.lua.ts'
import { notify } from '../../membership/notify.ts'
import type { Argument } from '../../redis/connection.ts'
import { away } from '../../redis/redis-error.ts'
import { type Reply, type Script, type Scripts, scriptsOf, type UserParts } from '../../redis/scripts.ts'
import { type RateLimitTimes, rateLimitTimes, SharedAttempts, userKey } from './shared-attempts.ts'
import { SharedBackoff, type ToldBackoff } from './shared-backoff.ts'

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
  readonly #times: RateLimitTimes
  readonly #attemptLog: AttemptLog | undefined
  readonly #listeners = new Set<() => void>()
  readonly #running = new RunningAttempts()
  readonly #attempts: SharedAttempts
  readonly #backoff: SharedBackoff
  /** The attempts of all instances in the last minute, and since midnight in UTC, as far as known. */
  used = 0
  usedToday = 0
  /** The lowest cap of the config nodes of this instance, and that of all instances as far as the server has told it. */
  #cap = 1
  #lowestCap = 1
  /** The time when the last config node left; undefined while there are some. */
  #endedAt: number | undefined
  /** True when the server does not have the cap of this instance any more. */
  #isWithdrawn = false
  /** The times of the sign-ins of this instance in the last hour, by id, for a server that has forgotten them. */
  readonly #signIns = new Map<string, number>()
  /**
   * The generation that the log has; undefined until all attempts of the last minute count in the cluster, or are
   * waited for.
   */
  #joined: string | undefined
  /** The end of the use of the store before. */
  #before: Promise<void> | undefined
  readonly #recalled = new Lazy(() => this.#join())

  /** @param attemptLog tells if this process has sent requests elsewhere in the last minute, and the process after it the same */
  constructor(parts: UserParts, times: RateLimitTimes = rateLimitTimes, attemptLog?: AttemptLog) {
    this.#parts = parts
    this.#times = times
    this.#attemptLog = attemptLog
    this.#attempts = new SharedAttempts(parts, times, (...question) => this.#ask(...question))
    this.#backoff = new SharedBackoff(parts.clock, (...question) => this.#ask(...question))
  }

  get limit(): number {
    return Math.min(this.#cap, this.#lowestCap)
  }

  set limit(cap: number) {
    const isKnown = cap === this.#cap && this.#endedAt === undefined
    this.#endedAt = undefined
    if (isKnown) return
    this.#cap = cap
    this.#lowestCap = cap
    this.refresh()
  }

  async endLimit(): Promise<void> {
    this.#endedAt ??= this.#parts.clock.monotonic()
  }

  /** True if `refresh` would take the cap of this instance back: its last requests do not count any more. */
  get isLimitDue(): boolean {
    return this.#isUnused && !this.#isWithdrawn
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
    let taken: CountedAttempt | undefined
    try {
      // The connection may have come after the recall has failed.
      if (this.#joined === undefined) await this.#join()
      taken = await this.#attempts.take(lane, timeout, noteEnd)
      return taken
    } finally {
      if (taken === undefined) noteEnd()
    }
  }

  recall(before?: Promise<void>): Promise<void> {
    this.#before ??= before
    return this.#recalled.get().catch(() => {})
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
    const [keys, id, owner] = [[userKey(this.#parts, 'guards')], randomUUID(), membership.session]
    await calls.run(scripts.guard, keys, [id, owner, Math.ceil(pause)])
    return async () => {
      await calls.tryRun(scripts.guard, keys, [id, owner, 0])
    }
  }

  async noteSignIn(): Promise<number> {
    const now = this.#parts.clock.monotonic()
    for (const [id, at] of this.#signIns) if (now - at >= hour) this.#signIns.delete(id)
    this.#signIns.set(randomUUID(), now)
    const answer = await this.#sendSignIns(this.#parts.scripts).catch(() => [])
    return Math.max(this.#signIns.size, Number(answer[0] ?? 0))
  }

  /** Asks for the limit and the backoff again, because another instance has changed them. Never throws. */
  refresh(): void {
    // If it fails, the next attempt reports the error.
    this.#ask(scripts.refresh).then(
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
    if (this.#joined !== undefined) await this.#noteJoined(this.#generation)
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
    if (this.#joined === undefined && (await this.#hasSentElsewhere(generation))) {
      await this.#backoff.start(this.#attempts.counts, joined, true)
    }
    await this.#noteJoined(generation)
    await this.#ask(scripts.refresh)
  }

  async #hasSentElsewhere(generation: string): Promise<boolean> {
    const log = this.#attemptLog
    if (log === undefined) return false
    const known = await log.joined()
    return known === undefined ? (await log.recall()).length > 0 : known !== generation
  }

  /** Notes where the attempts are counted, for a process after this one. */
  async #noteJoined(generation: string): Promise<void> {
    if (this.isOver || generation === this.#joined) return
    this.#joined = generation
    await this.#attemptLog?.noteJoined(generation)
  }

  /** @throws KeyholderError without a connection */
  get #generation(): string {
    const generation = this.#parts.generation()
    if (generation === undefined) throw away('not connected yet')
    return generation
  }

  /** True if no config node of this instance needs the cap, and its last requests do not count any more. */
  get #isUnused(): boolean {
    return (
      this.#endedAt !== undefined && this.#parts.clock.monotonic() - this.#endedAt > this.#attempts.counts
    )
  }

  /**
   * Runs a script that tells limit, use and backoff, and notes them.
   * @throws KeyholderError
   */
  async #ask(
    script: Script,
    args: readonly Argument[] = [],
    through = this.#parts.scripts,
  ): Promise<Reply<string>[]> {
    const { membership, user } = this.#parts
    const { window, margin } = this.#times
    const keys = ['caps', 'state', 'guards'].map((part) => userKey(this.#parts, part))
    const isUnused = this.#isUnused
    const cap = isUnused ? -this.#cap : this.#cap
    const answer = await through.run(
      script,
      ['server', 'members', ...keys, ...this.#attempts.logKeys, 'changed'],
      [membership.session, cap, window, margin, user, ...args],
    )
    this.#isWithdrawn = isUnused && this.#endedAt !== undefined
    const [, , limit, used, usedToday, ...backoff] = answer as [
      ...[string, number, number, number, number],
      ...ToldBackoff,
    ]
    this.#lowestCap = limit
    this.used = used
    this.usedToday = usedToday
    if (this.#backoff.note(backoff)) notify(this.#listeners)
    return answer
  }
}
