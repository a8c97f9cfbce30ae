import type { Clock } from '../../clock.ts'
import { second } from '../../duration.ts'
import type { Lease, PollOutcome } from '../../panel/polling/lease.ts'
import type { ErrorCode, KeyholderError } from '../../service/error.ts'
import { tell } from '../lua/followers.lua.ts'
import * as lua from '../lua/leases.lua.ts'
import { chunks, type Script, type Scripts, script } from '../redis/scripts.ts'
import type { SharedClock } from '../redis/shared-clock.ts'
import { followedKeys } from './followers.ts'
import type { Heartbeat, Membership } from './membership.ts'
import { notify } from './notify.ts'
import {
  afterPass,
  afterPoll,
  afterTaking,
  freshRecord,
  isOffered,
  isResting,
  mayTake,
  type PollRecord,
} from './poll-record.ts'

const scripts: Record<keyof typeof lua | 'tell', Script> = {
  tell: script(tell),
  claim: script(lua.claim),
  ask: script(lua.ask),
  asked: script(lua.asked),
  pass: script(lua.pass),
  release: script(lua.release),
  begin: script(lua.begin),
  end: script(lua.end),
}

/** The hint that a panel is offered, before its name. */
const offer = 'offer '

/** Leases that are claimed by one script; a longer script would keep the others waiting. */
const maxPerScript = 200

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
export interface LeaseOptions {
  scripts: Scripts
  sharedClock: SharedClock
  clock: Clock
  membership: Membership
  /** Returns the reason why there is no connection; undefined while there is one. */
  failure(): KeyholderError | undefined
  /** Returns true while this instance is cut off and goes on alone: then it holds all that it wants. */
  isAlone?(): boolean
  /** Called when a work has begun, with the shortest interval of those who follow it, 0 without followers. */
  onBegin?(lease: string, followedEvery: number): void
}

interface Entry {
  readonly name: string
  /** The lease that this one goes with, such as that of the panel for that of its state. */
  readonly parent: Entry | undefined
  /** The number of leases that it goes with. */
  readonly level: number
  readonly listeners: Set<() => void>
  wants: number
  /** The present token: of this instance, of another one, or empty if nobody holds it. */
  token: string
  /** The number of times that it was lost or given up here: an answer from before one is out of date. */
  losses: number
  /** The heartbeat in which it was first seen free. */
  freeSince: number | undefined
  readonly works: Set<string | symbol>
  /** By work, the calls of `end` that are still to come, also for what was begun before the lease was lost. */
  readonly ends: Map<string, number>
  isAsked: boolean
  /** The polls of this instance; of the lease of a panel. */
  polls: PollRecord
  /** The state that the listeners know. */
  told: string
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
  readonly #entries = new Map<string, Entry>()
  #heartbeats = 0
  #version = -1
  #lookedAt = Number.NEGATIVE_INFINITY
  #isLooking = false
  #isLookDue = false

  constructor(options: LeaseOptions) {
    this.#options = options
  }

