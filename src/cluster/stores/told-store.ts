import type { Told, ToldStore } from '../../panel/lease.ts'
import { load, save } from '../lua/cursor.lua.ts'
import type { SharedLease } from '../membership/leases.ts'
import type { Argument } from '../redis/connection.ts'
import { type Reply, type Script, type Scripts, scriptsOf } from '../redis/scripts.ts'
import { openJson, panelKey, sealJson } from '../redis/seal.ts'

const scripts = scriptsOf({ load, save })

/** The dependencies of the store of what a node was told. */
export interface ToldOptions {
  scripts: Scripts
  /** The name of the lease. */
  name: string
  lease: SharedLease
  /** The serial number, from which the key of what only instances with the panel may read is made. */
  serial: string
  /** The name of this instance. */
  instance: string
}

/**
 * The record of what a node was told, beside the lease of its delivery: only the holder reads and writes it. It lies where a cursor does,
 * and is deleted as one is when nobody uses it any more.
 */
export class SharedTold implements ToldStore {
  readonly #options: ToldOptions
  readonly #key: Buffer

  constructor(options: ToldOptions) {
    this.#options = options
    this.#key = panelKey(options.serial, options.name, 'told')
  }

  get isHeld(): boolean {
    return this.#options.lease.isHeld
  }

  async load(): Promise<Told | undefined> {
    const { name, instance } = this.#options
    const [, sealed] = await this.#run(scripts.load, []).catch(() => [])
    const opened = openJson(this.#key, name, sealed) as { by: string; told: unknown } | undefined
    return opened && { told: opened.told, isOwn: opened.by === instance }
  }

  async save(told: unknown): Promise<void> {
    const { name, instance } = this.#options
    await this.#run(scripts.save, [sealJson(this.#key, name, { by: instance, told }), '']).catch(() => {})
  }

  async #run(which: Script, args: readonly Argument[]): Promise<Reply<Buffer>[]> {
    const { scripts: calls, name, lease } = this.#options
    const places = ['cursor', 'intents'].map((part) => `panel:${name}:${part}`)
    return calls.runBinary(
      which,
      ['leases', ...places, 'changed cursors'],
      [name, lease.fence ?? '', ...args],
    )
  }
}
