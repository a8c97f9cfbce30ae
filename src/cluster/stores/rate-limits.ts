import { randomUUID } from 'node:crypto'
import type { AttemptLog } from '../../account/rate-limit/attempt-log.ts'
import { LocalRateLimitStore } from '../../account/rate-limit/local-rate-limit-store.ts'
import {
  type Backoff,
  backoffBeforeRestart,
  type CountedAttempt,
  type RateLimitStore,
  type UserRecord,
} from '../../account/rate-limit/rate-limit-store.ts'
import { RunningAttempts } from '../../account/rate-limit/running-attempts.ts'
import { allLanes, type Lane } from '../../account/rate-limit/sliding-window.ts'
import { ageWithSleep, type Clock, momentOf } from '../../clock.ts'
import { closedError, type KeyholderError } from '../../service/error.ts'
import { badField } from '../cluster-settings.ts'
import * as lua from '../lua/rate-limit.lua.ts'
import { notify } from '../membership/notify.ts'
import type { Reserve } from '../membership/reserve.ts'
import type { Argument } from '../redis/connection.ts'
import { away } from '../redis/redis-error.ts'
import { type Reply, type Script, type Scripts, script } from '../redis/scripts.ts'
import { type OwnAttempt, OwnAttempts } from './own-attempts.ts'
import { type RateLimitTimes, rateLimitTimes } from './rate-limit-times.ts'
import { SharedBackoff, type ToldBackoff } from './shared-backoff.ts'
import { SharedSignIns } from './shared-sign-ins.ts'

const scripts = {
  take: script(lua.take),
  refresh: script(lua.refresh),
  startBackoff: script(lua.startBackoff),
  endBackoff: script(lua.endBackoff),
  ended: script(lua.ended),
  giveBack: script(lua.giveBack),
  restore: script(lua.restore),
  guard: script(lua.guard),
}

/** The logs of attempts on the server. A tenth of the limit is reserved for commands. */
const logs = ['commands', 'others'] as const

/** Returns the number of the log of a lane. */
function logOf(lane: Lane): number {
  return lane === 'command' ? 1 : 2
}

/** Milliseconds until another try if a running attempt of another instance must end first. */
const retryAfterRunning = 250

/** The dependencies of the store of a service user. */
export interface RateLimitOptions {
  scripts: Scripts
  clock: Clock
  /** A short hash of host and e-mail. */
  user: string
  /** Returns the number of the session of this instance. */
  session(): number
  /** Called if the server has forgotten the handshake. */
  onForgotten(): void
  /** Returns the generation of the server's data; undefined before the first handshake. */
  generation?(): string | undefined
  /** The attempts that are left to this instance when it is cut off. */
  reserve?: Reserve | undefined
  /** Their log; without it, the reserve is not used. */
  reserveLog?: AttemptLog | undefined
  /** Returns true while this instance is cut off and goes on alone. */
  isAlone?(): boolean
  /** The log of the time before the cluster, and for the time after it. */
  attemptLog?: AttemptLog | undefined
  times?: RateLimitTimes
}

/**
 * The rate-limit store of all instances: every attempt is counted on the server before it is sent.
 *
 * An answer that was lost counts as an attempt, until it would have ended. What this instance did itself is
 * remembered for a window, so that it can be put back on a server that has forgotten it.
 */
export class SharedRateLimits implements RateLimitStore {
  readonly #options: RateLimitOptions
  readonly #times: RateLimitTimes
  readonly #id = randomUUID()
  readonly #listeners = new Set<() => void>()
  readonly #running = new RunningAttempts()
  /** The attempts while this instance is alone. */
  readonly #reserved: LocalRateLimitStore | undefined
  /** The registration of the reserve at which the attempts of all left room for it. */
  #coveredAs: number | undefined
  readonly #own: OwnAttempts
  /** The ends that the server does not know yet, by pairs: number of the log, id. */
  #ended: Argument[] = []
  readonly #signIns: SharedSignIns
  /** Until when there is no use in asking, by lane (milliseconds of the monotonic clock). */
  readonly #opens: Record<Lane, number> = { command: 0, urgent: 0, poll: 0 }
  #cap = 1
  #limit: number | undefined
  /** The time when the last config node left; undefined while there are some. */
  #endedAt: number | undefined
  /** True when the server does not have the cap of this instance any more. */
  #isWithdrawn = false
  #used = 0
  #reservedByAll = 0
  readonly #backoff: SharedBackoff
  #ids = 0
  #notedGeneration: string | undefined
  #before: Promise<UserRecord> | undefined
  /** True when the record of the time before the cluster is counted here. */
  #hasMovedIn = false
  #recalled: Promise<void> | undefined

