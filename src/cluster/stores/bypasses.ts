import type {
  BypassRecord,
  OwnedRecord,
  SharedBypassStore,
} from '../../panel/commands/bypass/bypass-records.ts'
import * as lua from '../lua/bypasses.lua.ts'
import { restore } from '../lua/credentials.lua.ts'
import { notify } from '../membership/notify.ts'
import { away } from '../redis/redis-error.ts'
import { type PanelParts, type Scripts, script } from '../redis/scripts.ts'
import { openJson, panelKey, sealJson } from '../redis/seal.ts'

const scripts = { read: script(lua.read), write: script(lua.write), restore: script(restore) }

/** The hint that the records of a panel have changed, before its name. */
const changed = 'bypasses '

/** The session of a record that its instance has given up. */
const nobody = 0

/**
 * The bypass records of a panel, for all instances. An instance writes them only in the turn of a command, so there is one
 * writer at a time; what an instance without a session writes is refused.
 */
export class SharedBypasses implements SharedBypassStore {
  readonly #options: PanelParts
  readonly #key: Buffer
  readonly #listeners = new Set<() => void>()
  /** The records on the server as they were read or written last, by partition. */
  #known = new Map<string, Buffer>()
  #isReadDue = false

  constructor(options: PanelParts) {
    this.#options = options
    this.#key = panelKey(options.serial, options.panel, 'bypasses')
  }

  async read(): Promise<OwnedRecord[]> {
    this.#isReadDue = true
    const [found] = await this.#options.scripts.runBinary(scripts.read, ['members', this.#place])
    this.#isReadDue = false
    const fields = found as readonly (Buffer | number)[]
    const known = new Map<string, Buffer>()
    const records: OwnedRecord[] = []
    for (let index = 0; index + 2 < fields.length; index += 3) {
      const [partition, stored] = [`${fields[index]}`, fields[index + 1] as Buffer]
      known.set(partition, stored)
      const record = this.#open(stored)
      if (record !== undefined) records.push({ ...record, isAlive: fields[index + 2] === 1 })
    }
    this.#known = known
    return records
  }

  async write(changes: ReadonlyMap<number, BypassRecord | undefined>, isGivenUp = false): Promise<void> {
    const { scripts: calls, panel, membership } = this.#options
    const owner = isGivenUp ? nobody : membership.session
    const stored = [...changes].map(
      ([partition, record]) => [`${partition}`, record ? this.#seal(record, owner) : ''] as const,
    )
    const [result] = await calls.run(
      scripts.write,
      ['members', this.#place, 'hints'],
      [membership.session, `${changed}${panel}`, ...stored.flat()],
    )
    if (result !== 'saved') throw away('this instance has just lost its place in the cluster')
    for (const [partition, one] of stored) {
      if (one === '') this.#known.delete(partition)
      else this.#known.set(partition, one)
    }
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /**
   * Follows a heartbeat. Never throws.
   * @param haveOthersChanged true if an instance has come or gone
   */
  noteHeartbeat(hints: readonly string[], haveOthersChanged: boolean): void {
    const hasOwners = haveOthersChanged && this.#known.size > 0
    if (hasOwners || this.#isReadDue || hints.includes(`${changed}${this.#options.panel}`))
      notify(this.#listeners)
  }

  /**
   * Puts what is known here back on a server that has lost its data, right after the handshake.
   * @throws KeyholderError
   */
  async restore(through: Scripts): Promise<void> {
    if (this.#known.size > 0) await through.runBinary(scripts.restore, [this.#place], [...this.#known].flat())
  }

  get #place(): string {
    return `panel:${this.#options.panel}:bypasses`
  }

  #seal({ partition, state, phase, restore, zones, at }: BypassRecord, owner: number): Buffer {
    const time = Math.round(this.#options.sharedClock.sharedMoment(at))
    const sealed = sealJson(this.#key, this.#place, { partition, state, phase, restore, zones, time })
    return Buffer.concat([Buffer.from(`${owner} `), sealed])
  }

  #open(stored: Buffer): Omit<OwnedRecord, 'isAlive'> | undefined {
    const { sharedClock, membership } = this.#options
    const end = stored.indexOf(' ')
    const opened = openJson(this.#key, this.#place, stored.subarray(end + 1))
    if (opened === undefined) return undefined
    const owner = `${stored.subarray(0, end)}`
    const { time, ...record } = opened as Omit<BypassRecord, 'at'> & { time: number }
    return { ...record, at: sharedClock.localMoment(time), owner, isOwn: owner === `${membership.session}` }
  }
}
