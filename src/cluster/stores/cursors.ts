import type { CursorState } from '../../panel/events/cursor/cursor-format.ts'
import type { CursorStore, LoadedCursor } from '../../panel/events/cursor/cursor-store.ts'
import type { NodeCursor } from '../../panel/events/cursor/node-cursor.ts'
import { LeaseLost } from '../../panel/lease.ts'
import * as lua from '../lua/cursor.lua.ts'
import type { SharedLease } from '../membership/leases.ts'
import type { Argument } from '../redis/connection.ts'
import { chunks, type Reply, type Script, type Scripts, scriptsOf } from '../redis/scripts.ts'
import { open, openJson, panelKey, seal, sealJson } from '../redis/seal.ts'
import { packState, unpackState } from './packed-cursor.ts'

const scripts = scriptsOf(lua)

/** The dependencies of the cursor store of a panel. */
export interface CursorOptions {
  scripts: Scripts
  /** The name of the panel's lease. */
  panel: string
  lease: SharedLease
  /** Returns the number of times that the server had forgotten something at a handshake. */
  losses(): number
}

/**
 * A cursor for all instances: only the holder of its lease goes on from it and writes it. The instances keep copies, in memory and
 * in files, for a server that has lost its data.
 */
export class SharedCursor implements CursorStore {
  readonly isShared = true
  readonly #options: CursorOptions
  #key = Buffer.alloc(32)
  #losses = 0
  /** The latest state that is known here, sealed, for a server that has lost it. */
  #copy: Buffer | undefined
  #turn: Promise<unknown> = Promise.resolve()
  #files: NodeCursor | undefined

  constructor(options: CursorOptions) {
    this.#options = options
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
      await this.#run(scripts.intend, [this.#seal(keys)])
    })
  }

  save(state: CursorState, open: readonly string[] = []): Promise<void> {
    return this.#enqueue(async () => {
      const packed = seal(this.#key, this.#place, packState(state))
      this.#copy = packed
      await this.#run(scripts.save, [packed, open.length === 0 ? '' : this.#seal(open)])
      await this.#files?.copy(state)
    })
  }

  async peek(serial: string): Promise<CursorState | null> {
    this.#key = this.#keyFor(serial)
    const sealed = await this.#options.scripts.send('GET', [this.stateKey])
    if (!Buffer.isBuffer(sealed)) return null
    this.keep(sealed)
    const state = this.#unpack(sealed)
    return state?.serial === serial ? state : null
  }

  /** The name of its lease. */
  get name(): string {
    return this.#options.panel
  }

  /** The key of the state. */
  get stateKey(): string {
    return `panel:${this.#options.panel}:cursor`
  }

  /** The key of the intents. */
  get intentsKey(): string {
    return `panel:${this.#options.panel}:intents`
  }

  /** The latest state that is known here, sealed; undefined if there is none. */
  get copy(): Buffer | undefined {
    return this.#copy
  }

  /** True if this instance holds the lease, so that it knows the state itself. */
  get isHeld(): boolean {
    return this.#options.lease.isHeld
  }

  /** Keeps the state that the holder of the lease has saved, in case the server loses it together with the holder. */
  keep(sealed: Buffer): void {
    if (this.isHeld) return
    this.#copy = sealed
    // Without a holder, this instance may be about to become it, with what it has sent alone.
    if (this.#options.lease.holder !== undefined) void this.#files?.noteShared()
  }

  async #load(serial: string): Promise<LoadedCursor> {
    this.#key = this.#keyFor(serial)
    const losses = this.#options.losses()
    const [, sealed, intents] = await this.#run(scripts.load)
    const intended = (intents as readonly Buffer[]).map((one) => openJson(this.#key, this.#place, one))
    const keys = new Set(intended.flatMap((one) => (one ?? []) as string[]))
    // What a server lost while this process knew it may have been sent by another one meanwhile.
    const isTorn = intended.includes(undefined) || losses > this.#losses
    this.#losses = losses
    if (Buffer.isBuffer(sealed) && sealed.length > 0) {
      this.#copy = sealed
      const state = this.#unpack(sealed)
      if (state?.serial === serial) {
        const isBehind = (await this.#files?.join()) === true
        // The next holder, too, must flag what this process may have sent alone: this one may be killed before it sends.
        if (isBehind) await this.#run(scripts.intend, ['unknown'])
        return { state, intended: keys, doubtful: isTorn || isBehind }
      }
      const warning =
        'The cluster has no usable list of the sent events of this panel; its serial number may have changed. Events that happened while no instance was running may be missing. You need do nothing.'
      return { state: null, intended: keys, doubtful: true, warning }
    }
    const known = this.#copy === undefined ? undefined : this.#unpack(this.#copy)
    if (known?.serial === serial) return { state: known, intended: keys, doubtful: true }
    const nothing = { state: null, intended: new Set<string>(), doubtful: false }
    const { state, intended: open, ...others } = (await this.#files?.load(serial)) ?? nothing
    await this.#files?.join()
    return { ...others, state, intended: new Set([...keys, ...open]), doubtful: others.doubtful || isTorn }
  }

  #keyFor(serial: string): Buffer<ArrayBuffer> {
    return panelKey(serial, this.#options.panel, 'cursor')
  }

  get #place(): string {
    return `cursor ${this.#options.panel}`
  }

  #seal(keys: readonly string[]): Buffer {
    return sealJson(this.#key, this.#place, keys)
  }

  #unpack(sealed: Buffer): CursorState | undefined {
    const packed = open(this.#key, this.#place, sealed)
    return packed === undefined ? undefined : unpackState(packed)
  }

  /** @throws LeaseLost */
  async #run(script: Script, args: readonly Argument[] = []): Promise<Reply<Buffer>[]> {
    const { scripts: calls, panel, lease } = this.#options
    const { fence } = lease
    if (fence === undefined) throw new LeaseLost()
    const answer = await calls.runBinary(
      script,
      ['leases', this.stateKey, this.intentsKey, 'changed cursors'],
      [panel, fence, ...args],
    )
    if (`${answer[0]}` !== 'held') throw new LeaseLost()
    return answer
  }

  #enqueue<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#turn.then(work)
    this.#turn = mine.catch(() => {})
    return mine
  }
}

/** Copies of cursors that are read by one script; a longer answer would keep the others waiting. */
const maxPerScript = 20

/** Reads the states of cursors whose leases other instances hold, and keeps them. Never rejects. */
export async function copyCursors(calls: Scripts, cursors: readonly SharedCursor[]): Promise<void> {
  for (const some of chunks(cursors, maxPerScript)) {
    const keys = some.map(({ stateKey }) => stateKey)
    const states = (await calls.send('MGET', keys).catch(() => [])) as readonly unknown[]
    for (const [index, cursor] of some.entries()) {
      const sealed = states[index]
      if (Buffer.isBuffer(sealed)) cursor.keep(sealed)
    }
  }
}

/**
 * Puts the states that are known here back on a server right after the handshake, because it may have lost data. An
 * instance without a copy could otherwise take the next list for its first one.
 * @throws KeyholderError
 */
export async function restoreCursors(calls: Scripts, cursors: readonly SharedCursor[]): Promise<void> {
  const known = cursors.flatMap(({ name, stateKey, intentsKey, copy }) =>
    copy === undefined ? [] : [{ keys: [stateKey, intentsKey], args: [name, copy] }],
  )
  for (const some of chunks(known, maxPerScript)) {
    const keys = ['changed cursors', ...some.flatMap((one) => one.keys)]
    const args = some.flatMap((one) => one.args)
    await calls.runBinary(scripts.restore, keys, args)
  }
}
