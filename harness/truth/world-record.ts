import type { Device } from '../../src/simulator/world/device.ts'
import type { LoggedEvent } from '../../src/simulator/world/event-log.ts'
import type { Incident } from '../../src/simulator/world/incidents.ts'
import type { Panel } from '../../src/simulator/world/panel.ts'
import { FactHistory } from './fact-history.ts'
import type { Person } from './life.ts'
import { factsOf, labelOf, standingWarnings } from './world-facts.ts'

/** An alarm of a detector, a button or a case that was opened. Moments are milliseconds of the monotonic clock. */
export interface Alarm {
  readonly typeId: number
  /** The number of the device; 0 is the control panel. */
  readonly zone: number
  readonly name: string
  readonly partitions: readonly number[]
  /** The list of the service that shows it; null for one that only events tell. */
  readonly list: 'alarms' | 'alerts' | null
  /** The time by the panel's clock, in milliseconds since 1970. */
  readonly time: number
  /** The moment from which the service can know it. */
  readonly from: number
  /** The moment from which the service can know that it is over; null while it is not. */
  to: number | null
}

/** An arming or disarming by a person. */
export interface Action {
  readonly person: Person
  readonly value: 'AWAY' | 'HOME' | 'DISARM'
  readonly partition: number
  /** The moment, in milliseconds of the monotonic clock. */
  readonly at: number
  /** The time by the panel's clock, in milliseconds since 1970. */
  readonly time: number
}

/** An event in the list of the service. */
export interface ArrivedEvent {
  readonly event: LoggedEvent
  /** The moment of its arrival, in milliseconds of the monotonic clock. */
  readonly at: number
}

/**
 * The record of a simulated panel: what was true of it and when, as its service can know it. While the panel is offline,
 * the service knows what was true before.
 */
export class WorldRecord {
  readonly facts = new FactHistory()
  readonly alarms: Alarm[] = []
  readonly actions: Action[] = []
  /** By arrival. */
  readonly events: ArrivedEvent[] = []
  readonly panel: Panel
  readonly #incidents = new Map<Incident, Alarm>()
  readonly #tampers = new Map<Device, Alarm>()
  readonly #arrived = new Set<LoggedEvent>()
  #latest: ReadonlyMap<string, string> = new Map()

  constructor(panel: Panel) {
    this.panel = panel
  }

  /** Notes what is true at a moment. */
  look(now: number): void {
    this.#noteEvents(now)
    if (this.panel.online) {
      this.#noteAlarms(now)
      this.#latest = factsOf(
        this.panel,
        this.events.map(({ event }) => event),
      )
    }
    this.facts.note(now, new Map([...this.#latest, ['online', String(this.panel.online)]]))
  }

  /** Notes that a person arms or disarms now. */
  noteAction(person: Person, value: Action['value'], partition: number, now: number): void {
    this.actions.push({ person, value, partition, at: now, time: this.#panelTime() })
  }

  /** Returns the moment of the arrival of the event of an alarm; undefined while it is on its way. */
  arrivalOf({ typeId, zone, time }: Alarm): number | undefined {
    return this.events.find(
      ({ event }) => event.type_id === typeId && event.zone === zone && timeOf(event) === time,
    )?.at
  }

  #noteEvents(now: number): void {
    for (const event of this.panel.events) {
      if (this.#arrived.has(event)) continue
      this.#arrived.add(event)
      this.events.push({ event, at: now })
    }
  }

  #noteAlarms(now: number): void {
    for (const incident of this.panel.incidents) {
      const { device, rule, partitions, datetime, active } = incident
      const alarm = this.#incidents.get(incident) ?? {
        ...place(device),
        typeId: rule.alarm,
        partitions: [...partitions].map(({ plan }) => plan.id),
        list: rule.list,
        time: Date.parse(`${datetime.replace(' ', 'T')}Z`),
        from: now,
        to: null,
      }
      if (!this.#incidents.has(incident)) this.alarms.push(alarm)
      this.#incidents.set(incident, alarm)
      if (!active) alarm.to ??= now
    }
    // One that is no longer in the memory of the panel is over.
    for (const [incident, alarm] of this.#incidents)
      if (!this.panel.incidents.includes(incident)) alarm.to ??= now
    this.#noteTampers(now)
  }

  #noteTampers(now: number): void {
    for (const device of this.panel.devices) {
      const known = this.#tampers.get(device)
      const isOpen = standingWarnings(device).includes('TAMPER')
      if (isOpen && known === undefined) {
        const alarm = {
          ...place(device),
          typeId: 8,
          partitions: device.partitions,
          list: null,
          time: this.#panelTime(),
          from: now,
          to: null,
        }
        this.#tampers.set(device, alarm)
        this.alarms.push(alarm)
      }
      if (!isOpen && known !== undefined) {
        known.to = now
        this.#tampers.delete(device)
      }
    }
  }

  /** The time by the panel's clock, without the milliseconds that the service does not tell. */
  #panelTime(): number {
    return Math.floor(this.panel.clock.now() / 1000) * 1000
  }
}

/** Returns the time of an event by the clock of its panel, in milliseconds since 1970. */
export function timeOf({ datetime }: Pick<LoggedEvent, 'datetime'>): number {
  return Date.parse(`${datetime.replace(' ', 'T')}Z`)
}

function place(device: Device): Pick<Alarm, 'zone' | 'name'> {
  const isPanel = device.device_type === 'CONTROL_PANEL'
  return { zone: isPanel ? 0 : device.device_number, name: labelOf(device) }
}
