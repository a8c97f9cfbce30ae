import { minute } from '../../duration.ts'
import type { Catalogue } from '../../service/catalogue/catalogue.ts'
import { wholePanel } from '../../service/responses/status.ts'
import { type ActiveAlarm, type StateView, withoutThreats } from '../state/partition-state.ts'
import { absorb } from './belonging.ts'
import { alarmsIn, type Incident, isConfirmed, newIncident, withoutSignsOf } from './incident.ts'
import { atMost, type IncidentBook, replaceIncident } from './incident-book.ts'
import { newest, withEvent } from './incident-limits.ts'
import { isAbout, timesOf } from './incident-state.ts'
import { viewOf } from './incident-view.ts'
import { ofList } from './running-alarms.ts'
import { type Sign, type StoryEvent, shareAPartition } from './story-event.ts'

/** A sign of an alarm that no event has told yet: an entry of the list of alarms, or the state of a partition alone. */
export interface AlarmSign extends Pick<StoryEvent, 'zone' | 'zoneName' | 'deviceType' | 'partitions'> {
  readonly sign: Sign
  /** The entry of the list; undefined for a state. */
  readonly entry?: ActiveAlarm
  /** True if it put its partition in alarm since the answer before: it is no late echo of an alarm that is over. */
  readonly isChange: boolean
}

/** Milliseconds after the end of an alarm in which an answer of before may still show it. */
const maxEcho = minute

/** The signs of the latest answers, to tell those that two of them show. */
export class SignMemory {
  /** By partition; undefined before the first answer. */
  #values: ReadonlyMap<number, string> | undefined
  /** The time of the request for the first answer in a row that had a sign, by its place. */
  #since: ReadonlyMap<string, number> = new Map()

  /**
   * Returns the signs of an answer that can open an incident: those that an earlier answer showed too, and those that came with
   * a change of the state into ALARM.
   * @param sentAt the time of the request for the answer, in milliseconds of the monotonic clock
   */
  take(view: StateView, sentAt: number): AlarmSign[] {
    const values = this.#values
    const changed = new Set(
      view.partitions
        .filter(({ id, value }) => value === 'ALARM' && (values?.get(id) ?? 'ALARM') !== 'ALARM')
        .map(({ id }) => id),
    )
    const signs = signsIn(view, changed)
    const known = this.#since
    this.#values = new Map(view.partitions.map(({ id, value }) => [id, value]))
    this.#since = new Map(signs.map((sign) => [placeOf(sign), known.get(placeOf(sign)) ?? sentAt]))
    return signs.filter((sign) => sign.isChange || (known.get(placeOf(sign)) ?? sentAt) < sentAt)
  }

  /** Forgets the answers. */
  forget(): void {
    this.#values = undefined
    this.#since = new Map()
  }
}

function placeOf({ sign, zone, deviceType, partitions }: AlarmSign): string {
  return [sign, zone, deviceType, ...partitions].join(' ')
}

/** Returns the signs of alarms in an answer. A state that is inferred from events is none: its event tells the alarm. */
function signsIn(
  { partitions, heldAlarms = [], evidence }: StateView,
  changed: ReadonlySet<number>,
): AlarmSign[] {
  const reported = partitions.filter(({ inferred, active }) => !inferred && active)
  const isChange = (ids: readonly number[]) =>
    ids.length === 0 ? changed.size > 0 : ids.some((id) => changed.has(id))
  const listed = withoutThreats([...new Set(reported.flatMap(({ alarms }) => alarms))])
    .filter((alarm) => !alarm.inMemory && !heldAlarms.includes(alarm))
    .map((entry): AlarmSign => {
      const { kind: sign, deviceType, zone, name: zoneName, partitions: own } = ofList(entry)
      return { sign, zone, zoneName, deviceType, partitions: own, entry, isChange: isChange(own) }
    })
  const alone = reported
    .filter(({ id, alarms }) => alarms.length === 0 && isInAlarm(id, evidence))
    .map(({ id }): AlarmSign => {
      const own = id === wholePanel ? [] : [id]
      return {
        sign: 'state',
        zone: 0,
        zoneName: '',
        deviceType: '',
        partitions: own,
        isChange: isChange(own),
      }
    })
  return [...listed, ...alone]
}

