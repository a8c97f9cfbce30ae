import { isDeepStrictEqual } from 'node:util'
import { byClockOfNow, type ClockEpoch } from '../../clock.ts'
import { second } from '../../duration.ts'
import type { Catalogue, EventType } from '../../service/catalogue/catalogue.ts'
import { bundled } from '../../service/catalogue/en-us.ts'
import {
  type Check,
  dictionary,
  flag,
  integer,
  list,
  parse,
  parseJson,
  record,
  text,
  withDefault,
  word,
} from '../../service/schema.ts'
import type { DeliveredEvent } from '../events/subscription.ts'
import type { ContactLoss, Incident, Unlisted } from './incident.ts'
import { type IncidentBook, newBook, viewsOf, withEvents } from './incident-book.ts'
import { type News, newsWords, type Told, toldNext } from './incident-news.ts'
import { type IncidentView, incidentKinds, incidentStatuses } from './incident-view.ts'
import { type RunningAlarm, unendedAlarms } from './running-alarms.ts'
import { type StoryContext, type StoryEvent, storyEventCheck, storyEvents } from './story-event.ts'

/**
 * Milliseconds for which an incident waits until more of its end is known, so that it is one message: one that is all restored, or
 * disarmed, for its end, which two answers show, at most 10 seconds apart in an alarm; and one that only the list of alarms has ended for
 * the event that tells who disarmed, or what was restored, because nothing quiet is told after the end.
 */
const endWait = 20 * second

/** Returns an incident book with what has become known. */
export type NextBook = (book: IncidentBook, story: StoryContext) => IncidentBook

/** An incident to tell. */
export interface DueIncident {
  incident: IncidentView
  news: News
  /** True if it was over before anything was told of it. */
  late: boolean
  /** True if it may have been told in the same words before. */
  redelivered: boolean
}

/** The incidents of a panel as one node knows and tells them, with the notes from which the next process goes on. */
export class IncidentReport {
  #book: IncidentBook | undefined
  /** The latest message about each incident, by id. */
  #told = new Map<string, Told>()
  /** The incidents of which a message may have been lost. */
  #again = new Set<string>()
  /** The incidents of which more is about to be known: since when, and how they stood then, by id. */
  readonly #waiting = new Map<string, { since: number; status: IncidentView['status'] }>()
  /** The epochs of this machine's clock in which this process has noted events. */
  #epochs: readonly ClockEpoch[] = []
  /** True if the clock was set since the notes were written. */
  #isClockSet = false
  /** The types of its events that the catalogue of this process may lack. */
  #types: readonly ServiceType[] = []

  /** Goes on from the notes of an earlier process, or of the time before; null for the first run. */
  recall(notes: string | null, now: number): void {
    const noted = notes === null ? undefined : notedIn(parseJson(notes))
    this.#book = noted?.book ?? newBook(now)
    this.#told = new Map(noted?.told)
    this.#types = noted?.types ?? []
    this.#again = new Set(noted?.book.incidents.map(({ id }) => id).filter((id) => noted.untold.includes(id)))
  }

