import { second } from '../../duration.ts'
import type { PollOutcome } from '../../panel/lease.ts'
import * as lua from '../lua/leases.lua.ts'
import { chunks, scriptsOf } from '../redis/scripts.ts'
import { assign, parseWishes } from './assignment.ts'
import { type Followers, followedKeys } from './followers.ts'
import { chain, type LeaseEntry, LeaseTable, type SharedLease, sessionOf } from './lease-table.ts'
import type { ClusterParts, Heartbeat } from './membership.ts'
import { afterPoll, freshRecord, type PollRecord, rankOf, ranks } from './poll-record.ts'

const scripts = scriptsOf(lua)

/** Leases that one script handles; a longer script would keep the others waiting. */
const maxPerScript = 200

/** Milliseconds between two looks at all leases, even if nothing has changed. */
const lookInterval = 10 * second

/** Heartbeats for which a lease that goes with another one must stay free until it is taken without that one. */
const patience = 2

/** The same for an instance whose polls of the panel fail: any other instance is faster. */
const longPatience = 6

/**
 * The leases of this instance. All instances tell each other with the heartbeats which panels they want, and compute from
 * that who holds which of them; who holds another one gives it up.
 *
 * A lease may go with another one. Who holds that one takes it at once, and anybody else only if it stays free. It is
 * given up together with that one, and to want it is to want both.
 */
export class Leases {
  readonly table: LeaseTable
  readonly #parts: ClusterParts
  readonly #followers: Followers
  /** The session that should hold each panel. */
  #assigned: ReadonlyMap<string, string> = new Map()
  /** The wanted leases that nobody holds, each with the heartbeat in which it was first seen free. */
  readonly #freeSince = new Map<LeaseEntry, number>()
  #heartbeats = 0
  #lookedAt = Number.NEGATIVE_INFINITY
  #isLooking = false
  #isLookDue = false

  constructor(parts: ClusterParts, followers: Followers) {
    this.#parts = parts
    this.#followers = followers
    this.table = new LeaseTable(parts)
  }

  /**
   * Returns a lease.
   * @param path its name below those of the leases that it goes with, such as that of the panel, the highest first. Names are
   * readable on the server: that of a panel is a digest
   */
  lease(...path: readonly string[]): SharedLease {
    const entry = this.table.entry(path)
    return Object.assign(this.table.view(entry), {
      want: () => this.#want(entry),
      begin: (work: string, minGap: number, minGapAfterKill = 0) =>
        this.#begin(entry, work, minGap, minGapAfterKill),
      end: (work: string, outcome?: PollOutcome, age?: number) => this.#end(entry, work, outcome, age),
      keep: () => this.#keep(entry),
    })
  }

  /**
   * Notes the settings of this instance for a panel, which are compared with those of the others.
   * @param panel a digest
   * @param settings by the label of their field
   */
  noteSettings(panel: string, settings: Readonly<Record<string, string>>): void {
    this.table.entry([panel]).settings = `${new URLSearchParams(settings)}`
    this.#parts.membership.hurry()
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
    this.#freeSince.clear()
    this.#assigned = new Map()
    this.#lookedAt = Number.NEGATIVE_INFINITY
    this.table.loseAll()
  }

  #want(entry: LeaseEntry): () => void {
    const wanted = [...chain(entry)]
    for (const one of wanted) one.wants += 1
    // The answer to a new wish shows who should hold the panel.
    if (entry.root.wants === 1) this.#parts.membership.hurry()
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
    this.#freeSince.delete(entry)
    // The next wish may come with other settings.
    entry.polls = freshRecord
    this.table.lose(entry)
    if (sessionOf(token) === this.#own) void this.#release([name, token])
    if (entry.parent === undefined) this.#parts.membership.hurry()
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
      while (this.#isLookDue && this.#parts.membership.session > 0) {
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
    const own = this.#own
    await this.#claim(this.table.wantedPanels, ({ name }) => this.#assigned.get(name) === own)
    const isDue = (entry: LeaseEntry) =>
      this.#isPatient(entry) || (entry.parent !== undefined && this.table.isHeld(entry.parent))
    // First the works of the panels, then their nodes.
    for (const level of [1, 2]) {
      const along = this.table.wanted.filter((entry) => entry.level === level)
      await this.#claim(along, isDue)
    }
  }

  #isPatient(entry: LeaseEntry): boolean {
    const since = this.#freeSince.get(entry)
    if (since === undefined) return false
    const isFailing = rankOf(entry.root.polls, this.#now) !== ranks.ready
    return this.#heartbeats - since >= (isFailing ? longPatience : patience)
  }

  /** Learns who holds leases, and takes those that are free and that this instance may take. */
  async #claim(entries: readonly LeaseEntry[], mayTake: (entry: LeaseEntry) => boolean): Promise<void> {
    const { scripts: calls, membership } = this.#parts
    const taken = new Set(entries.filter(mayTake))
    for (const some of chunks(entries, maxPerScript)) {
      const { session } = membership
      const losses = some.map((entry) => entry.losses)
      const args = some.flatMap((entry) => [entry.name, taken.has(entry) ? 1 : 0])
      const keys = ['members', 'leases', 'tokens']
      const [result, tokens] = await calls.run(scripts.claim, keys, [session, ...args])
      // The session has ended meanwhile: the next one begins without leases.
      if (result !== 'ok' || session !== membership.session) return
      for (const [index, entry] of some.entries()) {
        const token = (tokens as string[])[index] ?? ''
        const isLost = entry.losses !== losses[index]
        // Given up while it was claimed, alone or with the one that it goes with.
        const isGivenUp = entry.wants === 0 || (isLost && taken.has(entry))
        if (isGivenUp && sessionOf(token) === `${session}`) void this.#release([entry.name, token])
        else if (entry.wants > 0 && !isLost) this.#noteToken(entry, token)
        if (entry.wants > 0 && isLost) this.#isLookDue = true
      }
    }
  }

