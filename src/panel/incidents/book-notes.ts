import { textOrEmpty } from '../../service/optional-fields.ts'
import {
  type Check,
  dictionary,
  flag,
  integer,
  list,
  parse,
  record,
  text,
  withDefault,
  word,
} from '../../service/schema.ts'
import type { ContactLoss, Incident, Unlisted } from './incident.ts'
import type { IncidentBook } from './incident-book.ts'
import { newsWords, type Told } from './incident-news.ts'
import { incidentKinds, incidentStatuses } from './incident-view.ts'
import type { ServiceType } from './service-types.ts'
import type { StoryEvent } from './story-event.ts'

/** The incidents as a node keeps them for the next process. */
export interface NotedBook {
  book: IncidentBook
  /** The latest message about each incident, by id. */
  told: ReadonlyMap<string, Told>
  /** Ids of incidents whose latest message may be lost. */
  untold: readonly string[]
  types: readonly ServiceType[]
}

/** The version of the notes. */
const format = 2

/** The check of an event in notes. */
export const storyEventCheck: Check<StoryEvent> = record({
  key: text,
  typeId: withDefault(integer, null),
  time: integer,
  readAt: withDefault(integer, null),
  isPast: withDefault(flag, true),
  order: integer,
  what: textOrEmpty,
  zone: integer,
  zoneName: textOrEmpty,
  deviceType: textOrEmpty,
  actor: textOrEmpty,
  partitions: list(integer),
})

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
})

const told: Check<Told> = record({
  digest: text,
  kind: word(incidentKinds),
  status: word(incidentStatuses),
  zones: integer,
  restored: integer,
  lostAt: withDefault(integer, null),
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

/** Returns the notes in the form in which they are kept. */
export function notedBook({ book, told, untold, types }: NotedBook): object {
  return { format, ...book, told: Object.fromEntries(told), untold, types }
}

/** Returns the book of notes; undefined if they are damaged, so that the node begins anew. */
export function bookOf(notes: unknown): NotedBook | undefined {
  const parsed = parse(noted, notes)
  if (parsed === undefined || parsed.dropped > 0 || parsed.value.format !== format) return undefined
  const { told, untold, types, begunAt, incidents, loose } = parsed.value
  return { book: { begunAt, incidents, loose }, told, untold, types }
}