  /** Takes new events; returns true if there is anything to note. */
  addEvents(deliveries: readonly DeliveredEvent[], context: StoryContext): boolean {
    const known = this.#known(context.readAt)
    const earlier = [...known.loose, ...known.incidents.flatMap(({ events }) => events)]
    const events = storyEvents(deliveries, context, earlier)
    const catalogue = withServiceTypes(context.catalogue, this.#types)
    this.#book = withEvents(known, events, catalogue, context.readAt, context.armings)
    if (this.#book !== known) this.#noteTypes(catalogue)
    const repeated = new Set(deliveries.flatMap(({ key, redelivered }) => (redelivered ? [key] : [])))
    for (const { id, before, events } of this.#book.incidents)
      if ([...before, ...events].some(({ key }) => repeated.has(key))) this.#again.add(id)
    return this.#book !== known || repeated.size > 0
  }

  /** Takes the epochs of this machine's clock so far: the notes have times by the clock of now, as the next process knows no other one. */
  noteEpochs(epochs: readonly ClockEpoch[]): void {
    const known = this.#epochs.at(-1)
    if (known !== undefined && epochs.at(-1)?.epoch !== known.epoch) this.#isClockSet = true
    this.#epochs = epochs
  }

  /** Takes what has become known; returns true if there is anything to note. */
  change(next: NextBook, story: StoryContext): boolean {
    const before = this.#known(story.readAt)
    this.#book = next(before, { ...story, catalogue: withServiceTypes(story.catalogue, this.#types) })
    return this.#book !== before || (this.#isClockSet && this.#book.incidents.length > 0)
  }

  /** Returns the incidents that have changed since they were told, or may have to be told again. */
  due(catalogue: Catalogue, now: number): DueIncident[] {
    return this.views(catalogue, now).flatMap((incident) => {
      const redelivered = this.#again.has(incident.id)
      const next = this.#toldNext(incident)
      if (next === undefined) this.#waiting.delete(incident.id)
      if (next === undefined || this.#isWaiting(incident, next, now)) return []
      return [{ incident, news: next.news, late: next.isLate, redelivered }]
    })
  }

  /** Notes that these incidents are told in these words. */
  noteTold(due: readonly DueIncident[]): void {
    for (const { incident } of due) {
      const next = this.#toldNext(incident)
      if (next !== undefined) this.#told.set(incident.id, next)
      this.#again.delete(incident.id)
      this.#waiting.delete(incident.id)
    }
  }

  /** All incidents that are told, by the time at which they became known. */
  views(catalogue: Catalogue, now: number): IncidentView[] {
    return viewsOf(this.#known(now), withServiceTypes(catalogue, this.#types), now, this.#told)
  }

  /** Returns the alarms of the incidents that are told, as far as they are not over. */
  unended(catalogue: Catalogue, now: number): RunningAlarm[] {
    const told = new Set(this.views(catalogue, now).map(({ id }) => id))
    const incidents = this.#known(now).incidents.filter(({ id }) => told.has(id))
    return unendedAlarms(incidents, withServiceTypes(catalogue, this.#types), now)
  }

  /**
   * Returns what the next process needs.
   * @param untold incidents whose messages may still be lost
   */
  notes(now: number, untold: readonly DueIncident[] = []): string {
    const book = this.#known(now)
    const ids = new Set(book.incidents.map(({ id }) => id))
    for (const id of this.#told.keys()) if (!ids.has(id)) this.#told.delete(id)
    const told = new Map(this.#told)
    for (const { incident } of untold) {
      const next = this.#toldNext(incident)
      if (next !== undefined) told.set(incident.id, next)
    }
    this.#isClockSet = false
    const incidents = book.incidents.map((incident) => ({
      ...incident,
      events: incident.events.map((event) => byClock(event, this.#epochs)),
      before: incident.before.map((event) => byClock(event, this.#epochs)),
    }))
    return JSON.stringify({
      format,
      ...book,
      incidents,
      told: Object.fromEntries(told),
      untold: [...this.#again, ...untold.map(({ incident }) => incident.id)],
      types: this.#types,
    })
  }

  #noteTypes(catalogue: Catalogue): void {
    const types = serviceTypesOf(this.#known(0), catalogue)
    if (!isDeepStrictEqual(types, this.#types)) this.#types = types
  }

  /** Returns what is to be told of an incident; undefined if that is nothing. */
  #toldNext(incident: IncidentView): Told | undefined {
    const { id } = incident
    const told = this.#told.get(id)
    // An alarm that begins again in the meantime rings, as if that had been told.
    const { status } = this.#waiting.get(id) ?? {}
    const before = told && status && incident.status === 'open' ? { ...told, status } : told
    return toldNext(before, incident, this.#again.has(id))
  }

  /** Returns true for a quiet message about an incident of which more is about to be known, see `endWait`. */
  #isWaiting(incident: IncidentView, { news }: Told, now: number): boolean {
    const { id, status, disarmedBy, threat } = incident
    const isQuiet = (news === 'restore' || news === 'detail') && threat === null
    const isAboutToEnd = isQuiet && (status === 'restored' || (status === 'open' && disarmedBy !== null))
    if (!isAboutToEnd && (news !== 'over' || saysHowItEnded(incident))) return false
    const { since } = this.#waiting.get(id) ?? { since: now }
    // The clock of the machine can be set back.
    this.#waiting.set(id, { since: Math.min(since, now), status })
    return since > now || now - since < endWait
  }

  #known(now: number): IncidentBook {
    this.#book ??= newBook(now)
    return this.#book
  }
}

/** Returns true if events tell how an incident has ended: by a disarm, or by the restores of all zones. */
function saysHowItEnded({ disarmedBy, zones, kind }: IncidentView): boolean {
  if (disarmedBy !== null || kind === 'contact') return true
  return zones.length > 0 && zones.every(({ restored }) => restored !== null)
}

/** Returns an event with the time at which it became known as the clock of now would show it. */
function byClock(event: StoryEvent, epochs: readonly ClockEpoch[]): StoryEvent {
  const { readAt } = event
  return readAt === null || epochs.length < 2 ? event : { ...event, readAt: byClockOfNow(readAt, epochs) }
}

/** The version of the notes. */
const format = 2

const unlisted: Check<Unlisted> = record({ at: integer, order: integer })

const contact: Check<ContactLoss> = record({ lostAt: integer, backAt: withDefault(integer, null) })

const incident: Check<Incident> = record({
  id: text,
  events: list(storyEventCheck),
  before: list(storyEventCheck),
  wasListed: flag,
  isListed: flag,
  unlisted: withDefault(unlisted, null),
  contact: withDefault(contact, null),
  // Notes of an earlier version have none.
  armedSince: withDefault(integer, null),
  leftOut: withDefault(list(integer), []),
})

const told: Check<Told> = record({
  digest: text,
  kind: word(incidentKinds),
  status: word(incidentStatuses),
  confirmed: withDefault(flag, true),
  zones: integer,
  restored: integer,
  lostAt: withDefault(integer, null),
  alarms: withDefault(integer, null),
  hasThreat: withDefault(flag, null),
  news: word(newsWords),
  isLate: flag,
})

const serviceType: Check<ServiceType> = record({ typeId: integer, group: text, contactId: text })

const noted = record({
  format: integer,
  begunAt: integer,
  incidents: list(incident),
  loose: list(storyEventCheck),
  told: dictionary(told),
  untold: list(text),
  types: withDefault(list(serviceType), []),
})

/** Returns what notes say; undefined if they are damaged, so that the node begins anew. */
function notedIn(notes: unknown) {
  const parsed = parse(noted, notes)
  if (parsed === undefined || parsed.dropped > 0 || parsed.value.format !== format) return undefined
  const { told, untold, types, begunAt, incidents, loose } = parsed.value
  return { book: { begunAt, incidents, loose }, told, untold, types }
}

/** A type that only the service's own catalogue has, as far as it decides what an event starts or ends. */
type ServiceType = Pick<EventType, 'typeId' | 'group' | 'contactId'>

/**
 * Returns the types of the events of a book that only the service has, for a process that cannot read the catalogue of the
 * service: else it would tell what such a type has ended as open again.
 */
function serviceTypesOf({ incidents, loose }: IncidentBook, catalogue: Catalogue): ServiceType[] {
  const events = [...loose, ...incidents.flatMap((incident) => [...incident.before, ...incident.events])]
  const typeIds = new Set(events.map(({ typeId }) => typeId ?? Number.NaN))
  return [...typeIds].flatMap((typeId) => {
    const type = bundled.has(typeId) ? undefined : catalogue.get(typeId)
    return type === undefined ? [] : [{ typeId, group: type.group, contactId: type.contactId }]
  })
}

/** The latest result for each catalogue, because the roles of events are remembered by catalogue. */
const latest = new WeakMap<Catalogue, { types: readonly ServiceType[]; merged: Catalogue }>()

/** Returns a catalogue with the types that it lacks; the same one if it lacks none. */
function withServiceTypes(catalogue: Catalogue, types: readonly ServiceType[]): Catalogue {
  const missing = types.filter(({ typeId }) => !catalogue.has(typeId))
  if (missing.length === 0) return catalogue
  const known = latest.get(catalogue)
  if (known?.types === types) return known.merged
  const merged = new Map(catalogue)
  for (const type of missing) merged.set(type.typeId, { ...noTexts, ...type })
  latest.set(catalogue, { types, merged })
  return merged
}

const noTexts = { vis: '', sia: '', label: '', description: '', descriptionOriginal: '' }
