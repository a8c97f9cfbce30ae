import { minute } from '../../../src/duration.ts'
import type { BlindTimes } from '../blind-times.ts'
import { type House, reportsArmings } from '../life.ts'
import { standingWarnings } from './world-facts.ts'
import type { Alarm, WorldRecord } from './world-record.ts'

/** Milliseconds before a start in which nodes take a panel that is armed for one that was armed: for less, with room for a poll. */
const remembered = 4 * minute

/**
 * The alarms of which nodes that start anew cannot know that they last: no list shows them, their zone is at rest again, and no
 * event has told that the panel was armed then. On a panel that was not armed, the restore would have been the end.
 */
export class ForgottenAlarms {
  readonly #world: WorldRecord
  readonly #blind: BlindTimes
  readonly #canForget: boolean
  #alarms: readonly Alarm[] = []

  constructor(house: House, world: WorldRecord, blind: BlindTimes) {
    this.#world = world
    this.#blind = blind
    this.#canForget = !house.hasAlarmList && !reportsArmings(house)
  }

  /** Notes that nodes start anew. */
  start(now: number): void {
    if (!this.#canForget) return
    const { devices } = this.#world.panel
    const open = devices.filter((device) => standingWarnings(device).includes('OPENED'))
    const isOpen = ({ zone }: Alarm) => open.some(({ device_number }) => device_number === zone)
    const forgotten = this.#world.alarms.filter(
      (alarm) => alarm.to === null && alarm.from < now - remembered && !isOpen(alarm),
    )
    if (forgotten.length > 0) this.#world.noteWithoutAlarms(now)
    this.#alarms = [...this.#alarms, ...forgotten]
  }

  /** Notes what nodes cannot know now. */
  look(now: number): void {
    this.#alarms = this.#alarms.filter(({ to }) => to === null)
    for (const { from } of this.#alarms) this.#blind.add(from, now, 'state', 'alarms', 'events')
  }
}
