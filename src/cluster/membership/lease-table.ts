import { getOrCreate } from '../../concurrency.ts'
import type { Lease } from '../../panel/lease.ts'
import type { ErrorCode } from '../../service/error.ts'
import { formatWishes, type Wish, type Wishes } from './assignment.ts'
import type { ClusterParts } from './membership.ts'
import { notify } from './notify.ts'
import { failureOf, freshRecord, rankOf } from './poll-record.ts'

/** A lease in a cluster. */
export interface SharedLease extends Lease {
  begin(work: string, minGap: number, minGapAfterKill?: number): Promise<number>
  /** The token that shows the server who holds the lease; undefined while this instance does not. */
  readonly fence: string | undefined
}

/** A lease as this instance knows it. */
export class LeaseEntry {
  readonly name: string
  /** The lease that this one goes with, such as that of the panel for that of its state. */
  readonly parent: LeaseEntry | undefined
  /** The lease with which it goes in the end: that of the panel. */
  readonly root: LeaseEntry
  /** The number of leases that it goes with. */
  readonly level: number
  /** All leases that go with it, directly or not; of the lease of a panel. */
  readonly members: LeaseEntry[] = []
  readonly listeners = new Set<() => void>()
  wants = 0
  /** The present token: of this instance, of another one, or empty if nobody holds it. */
  token = ''
  /** The number of times that it was lost or given up here: an answer from before one is out of date. */
  losses = 0
  /** The works that were begun, also before the lease was lost, each with the calls of `end` that are still to come. */
  readonly works = new Map<string | symbol, number>()
  /** The polls of this instance; of the lease of a panel. */
  polls = freshRecord
  /** The settings of this instance for the panel, as a query string; of the lease of a panel. */
  settings = ''
  /** The state that the listeners know. */
  told = ''

  constructor(name: string, parent: LeaseEntry | undefined) {
    this.name = name
    this.parent = parent
    this.root = parent?.root ?? this
    this.level = parent === undefined ? 0 : parent.level + 1
    if (parent !== undefined) this.root.members.push(this)
  }
}

/** The leases that this instance knows: those that it wants, holds, has passed on, or sees elsewhere. */
export class LeaseTable {
  readonly #parts: ClusterParts
  readonly #entries = new Map<string, LeaseEntry>()
  readonly #ofPanels: LeaseEntry[] = []
  /** The wishes of all instances for panels. */
  wishes: Wishes = new Map()

  constructor(parts: ClusterParts) {
    this.#parts = parts
  }

  /**
   * The leases that this instance wants, that it holds, and that it has passed on because its polls failed; without
   * those that go with another one.
   */
  get figures(): { wanted: number; held: number; passed: number } {
    const wanted = this.wantedPanels
    const held = wanted.filter((entry) => this.isHeld(entry))
    const passed = wanted.filter((entry) => this.ownFailure(entry) !== undefined && !this.isHeld(entry))
    return { wanted: wanted.length, held: held.length, passed: passed.length }
  }

  /** The leases that this instance wants. */
  get wanted(): LeaseEntry[] {
    return [...this.#entries.values()].filter(({ wants }) => wants > 0)
  }

  /** Those of them that go with no other one: one for each panel. */
  get wantedPanels(): LeaseEntry[] {
    return this.#ofPanels.filter(({ wants }) => wants > 0)
  }

  /** The wishes of this instance for panels, as the others read them. */
  get ownWishes(): string {
    const { clock, membership } = this.#parts
    // Asked once for all of them: each heartbeat tells the wishes.
    const [now, isValid, own] = [clock.monotonic(), membership.isValid, `${membership.session}`]
    const wishOf = ({ token, polls, settings }: LeaseEntry): Wish => ({
      isHeld: isValid && sessionOf(token) === own,
      rank: rankOf(polls, now),
      failure: failureOf(polls, now) ?? polls.serviceFailure,
      settings,
    })
    return formatWishes(new Map(this.wantedPanels.map((entry) => [entry.name, wishOf(entry)])))
  }

  /** Returns a lease by its path, with those that it goes with. */
  entry(path: readonly string[]): LeaseEntry {
    const name = path.join(' ')
    return getOrCreate(this.#entries, name, () => {
      const entry = new LeaseEntry(name, path.length > 1 ? this.entry(path.slice(0, -1)) : undefined)
      if (entry.parent === undefined) this.#ofPanels.push(entry)
      return entry
    })
  }

  /** Returns true if this instance holds a lease. */
  isHeld({ token }: LeaseEntry): boolean {
    const { membership } = this.#parts
    return membership.isValid && sessionOf(token) === `${membership.session}`
  }

  /** Returns the reason why the polls of this instance fail so that another one should have the panel; undefined without one. */
  ownFailure(entry: LeaseEntry): ErrorCode | undefined {
    return failureOf(entry.root.polls, this.#parts.clock.monotonic())
  }

  /** Returns the part of a lease that shows its state. */
  view(entry: LeaseEntry): Omit<SharedLease, 'want' | 'begin' | 'end' | 'keep' | 'now'> {
    const table = this
    return {
      get isHeld() {
        return table.isHeld(entry)
      },
      get holder() {
        return table.#holder(entry)
      },
      get failure() {
        return table.#parts.failure()
      },
      get ownFailure() {
        return table.ownFailure(entry)
      },
      get holderFailure() {
        return table.#holderFailure(entry)
      },
      get fence() {
        return table.isHeld(entry) ? entry.token : undefined
      },
      onChange: (listener) => {
        entry.listeners.add(listener)
        return () => entry.listeners.delete(listener)
      },
    }
  }

  /** Notes that a lease is not held any more. */
  lose(entry: LeaseEntry): void {
    entry.token = ''
    entry.losses += 1
    this.tell(entry)
  }

  /** Notes that no lease is held any more, and that nothing is known of the other instances. */
  loseAll(): void {
    this.wishes = new Map()
    for (const entry of this.#entries.values()) {
      entry.token = ''
      entry.losses += 1
    }
    this.tellAll()
  }

  /** Tells all listeners what has changed for them. */
  tellAll(): void {
    for (const entry of this.#entries.values()) this.tell(entry)
  }

  /** Tells the listeners of a lease if it has changed for them. */
  tell(entry: LeaseEntry): void {
    const failures = [this.#parts.failure()?.code, this.ownFailure(entry), this.#holderFailure(entry)]
    const now = this.isHeld(entry) ? 'held' : `by ${this.#holder(entry) ?? ''} ${failures}`
    if (now === entry.told) return
    entry.told = now
    notify(entry.listeners)
  }

  /** Returns the name of the other instance that holds a lease; undefined if it is unknown or this one. */
  #holder({ token }: LeaseEntry): string | undefined {
    const { membership } = this.#parts
    const session = sessionOf(token)
    return session === `${membership.session}` ? undefined : membership.names.get(session)
  }

  #holderFailure(entry: LeaseEntry): ErrorCode | undefined {
    return this.wishes.get(sessionOf(entry.token))?.get(entry.root.name)?.failure
  }
}

/** Returns a lease and those that it goes with, itself first. */
export function* chain(entry: LeaseEntry): Iterable<LeaseEntry> {
  for (let one: LeaseEntry | undefined = entry; one !== undefined; one = one.parent) yield one
}

/** Returns the session of a token; empty for an empty one. */
export function sessionOf(token: string): string {
  const end = token.indexOf(' ')
  return end < 0 ? token : token.slice(0, end)
}
