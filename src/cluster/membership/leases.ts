import { second } from '../../duration.ts'
import type { Lease, PollOutcome } from '../../panel/lease.ts'
import * as lua from '../lua/leases.lua.ts'
import { chunks, type StoreParts, scriptsOf } from '../redis/scripts.ts'
import { assign, formatWishes, parseWishes } from './assignment.ts'
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
import { afterPoll, freshRecord, type PollRecord, rankEnd, rankOf, ranks } from './poll-record.ts'

const scripts = scriptsOf(lua)

/** Leases that one script handles; a longer script would keep the others waiting. */
const maxPerScript = 200

/** Milliseconds between two looks at all leases, even if nothing has changed. */
const lookInterval = 10 * second

/** The levels of the leases that go with others: those of the works of a panel, and those of its nodes. */
const levels = [1, 2] as const

/** Heartbeats for which a lease that goes with another one must stay free until it is taken without that one. */
const patience = 2

/** The same for an instance whose polls of the panel fail: any other instance is faster. */
const longPatience = 6

/** A lease in a cluster. */
export interface SharedLease extends Lease {
  begin(work: string, minGap: number): Promise<boolean>
  /** The token that shows the server who holds the lease; undefined while this instance does not. */
  readonly fence: string | undefined
}

/** The dependencies of the leases. */
export interface LeaseOptions extends LeaseTableOptions, StoreParts {
  /** Called when a work has begun, with the shortest interval of those who follow it, 0 without followers. */
  onBegin?(lease: string, followedEvery: number): void
}

/**
 * The leases of this instance. All instances tell each other with the heartbeats which panels they want, and compute from
 * that who holds which of them; who holds another one gives it up.
 *
 * A lease may go with another one. Who holds that one takes it at once, and anybody else only if it stays free. It is
 * given up together with that one, and to want it is to want both.
 */
export class Leases {
  readonly table: LeaseTable
  readonly #options: LeaseOptions
  /** The session that should hold each panel. */
  #assigned: ReadonlyMap<string, string> = new Map()
  /** The text of the wishes of this instance; undefined if they may have changed. */
  #wishes: string | undefined
  /** The time at which the rank of a wish changes by itself. */
  #rankEnd = Number.POSITIVE_INFINITY
  /** The wanted leases that nobody holds, each with the heartbeat in which it was first seen free. */
  readonly #freeSince = new Map<LeaseEntry, number>()
  #heartbeats = 0
  #lookedAt = Number.NEGATIVE_INFINITY
  #isLooking = false
  #isLookDue = false

  constructor(options: LeaseOptions) {
    this.#options = options
    this.table = new LeaseTable(options)
  }