  /**
   * The leases that this instance wants, that it holds, and that it has passed on because its polls failed; without
   * those that go with another one.
   */
  get figures(): { wanted: number; held: number; passed: number } {
    const wanted = this.#wanted.filter(({ parent }) => parent === undefined)
    const held = wanted.filter((entry) => this.#isHeld(entry))
    const passed = wanted.filter((entry) => this.#rests(entry) && !this.#isHeld(entry))
    return { wanted: wanted.length, held: held.length, passed: passed.length }
  }

  /**
   * Returns a lease.
   * @param path its name below those of the leases that it goes with, the highest first
   */
  lease(...path: readonly string[]): SharedLease {
    const entry = this.#entry(path)
    const [isHeld, isAlone, holder, failure, ownFailure, fence] = [
      () => this.#isHeld(entry),
      () => this.#isAlone,
      () => this.#holder(entry),
      () => (this.#isAlone ? undefined : this.#options.failure()),
      () => this.#ownFailure(entry),
      () => (this.#isHeld(entry) && !this.#isAlone ? entry.token : undefined),
    ]
    return {
      get isAlone() {
        return isAlone()
      },
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
      end: (work, outcome) => this.#end(entry, work, outcome),
      keep: () => this.#keep(entry),
      now: () => this.#options.sharedClock.now(),
    }
  }

  /** Follows what a heartbeat has told. Never throws. */
  noteHeartbeat({ version, asked, hints }: Heartbeat): void {
    this.#heartbeats += 1
    const hasFree = this.#wanted.some(({ freeSince }) => freeSince !== undefined)
    const isOverdue = this.#now - this.#lookedAt >= lookInterval
    if (version !== this.#version || hasFree || isOverdue) this.#look()
    this.#version = version
    if (asked > 0 && (this.#excess > 0 || this.#wanted.some((entry) => this.#isOffered(entry))))
      void this.#answerAsks()
    // To pass what nobody asks for any more would interrupt its works, and deliver to its nodes anew.
    else for (const entry of this.#wanted) entry.isAsked = false
    for (const hint of hints) if (hint.startsWith(offer)) void this.#takeOffered(hint.slice(offer.length))
  }

  /** Gives up all leases at once, because the session has lapsed; they are claimed again with the next heartbeat. */
  lapse(): void {
    for (const entry of this.#entries.values()) {
      entry.token = ''
      entry.losses += 1
      entry.freeSince = undefined
    }
    this.#version = -1
    this.#tellAll()
  }

  /** Tells who waits for a lease that the connection was lost, or is there again. Never throws. */
  followConnection(): void {
    this.#tellAll()
  }

  get #now(): number {
    return this.#options.clock.monotonic()
  }

  get #wanted(): Entry[] {
    return [...this.#entries.values()].filter(({ wants }) => wants > 0)
  }

  get #live(): number {
    return Math.max(1, this.#options.membership.instances.length)
  }

  /** The number of leases that are held beyond the own share. */
  get #excess(): number {
    const { wanted, held } = this.figures
    return held - Math.ceil(wanted / this.#live)
  }

  #entry(path: readonly string[]): Entry {
    const name = path.join(' ')
    const known = this.#entries.get(name)
    if (known !== undefined) return known
    const level = path.length - 1
    const entry: Entry = {
      name,
      parent: level === 0 ? undefined : this.#entry(path.slice(0, -1)),
      level,
      listeners: new Set(),
      wants: 0,
      token: '',
      losses: 0,
      freeSince: undefined,
      works: new Set(),
      ends: new Map(),
      isAsked: false,
      polls: freshRecord,
      told: '',
    }
    this.#entries.set(name, entry)
    return entry
  }

  get #isAlone(): boolean {
    return this.#options.isAlone?.() === true
  }

  #isHeld({ token, wants }: Entry): boolean {
    if (this.#isAlone) return wants > 0
    const { membership } = this.#options
    return membership.isValid && sessionOf(token) === `${membership.session}`
  }

  /** Returns true if another instance that wants the panel of a lease should have it, because the polls fail here. */
  #isOffered(entry: Entry): boolean {
    return this.#isHeld(entry) && isOffered(entry.polls, this.#now)
  }

  /** Returns true if the panel of a lease was passed on because the polls failed here. */
  #rests(entry: Entry): boolean {
    return isResting(rootOf(entry).polls, this.#now)
  }

  #ownFailure(entry: Entry): ErrorCode | undefined {
    return this.#rests(entry) ? rootOf(entry).polls.code : undefined
  }

  #holder(entry: Entry): string | undefined {
    if (this.#isAlone) return undefined
    const session = sessionOf(entry.token)
    const { membership } = this.#options
    return session === `${membership.session}` ? undefined : membership.nameOf(session)
  }

  #want(entry: Entry): () => void {
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

  #giveUp(entry: Entry): void {
    const { token, name } = entry
    const isOurs = sessionOf(token) === `${this.#options.membership.session}`
    entry.token = ''
    entry.losses += 1
    entry.freeSince = undefined
    // The next wish may come with other settings.
    entry.polls = freshRecord
    this.#tell(entry)
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
      this.#tellAll()
    }
  }

  async #lookOver(): Promise<void> {
    this.#lookedAt = this.#now
    const ofPanels = this.#wanted.filter(({ parent }) => parent === undefined)
    const share = Math.ceil(ofPanels.length / this.#live)
    const [late, early] = [ofPanels.filter(this.#isPatient), ofPanels.filter((one) => !this.#isPatient(one))]
    const resting = early.filter((entry) => this.#rests(entry))
    for (const some of chunks(resting, maxPerScript)) await this.#claim(some, 0)
    const others = resting.length === 0 ? early : early.filter((entry) => !this.#rests(entry))
    for (const some of chunks(others, maxPerScript)) {
      const held = ofPanels.filter((entry) => this.#isHeld(entry)).length
      await this.#claim(some, Math.max(0, share - held))
    }
    for (const some of chunks(late, maxPerScript)) await this.#claim(some, some.length)
    const isDue = (entry: Entry) =>
      this.#isPatient(entry) || (entry.parent !== undefined && this.#isHeld(entry.parent))
    for (const level of levels) {
      const along = this.#wanted.filter((entry) => entry.level === level)
      const [due, early] = [along.filter(isDue), along.filter((entry) => !isDue(entry))]
      for (const some of chunks(due, maxPerScript)) await this.#claim(some, some.length)
      for (const some of chunks(early, maxPerScript)) await this.#claim(some, 0)
    }
    // What was passed to this instance after it had given it up would be nobody's work.
    const unwanted = [...this.#entries.values()].filter(({ wants }) => wants === 0)
    for (const some of chunks(unwanted, maxPerScript)) await this.#claim(some, 0)
    await this.#askForMore(ofPanels)
  }

  readonly #isPatient = (entry: Entry): boolean =>
    entry.freeSince !== undefined &&
    this.#heartbeats - entry.freeSince >= (this.#rests(entry) ? longPatience : patience)

  async #claim(entries: readonly Entry[], most: number): Promise<void> {
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
        if (this.#isHeld(entry)) this.#lose(entry)
      }
      entry.token = token
      entry.freeSince = token === '' ? (entry.freeSince ?? this.#heartbeats) : undefined
      this.#tell(entry)
    }
  }

  async #release(name: string, token: string): Promise<void> {
    const { session } = this.#options.membership
    await this.#try(scripts.release, ['leases', 'version', 'asks'], [name, token, session])
  }

  /** Asks others for leases if this instance has less than its share. */
  async #askForMore(entries: readonly Entry[]): Promise<void> {
    // What it got might fail here too.
    if (entries.some((entry) => this.#rests(entry))) return
    const missing = Math.floor(entries.length / this.#live) - this.figures.held
    const elsewhere = entries.filter((entry) => !this.#isHeld(entry) && entry.token !== '')
    if (missing <= 0 || elsewhere.length === 0) return
    // Beginning anywhere, so that two instances do not ask for the same ones.
    const start = Math.floor(Math.random() * elsewhere.length)
    const turned = [...elsewhere.slice(start), ...elsewhere.slice(0, start)]
    const names = turned.slice(0, Math.min(missing, maxPerScript)).map(({ name }) => name)
    await this.#options.scripts.run(scripts.ask, ['asks'], [this.#options.membership.session, ...names])
  }

  /** Passes what others ask for, at once or after the work that is under way. Never rejects. */
  async #answerAsks(): Promise<void> {
    const held = this.#wanted.filter((entry) => entry.parent === undefined && this.#isHeld(entry))
    for (const some of chunks(held, maxPerScript)) {
      const names = some.map(({ name }) => name)
      const { session } = this.#options.membership
      const [asked] = await this.#try(scripts.asked, ['members', 'asks'], [session, ...names])
      for (const [index, entry] of some.entries())
        entry.isAsked = (asked as number[] | undefined)?.[index] === 1
    }
    for (const entry of held) await this.#passIfAsked(entry)
  }

  /** Passes the lease of a panel with all that go with it, unless a work of one of them is under way. Never rejects. */
  async #passIfAsked(entry: Entry): Promise<void> {
    if (!entry.isAsked || !this.#isHeld(entry) || (this.#excess <= 0 && !this.#isOffered(entry))) return
    const along = [...this.#entries.values()].filter((one) => one !== entry && rootOf(one) === entry)
    if ([entry, ...along].some(({ works }) => works.size > 0)) return
    const { name, token } = entry
    const isOffered = this.#isOffered(entry)
    entry.isAsked = false
    // Not held from now on: no work may begin while the lease is passed.
    this.#lose(entry)
    for (const one of along) if (this.#isHeld(one)) this.#lose(one)
    const keys = ['members', 'leases', 'tokens', 'asks', 'version']
    const names = along.map((one) => one.name)
    const args = [this.#options.membership.session, name, token, ...names]
    const [isPassed] = await this.#try(scripts.pass, keys, args)
    if (isPassed === 1 && isOffered) entry.polls = afterPass(entry.polls, this.#now)
    this.#look()
  }

  /** Asks for a panel whose polls fail elsewhere. Never rejects. */
  async #takeOffered(name: string): Promise<void> {
    const entry = this.#entries.get(name)
    if (entry === undefined || entry.wants === 0 || this.#isHeld(entry)) return
    if (!mayTake(entry.polls, this.#now)) return
    try {
      await this.#options.scripts.run(scripts.ask, ['asks'], [this.#options.membership.session, name])
      entry.polls = afterTaking(entry.polls, this.#now)
    } catch {
      // It is offered again after the next failed poll.
    }
  }

  /** Notes how a poll has ended, and offers the panel to the other instances if that shows that they should try. */
  #notePoll(entry: Entry, work: string, outcome: PollOutcome): void {
    const panel = rootOf(entry)
    panel.polls = afterPoll(panel.polls, work, outcome)
    if (this.#isAlone || !this.#isOffered(panel)) return
    void this.#try(scripts.tell, ['hints'], [`${offer}${panel.name}`])
  }

  /** Never rejects. */
  async #begin(entry: Entry, work: string, minGap: number): Promise<boolean> {
    if (this.#isAlone) return this.#isHeld(entry)
    await this.#passIfAsked(rootOf(entry))
    if (!this.#isHeld(entry)) return false
    const { name, token } = entry
    entry.works.add(work)
    const { session } = this.#options.membership
    const keys = ['members', 'leases', 'begun', ...followedKeys(name)]
    const [result, followedEvery] = await this.#try(scripts.begin, keys, [
      session,
      name,
      token,
      work,
      Math.ceil(minGap),
    ])
    if (result === 'begun' && this.#isHeld(entry)) {
      this.#options.onBegin?.(name, Number(followedEvery))
      entry.ends.set(work, (entry.ends.get(work) ?? 0) + 1)
      return true
    }
    // Another one of this process may be under way.
    if (!entry.ends.has(work)) entry.works.delete(work)
    if (result === 'lost' && entry.token === token) {
      this.#lose(entry)
      this.#look()
    }
    return false
  }

  #end(entry: Entry, work: string, outcome?: PollOutcome): void {
    if (outcome !== undefined) this.#notePoll(entry, work, outcome)
    const left = (entry.ends.get(work) ?? 1) - 1
    if (left > 0) {
      // The same work was begun once more: by another poller of this process, or after the lease was lost.
      entry.ends.set(work, left)
      return
    }
    entry.ends.delete(work)
    if (!entry.works.delete(work)) return
    const { session } = this.#options.membership
    const ended = this.#try(scripts.end, ['begun'], [session, entry.name, work])
    void ended.then(() => this.#passIfAsked(rootOf(entry)))
  }

  #keep(entry: Entry): () => void {
    const work = Symbol()
    entry.works.add(work)
    return () => {
      if (entry.works.delete(work)) void this.#passIfAsked(rootOf(entry))
    }
  }

  /** Runs a script; an answer that does not come is an empty one. Never rejects. */
  #try(script: Script, keys: readonly string[], args: readonly (string | number)[]) {
    return this.#options.scripts.run(script, keys, args).catch(() => [])
  }

  #lose(entry: Entry): void {
    entry.token = ''
    entry.losses += 1
    this.#tell(entry)
  }

  #tellAll(): void {
    for (const entry of this.#entries.values()) this.#tell(entry)
  }

  #tell(entry: Entry): void {
    const failure = this.#options.failure()?.code ?? ''
    const own = this.#ownFailure(entry) ?? ''
    const now = this.#isHeld(entry) ? 'held' : `by ${this.#holder(entry) ?? ''} ${failure} ${own}`
    if (now === entry.told) return
    entry.told = now
    notify(entry.listeners)
  }
}

/** Returns a lease and those that it goes with, itself first. */
function* chain(entry: Entry): Iterable<Entry> {
  for (let one: Entry | undefined = entry; one !== undefined; one = one.parent) yield one
}

/** Returns the lease with which one goes in the end: that of the panel. */
function rootOf(entry: Entry): Entry {
  return entry.parent === undefined ? entry : rootOf(entry.parent)
}

function sessionOf(token: string): string {
  return token.split(' ')[0] ?? ''
}
