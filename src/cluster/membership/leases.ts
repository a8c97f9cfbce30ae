import { second } from '../../duration.ts'
import type { Lease, PollOutcome } from '../../panel/lease.ts'
import * as lua from '../lua/leases.lua.ts'
import { chunks, type Scripts, script } from '../redis/scripts.ts'
import type { SharedClock } from '../redis/shared-clock.ts'
import { followedKeys } from './followers.ts'
import {
  chain,
  type LeaseEntry,
  LeaseTable,
  type LeaseTableOptions,
  rootOf,
  sessionOf,
} from './lease-table.ts'
import type { Heartbeat } from './membership.ts'
import { freshRecord } from './poll-record.ts'
import { maxPerScript, Rebalancing } from './rebalancing.ts'

const scripts = {
  claim: script(lua.claim),
  release: script(lua.release),
  begin: script(lua.begin),
  end: script(lua.end),
}

/** Milliseconds between two looks at all leases, even if nothing has changed. */
const lookInterval = 10 * second

/** The levels of the leases that go with others: those of the works of a panel, and those of its nodes. */
const levels = [1, 2] as const

/** Heartbeats for which a lease must stay free until it is taken beyond the own share. */
const patience = 2

/** The same for a panel whose polls have failed here a short time ago: any other instance is faster. */
const longPatience = 6

/** A lease in a cluster. */
export interface SharedLease extends Lease {
  begin(work: string, minGap: number): Promise<boolean>
  /** The token that shows the server who holds the lease; undefined while this instance does not. */
  readonly fence: string | undefined
}

/** The dependencies of the leases. */
export interface LeaseOptions extends LeaseTableOptions {
  scripts: Scripts
  sharedClock: SharedClock
  /** Called when a work has begun, with the shortest interval of those who follow it, 0 without followers. */
  onBegin?(lease: string, followedEvery: number): void
}

/**
 * The leases of this instance: it takes its share of those that it wants at once, and the rest if nobody else wants
 * them; passes some on to an instance that has fewer; and loses all of them when its session lapses.
 *
 * A lease may go with another one. Who holds that one takes it at once, and anybody else only if it stays free. It is
 * passed together with that one, and to want it is to want both.
 */
export class Leases {
  readonly #options: LeaseOptions
  readonly #table: LeaseTable
  readonly #rebalancing: Rebalancing
  /** The wanted leases that nobody holds, each with the heartbeat in which it was first seen free. */
  readonly #freeSince = new Map<LeaseEntry, number>()
  #heartbeats = 0
  #version = -1
  #lookedAt = Number.NEGATIVE_INFINITY
  #isLooking = false
  #isLookDue = false

  constructor(options: LeaseOptions) {
    this.#options = options
    this.#table = new LeaseTable(options)
    this.#rebalancing = new Rebalancing({ ...options, table: this.#table, look: () => this.#look() })
  }

  /** The number of leases that are wanted, held, and passed on. */
  get figures(): LeaseTable['figures'] {
    return this.#table.figures
  }

