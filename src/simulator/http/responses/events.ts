import { day, minute } from '../../../duration.ts'
import type { EventType } from '../../../service/catalogue/catalogue.ts'
import { catalogueEnUs } from '../../../service/catalogue/en-us.ts'
import type { LoggedEvent } from '../../world/event-log.ts'
import type { Panel } from '../../world/panel.ts'
import { isoSpace, type WorldTime } from '../../world/world-time.ts'
import type { Service } from '../operation.ts'
import { germanEvents, germanGroups } from './event-profiles-german.ts'

const groups: ReadonlyMap<number, string> = new Map(catalogueEnUs.map(({ typeId, group }) => [typeId, group]))

/** Number of central stations that the events of a group are forwarded to; 0 for other groups. */
const stationCounts: Readonly<Record<string, number>> = {
  EP_ALARM: 2,
  EP_DURESS: 2,
  EP_ALERT: 1,
  EP_RESTORE: 1,
  EP_OPEN_CLOSE: 1,
}

/**
 * GET events, shape A (interface specification 2.12); before version 10 `zone_name` was `name` (field fact).
 */
export function eventList(panel: Panel, version: number, { eventOrder, locale }: Service) {
  const events = applyOrder(panel.shown('events').events, eventOrder).map((event) =>
    inLanguage(event, locale),
  )
  return version >= 10 ? events : events.map(({ zone_name, ...event }) => ({ ...event, name: zone_name }))
}

/** GET events, shape B (interface specification 2.12 and 6.2): with the forwarding result of each event. */
export function installerEventList(panel: Panel, { eventOrder, installerEventIds, locale }: Service) {
  return applyOrder(panel.shown('events').events, eventOrder).map(({ zone_name, ...event }) => ({
    ...inLanguage(event, locale),
    event: installerEventIds === 'zero' ? 0 : event.event,
    name: zone_name,
    delivery: {
      queue: 0,
      success: stationCounts[groups.get(event.type_id) ?? ''] ?? 0,
      failed: 0,
      retry: 0,
      processing: 0,
    },
  }))
}

/** Returns the event with its text in the language of the service, unless the panel gave it a text of its own. */
function inLanguage<E extends Pick<LoggedEvent, 'type_id' | 'description'>>(event: E, locale: string): E {
  const usual = describeType(event.type_id, 'en_US')
  return event.description === usual
    ? { ...event, description: describeType(event.type_id, locale) ?? usual }
    : event
}

function applyOrder(events: readonly LoggedEvent[], order: Service['eventOrder']): readonly LoggedEvent[] {
  return order === 'oldest-first' ? events : [...events].reverse()
}

/** The translations of one locale; what it lacks stays in English. */
interface Translation {
  readonly groups: Readonly<Record<string, string>>
  readonly events: ReadonlyMap<number, string>
}

const groupNames: Readonly<Record<string, string>> = {
  EP_ALERT: 'Alert',
  EP_ALARM: 'Alarm',
  EP_RESTORE: 'Restore',
  EP_OPEN_CLOSE: 'Open/close',
  EP_ONLINE: 'Online',
  EP_OFFLINE: 'Offline',
  EP_NOTICE: 'Notice',
  EP_DURESS: 'Duress',
}

const locales: ReadonlyMap<string, Translation> = new Map([
  ['en_US', { groups: groupNames, events: new Map() }],
  ['de_DE', { groups: germanGroups, events: germanEvents }],
])

/** GET had/rules/event-profiles (interface specification 4.11); undefined for an unsupported locale. */
export function eventProfiles(locale: string) {
  const translation = locales.get(locale)
  if (!translation) return undefined
  return [...new Set(catalogueEnUs.map((type) => type.group))].map((group) => ({
    profile: {
      id: group,
      description: translation.groups[group] ?? groupNames[group] ?? group,
      description_original: groupNames[group] ?? group,
    },
    events: catalogueEnUs.filter((type) => type.group === group).map((type) => createRow(type, translation)),
  }))
}

/** Returns the text of a type in a locale; in English if the locale or the text is missing. */
function describeType(typeId: number, locale: string): string | undefined {
  return locales.get(locale)?.events.get(typeId) ?? englishTexts.get(typeId)
}

const englishTexts = new Map(catalogueEnUs.map(({ typeId, description }) => [typeId, description]))

/** Returns a catalogue row in the service's format (interface specification 6.3). */
function createRow(type: EventType, translation: Translation) {
  return {
    description: translation.events.get(type.typeId) ?? type.descriptionOriginal,
    description_original: type.descriptionOriginal,
    description_placeholder_arguments: [],
    code_vis: type.vis,
    code_cid: type.contactId,
    code_sia: type.sia,
    type_id: type.typeId,
    label: `EL_${type.label}`,
    label_description: `EL_${type.label}`,
  }
}

/** An entry of the panel's log (interface specification 2.11). */
interface LogEntry {
  id: number
  location: string
  description: string
  partition: string
  time: string
}

const types = new Map(catalogueEnUs.map((type) => [type.typeId, type]))

/** The commissioning of every panel: minutes after power-up, type id; the oldest entries of the log. */
const commissioning: readonly (readonly [minutes: number, typeId: number])[] = [
  [0, 102],
  [2, 155],
  [47, 154],
  [51, 91],
  [58, 92],
  [60, 57],
]
const commissionedDaysAgo = 250

/**
 * GET standard_log (interface specification 2.11), newest first: entries of the panel, not of the service.
 */
export function standardLog(panel: Panel, time: WorldTime, locale: string): LogEntry[] {
  const own = panel.events.filter(({ device_type }) => device_type !== 'IPMP')
  const later = own
    .map((event) => createLogEntry(inLanguage(event, locale)))
    .reverse()
    .sort((one, other) => other.time.localeCompare(one.time))
  const poweredUp = time.start - commissionedDaysAgo * day
  const first = commissioning.map(([minutes, typeId]) => ({
    id: Number(types.get(typeId)?.vis ?? 0),
    location: 'Control Panel',
    description: describeType(typeId, locale) ?? '',
    partition: '',
    time: isoSpace(poweredUp + minutes * minute),
  }))
  return [...later, ...first.reverse()]
}

/**
 * The log has numbers for users and zones (interface specification 2.11), and names the partition if there
 * is exactly one.
 */
function createLogEntry(event: LoggedEvent): LogEntry {
  const [partition, another] = event.partitions
  return {
    id: Number(types.get(event.type_id)?.vis ?? event.type_id),
    location: formatLocation(event),
    description: event.description,
    partition: partition === undefined || another !== undefined ? '' : String(partition),
    time: event.datetime,
  }
}

/** Words of the log for the numbered device types. */
const sources: ReadonlyMap<string, string> = new Map([
  ['USER', 'User'],
  ['ZONE', 'Zone'],
  ['KEYFOB', 'Keyfob'],
  ['WL_SIREN', 'Siren'],
])

function formatLocation({ device_type, zone }: LoggedEvent): string {
  const source = sources.get(device_type)
  return source !== undefined && zone ? `${source} ${zone}` : 'Control Panel'
}