  constructor(options: RateLimitOptions) {
    this.#options = options
    this.#times = options.times ?? rateLimitTimes
    this.#own = new OwnAttempts(this.#times)
    const { reserve, reserveLog, clock, attemptLog } = options
    this.#signIns = new SharedSignIns(clock, this.#key('sign-ins'))
    this.#backoff = new SharedBackoff({
      clock,
      attemptLog,
      nextId: () => this.#nextId(),
      sendStart: (args, through) => this.#ask(scripts.startBackoff, args, through),
      sendEnd: (by) => this.#ask(scripts.endBackoff, [by]),
    })
    if (reserve === undefined || reserve.amount === 0 || reserveLog === undefined) return
    this.#reserved = new LocalRateLimitStore(reserveLog, clock)
    this.#reserved.limit = reserve.amount
  }

  /** False while the reserve must not be used, because the others have not left room for it yet. */
  get isCovered(): boolean {
    const { registration } = this.#options.reserve ?? {}
    return this.#reserved === undefined || (registration !== undefined && this.#coveredAs === registration)
  }

  /** Milliseconds for which what was sent of the reserve counts. */
  get reserveCounts(): number {
    const { window, margin } = this.#times
    return this.#reserved !== undefined && this.#reserved.used > 0 ? window + margin : 0
  }

  /** The limit that the accounts of this instance set. */
  get cap(): number {
    return this.#cap
  }

  get limit(): number {
    if (this.#alone !== undefined) return this.#alone.limit
    return Math.min(this.#cap, this.#limit ?? this.#cap)
  }

  set limit(limit: number) {
    const isNew = limit !== this.#cap || this.#endedAt !== undefined
    this.#endedAt = undefined
    this.#isWithdrawn = false
    if (!isNew) return
    this.#cap = limit
    this.#limit = undefined
    if (this.#reserved !== undefined) {
      this.#reserved.limit = Math.min(limit, this.#options.reserve?.amount ?? 0)
    }
    this.refresh()
  }

  endLimit(): void {
    this.#endedAt ??= this.#now
  }

  /** True if `refresh` would take the cap of this instance back: its last requests do not count any more. */
  get isLimitDue(): boolean {
    return this.#isOverdue && !this.#isWithdrawn
  }

  get #isOverdue(): boolean {
    const { window, margin } = this.#times
    return this.#endedAt !== undefined && this.#now - this.#endedAt > window + margin
  }

  get used(): number {
    return this.#alone?.used ?? this.#used
  }

  get backoff(): Backoff | undefined {
    return this.#backoff.current
  }

  wait(lane: Lane): number {
    if (this.#alone !== undefined) return this.#alone.wait(lane)
    return Math.max(0, this.#opens[lane] - this.#now)
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** True after the use has ended. */
  get isOver(): boolean {
    return this.#running.isOver
  }

  async take(lane: Lane): Promise<CountedAttempt | undefined> {
    if (this.isOver) throw closedError()
    const noteEnd = this.#running.begin()
    try {
      const mine = this.#alone
      if (mine !== undefined) return await takeFrom(mine, lane, noteEnd)
      const taken = await this.#take(lane)
      if (taken !== undefined) return { end: () => this.#end(taken, noteEnd) }
    } catch (thrown) {
      noteEnd()
      throw thrown
    }
    noteEnd()
    return undefined
  }

  async #take(lane: Lane): Promise<OwnAttempt | undefined> {
    // The connection may have come after the recall has failed.
    if (!this.#hasMovedIn) await this.#recall()
    const id = this.#nextId()
    const asked = momentOf(this.#options.clock)
    const { longest, probing } = this.#times
    const answer = await this.#ask(scripts.take, [id, lane, longest, probing, ...this.#takeEnded()])
    const [result, wait] = answer as [string, number]
    if (this.#limit === 0) throw nothingLeft(this.#reservedByAll)
    if (result !== 'taken') {
      this.#opens[lane] = this.#now + (wait < 0 ? retryAfterRunning : Math.max(1, wait))
      return undefined
    }
    this.#opens[lane] = 0
    if (ageWithSleep(asked, this.#options.clock) > this.#times.fresh) {
      // By now others may have counted on its end: it would arrive outside its window.
      void this.#ask(scripts.giveBack, [id, lane]).catch(() => {})
      this.#opens[lane] = this.#now + 1
      return undefined
    }
    const attempt: OwnAttempt = { id, lane, startedAt: asked.monotonic, endedAt: undefined }
    this.#own.add(attempt, this.#now)
    return attempt
  }

  recall(before?: Promise<UserRecord>): Promise<void> {
    this.#before ??= before
    this.#recalled ??= this.#recall().catch(() => {
      this.#recalled = undefined
    })
    return this.#recalled
  }

  async handOver(): Promise<UserRecord> {
    await this.#running.over()
    const countedIn = this.#options.generation?.()
    if (!this.#hasMovedIn && this.#before !== undefined) return this.#before
    const { ages: alone } = (await this.#reserved?.handOver()) ?? { ages: [] }
    // Without an answer, the others may have used all of it, and all reserves.
    await this.#ask(scripts.refresh, []).catch(() => {
      const most = Math.min(this.#cap, (this.#limit ?? this.#cap) + this.#reservedByAll)
      this.#used = Math.max(this.#used, most - alone.length)
    })
    const now = this.#now
    const shared = this.#own.of(now).map(({ endedAt = now }) => now - endedAt)
    const others = Math.max(0, this.#used - shared.length)
    const ages = [...shared, ...alone]
    return { ages: [...ages, ...Array.from({ length: others }, () => 0)], backoff: this.backoff, countedIn }
  }

  async startBackoff(pause: number, error: KeyholderError, isRequested: boolean): Promise<void> {
    void this.#alone?.startBackoff(pause, error, isRequested)
    await this.#backoff.start(pause, error, isRequested)
  }

  endBackoff(): void {
    if (!this.#backoff.end()) return
    this.#forgetWaits()
    this.#reserved?.endBackoff()
  }

  async guardKill(pause: number): Promise<() => Promise<void>> {
    const id = this.#nextId()
    const { attemptLog, session } = this.#options
    const owner = session()
    const end = await attemptLog?.guardKill(pause)
    await this.#try(scripts.guard, ['guards'], [id, owner, Math.ceil(pause)])
    return async () => {
      await Promise.all([end?.(), this.#try(scripts.guard, ['guards'], [id, owner, 0])])
    }
  }

  noteSignIn(): Promise<number> {
    return this.#signIns.note(this.#nextId(), this.#options.scripts)
  }

  /** Asks for the limit and the backoff again, because another instance has changed them. Never throws. */
  refresh(): void {
    this.#ask(scripts.refresh, []).then(
      () => {
        this.#forgetWaits()
        this.#tell()
      },
      // The next attempt reports the error.
      () => {},
    )
  }

  /** Lets those who wait for room ask at once, because the connection is lost, or what is used changes. */
  noteLoss(): void {
    this.#forgetWaits()
    this.#tell()
  }

  /**
   * Puts back what this instance did itself, on a server right after the handshake.
   * @throws KeyholderError
   */
  async restore(through: Scripts): Promise<void> {
    const now = this.#now
    const entries = this.#own
      .of(now)
      .flatMap((one) => [logOf(one.lane), one.id, Math.ceil(this.#own.countsUntil(one) - now)])
    const keys = logs.map((log) => this.#key(log))
    if (entries.length > 0) await through.run(scripts.restore, keys, entries)
    await this.#signIns.restore(through)
    await this.#backoff.restore(through)
    await this.#noteJoined()
    this.#forgetWaits()
  }

  get #now(): number {
    return this.#options.clock.monotonic()
  }

  #nextId(): string {
    this.#ids += 1
    return `${this.#id}.${this.#ids}`
  }

  #key(part: string): string {
    return `user:${this.#options.user}:${part}`
  }

  /** The store of the reserve while it is to be used. */
  get #alone(): LocalRateLimitStore | undefined {
    return this.isCovered && this.#options.isAlone?.() ? this.#reserved : undefined
  }

  async #recall(): Promise<void> {
    await this.#reserved?.recall()
    const current = this.#generation
    const record = await (this.#before ?? this.#logged(current))
    // The same server, by a connection with other settings, knows all of it.
    if (!this.#hasMovedIn && record.countedIn !== current) this.#count(record)
    this.#hasMovedIn = true
    // What was counted before must be there before the first attempt asks.
    await this.restore(this.#options.scripts)
    await this.#ask(scripts.refresh, [])
  }

  /**
   * The generation of the server's data.
   * @throws KeyholderError without a connection
   */
  get #generation(): string {
    const { generation = () => '' } = this.#options
    const current = generation()
    if (current === undefined) throw away('not connected yet')
    return current
  }

  /**
   * Returns what the log has of the time before the cluster, or of a process that counted with other data than the
   * server has now; the server itself knows the rest.
   */
  async #logged(current: string): Promise<UserRecord> {
    const { attemptLog } = this.#options
    if (attemptLog === undefined || (await attemptLog.joined()) === current) {
      return { ages: [], backoff: undefined }
    }
    const left = await attemptLog.recallBackoff()
    const now = this.#now
    const [since, until] = [now, now + left]
    const backoff =
      left > 0 ? { since, until, requestedUntil: until, error: backoffBeforeRestart } : undefined
    return { ages: await attemptLog.recall(), backoff }
  }

  /** Counts the record of the time before as our own. */
  #count({ ages, backoff }: UserRecord): void {
    const now = this.#now
    for (const age of ages) {
      this.#own.add({ id: this.#nextId(), lane: 'poll', startedAt: now - age, endedAt: now - age }, now)
    }
    this.#backoff.adopt(backoff)
  }

  /** Notes where the attempts are counted, for a process after this one that may be alone. Never rejects. */
  async #noteJoined(): Promise<void> {
    const { attemptLog } = this.#options
    if (this.isOver || !this.#hasMovedIn) return
    const current = this.#generation
    if (current === this.#notedGeneration) return
    this.#notedGeneration = current
    await attemptLog?.noteJoined(current)
  }

  #end(attempt: OwnAttempt, noteEnd: () => void): void {
    if (attempt.endedAt !== undefined) return
    this.#own.end(attempt, this.#now)
    noteEnd()
    this.#ended.push(logOf(attempt.lane), attempt.id)
    // The next attempt in the queue begins in this turn of the event loop, and takes the end along.
    setImmediate(() => {
      const ended = this.#takeEnded()
      const { window, margin } = this.#times
      if (ended.length > 0) void this.#try(scripts.ended, logs, [window + margin, ...ended])
    })
  }

  /** Returns the ends that the server does not know yet; it is told of them now. */
  #takeEnded(): Argument[] {
    return this.#ended.splice(0)
  }

  #forgetWaits(): void {
    for (const lane of allLanes) this.#opens[lane] = 0
  }

  #tell(): void {
    notify(this.#listeners)
  }

  /** Runs a script whose loss does no harm. Never rejects. */
  async #try(script: Script, parts: readonly string[], args: readonly Argument[]): Promise<void> {
    await this.#options.scripts
      .run(
        script,
        parts.map((part) => this.#key(part)),
        args,
      )
      .catch(() => {})
  }

  /** Runs a script that tells limit, use and backoff, and notes them. */
  async #ask(script: Script, args: readonly Argument[], through?: Scripts): Promise<Reply<string>[]> {
    const { scripts, session, user, onForgotten } = this.#options
    const parts = ['caps', 'state', 'guards', ...logs].map((part) => this.#key(part))
    const { window, margin } = this.#times
    const registration = this.#options.reserve?.registration
    const isWithdrawn = this.#isOverdue
    const answer = await (through ?? scripts).run(
      script,
      ['server', 'members', ...parts, 'changed', 'reserves'],
      [session(), isWithdrawn ? -this.#cap : this.#cap, window, margin, user, ...args],
    )
    this.#isWithdrawn = isWithdrawn && this.#endedAt !== undefined
    if (answer[0] === 'forgotten') {
      onForgotten()
      throw away('the server has lost its data')
    }
    this.#note(answer)
    if (registration !== undefined && this.#used <= (this.#limit ?? 0)) this.#coveredAs = registration
    return answer
  }

  #note(answer: Reply<string>[]): void {
    const [, , limit, used, reserved, ...backoff] = answer as [
      ...[string, number, number, number, number],
      ...ToldBackoff,
    ]
    this.#limit = limit
    this.#used = used
    this.#reservedByAll = reserved
    if (this.#backoff.note(backoff)) this.#tell()
  }
}

/** Takes an attempt of a store, and notes its end. */
async function takeFrom(
  store: LocalRateLimitStore,
  lane: Lane,
  noteEnd: () => void,
): Promise<CountedAttempt | undefined> {
  const taken = await store.take(lane)
  if (taken === undefined) {
    noteEnd()
    return undefined
  }
  const end = () => {
    taken.end()
    noteEnd()
  }
  return { end }
}

function nothingLeft(reserved: number): KeyholderError {
  return badField(
    'reserve',
    `the instances of the last day reserve ${reserved} requests a minute together, which is all of the request limit of the account. Lower it in the cluster node, or raise the request limit. The section "A reserve" of docs/cluster.md tells how to remove those of instances that do not come back`,
    {},
  )
}