  /**
   * Returns a lease.
   * @param path its name below those of the leases that it goes with, the highest first
   */
  lease(...path: readonly string[]): SharedLease {
    const entry = this.#table.entry(path)
    const [isHeld, holder, failure, ownFailure, fence] = [
      () => this.#table.isHeld(entry),
      () => this.#table.holder(entry),
      () => this.#options.failure(),
      () => this.#table.ownFailure(entry),
      () => (this.#table.isHeld(entry) ? entry.token : undefined),
    ]
    return {
      get isHeld() {
        return isHeld()
      },
      get holder() {
        return holder()
      },
      get failure() {
        return failure()
      },
      get ownFailure() {
        return ownFailure()
      },
      get fence() {
        return fence()
      },
      want: () => this.#want(entry),
      onChange: (listener) => {
        entry.listeners.add(listener)
        return () => entry.listeners.delete(listener)
      },
      begin: (work, minGap) => this.#begin(entry, work, minGap),
      end: (work, outcome, age) => this.#end(entry, work, outcome, age),
      keep: () => this.#keep(entry),
      now: () => this.#options.sharedClock.now(),
    }
  }

  /** Follows what a heartbeat has told. Never throws. */
  noteHeartbeat({ version, asked, hints }: Heartbeat): void {
    this.#heartbeats += 1
    const isOverdue = this.#now - this.#lookedAt >= lookInterval
    if (version !== this.#version || this.#freeSince.size > 0 || isOverdue) this.#look()
    this.#version = version
    this.#rebalancing.noteHeartbeat({ asked, hints })
  }

  /** Gives up all leases at once, because the session has lapsed; they are claimed again with the next heartbeat. */
  lapse(): void {
    for (const entry of this.#table.all) {
      entry.token = ''
      entry.losses += 1
    }
    this.#freeSince.clear()
    this.#version = -1
    this.#table.tellAll()
  }

  /** Tells who waits for a lease that the connection was lost, or is there again. Never throws. */
  followConnection(): void {
    this.#table.tellAll()
  }

  get #now(): number {
    return this.#options.clock.monotonic()
  }

  #want(entry: LeaseEntry): () => void {
    const wanted = [...chain(entry)]
    for (const one of wanted) one.wants += 1
    if (entry.wants === 1) this.#look()
    let isWanted = true
    return () => {
      if (!isWanted) return
      isWanted = false
      for (const one of wanted) {
        one.wants -= 1
        if (one.wants === 0) this.#giveUp(one)
      }
    }
  }

