import { day } from '../../duration.ts'
import type { Catalogue } from '../../service/catalogue/catalogue.ts'
import { roleOf, type StoryEvent } from '../incidents/story-event.ts'
import { panelOffline } from '../state/inferred-state.ts'
import { type ConditionKind, type Evidence, idOf, placeOf, zoneOf } from './condition.ts'

/** Contact IDs of starts about a battery, and about a device that the panel does not hear any more. */
const batteries: ReadonlySet<string> = new Set(['1302', '1311', '1338', '1384'])
const silences: ReadonlySet<string> = new Set(['1381', '1382'])

/** The warning of a device for the trouble that an event with this Contact ID starts. */
const warningOf: ReadonlyMap<string, string> = new Map([
  ['1301', 'AC_FAILURE'],
  ['1321', 'FUSE'],
  ['1344', 'JAMMED'],
  ['1350', 'COMM_FAILURE'],
  ['1351', 'LINE_FAILURE'],
])

/** Warnings for types without a Contact ID of their own. */
const warningOfType: ReadonlyMap<number, string> = new Map([
  [69, 'CLEAN_ME'],
  [120, 'MASKING_TROUBLE'],
  [121, 'MASKING_TROUBLE'],
  [132, '1_WAY'],
  [149, 'HEAT_TROUBLE'],
])

/** The type of the event for a contact that was opened and closed again too quickly. */
const fastOpen = 18

/** The age up to which a start without an end counts when the node begins: the end of an older one may no longer be listed. */
export const maxAgeAtFirst = 7 * day

/**
 * Returns the kind of the condition that an event starts; undefined for an alarm, which is an incident, for a mere remark,
 * and for an event that starts nothing.
 */
export function kindOfStart(event: StoryEvent, catalogue: Catalogue): ConditionKind | undefined {
  const { ending } = roleOf(event, catalogue)
  if (ending === undefined || ending.after === 0 || event.typeId === null) return undefined
  if (ending.incident !== undefined) return ending.incident === 'tamper' ? 'tamper' : undefined
  if (panelOffline.has(event.typeId)) return 'offline'
  if (event.typeId === fastOpen) return 'open'
  const code = catalogue.get(event.typeId)?.contactId ?? ''
  if (batteries.has(code)) return 'battery'
  return silences.has(code) ? 'lost' : 'trouble'
}

/** Returns the condition that an event starts. */
export function startCondition(event: StoryEvent, kind: ConditionKind, catalogue: Catalogue): Evidence {
  const { typeId, zone, zoneName, deviceType, time, key, what } = event
  const code = catalogue.get(typeId ?? Number.NaN)?.contactId ?? ''
  const word = warningOfType.get(typeId ?? Number.NaN) ?? warningOf.get(code) ?? `event ${typeId}`
  const isPlaced = kind !== 'offline'
  return {
    id: isPlaced ? idOf(kind, placeOf(deviceType, zone), kind === 'trouble' ? word : '') : kind,
    kind,
    zone: isPlaced ? zoneOf(deviceType, zone) : null,
    name: isPlaced ? zoneName : '',
    since: time,
    eventKey: key,
    says: kind,
    what: kind === 'trouble' ? what : '',
    at: null,
  }
}
