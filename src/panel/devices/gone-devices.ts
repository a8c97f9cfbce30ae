import type { Device } from '../../service/responses/devices.ts'

/** A device that the latest list lacks, and the arrival of the first of the latest lists that lack it. */
interface MissingDevice {
  device: Device
  missingSince: number | undefined
}

/** The number of devices that are remembered; the largest panels have fewer than 300. */
const maxSeen = 1000

/**
 * Knows the devices that a panel no longer has.
 *
 * A list can be thin: now and then a service leaves out some devices or all of them. A device is therefore
 * gone only after lists have lacked it for a while, and it is back with the first list that has it.
 */
export class GoneDevices {
  #listed: readonly Device[] = []
  /** By id, those that were listed last at the end. */
  readonly #missing = new Map<number, MissingDevice>()

  /**
   * Notes a list and returns the devices that are gone.
   * @param at arrival of the list, in milliseconds of the monotonic clock
   * @param minAbsence milliseconds between the first and the last of the lists that lack a device
   * @param isReliable false for the list of an offline panel: it does not prove that a device is gone
   */
  note(devices: readonly Device[], at: number, minAbsence: number, isReliable: boolean): readonly Device[] {
    const listed = new Set(devices.map(({ id }) => id))
    for (const device of this.#listed) {
      if (!listed.has(device.id)) this.#missing.set(device.id, { device, missingSince: undefined })
    }
    for (const id of listed) this.#missing.delete(id)
    this.#listed = devices
    const gone: Device[] = []
    for (const [id, missing] of this.#missing) {
      if (listed.size + this.#missing.size > maxSeen) this.#missing.delete(id)
      if (isReliable && listed.size > 0) missing.missingSince ??= at
      const { device, missingSince } = missing
      if (missingSince !== undefined && at - missingSince >= minAbsence) gone.push(device)
    }
    return gone
  }
}
