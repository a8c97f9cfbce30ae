import type { EventType } from '../../../service/catalogue/catalogue.ts'
import { catalogueEnUs } from '../../../service/catalogue/en-us.ts'
import type { PanelOptions } from '../panel-options.ts'

/** The groups of events that an installer lets a panel report or not; the first one is reported first. */
const groups = ['alarms', 'open-close', 'alerts'] as const

/** A group of events. */
type ReportGroup = (typeof groups)[number]

const reportedGroups: Readonly<Record<PanelOptions['reports'], readonly ReportGroup[]>> = {
  all: groups,
  'all-but-open-close': ['alarms', 'alerts'],
  alarms: ['alarms'],
  none: [],
}

/** Types of alarms that the catalogue does not show as such: a cancellation, and restores without the Contact ID of an alarm. */
const moreOfAlarms: readonly number[] = [31, 32, 135]

const alarms = catalogueEnUs.filter(({ group }) => group === 'EP_ALARM' || group === 'EP_DURESS')

/** The Contact IDs of the restores of alarms: with 3 in the place of 1 (interface specification 6.3). */
const restores = new Set(alarms.map(({ contactId }) => contactId.replace(/^1/, '3')))

const openClose = catalogueEnUs.filter(({ group, label }) => group === 'EP_OPEN_CLOSE' || label === 'DISARM')

const typesOf = {
  alarms: new Set([
    ...[...alarms, ...catalogueEnUs.filter(isRestoreOfAlarm)].map(({ typeId }) => typeId),
    ...moreOfAlarms,
  ]),
  'open-close': new Set(openClose.map(({ typeId }) => typeId)),
}

/** Returns true if a panel reports events of a type to its service (makers' guides, "events reported to"). */
export function isReported(typeId: number, reports: PanelOptions['reports']): boolean {
  return reportedGroups[reports].includes(groupOf(typeId))
}

/** Orders events as a panel reports them that could not report for a while: by their priority, alarms first and alerts last. */
export function byPriority<Event extends { readonly type_id: number }>(events: readonly Event[]): Event[] {
  const priority = ({ type_id }: Event) => groups.indexOf(groupOf(type_id))
  return events.toSorted((one, other) => priority(one) - priority(other))
}

function groupOf(typeId: number): ReportGroup {
  if (typesOf['open-close'].has(typeId)) return 'open-close'
  return typesOf.alarms.has(typeId) ? 'alarms' : 'alerts'
}

function isRestoreOfAlarm({ group, contactId }: EventType): boolean {
  return group === 'EP_RESTORE' && restores.has(contactId)
}
