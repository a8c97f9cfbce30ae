import type { Device, Traits } from '../service/devices.ts'

/**
 * Remembers what a device showed while its panel is offline.
 *
 * An offline panel shows its devices without any trait (field fact): with the trait `location` a device would lose
 * its label, hence its topic, and whoever asks for its temperature would get no answer. What is remembered has its
 * own date, and messages of an offline panel say that they are stale.
 */
export class DeviceMemory {
  readonly #lastTraits = new Map<number, Traits>()

  /** The devices, with their last known traits where all of them vanished. */
  recall(devices: readonly Device[]): Device[] {
    return devices.map((device) => {
      if (Object.values(device.traits).some((trait) => trait !== null)) {
        this.#lastTraits.set(device.id, device.traits)
        return device
      }
      const last = this.#lastTraits.get(device.id)
      return last ? { ...device, traits: last } : device
    })
  }
}