  #giveUp(entry: LeaseEntry): void {
    const { token, name } = entry
    const isOurs = sessionOf(token) === `${this.#options.membership.session}`
    entry.token = ''
    entry.losses += 1
    this.#freeSince.delete(entry)
    // The next wish may come with other settings.
    entry.polls = freshRecord
    this.#table.tell(entry)
    // Also if it is not ours: another instance may be about to pass it, because this one has asked for it.
    void this.#release(name, isOurs ? token : '')
  }

  /** Looks at all wanted leases soon, and takes what this instance may take. */
  #look(): void {
    this.#isLookDue = true
    if (!this.#isLooking) void this.#lookWhileDue()
  }

  /** Never rejects. */
  async #lookWhileDue(): Promise<void> {
    this.#isLooking = true
    try {
      // Nodes that are opened together want their leases in the same turn.
      await Promise.resolve()
      while (this.#isLookDue && this.#options.membership.session > 0) {
        this.#isLookDue = false
        await this.#lookOver()
      }
    } catch {
      // Looked at again with the first heartbeat that is answered.
      this.#version = -1
    } finally {
      this.#isLooking = false
      this.#table.tellAll()
    }
  }

  async #lookOver(): Promise<void> {
    this.#lookedAt = this.#now
    const ofPanels = this.#table.wantedPanels
    const share = Math.ceil(ofPanels.length / this.#options.membership.live)
    const [late, early] = [ofPanels.filter(this.#isPatient), ofPanels.filter((one) => !this.#isPatient(one))]
    const resting = early.filter((entry) => this.#table.rests(entry))
    for (const some of chunks(resting, maxPerScript)) await this.#claim(some, 0)
    const others = resting.length === 0 ? early : early.filter((entry) => !this.#table.rests(entry))
    const countHeld = (entries: readonly LeaseEntry[]) =>
      entries.filter((entry) => this.#table.isHeld(entry)).length
    let held = countHeld(ofPanels)
    for (const some of chunks(others, maxPerScript)) {
      const before = countHeld(some)
      await this.#claim(some, Math.max(0, share - held))
      held += countHeld(some) - before
    }
    for (const some of chunks(late, maxPerScript)) await this.#claim(some, some.length)
    const isDue = (entry: LeaseEntry) =>
      this.#isPatient(entry) || (entry.parent !== undefined && this.#table.isHeld(entry.parent))
    for (const level of levels) {
      const along = this.#table.wanted.filter((entry) => entry.level === level)
      const [due, early] = [along.filter(isDue), along.filter((entry) => !isDue(entry))]
      for (const some of chunks(due, maxPerScript)) await this.#claim(some, some.length)
      for (const some of chunks(early, maxPerScript)) await this.#claim(some, 0)
    }
    // What was passed to this instance after it had given it up would be nobody's work.
    const unwanted = this.#table.all.filter(({ wants }) => wants === 0)
    for (const some of chunks(unwanted, maxPerScript)) await this.#claim(some, 0)
    await this.#rebalancing.askForMore(ofPanels)
  }

  readonly #isPatient = (entry: LeaseEntry): boolean => {
    const since = this.#freeSince.get(entry)
    if (since === undefined) return false
    return this.#heartbeats - since >= (this.#table.rests(entry) ? longPatience : patience)
  }

  async #claim(entries: readonly LeaseEntry[], most: number): Promise<void> {
    const { session } = this.#options.membership
    const names = entries.map(({ name }) => name)
    const losses = entries.map((entry) => entry.losses)
    const keys = ['members', 'leases', 'tokens']
    const [result, tokens] = await this.#options.scripts.run(scripts.claim, keys, [session, most, ...names])
    // The session has ended meanwhile: the next one begins without leases.
    if (result !== 'ok' || session !== this.#options.membership.session) return
    for (const [index, entry] of entries.entries()) {
      const token = (tokens as string[])[index] ?? ''
      if (entry.wants === 0) {
        // Given up while it was claimed.
        if (sessionOf(token) === `${session}`) void this.#release(entry.name, token)
        continue
      }
      if (entry.losses !== losses[index]) {
        this.#isLookDue = true
        continue
      }
      if (token !== entry.token) {
        entry.works.clear()
        // Lost and gained in between: whoever holds it must notice both.
        if (this.#table.isHeld(entry)) this.#table.lose(entry)
      }
      entry.token = token
      if (token !== '') this.#freeSince.delete(entry)
      else if (!this.#freeSince.has(entry)) this.#freeSince.set(entry, this.#heartbeats)
      this.#table.tell(entry)
    }
  }

  async #release(name: string, token: string): Promise<void> {
    const { session } = this.#options.membership
    await this.#options.scripts.tryRun(scripts.release, ['leases', 'version', 'asks'], [name, token, session])
  }

  /** Never rejects. */
  async #begin(entry: LeaseEntry, work: string, minGap: number): Promise<boolean> {
    await this.#rebalancing.passAsked([rootOf(entry)])
    if (!this.#table.isHeld(entry)) return false
    const { name, token } = entry
    entry.works.add(work)
    const { session } = this.#options.membership
    const keys = ['members', 'leases', 'begun', ...followedKeys(name)]
    const [result, followedEvery] = await this.#options.scripts.tryRun(scripts.begin, keys, [
      session,
      name,
      token,
      work,
      Math.ceil(minGap),
    ])
    if (result === 'begun' && this.#table.isHeld(entry)) {
      this.#options.onBegin?.(name, Number(followedEvery))
      entry.ends.set(work, (entry.ends.get(work) ?? 0) + 1)
      return true
    }
    // Another one of this process may be under way.
    if (!entry.ends.has(work)) entry.works.delete(work)
    if (result === 'lost' && entry.token === token) {
      this.#table.lose(entry)
      this.#look()
    }
    return false
  }

  #end(entry: LeaseEntry, work: string, outcome?: PollOutcome, age = 0): void {
    if (outcome !== undefined) this.#rebalancing.notePoll(entry, work, outcome)
    const left = (entry.ends.get(work) ?? 1) - 1
    if (left > 0) {
      // The same work was begun once more: by another poller of this process, or after the lease was lost.
      entry.ends.set(work, left)
      return
    }
    entry.ends.delete(work)
    if (!entry.works.delete(work)) return
    const { session } = this.#options.membership
    const ended = this.#options.scripts.tryRun(
      scripts.end,
      ['begun'],
      [session, entry.name, work, Math.round(age)],
    )
    void ended.then(() => this.#rebalancing.passAsked([rootOf(entry)]))
  }

  #keep(entry: LeaseEntry): () => void {
    const work = Symbol()
    entry.works.add(work)
    return () => {
      if (entry.works.delete(work)) void this.#rebalancing.passAsked([rootOf(entry)])
    }
  }
}
