import type { Answer } from '../../account/answer.ts'
import type { Device } from '../../service/responses/devices.ts'
import { afterAnswer, type ListRecord, listAnswer, nothingKnown } from '../evidence.ts'
import type { PanelDevices } from './readings.ts'

/** The number of devices that are remembered as gone; the largest panels have fewer than 300. */
const maxGone = 500

/** Knows the devices of a panel, also those that one list lacks, and those that are gone. */
export class KnownDevices {
  #record: ListRecord<Device> = nothingKnown
  /** By id, those that went last at the end. */
  readonly #gone = new Map<string, Device>()

  /**
   * Returns the devices after a list. One that is gone is back with the first list that has it.
   * @param isCurrent false if the panel may be offline: its last list proves nothing
   * @param validFor milliseconds after which an earlier list is no longer the one before
   */
  note(list: Answer<readonly Device[]>, isCurrent: boolean, validFor: number): PanelDevices {
    const devices = list.value.map((device) => this.#withTraits(device))
    const listed = new Map(devices.map((device) => [`${device.id}`, device]))
    // A panel has at least itself.
    const isReliable = isCurrent && devices.length > 0
    const answer = listAnswer(list, isReliable, validFor)
    const { record, held, gone } = afterAnswer(this.#record, listed, answer)
    this.#record = record
    for (const device of gone) this.#gone.set(`${device.id}`, device)
    for (const id of listed.keys()) this.#gone.delete(id)
    for (const id of [...this.#gone.keys()].slice(0, -maxGone)) this.#gone.delete(id)
    return { listed: devices, held, gone: [...this.#gone.values()], hasAll: record.isWhole, isCurrent }
  }

  /**
   * Returns a device that has lost all traits with its last known ones.
   *
   * An offline panel shows its devices without any trait (field fact). Without the trait `location` a device would lose
   * its label, and so its topic, and a request for its temperature would have no answer. The remembered traits have
   * their own dates, and messages of an offline panel are marked as stale.
   */
  #withTraits(device: Device): Device {
    const known = showsTraits(device) ? undefined : this.#record.entries.get(`${device.id}`)
    return known === undefined ? device : { ...device, traits: known.value.traits }
  }
}

/** Returns true if a list says more about a device than that it is there, and its warnings. */
export function showsTraits({ traits }: Pick<Device, 'traits'>): boolean {
  return Object.values(traits).some((trait) => trait !== null)
}
