import type { Device } from '../device.ts'
import type { PanelOptions } from '../panel-options.ts'
import type { WorldTime } from '../world-time.ts'
import type { Bypasses } from './bypasses.ts'
import type { ZoneRule } from './zone-rule.ts'

/** Seconds after which a zone guards again, although nobody has disarmed. */
const longest = 48 * 3600

/**
 * The swinger stop: a zone that has raised a number of alarms in an arming is bypassed by the panel until the disarm, or for 48
 * hours (makers' guides). They do not speak of zones that guard a disarmed panel, too, and a disarm would not end their bypass:
 * they are not counted.
 */
export class SwingerStop {
  readonly #bypasses: Bypasses
  readonly #time: WorldTime
  readonly #readOptions: () => PanelOptions
  readonly #alarms = new Map<Device, number>()
  /** The ends of the bypasses that still last. */
  readonly #cancels = new Map<Device, () => void>()

  constructor(bypasses: Bypasses, time: WorldTime, readOptions: () => PanelOptions) {
    this.#bypasses = bypasses
    this.#time = time
    this.#readOptions = readOptions
  }

  /** Counts an alarm that a zone raises now. */
  count(zone: Device, { modes }: ZoneRule): void {
    if (modes === null) return
    const alarms = (this.#alarms.get(zone) ?? 0) + 1
    this.#alarms.set(zone, alarms)
    const { swingerStop } = this.#readOptions()
    if (swingerStop === 0 || alarms < swingerStop || !this.#bypasses.bypassByPanel(zone)) return
    const end = () => {
      this.#bypasses.endByPanel(zone)
      this.reset([zone])
    }
    this.#cancels.set(zone, this.#time.after(longest, end))
  }

  /** Begins to count anew for zones, whose bypasses have ended. */
  reset(zones: readonly Device[]): void {
    for (const zone of zones) {
      this.#alarms.delete(zone)
      this.#cancels.get(zone)?.()
      this.#cancels.delete(zone)
    }
  }
}