/** Returns true if the service's own word for the state of a partition is an alarm, also without a list that shows one. */
function isInAlarm(id: number, evidence: StateView['evidence']): boolean {
  return evidence?.partitions.some((one) => one.id === id && one.state === 'ALARM') === true
}

/**
 * Returns the book after signs of alarms that no event has told. A sign opens an incident, which an event confirms later. It
 * opens none where an incident lasts, nor soon after the end of an alarm of its partitions: an answer can be late.
 * @param now milliseconds since 1970
 * @param timeZone the zone of the times in the list
 */
export function withSigns(
  before: IncidentBook,
  signs: readonly AlarmSign[],
  catalogue: Catalogue,
  now: number,
  timeZone: string,
): IncidentBook {
  return signs.reduce((book, sign) => withSign(book, sign, catalogue, now, timeZone), atMost(before, now))
}

function withSign(
  book: IncidentBook,
  sign: AlarmSign,
  catalogue: Catalogue,
  now: number,
  timeZone: string,
): IncidentBook {
  const there = book.incidents.filter((incident) => {
    const { kind } = viewOf(incident, catalogue, now)
    return kind !== 'duress' && alarmsIn(incident, catalogue).some((alarm) => shareAPartition(alarm, sign))
  })
  const times = sign.entry === undefined ? [] : timesOf(sign.entry, timeZone)
  const isOpen = (incident: Incident) => viewOf(incident, catalogue, now).until === null
  const lasting = there.find(isOpen)
  if (lasting !== undefined) {
    const isKnown = lasting.events.some((event) => event.zone === sign.zone)
    if (sign.sign === 'state' || isKnown || isConfirmed(lasting, catalogue)) return book
    const event = eventOf(sign, `${lasting.id}-${sign.zone}`, times, book, now)
    const longer = withEvent(withoutSignsOf(lasting, event, catalogue), event, catalogue)
    return replaceIncident(book, lasting, { ...longer, wasListed: true, isListed: true })
  }
  const { entry } = sign
  if (entry !== undefined && there.some((one) => isAbout(entry, times, one, catalogue, now))) return book
  // The entry of a late list has a time of before.
  if (times.length === 0 && there.some((incident) => now - endKnownAt(incident, catalogue, now) < maxEcho))
    return book
  const id = idOf(sign, book, now)
  const opened = withEvent(newIncident(id), eventOf(sign, id, times, book, now), catalogue)
  const isListed = entry !== undefined
  const incident = absorb(
    { ...opened, wasListed: isListed, isListed },
    book.loose,
    book.incidents,
    catalogue,
    now,
    () => false,
  )
  return { ...book, incidents: newest([...book.incidents, incident], catalogue, now) }
}

/** Returns a text that no other incident of the book has. */
function idOf({ zone, partitions }: AlarmSign, { incidents }: IncidentBook, now: number): string {
  const id = `alarm-${now}-${zone || `p${partitions.join('-')}`}`
  return incidents.some((incident) => incident.id === id) ? `${id}-${incidents.length}` : id
}

/**
 * Returns a sign as an alarm of an incident. An entry of the list has the panel's own time. A state has none: it is later than
 * all that was known before it.
 */
function eventOf(
  { sign, zone, zoneName, deviceType, partitions }: AlarmSign,
  key: string,
  [time]: readonly number[],
  { loose, incidents }: IncidentBook,
  now: number,
): StoryEvent {
  const known = [...loose, ...incidents.flatMap(({ events }) => events)]
  const latest = known.reduce((most, event) => Math.max(most, event.time + 1), now)
  return {
    ...{ key, typeId: null, time: time ?? latest, readAt: now, isPast: false },
    order: known.reduce((most, { order }) => Math.max(most, order), 0),
    ...{ what: '', zone, zoneName, deviceType, actor: '', partitions, sign },
  }
}

/** Returns the latest time at which something of an incident that is over became known: milliseconds since 1970. */
function endKnownAt(incident: Incident, catalogue: Catalogue, now: number): number {
  const { until } = viewOf(incident, catalogue, now)
  const known = [until, incident.unlisted?.at, ...incident.events.map(({ readAt }) => readAt)]
  return Math.max(...known.map((at) => Math.min(at ?? 0, now)))
}
