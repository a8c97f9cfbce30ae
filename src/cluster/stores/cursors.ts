import type { CursorState } from '../../panel/events/cursor/cursor-format.ts'
import type { CursorStore, LoadedCursor } from '../../panel/events/cursor/cursor-store.ts'
import type { NodeCursor } from '../../panel/events/cursor/node-cursor.ts'
import { LeaseLost } from '../../panel/lease.ts'
import * as lua from '../lua/cursor.lua.ts'
import type { SharedLease } from '../membership/lease-table.ts'
import type { Argument } from '../redis/connection.ts'
import { type Reply, type Script, type Scripts, scriptsOf } from '../redis/scripts.ts'
import { open, openJson, panelKey, seal, sealJson } from '../redis/seal.ts'
import { packState, unpackState } from './packed-cursor.ts'

const scripts = scriptsOf(lua)

/** The place beside a lease where its holder keeps something. It is deleted when nobody has used it for long. */
export interface LeasedPlace {
  readonly scripts: Scripts
  /** The name of the lease. */
  readonly name: string
  readonly lease: SharedLease
}

/** Returns the keys of the scripts about a place. */
function keysOf({ name }: LeasedPlace): readonly string[] {
  return ['leases', `panel:${name}:cursor`, `panel:${name}:intents`, 'changed cursors']
}

/**
 * Runs a script about the place beside a lease, as its holder.
 * @throws LeaseLost, or KeyholderError
 */
export async function runAsHolder(
  place: LeasedPlace,
  script: Script,
  args: readonly Argument[] = [],
): Promise<Reply<Buffer>[]> {
  const { fence } = place.lease
  if (fence === undefined) throw new LeaseLost()
  const [result, ...rest] = await place.scripts.runBinary(script, keysOf(place), [place.name, fence, ...args])
  if (`${result}` !== 'held') throw new LeaseLost()
  return rest
}

/**
 * A cursor for all instances: only the holder of its lease goes on from it and writes it. The instances keep copies, in memory and
 * in files, for a server that has lost its data.
 */
export class SharedCursor implements CursorStore {
  readonly isShared = true
  readonly #place: LeasedPlace
  readonly #losses: () => number
  #knownLosses = 0
  #key = Buffer.alloc(32)
  /** The latest state that is known here, sealed, for a server that has lost it. */
  #copy: Buffer | undefined
  #turn: Promise<unknown> = Promise.resolve()
  #files: NodeCursor | undefined

  /** @param losses returns the number of times that the server had forgotten something at a handshake */
  constructor(place: LeasedPlace, losses: () => number) {
    this.#place = place
    this.#losses = losses
  }

  /** Selects the files of this instance that get a copy. */
  copyTo(files: NodeCursor): void {
    this.#files = files
  }

  load(serial: string): Promise<LoadedCursor> {
    return this.#enqueue(() => this.#load(serial))
  }

  intend(keys: readonly string[]): Promise<void> {
    return this.#enqueue(async () => {
      await runAsHolder(this.#place, scripts.intend, [this.#seal(keys)])
    })
  }

  save(state: CursorState, open: readonly string[] = []): Promise<void> {
    return this.#enqueue(async () => {
      const packed = seal(this.#key, this.#sealedFor, packState(state))
      this.#copy = packed
      await runAsHolder(this.#place, scripts.save, [packed, open.length === 0 ? '' : this.#seal(open)])
      await this.#files?.copy(state)
    })
  }

  async peek(serial: string): Promise<CursorState | null> {
    this.#selectKey(serial)
    const sealed = await this.#read()
    const state = sealed && this.#unpack(sealed)
    return state?.serial === serial ? state : null
  }

  /** Copies the state that another instance has saved, if that one holds the lease. Never rejects. */
  async copy(): Promise<void> {
    if (!this.#place.lease.isHeld) await this.#read().catch(() => {})
  }

  /**
   * Puts the state that is known here back on a server right after the handshake, because it may have lost data. An
   * instance without a copy could otherwise take the next list for its first one.
   * @throws KeyholderError
   */
  async restore(through: Scripts): Promise<void> {
    if (this.#copy === undefined) return
    await through.runBinary(scripts.restore, keysOf(this.#place), [this.#place.name, this.#copy])
  }

  async #load(serial: string): Promise<LoadedCursor> {
    this.#selectKey(serial)
    const losses = this.#losses()
    const [sealed, intents] = await runAsHolder(this.#place, scripts.load)
    const intended = (intents as readonly Buffer[]).map((one) => openJson(this.#key, this.#sealedFor, one))
    const keys = new Set(intended.flatMap((one) => (one ?? []) as string[]))
    // What a server lost while this process knew it may have been sent by another one meanwhile.
    const isTorn = intended.includes(undefined) || losses > this.#knownLosses
    this.#knownLosses = losses
    if (Buffer.isBuffer(sealed) && sealed.length > 0) {
      this.#copy = sealed
      const state = this.#unpack(sealed)
      if (state?.serial === serial) {
        const isBehind = (await this.#files?.join()) === true
        // The next holder, too, must flag what this process may have sent alone: this one may be killed before it sends.
        if (isBehind) await runAsHolder(this.#place, scripts.intend, ['unknown'])
        return { state, intended: keys, doubtful: isTorn || isBehind }
      }
      const warning =
        'The cluster has no usable list of the sent events of this panel; its serial number may have changed. Events that happened while no instance was running may be missing. You need do nothing.'
      return { state: null, intended: keys, doubtful: true, warning }
    }
    const known = this.#copy === undefined ? undefined : this.#unpack(this.#copy)
    if (known?.serial === serial) return { state: known, intended: keys, doubtful: true }
    const nothing = { state: null, intended: new Set<string>(), doubtful: false }
    const loaded: LoadedCursor = (await this.#files?.load(serial)) ?? nothing
    // The time of a file says nothing of what other instances have delivered.
    const { state, intended: open, lostAt: _, ...others } = loaded
    await this.#files?.join()
    return { ...others, state, intended: new Set([...keys, ...open]), doubtful: others.doubtful || isTorn }
  }

  /** Reads the state, and keeps that of another holder, in case the server loses it together with the holder. */
  async #read(): Promise<Buffer | undefined> {
    const { scripts, name, lease } = this.#place
    const sealed = await scripts.send('GET', [`panel:${name}:cursor`])
    if (!Buffer.isBuffer(sealed)) return undefined
    if (!lease.isHeld) {
      this.#copy = sealed
      // Without a holder, this instance may be about to become it, with what it has sent alone.
      if (lease.holder !== undefined) void this.#files?.noteShared()
    }
    return sealed
  }

  #selectKey(serial: string): void {
    this.#key = panelKey(serial, this.#place.name, 'cursor')
  }

  get #sealedFor(): string {
    return `cursor ${this.#place.name}`
  }

  #seal(keys: readonly string[]): Buffer {
    return sealJson(this.#key, this.#sealedFor, keys)
  }

  #unpack(sealed: Buffer): CursorState | undefined {
    const packed = open(this.#key, this.#sealedFor, sealed)
    return packed === undefined ? undefined : unpackState(packed)
  }

  #enqueue<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#turn.then(work)
    this.#turn = mine.catch(() => {})
    return mine
  }
}
