import { minute } from '../../../src/duration.ts'
import type { BlindTimes } from '../blind-times.ts'
import { type House, reportsArmings } from '../life.ts'
import { standingWarnings } from './world-facts.ts'
import type { Alarm, WorldRecord } from './world-record.ts'

/** Milliseconds before a start in which nodes take a panel that is armed for one that was armed: for less, with room for a poll. */
const remembered = 4 * minute

/**
 * The alarms of which nodes cannot know if they last, because no list shows them and no event tells when the panel was armed:
 * for nodes that start anew one whose zone is at rest again, as on a panel that was not armed the restore would have been the
 * end, and one that a disarm has ended which only the answers before the start have shown; for all nodes one that a disarm has
 * ended before they had read the state after their start, after which the panel was soon armed again, or before the panel went
 * offline: no two answers of a panel in reach have shown it. And one that no list shows and that lasts for a day.
 */
export class ForgottenAlarms {
  readonly #world: WorldRecord
  readonly #blind: BlindTimes
  readonly #canForget: boolean
  readonly #startsAt: number
  #lasting: readonly Alarm[] = []
  #over: readonly Alarm[] = []
  #startedAt = Number.NEGATIVE_INFINITY
  /** The moment up to which two answers of a panel in reach have shown the state. */
  #shownUntil = Number.NEGATIVE_INFINITY

  constructor(house: House, world: WorldRecord, blind: BlindTimes) {
    this.#world = world
    this.#blind = blind
    this.#startsAt = house.startsAt
    this.#canForget = !house.hasAlarmList && !reportsArmings(house)
  }

  /** Notes that nodes start anew. */
  start(now: number): void {
    this.#startedAt = now
    if (!this.#canForget) return
    const { alarms, panel } = this.#world
    const open = panel.devices.filter((device) => standingWarnings(device).includes('OPENED'))
    const isOpen = ({ zone }: Alarm) => open.some(({ device_number }) => device_number === zone)
    // Nodes that start know of the events before no more than their times, by a clock of the panel that may be behind.
    const seemsToBegin = ({ from, time }: Alarm) => Math.min(from, time - this.#startsAt)
    const forgotten = alarms.filter(
      (alarm) => alarm.to === null && seemsToBegin(alarm) < now - remembered && !isOpen(alarm),
    )
    if (forgotten.length > 0) this.#world.noteWithoutAlarms(now)
    this.#lasting = [...this.#lasting, ...forgotten]
    this.#over = alarms.filter(({ to }) => to !== null)
  }

  /** Notes what nodes cannot know now. */
  look(now: number): void {
    const { alarms, facts } = this.#world
    for (const alarm of alarms)
      if (this.#world.hasLastedTooLong(alarm, now))
        this.#blind.add(alarm.from, now, 'state', 'alarms', 'events')
    if (!this.#canForget) return
    const isArmed = (id: number) => !facts.was(`partition ${id} armed`, 'DISARM', now, now)
    // Two answers must show the disarm.
    const latest = this.#blind.earliest('state', now, 2)
    const firstReadAt = this.#blind.endOf('state', this.#startedAt)
    const isUnseen = ({ to, partitions }: Alarm) =>
      to !== null && ((to > latest && partitions.some(isArmed)) || (to > this.#startedAt && to < firstReadAt))
    this.#over = [...new Set([...this.#over, ...alarms.filter(isUnseen)])]
    if (facts.stayed('online', 'true', latest, now)) this.#shownUntil = latest
    const isHidden = ({ to }: Alarm) =>
      to !== null && to > this.#shownUntil && facts.was('online', 'false', to, now)
    this.#lasting = this.#lasting.filter(({ to }) => to === null)
    this.#over = this.#over.filter((alarm) => !this.#world.hasToldDisarm(alarm))
    for (const { from } of [...this.#lasting, ...this.#over, ...alarms.filter(isHidden)])
      this.#blind.add(from, now, 'state', 'alarms', 'events')
  }
}
