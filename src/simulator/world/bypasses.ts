import type { Device } from './device.ts'
import type { PanelOptions } from './panel-options.ts'

/** Returns true if the panel leaves the zone out. */
export function isBypassed({ traits }: Device): boolean {
  return traits.bypass?.enabled ?? false
}

/** The zones that a panel leaves out: a bypass lasts for one arming. */
export class Bypasses {
  readonly #readOptions: () => PanelOptions

  constructor(readOptions: () => PanelOptions) {
    this.#readOptions = readOptions
  }

  /** Bypasses a zone or ends that; returns false if nothing changes, or if the zone cannot be bypassed. */
  set({ traits }: Device, enabled: boolean): boolean {
    if (!traits.bypass || traits.bypass.enabled === enabled) return false
    traits.bypass.enabled = enabled
    return true
  }

  /**
   * Ends the bypass of zones that were armed and are disarmed now (makers' guides: "one disarm-arm period only"). A zone that was
   * never armed stays bypassed.
   */
  endWithDisarm(zones: readonly Device[]): void {
    if (this.#readOptions().keepsBypass) return
    for (const zone of zones) this.set(zone, false)
  }
}
