import { day, minute } from '../../../src/duration.ts'
import type { Incident } from '../../../src/simulator/world/alarms/incidents.ts'
import type { Device } from '../../../src/simulator/world/device.ts'
import type { LoggedEvent } from '../../../src/simulator/world/event-log.ts'
import type { Panel } from '../../../src/simulator/world/panel.ts'
import type { Person } from '../life.ts'
import { FactHistory } from './fact-history.ts'
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

/** Milliseconds after the end of an incident in which a further alarm may continue it. */
export const maxContinuation = 5 * minute

/** The types of the events of a disarm: a code that is entered under threat disarms, too. */
const disarmTypes: readonly number[] = [15, 31, 89, 173]

/** An arming or disarming by a person. */
export interface Action {
  readonly person: Person
  readonly value: 'AWAY' | 'HOME' | 'DISARM'
  readonly partition: number
  /** The moment, in milliseconds of the monotonic clock. */
  readonly at: number
  /** The time by the panel's clock, in milliseconds since 1970. */
  readonly time: number
  /** True if the partition was so before: only an event tells it. */
  readonly isRepeated: boolean
}

/** An event in the list of the service. */
export interface ArrivedEvent {
  readonly event: LoggedEvent
  /** The moment of its arrival, in milliseconds of the monotonic clock. */
  readonly at: number
  /** The earliest time that the machine's clock has shown since then, in milliseconds since 1970. */
  machineTime: number
  /** True if the list shows it no more. */
  isGone?: true
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
  /** Those that began while the panel was offline: they may be over before the service can know them. */
  readonly #hidden = new Set<Incident>()
  readonly #tampers = new Map<Device, Alarm>()
  /** The times by the panel's clock at which cases were opened; the service may know it later. */
  readonly #openedAt = new Map<Device, number>()
  readonly #arrived = new Set<LoggedEvent>()
  #latest: ReadonlyMap<string, string> = new Map()
  readonly #hasAlarmList: boolean

  /** @param hasAlarmList false for a service that tells of alarms only by events */
  constructor(panel: Panel, hasAlarmList: boolean) {
    this.panel = panel
    this.#hasAlarmList = hasAlarmList
  }

