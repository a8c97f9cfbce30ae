import { createHash, hkdfSync } from 'node:crypto'
import type {
  Refusals,
  Rejection,
  RejectionStore,
  StoredRejections,
} from '../../account/service-user/auth/rejection-store.ts'
import { delay, type Moment } from '../../clock.ts'
import { KeyedMutex } from '../../concurrency.ts'
import { day, hour, minute, second } from '../../duration.ts'
import { parseJson } from '../../service/schema.ts'
import * as lua from '../lua/credentials.lua.ts'
import { release } from '../lua/leases.lua.ts'
import { away } from '../redis/redis-error.ts'
import { pairsIn, type Scripts, scriptsOf, type UserParts } from '../redis/scripts.ts'
import { open, seal } from '../redis/seal.ts'

const scripts = scriptsOf({ ...lua, release })

/** Milliseconds between two tries to get a lock that another instance has. */
const lockInterval = second / 10

/** Milliseconds after which a lock is not waited for any longer. */
const maxLockWait = 15 * minute

/** Hours after which an instance that has not looked at its rejected secrets is taken for one that is gone. */
const maxHoursUnused = day / hour

/** A moment on the clocks of the machine that noted it, and on the shared clock. */
interface SharedMoment extends Moment {
  shared: number
}

/** A lock as it is on the server. */
interface Lock {
  readonly name: string
  readonly token: string
}

/** The fields of the hash with all that is known of secrets, each with its kind and the hash of the secrets. */
type Fields = Map<string, string>

/**
 * The rejected secrets of a service user for all instances, and which instance has which of them in its settings: a
 * rejection ends when none has them any more.
 *
 * The secrets are there as hashes, as in the file of a process alone. The rest is encrypted only to be unreadable at
 * a glance: its key is made of the salt, because it must be readable before the right secrets are known.
 */
export class SharedRejections implements RejectionStore {
  readonly isShared = true
  readonly #parts: UserParts
  readonly #salt: string
  /** The key of all fields. */
  readonly #sealingKey: Buffer
  /** The fields of each loaded content, for the comparison at its save. */
  readonly #loaded = new WeakMap<StoredRejections, Fields>()
  /** The moments of what was loaded or saved, as they are stored. */
  readonly #moments = new WeakMap<Moment, SharedMoment>()
  /** The fields that were loaded or saved last, for a server that has lost it. */
  #known: Fields = new Map()
  /** The names of those that could not be written, or deleted. */
  readonly #unsaved = new Set<string>()
  readonly #mutex = new KeyedMutex()
  #locks = 0
  /** The locks of the works under way, by the hash of the secrets; another instance may have them by now. */
  readonly held = new Map<string, Lock>()

  constructor(parts: UserParts) {
    this.#parts = parts
    // No instance needs to be told it: those that disagree about it, because the server has lost it, would not know each
    // other's rejections and tokens.
    this.#salt = createHash('sha256')
      .update(JSON.stringify(['salt', parts.clusterName, parts.user]))
      .digest('base64')
    this.#sealingKey = Buffer.from(hkdfSync('sha256', this.#salt, '', 'rejections', 32))
  }

