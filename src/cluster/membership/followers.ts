import type { Hint, PollLease } from '../../panel/lease.ts'
import * as lua from '../lua/followers.lua.ts'
import { type Scripts, scriptsOf } from '../redis/scripts.ts'
import type { Membership } from './membership.ts'
import { notify } from './notify.ts'

const scripts = scriptsOf(lua)

/** The part of a lease of polls that is about those who follow. */
export type FollowedPolls = Pick<PollLease, 'answersOf' | 'followedEvery' | 'follow' | 'tell' | 'onHint'>

/** Returns the keys of the followers of a lease, and of the answers that are published for them. */
export function followedKeys(lease: string): [string, string] {
  return [`followers:${lease}`, `answers:${lease}`]
}

interface Entry {
  readonly lease: string
  /** The intervals that the followers of this process need, by follower. */
  readonly wishes: Map<object, number>
  readonly listeners: Set<(hint: Hint) => void>
  /** The session and the interval that the server knows; empty if this process does not follow there. */
  noted: string
  /** The shortest interval of another process. */
  followedEvery: number | undefined
}

/**
 * The instances that follow the polls of others, and the words between them. Words are told with the next heartbeat
 * and may be missed: the next poll makes up for it.
 */
export class Followers {
  readonly #scripts: Scripts
  readonly #membership: Membership
  readonly #entries = new Map<string, Entry>()

  constructor(scripts: Scripts, membership: Membership) {
    this.#scripts = scripts
    this.#membership = membership
  }

  /** Returns what is about the followers of a lease. */
  of(lease: string): FollowedPolls {
    const entry = this.#entry(lease)
    return {
      answersOf: lease,
      followedEvery: () => entry.followedEvery,
      follow: () => {
        const follower = {}
        return (every) => {
          if (every === undefined) entry.wishes.delete(follower)
          else entry.wishes.set(follower, Math.ceil(every))
          void this.#note(entry)
        }
      },
      tell: (hint) => void this.#scripts.tryRun(scripts.tell, ['hints'], [`${hint} ${lease}`]),
      onHint: (listener) => {
        entry.listeners.add(listener)
        return () => entry.listeners.delete(listener)
      },
    }
  }

  /** Notes what the begin of a work has told. */
  noteBegin(lease: string, followedEvery: number): void {
    const entry = this.#entries.get(lease)
    if (entry !== undefined) entry.followedEvery = followedEvery > 0 ? followedEvery : undefined
  }

  /** Passes on the words that came with a heartbeat, and notes again what the server may have lost. Never throws. */
  noteHints(hints: readonly string[]): void {
    // There is an entry for each lease of the polls, and hardly any of them is followed.
    for (const entry of this.#entries.values()) {
      if (entry.wishes.size > 0 || entry.noted !== '') void this.#note(entry)
    }
    for (const hint of hints) {
      const end = hint.indexOf(' ')
      const entry = this.#entries.get(hint.slice(end + 1))
      const word = entry && this.#wordOf(hint.slice(0, end), entry)
      if (word === undefined) continue
      const listeners = [...(entry?.listeners ?? [])]
      notify(listeners.map((listener) => () => listener(word)))
    }
  }

  /** Returns the word of a hint after noting the interval of a new follower; undefined for a hint of this process. */
  #wordOf(hint: string, entry: Entry): Hint | undefined {
    const [word, session, every] = hint.split(':')
    if (word !== 'follower') return hint as Hint
    if (session === `${this.#membership.session}`) return undefined
    entry.followedEvery = Math.min(Number(every), entry.followedEvery ?? Number.POSITIVE_INFINITY)
    return word
  }

  /** Forgets what the server knows, because it may have lost it. */
  lapse(): void {
    for (const entry of this.#entries.values()) if (entry.wishes.size > 0) entry.noted = ''
  }

  #entry(lease: string): Entry {
    const known = this.#entries.get(lease)
    if (known !== undefined) return known
    const entry = {
      lease,
      wishes: new Map(),
      listeners: new Set(),
      noted: '',
      followedEvery: undefined,
    } as Entry
    this.#entries.set(lease, entry)
    return entry
  }

  /** Tells the server whether and how often this process follows, if it does not know. Never rejects. */
  async #note(entry: Entry): Promise<void> {
    const { lease, wishes, noted: before } = entry
    const { session } = this.#membership
    const every = wishes.size === 0 || session === 0 ? undefined : Math.min(...wishes.values())
    const now = every === undefined ? '' : `${session} ${every}`
    if (now === before) return
    entry.noted = now
    const [followers, answers] = followedKeys(lease)
    try {
      if (every === undefined) await this.#scripts.run(scripts.leave, [followers, answers], [session])
      else
        await this.#scripts.run(
          scripts.follow,
          [followers, 'hints'],
          [session, every, `follower:${session}:${every} ${lease}`],
        )
    } catch {
      // Told again with the next heartbeat.
      if (entry.noted === now) entry.noted = before
    }
  }
}