  #noteToken(entry: LeaseEntry, token: string): void {
    // Lost and gained in between: whoever holds it must notice both.
    if (token !== entry.token && this.table.isHeld(entry)) this.table.lose(entry)
    entry.token = token
    if (token !== '') this.#freeSince.delete(entry)
    else if (!this.#freeSince.has(entry)) this.#freeSince.set(entry, this.#heartbeats)
    this.table.tell(entry)
  }

  /** @param leases pairs of name and token */
  async #release(leases: readonly string[]): Promise<void> {
    await this.#parts.scripts.tryRun(scripts.release, ['leases', 'version'], leases)
  }

  /** Gives up those of these panels that another instance should have, unless a work is under way. Never rejects. */
  async #giveUpAssigned(entries: readonly LeaseEntry[]): Promise<void> {
    const own = this.#own
    const isOver = (entry: LeaseEntry) =>
      (this.#assigned.get(entry.name) ?? own) !== own &&
      this.table.isHeld(entry) &&
      ![entry, ...entry.members].some(({ works }) => works.size > 0)
    const over = entries.filter(isOver)
    if (over.length === 0) return
    const isOwn = ({ token }: LeaseEntry) => sessionOf(token) === own
    const members = over.flatMap((entry) => entry.members)
    const leases = [...over, ...members.filter(isOwn)]
    const pairs = leases.flatMap(({ name, token }) => [name, token])
    // Not held from now on: no work may begin while the lease is given up. One that is being claimed is given up, too.
    for (const one of [...leases, ...members.filter(({ token }) => token === '')]) this.table.lose(one)
    for (const some of chunks(pairs, 2 * maxPerScript)) await this.#release(some)
    this.#parts.membership.hurry()
  }

  /** Never rejects. */
  async #begin(entry: LeaseEntry, work: string, minGap: number, minGapAfterKill: number): Promise<number> {
    await this.#giveUpAssigned([entry.root])
    if (!this.table.isHeld(entry)) return Number.POSITIVE_INFINITY
    const { name, token } = entry
    const { scripts: calls, membership } = this.#parts
    count(entry, work, 1)
    const keys = ['members', 'leases', 'begun', ...followedKeys(name), 'killed']
    const args = [membership.session, name, token, work, Math.ceil(minGap), Math.ceil(minGapAfterKill)]
    const [result, told] = await calls.tryRun(scripts.begin, keys, args)
    if (result === 'begun' && this.table.isHeld(entry)) {
      this.#followers.noteBegin(name, Number(told))
      return 0
    }
    count(entry, work, -1)
    if (result === 'lost' && entry.token === token) {
      this.table.lose(entry)
      this.#look()
    }
    return result === 'recent' ? Number(told) : Number.POSITIVE_INFINITY
  }

  #end(entry: LeaseEntry, work: string, outcome?: PollOutcome, age = 0): void {
    if (outcome !== undefined) this.#notePoll(entry.root, work, outcome)
    // The same work may have begun once more: by another poller of this process, or after the lease was lost.
    if (count(entry, work, -1) !== 0) return
    const { scripts: calls, membership } = this.#parts
    const args = [membership.session, entry.name, work, Math.round(age)]
    void calls.tryRun(scripts.end, ['begun'], args).then(() => this.#giveUpAssigned([entry.root]))
  }

  /** Notes how a poll of a panel has ended, and tells the others if they should try. */
  #notePoll(panel: LeaseEntry, work: string, outcome: PollOutcome): void {
    const { polls: before } = panel
    const now = this.#now
    panel.polls = afterPoll(before, work, outcome, now)
    const told = (polls: PollRecord) => `${rankOf(polls, now)} ${polls.code} ${polls.serviceFailure}`
    if (told(before) !== told(panel.polls)) this.#parts.membership.hurry()
  }

  #keep(entry: LeaseEntry): () => void {
    const work = Symbol()
    count(entry, work, 1)
    return () => {
      count(entry, work, -1)
      void this.#giveUpAssigned([entry.root])
    }
  }

  /** The session of this instance. */
  get #own(): string {
    return `${this.#parts.membership.session}`
  }

  get #now(): number {
    return this.#parts.clock.monotonic()
  }
}

/** Counts a work that begins or ends. Returns the calls of `end` that are still to come; below 0 for one that has not begun. */
function count({ works }: LeaseEntry, work: string | symbol, change: 1 | -1): number {
  const left = (works.get(work) ?? 0) + change
  if (left > 0) works.set(work, left)
  else works.delete(work)
  return left
}