  async load(): Promise<StoredRejections> {
    const found = (await this.#parts.scripts.send('HGETALL', [this.#key])) as readonly Buffer[]
    const fields: Fields = new Map()
    for (const [name, value] of pairsIn(found)) {
      const field = `${name}`
      const text = open(this.#sealingKey, field, value)
      if (text !== undefined) fields.set(field, `${text}`)
    }
    for (const field of this.#unsaved) {
      const text = this.#known.get(field)
      if (text === undefined) fields.delete(field)
      else fields.set(field, text)
    }
    const stored = this.#parse(fields)
    // A server that has just lost its data knows nothing; what is known here is put back in the handshake that follows.
    if (found.length > 0) this.#known = new Map(fields)
    this.#loaded.set(stored, fields)
    return stored
  }

  /** Does nothing: a judgement that the server lacks applies in this process, and is written after the next handshake. */
  async checkWritable(): Promise<void> {}

  async save(stored: StoredRejections): Promise<boolean> {
    const before = this.#loaded.get(stored) ?? new Map<string, string>()
    const now = this.#format(stored, before)
    for (const field of new Set([...before.keys(), ...now.keys()])) {
      const text = now.get(field)
      if (text === before.get(field)) continue
      this.#unsaved.add(field)
      if (text === undefined) this.#known.delete(field)
      else this.#known.set(field, text)
    }
    this.#loaded.set(stored, now)
    return this.#write()
  }

  exclusive<T>(hash: string, work: () => Promise<T>): Promise<T> {
    return this.#mutex.run(hash, () => this.#locked(hash, work))
  }

  /**
   * Puts on a server right after the handshake what could not be written and, if it may have lost data, what is known
   * here. Otherwise known secrets that are wrong would be tried again.
   */
  async restore(through: Scripts, hasLost: boolean): Promise<void> {
    if (hasLost && this.#known.size > 0) {
      const fields = [...this.#known].flatMap(([field, text]) => [field, this.#sealed(field, text)])
      await through.run(scripts.restore, [this.#key], fields)
    }
    await this.#write(through)
  }

  get #key(): string {
    return `user:${this.#parts.user}:rejections`
  }

  async #locked<T>(hash: string, work: () => Promise<T>): Promise<T> {
    const { scripts: calls, clock, user, membership } = this.#parts
    const { session } = membership
    this.#locks += 1
    const name = `${user} ${createHash('sha256').update(hash).digest('base64url')}`
    const lock = { name, token: `${session} ${this.#locks}` }
    const { signal } = new AbortController()
    const since = clock.monotonic()
    try {
      for (;;) {
        const [taken] = await calls.run(scripts.lock, ['members', 'locks'], [session, name, lock.token])
        if (taken === 1) break
        if (clock.monotonic() - since >= maxLockWait) throw away('another instance signs in for too long')
        await delay(clock, lockInterval, signal)
      }
      this.held.set(hash, lock)
      return await work()
    } finally {
      this.held.delete(hash)
      // Also if the answer to a lock was lost.
      calls.runUntilAnswered(scripts.release, ['locks'], [name, lock.token])
    }
  }

  /** Returns false if it could not be written. Never rejects. */
  async #write(through: Scripts = this.#parts.scripts): Promise<boolean> {
    if (this.#unsaved.size === 0) return true
    const fields = [...this.#unsaved].map((field) => [field, this.#known.get(field)] as const)
    const args = fields.flatMap(([field, text]) => [
      field,
      text === undefined ? '' : this.#sealed(field, text),
    ])
    try {
      await through.run(scripts.save, [this.#key], args)
      for (const [field, text] of fields) if (this.#known.get(field) === text) this.#unsaved.delete(field)
      return true
    } catch {
      // It applies in this process, and is written with the next save or the next handshake.
      return false
    }
  }

  #sealed(field: string, text: string): Buffer {
    return seal(this.#sealingKey, field, Buffer.from(text))
  }

  /** @param before the fields that were loaded, with those about the settings of the other instances */
  #format({ rejected, refused }: StoredRejections, before: Fields): Fields {
    const ownEnd = ` ${this.#parts.instance}`
    const isOther = ([field, text]: [string, string]) =>
      field.startsWith('used ') && !field.endsWith(ownEnd) && this.#isRecent(text)
    const fields: Fields = new Map([...before].filter(isOther))
    for (const [hash, { replaced, isUsedHere = true, ...rejection }] of rejected) {
      fields.set(`rejected ${hash}`, JSON.stringify(rejection))
      if (isUsedHere) fields.set(`used ${hash}${ownEnd}`, `${this.#hours}`)
    }
    for (const [hash, { at, ...refusals }] of refused) {
      fields.set(`refused ${hash}`, JSON.stringify({ ...refusals, at: at.map((one) => this.#shared(one)) }))
    }
    return fields
  }

  #parse(fields: Fields): StoredRejections {
    const rejected = new Map<string, Rejection>()
    const refused = new Map<string, Refusals>()
    const used = [...fields].filter(([field, text]) => field.startsWith('used ') && this.#isRecent(text))
    for (const [field, text] of fields) {
      const [kind, hash = ''] = field.split(' ')
      if (kind === 'rejected') {
        const users = used.map(([one]) => one).filter((one) => one.startsWith(`used ${hash} `))
        const isUsedHere = users.includes(`used ${hash} ${this.#parts.instance}`)
        rejected.set(hash, { ...(parseJson(text) as Rejection), replaced: users.length === 0, isUsedHere })
      }
      if (kind !== 'refused') continue
      const { at, ...others } = parseJson(text) as Omit<Refusals, 'at'> & { at: SharedMoment[] }
      refused.set(hash, { ...others, at: at.map((one) => this.#local(one)) })
    }
    return { salt: this.#salt, rejected, refused }
  }

  /** The hours of the shared clock. */
  get #hours(): number {
    return Math.floor(this.#parts.sharedClock.now() / hour)
  }

  /** Returns true for the hour at which an instance has looked at its secrets, unless it is taken for one that is gone. */
  #isRecent(text: string): boolean {
    return this.#hours - Number(text) < maxHoursUnused
  }

  /** Returns a moment with its time on the shared clock, to the second, so that it is the same when it comes back. */
  #shared(moment: Moment): SharedMoment {
    const known = this.#moments.get(moment)
    if (known !== undefined) return known
    const shared = Math.round(this.#parts.sharedClock.sharedMoment(moment) / second) * second
    this.#moments.set(moment, { ...moment, shared })
    return { ...moment, shared }
  }

  #local(stored: SharedMoment): Moment {
    const { shared, ...moment } = stored
    const here = this.#parts.sharedClock.localMoment(shared)
    // A system that does not name its start does not show either which machine noted the moment.
    const local = here.boot === undefined || here.boot !== moment.boot ? here : moment
    this.#moments.set(local, stored)
    return local
  }
}
