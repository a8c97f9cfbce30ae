import { day, minute } from '../../../duration.ts'
import { catalogueEnUs } from '../../../service/catalogue/en-us.ts'
import type { LoggedEvent } from '../../world/event-log.ts'
import type { Panel } from '../../world/panel.ts'
import { isoSpace, type WorldTime } from '../../world/world-time.ts'
import { describeType } from './event-profiles.ts'
import { inLanguage } from './events.ts'

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