  /**
   * Notes what is true at a moment.
   * @param machineTime the time by the machine's clock, in milliseconds since 1970
   */
  look(now: number, machineTime: number): void {
    this.#noteEvents(now, machineTime)
    this.#noteOpenedCases()
    if (!this.panel.online) for (const incident of this.panel.incidents) this.#hidden.add(incident)
    else {
      const isBack = this.facts.was('online', 'false', now, now)
      this.#noteAlarms(now)
      this.#latest = factsOf(this.panel, this.#hasAlarmList)
      if (isBack && !this.#hasAlarmList) this.noteWithoutAlarms(now)
    }
    this.facts.note(now, new Map([...this.#latest, ['online', String(this.panel.online)]]))
  }

  /** Notes what is known of a panel while nothing tells of its alarms: what is armed. */
  noteWithoutAlarms(now: number): void {
    const armed = (name: string) =>
      this.#latest.get(name.replace(/value$/, 'armed').replace(/mode$/, 'armed mode'))
    const facts = [...this.#latest].map(([name, value]): [string, string] => [
      name,
      name === 'panel triggered' ? 'false' : (value === 'ALARM' && armed(name)) || value,
    ])
    this.facts.note(now, new Map([...facts, ['online', String(this.panel.online)]]))
  }

  /** Notes that a person arms or disarms now. */
  noteAction(person: Person, value: Action['value'], partition: number, now: number): void {
    const isRepeated = this.facts.was(`partition ${partition} value`, value, now, now)
    this.actions.push({ person, value, partition, at: now, time: this.#panelTime(), isRepeated })
  }

  /**
   * Returns true if nothing tells that an alarm is not over. One that the list of alarms does not show may be told with
   * one that the list has shown and ended, of which nodes learn a poll later. A disarm ends a tamper also if no event
   * tells it: the state may have shown it. Of one that no event tells, nobody knows if it was before a tamper of the same poll.
   */
  isOver(alarm: Alarm, now: number): boolean {
    const { list, from, to, partitions } = alarm
    const isEnd = (other: Alarm) =>
      other.list === 'alarms' && other.to !== null && other.to > from - maxContinuation - minute
    const isTold = ({ time }: Action) =>
      this.events.some(({ event }) => disarmTypes.includes(event.type_id) && timeOf(event) === time)
    const isDisarm = (action: Action) =>
      action.value === 'DISARM' &&
      action.at > (isTold(action) ? from : from - minute / 2) &&
      this.panel.findPartitions(action.partition).some(({ plan }) => partitions.includes(plan.id))
    return (
      to !== null ||
      this.hasLastedTooLong(alarm, now) ||
      (list !== 'alarms' && this.alarms.some(isEnd)) ||
      (list === null && this.actions.some(isDisarm))
    )
  }

  /** Returns true for an alarm of more than a day that no list would show: nodes take it for over, as nothing else may end it. */
  hasLastedTooLong({ from, to }: Alarm, now: number): boolean {
    return !this.#hasAlarmList && to === null && now - from >= day
  }

  /** Returns true if the event of a disarm after an alarm has arrived. */
  hasToldDisarm({ from, partitions }: Alarm): boolean {
    return this.events.some(
      ({ event, at }) =>
        at >= from &&
        disarmTypes.includes(event.type_id) &&
        partitions.some((id) => event.partitions.includes(id)),
    )
  }

  /** Returns the event of an alarm; undefined while it is on its way. */
  eventOf({ typeId, zone, time }: Alarm): ArrivedEvent | undefined {
    return this.events.find(
      ({ event }) => event.type_id === typeId && event.zone === zone && timeOf(event) === time,
    )
  }

  /** Returns the moment of the arrival of the event of an alarm; undefined while it is on its way. */
  arrivalOf(alarm: Alarm): number | undefined {
    return this.eventOf(alarm)?.at
  }

  #noteEvents(now: number, machineTime: number): void {
    for (const one of this.events) one.machineTime = Math.min(one.machineTime, machineTime)
    for (const event of this.panel.events) {
      if (this.#arrived.has(event)) continue
      this.#arrived.add(event)
      this.events.push({ event, at: now, machineTime })
      for (const alarm of this.#tampers.values()) if (this.#endsTamper(event, alarm)) alarm.to ??= now
    }
  }

  /** A disarm ends the tampers before it in its partitions, which no list shows. Of one second, the order tells. */
  #endsTamper(event: LoggedEvent, alarm: Alarm): boolean {
    if (!disarmTypes.includes(event.type_id) || !alarm.partitions.some((id) => event.partitions.includes(id)))
      return false
    const time = timeOf(event)
    const opened = this.eventOf(alarm)?.event
    return time > alarm.time || (time === alarm.time && opened !== undefined && opened.event < event.event)
  }

  #noteAlarms(now: number): void {
    for (const incident of new Set([...this.#hidden, ...this.panel.incidents])) {
      const { device, rule, partitions, active } = incident
      const isListed = this.panel.incidents.includes(incident)
      const alarm = this.#incidents.get(incident) ?? {
        ...place(device),
        typeId: rule.alarm,
        partitions: [...partitions].map(({ plan }) => plan.id),
        list: isListed ? rule.list : null,
        time: timeOfIncident(incident),
        from: now,
        to: null,
      }
      if (!this.#incidents.has(incident)) this.alarms.push(alarm)
      this.#incidents.set(incident, alarm)
      if (!active) alarm.to ??= now
    }
    this.#hidden.clear()
    // One that is no longer in the memory of the panel is over, unless a further alarm of the zone has taken its place; a disarm
    // between the two, such as while the panel was offline, has ended the first one.
    for (const [incident, alarm] of this.#incidents) {
      const lasts = (one: Incident) =>
        one === incident || (isFurther(one, incident) && !this.#wasDisarmed(alarm, timeOfIncident(one)))
      if (!this.panel.incidents.some(lasts)) alarm.to ??= now
    }
    this.#noteTampers(now)
  }

  /** Returns true if a partition of an alarm was disarmed after it and before a time of the panel's clock. */
  #wasDisarmed({ time: from, partitions }: Alarm, to: number): boolean {
    return this.actions.some(
      ({ value, partition, time }) =>
        value === 'DISARM' &&
        time > from &&
        time < to &&
        this.panel.findPartitions(partition).some(({ plan }) => partitions.includes(plan.id)),
    )
  }

  #noteOpenedCases(): void {
    for (const device of this.panel.devices) {
      const isOpen = standingWarnings(device).includes('TAMPER')
      if (!isOpen) this.#openedAt.delete(device)
      else if (!this.#openedAt.has(device)) this.#openedAt.set(device, this.#panelTime())
    }
  }

  #noteTampers(now: number): void {
    for (const [device, time] of this.#openedAt) {
      if (this.#tampers.has(device)) continue
      const { partitions } = device
      const alarm: Alarm = { ...place(device), typeId: 8, partitions, list: null, time, from: now, to: null }
      // While the panel was offline, a disarm may have come after it, of which the service has told already.
      if (this.events.some(({ event }) => this.#endsTamper(event, alarm))) alarm.to = now
      this.#tampers.set(device, alarm)
      this.alarms.push(alarm)
    }
    for (const [device, known] of this.#tampers) {
      if (this.#openedAt.has(device)) continue
      known.to ??= now
      this.#tampers.delete(device)
    }
  }

  /** The time by the panel's clock, without the milliseconds that the service does not tell. */
  #panelTime(): number {
    return Math.floor(this.panel.clock.now() / 1000) * 1000
  }
}

/** Returns the time of an incident by the panel's clock: milliseconds since 1970. */
function timeOfIncident({ datetime }: Incident): number {
  return Date.parse(`${datetime.replace(' ', 'T')}Z`)
}

function isFurther(one: Incident, { device }: Incident): boolean {
  return one.active && one.device === device
}

/** Returns the time of an event by the clock of its panel, in milliseconds since 1970. */
export function timeOf({ datetime }: Pick<LoggedEvent, 'datetime'>): number {
  return Date.parse(`${datetime.replace(' ', 'T')}Z`)
}

function place(device: Device): Pick<Alarm, 'zone' | 'name'> {
  const isPanel = device.device_type === 'CONTROL_PANEL'
  return { zone: isPanel ? 0 : device.device_number, name: labelOf(device) }
}
