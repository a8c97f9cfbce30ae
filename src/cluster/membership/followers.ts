import { getOrCreate } from '../../concurrency.ts'
import type { Hint, PollLease } from '../../panel/lease.ts'
import * as lua from '../lua/followers.lua.ts'
import { type StoreParts, scriptsOf } from '../redis/scripts.ts'
import { notify } from './notify.ts'

const scripts = scriptsOf(lua)

/** The part of a lease of polls that is about those who follow. */
type FollowedPolls = Pick<PollLease, 'answersOf' | 'followedEvery' | 'follow' | 'tell' | 'onHint'>

/** Returns the keys of the followers of a lease, and of the answers that are published for them. */
export function followedKeys(lease: string): [string, string] {
  return [`followers:${lease}`, `answers:${lease}`]
}

/** The followers of a lease. */
class Entry {
  readonly lease: string
  /** The intervals that the followers of this process need, by follower. */
  readonly wishes = new Map<object, number>()
  readonly listeners = new Set<(hint: Hint) => void>()
  /** The session and the interval that the server knows; empty if this process does not follow there. */
  noted = ''
  /** The shortest interval of another process. */
  followedEvery: number | undefined

  constructor(lease: string) {
    this.lease = lease
  }
}

/**
 * The instances that follow the polls of others, and the words between them. Words are told with the next heartbeat
 * and may be missed: the next poll makes up for it.
 */
export class Followers {
  readonly #parts: StoreParts
  readonly #entries = new Map<string, Entry>()

  constructor(parts: StoreParts) {
    this.#parts = parts
  }

  /** Returns what is about the followers of a lease. */
  of(lease: string): FollowedPolls {
    const entry = getOrCreate(this.#entries, lease, () => new Entry(lease))
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
      tell: (hint) => void this.#parts.scripts.tryRun(scripts.tell, ['hints'], [`${hint} ${lease}`]),
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
      if (entry === undefined) continue
      const [word, session, every] = hint.slice(0, end).split(':')
      if (word !== 'follower') notify(entry.listeners, hint.slice(0, end) as Hint)
      else if (session !== `${this.#parts.membership.session}`) {
        entry.followedEvery = Math.min(Number(every), entry.followedEvery ?? Number.POSITIVE_INFINITY)
        notify(entry.listeners, word)
      }
    }
  }

  /** Forgets what the server knows, because it may have lost it. */
  lapse(): void {
    for (const entry of this.#entries.values()) if (entry.wishes.size > 0) entry.noted = ''
  }

  /** Tells the server whether and how often this process follows, if it does not know. Never rejects. */
  async #note(entry: Entry): Promise<void> {
    const { lease, wishes, noted: before } = entry
    const { scripts: calls, membership } = this.#parts
    const { session } = membership
    const every = wishes.size === 0 || session === 0 ? undefined : Math.min(...wishes.values())
    const now = every === undefined ? '' : `${session} ${every}`
    if (now === before) return
    entry.noted = now
    const [followers, answers] = followedKeys(lease)
    try {
      if (every === undefined) await calls.run(scripts.leave, [followers, answers], [session])
      else {
        await calls.send('HSET', [followers], [session, every])
        await calls.run(scripts.tell, ['hints'], [`follower:${session}:${every} ${lease}`])
      }
    } catch {
      // Told again with the next heartbeat.
      if (entry.noted === now) entry.noted = before
    }
  }
}
