import type { Device } from '../device.ts'
import type { PanelOptions } from '../panel-options.ts'

/** Returns true if the panel leaves the zone out. */
export function isBypassed({ traits }: Device): boolean {
  return traits.bypass?.enabled ?? false
}

/** The zones that a panel leaves out: a bypass lasts for one arming. */
export class Bypasses {
  readonly #readOptions: () => PanelOptions
  /** The zones that the panel has bypassed by itself. */
  readonly #byPanel = new Set<Device>()

  constructor(readOptions: () => PanelOptions) {
    this.#readOptions = readOptions
  }

  /** Returns true if people and the service can bypass a zone, or end that. */
  allows({ traits }: Device, enabled: boolean): boolean {
    return traits.bypass !== undefined && (!enabled || this.#readOptions().bypassMode === 'manual')
  }

  /** Bypasses a zone for people, or ends that; returns false if nothing changes, or if it is not allowed. */
  set(device: Device, enabled: boolean): boolean {
    return this.allows(device, enabled) && change(device, enabled)
  }

  /** Bypasses a zone because the panel does so, until the disarm; returns false if nothing changes, or if it cannot be. */
  bypassByPanel(device: Device): boolean {
    if (!change(device, true)) return false
    this.#byPanel.add(device)
    return true
  }

  /** Ends the bypass of a zone that the panel has bypassed by itself. */
  endByPanel(device: Device): void {
    if (this.#byPanel.delete(device)) change(device, false)
  }

  /**
   * Ends the bypass of zones that were armed and are disarmed now (makers' guides: "one disarm-arm period only"). A zone that was
   * never armed stays bypassed.
   */
  endWithDisarm(zones: readonly Device[]): void {
    for (const zone of zones)
      if (this.#byPanel.delete(zone) || !this.#readOptions().keepsBypass) change(zone, false)
  }
}

function change({ traits }: Device, enabled: boolean): boolean {
  if (!traits.bypass || traits.bypass.enabled === enabled) return false
  traits.bypass.enabled = enabled
  return true
}
