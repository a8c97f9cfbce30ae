import type { Device } from '../../service/responses/devices.ts'

/**
 * Remembers the traits of devices while their panel is offline.
 *
 * An offline panel shows its devices without any trait (field fact). Without the trait `location` a device
 * would lose its label, and so its topic, and a request for its temperature would have no answer. The
 * remembered traits have their own dates, and messages of an offline panel are marked as stale.
 */
export class LastKnownTraits {
  /** The devices with their last known traits, including devices that the latest list left out. */
  #known: readonly Device[] = []

  /** Returns the devices; a device that has lost all traits gets its last known ones. */
  recall(devices: readonly Device[]): readonly Device[] {
    // Nearly always the list itself, so that no second one is kept.
    const recalled = devices.every(showsTraits) ? devices : devices.map((device) => this.#recalled(device))
    const listed = new Set(devices.map(({ id }) => id))
    const others = this.#known.filter(({ id }) => !listed.has(id))
    this.#known = others.length > 0 ? [...recalled, ...others] : recalled
    return recalled
  }

  #recalled(device: Device): Device {
    if (showsTraits(device)) return device
    const known = this.#known.find((other) => other.id === device.id && showsTraits(other))
    return known === undefined ? device : { ...device, traits: known.traits }
  }
}

function showsTraits({ traits }: Device): boolean {
  return Object.values(traits).some((trait) => trait !== null)
}
