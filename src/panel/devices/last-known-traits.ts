import type { Device } from '../service/devices.ts'

/**
 * Remembers what a device showed while its panel is offline.
 *
 * An offline panel shows its devices without any trait (field fact): with the trait `location` a device would lose
 * its label, hence its topic, and whoever asks for its temperature would get no answer. What is remembered has its
 * own date, and messages of an offline panel say that they are stale.
 */
export class DeviceMemory {
  /** With their last known traits; those too that the latest list left out. */
  #known: readonly Device[] = []

  /** The devices, with their last known traits where all of them vanished. */
  recall(devices: readonly Device[]): readonly Device[] {
    const recalled = devices.map((device) => (showsTraits(device) ? device : this.#recalled(device)))
    const listed = new Set(devices.map(({ id }) => id))
    const others = this.#known.filter(({ id }) => !listed.has(id))
    this.#known = others.length > 0 ? [...recalled, ...others] : recalled
    return recalled
  }

  #recalled(device: Device): Device {
    const known = this.#known.find((other) => other.id === device.id && showsTraits(other))
    return known === undefined ? device : { ...device, traits: known.traits }
  }
}

function showsTraits({ traits }: Device): boolean {
  return Object.values(traits).some((trait) => trait !== null)
}
