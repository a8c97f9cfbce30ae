import type { Told, ToldStore } from '../../panel/lease.ts'
import { load, save } from '../lua/cursor.lua.ts'
import { scriptsOf } from '../redis/scripts.ts'
import { openJson, panelKey, sealJson } from '../redis/seal.ts'
import { type LeasedPlace, runAsHolder } from './cursors.ts'

const scripts = scriptsOf({ load, save })

/** The record of what a node was told, beside the lease of its delivery. */
export class SharedTold implements ToldStore {
  readonly #place: LeasedPlace
  readonly #key: Buffer
  readonly #instance: string

  /**
   * @param serial the serial number, from which the key of what only instances with the panel may read is made
   * @param instance the name of this one
   */
  constructor(place: LeasedPlace, serial: string, instance: string) {
    this.#place = place
    this.#key = panelKey(serial, place.name, 'told')
    this.#instance = instance
  }

  get isHeld(): boolean {
    return this.#place.lease.isHeld
  }

  async load(): Promise<Told | undefined> {
    const [sealed] = await runAsHolder(this.#place, scripts.load).catch(() => [])
    const opened = openJson(this.#key, this.#place.name, sealed) as { by: string; told: unknown } | undefined
    return opened && { told: opened.told, isOwn: opened.by === this.#instance }
  }

  async save(told: unknown): Promise<void> {
    const sealed = sealJson(this.#key, this.#place.name, { by: this.#instance, told })
    await runAsHolder(this.#place, scripts.save, [sealed, '']).catch(() => {})
  }
}