  /**
   * Returns a lease.
   * @param path its name below those of the leases that it goes with, the highest first
   */
  lease(...path: readonly string[]): SharedLease {
    const [entry, table, options] = [this.table.entry(path), this.table, this.#options]
    return {
      get isHeld() {
        return table.isHeld(entry)
      },
      get holder() {
        return table.holder(entry)
      },
      get failure() {
        return options.failure()
      },
      get ownFailure() {
        return table.ownFailure(entry)
      },
      get holderFailure() {
        return table.holderFailure(entry)
      },
      get fence() {
        return table.isHeld(entry) ? entry.token : undefined
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

  /** Returns the wishes of this instance for panels, as the others read them. */
  get wishes(): string {
    const now = this.#now
    if (this.#wishes !== undefined && now < this.#rankEnd) return this.#wishes
    const wanted = this.table.wantedPanels
    this.#rankEnd = Math.min(...wanted.map(({ polls }) => rankEnd(polls, now)))
    this.#wishes = formatWishes(
      new Map(
        wanted.map((entry) => [
          entry.name,
          {
            isHeld: this.table.isHeld(entry),
            rank: rankOf(entry.polls, now),
            failure: this.table.ownFailure(entry) ?? entry.polls.serviceFailure,
            settings: entry.settings,
          },
        ]),
      ),
    )
    return this.#wishes
  }

  /** Notes the settings of this instance for a panel, which the others compare with theirs. */
  noteSettings(panel: string, settings: string): void {
    this.table.entry([panel]).settings = settings
    this.#tellWishes()
  }

  /** Follows what a heartbeat has told. Never throws. */
  noteHeartbeat({ wishes, isRegular }: Pick<Heartbeat, 'wishes' | 'isRegular'>): void {
    if (isRegular) this.#heartbeats += 1
    if (wishes !== undefined) {
      this.table.wishes = parseWishes(wishes)
      this.#assigned = assign(this.table.wishes)
      void this.#giveUpAssigned(this.table.wantedPanels)
    }
    const isOverdue = this.#now - this.#lookedAt >= lookInterval
    if (wishes !== undefined || this.#freeSince.size > 0 || isOverdue) this.#look()
  }

  /** Gives up all leases at once, because the session has lapsed; they are claimed again with the next heartbeat. */
  lapse(): void {
    for (const entry of this.table.all) {
      entry.token = ''
      entry.losses += 1
    }
    this.#freeSince.clear()
    this.#assigned = new Map()
    this.table.wishes = new Map()
    this.#lookedAt = Number.NEGATIVE_INFINITY
    this.#wishes = undefined
    this.table.tellAll()
  }

  get #now(): number {
    return this.#options.clock.monotonic()
  }

  #want(entry: LeaseEntry): () => void {
    const wanted = [...chain(entry)]
    for (const one of wanted) one.wants += 1
    // The answer to a new wish shows who should hold the panel.
    if (rootOf(entry).wants === 1) this.#tellWishes()
    else if (entry.wants === 1) this.#look()
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
    this.table.tell(entry)
    if (isOurs) void this.#release([name, token])
    if (entry.level === 0) this.#tellWishes()
  }

  /** Tells the other instances the wishes of this one. */
  #tellWishes(): void {
    this.#wishes = undefined
    this.#options.membership.hurry()
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
      this.#lookedAt = Number.NEGATIVE_INFINITY
    } finally {
      this.#isLooking = false
      this.table.tellAll()
    }
  }

  async #lookOver(): Promise<void> {
    this.#lookedAt = this.#now
    const ofPanels = this.table.wantedPanels
    const own = `${this.#options.membership.session}`
    const isOwn = ({ name }: LeaseEntry) => this.#assigned.get(name) === own
    await this.#claimAll(ofPanels.filter(isOwn), true)
    await this.#claimAll(
      ofPanels.filter((entry) => !isOwn(entry)),
      false,
    )
    const isDue = (entry: LeaseEntry) =>
      this.#isPatient(entry) || (entry.parent !== undefined && this.table.isHeld(entry.parent))
    for (const level of levels) {
      const along = this.table.wanted.filter((entry) => entry.level === level)
      const [due, early] = [along.filter(isDue), along.filter((entry) => !isDue(entry))]
      await this.#claimAll(due, true)
      await this.#claimAll(early, false)
    }
  }

  readonly #isPatient = (entry: LeaseEntry): boolean => {
    const since = this.#freeSince.get(entry)
    if (since === undefined) return false
    const isFailing = rankOf(rootOf(entry).polls, this.#now) !== ranks.ready
    return this.#heartbeats - since >= (isFailing ? longPatience : patience)
  }

  /** Learns who holds leases, and takes those that are free if `mayTake`. */
  async #claimAll(entries: readonly LeaseEntry[], mayTake: boolean): Promise<void> {
    for (const some of chunks(entries, maxPerScript)) await this.#claim(some, mayTake ? some.length : 0)
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
        if (sessionOf(token) === `${session}`) void this.#release([entry.name, token])
        continue
      }
      if (entry.losses !== losses[index]) {
        this.#isLookDue = true
        continue
      }
      if (token !== entry.token) {
        entry.works.clear()
        // Lost and gained in between: whoever holds it must notice both.
        if (this.table.isHeld(entry)) this.table.lose(entry)
        // The others learn that it is held.
        if (entry.level === 0) this.#wishes = undefined
      }
      entry.token = token
      if (token !== '') this.#freeSince.delete(entry)
      else if (!this.#freeSince.has(entry)) this.#freeSince.set(entry, this.#heartbeats)
      this.table.tell(entry)
    }
  }

  /** @param leases pairs of name and token */
  async #release(leases: readonly string[]): Promise<void> {
    await this.#options.scripts.tryRun(scripts.release, ['leases', 'version'], leases)
  }

  /** Gives up those of these panels that another instance should have, unless a work is under way. Never rejects. */
  async #giveUpAssigned(entries: readonly LeaseEntry[]): Promise<void> {
    const own = `${this.#options.membership.session}`
    const isOver = (entry: LeaseEntry) =>
      (this.#assigned.get(entry.name) ?? own) !== own &&
      this.table.isHeld(entry) &&
      ![entry, ...entry.members].some(({ works }) => works.size > 0)
    const over = entries.filter(isOver)
    if (over.length === 0) return
    const leases = over.flatMap((entry) => [entry, ...entry.members.filter((one) => this.table.isHeld(one))])
    const pairs = leases.flatMap(({ name, token }) => [name, token])
    // Not held from now on: no work may begin while the lease is given up.
    for (const one of leases) this.table.lose(one)
    for (const some of chunks(pairs, 2 * maxPerScript)) await this.#release(some)
    this.#tellWishes()
  }

  /** Never rejects. */
  async #begin(entry: LeaseEntry, work: string, minGap: number): Promise<boolean> {
    await this.#giveUpAssigned([rootOf(entry)])
    if (!this.table.isHeld(entry)) return false
    const { name, token } = entry
    entry.works.add(work)
    const { session } = this.#options.membership
    const keys = ['members', 'leases', 'begun', ...followedKeys(name), 'killed']
    const [result, followedEvery] = await this.#options.scripts.tryRun(scripts.begin, keys, [
      session,
      name,
      token,
      work,
      Math.ceil(minGap),
    ])
    if (result === 'begun' && this.table.isHeld(entry)) {
      this.#options.onBegin?.(name, Number(followedEvery))
      entry.ends.set(work, (entry.ends.get(work) ?? 0) + 1)
      return true
    }
    // Another one of this process may be under way.
    if (!entry.ends.has(work)) entry.works.delete(work)
    if (result === 'lost' && entry.token === token) {
      this.table.lose(entry)
      this.#look()
    }
    return false
  }

  #end(entry: LeaseEntry, work: string, outcome?: PollOutcome, age = 0): void {
    if (outcome !== undefined) this.#notePoll(rootOf(entry), work, outcome)
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
    void ended.then(() => this.#giveUpAssigned([rootOf(entry)]))
  }

  /** Notes how a poll of a panel has ended, and tells the others if they should try. */
  #notePoll(panel: LeaseEntry, work: string, outcome: PollOutcome): void {
    const { polls: before } = panel
    const now = this.#now
    panel.polls = afterPoll(before, work, outcome, now)
    this.#rankEnd = Math.min(this.#rankEnd, rankEnd(panel.polls, now))
    const told = (polls: PollRecord) => `${rankOf(polls, now)} ${polls.code} ${polls.serviceFailure}`
    if (told(before) !== told(panel.polls)) this.#tellWishes()
  }

  #keep(entry: LeaseEntry): () => void {
    const work = Symbol()
    entry.works.add(work)
    return () => {
      if (entry.works.delete(work)) void this.#giveUpAssigned([rootOf(entry)])
    }
  }
}
