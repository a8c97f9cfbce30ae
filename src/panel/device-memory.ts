import type { Device, Traits } from '../service/devices.ts'

/**
 * Remembers who a device is while its panel is offline.
 *
 * An offline panel shows its devices without any trait (field fact), and with the trait `location` a device
 * would lose its label, hence its topic. What was measured is not remembered: a reading that vanishes is no
 * reading, not an old one.
 */
export class DeviceMemory {
  readonly #lastTraits = new Map<number, Traits>()

  /** The devices with their last known traits, save signal strength and measurements, where all traits vanished. */
  recall(devices: readonly Device[]): Device[] {
    return devices.map((device) => {
      if (Object.values(device.traits).some((trait) => trait !== null)) {
        this.#lastTraits.set(device.id, device.traits)
        return device
      }
      const last = this.#lastTraits.get(device.id)
      return last ? { ...device, traits: { ...last, rssi: null, meteo_info: null } } : device
    })
  }
}
