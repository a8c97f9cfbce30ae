import type { Device } from '../../service/responses/devices.ts'

/** A device that a list has shown, and the arrival of the first of the latest lists that lack it. */
interface SeenDevice {
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
  /** By id, the devices of the latest list last. */
  readonly #seen = new Map<number, SeenDevice>()

  /**
   * Notes a list and returns the devices that are gone.
   * @param at arrival of the list, in milliseconds of the monotonic clock
   * @param minAbsence milliseconds between the first and the last of the lists that lack a device
   * @param isReliable false for the list of an offline panel: it does not prove that a device is gone
   */
  note(devices: readonly Device[], at: number, minAbsence: number, isReliable: boolean): readonly Device[] {
    for (const device of devices) {
      this.#seen.delete(device.id)
      this.#seen.set(device.id, { device, missingSince: undefined })
    }
    const listed = new Set(devices.map(({ id }) => id))
    const gone: Device[] = []
    for (const [id, seen] of this.#seen) {
      if (listed.has(id)) continue
      if (this.#seen.size > maxSeen) this.#seen.delete(id)
      if (isReliable && listed.size > 0) seen.missingSince ??= at
      if (seen.missingSince !== undefined && at - seen.missingSince >= minAbsence) gone.push(seen.device)
    }
    return gone
  }
}
