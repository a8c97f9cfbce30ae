import { day } from '../../duration.ts'
import type { Catalogue } from '../../service/catalogue/catalogue.ts'
import type { Device } from '../../service/responses/devices.ts'
import {
  hasJoined,
  isBypassed,
  isControlPanel,
  isOpen,
  isTrouble,
  readable,
  readingDevice,
  showsTraits,
  silence,
  standing,
  troubles,
} from '../devices/device.ts'
import type { PanelDevices, PanelFault, PanelFaults } from '../devices/readings.ts'
import type { RunningAlarm } from '../incidents/running-alarms.ts'
import { roleOf, type StoryEvent } from '../incidents/story-event.ts'
import type { ActiveAlarm, StateView, Transports } from '../state/partition-state.ts'
import { panelOffline } from '../state/state-changes.ts'
import {
  type ConditionKind,
  type ConditionText,
  type Evidence,
  idOf,
  isAt,
  newEvidence,
  type PanelCondition,
  placeOf,
  zoneOf,
} from './condition.ts'

/** The age at which a device that the panel no longer has, or a lost line, was removed on purpose. */
export const maxGone = 7 * day

/**
 * Returns the conditions that a list of devices shows.
 * @param known the conditions so far: a process that was started since does not know which devices are gone
 */
export function deviceConditions(
  { listed, held, gone }: PanelDevices,
  known: readonly PanelCondition[],
  now: number,
): Evidence[] {
  const there = [...listed, ...held].filter(hasJoined)
  const absent = gone.map((device) => evidence(device, 'lost', 'gone', 'gone'))
  const ids = new Set(there.map((device) => evidence(device, 'lost', 'gone').id))
  const remembered = known.filter(
    ({ says, id, since }) => says === 'gone' && !ids.has(id) && now - since < maxGone,
  )
  return [...there.flatMap(ofDevice), ...remembered, ...absent]
}

/**
 * Returns true if a list of devices says something about a condition of a device: if it has the device, or if two lists
 * show that there is none. A device without any trait may be bypassed or in a soak test, or not.
 */
export function devicesSpeakOf({ listed, hasAll }: PanelDevices, condition: PanelCondition): boolean {
  if (hasAll) return true
  const device = listed.find((one) => isAt(condition, placeOfDevice(one)))
  const isTrait = condition.kind === 'bypassed' || condition.kind === 'soak'
  return device !== undefined && (!isTrait || showsTraits(device))
}

/** Returns the conditions that the panel reports of itself, and of zones without the type of their devices. */
export function faultConditions({ present, ofZones = [] }: PanelFaults): Evidence[] {
  const ofPanel = present.map((fault) => faultCondition(fault, 'panel', { zone: 0 }))
  const others = ofZones.map((fault) => faultCondition(fault, placeOf('ZONE', fault.zone), fault))
  return [...ofPanel, ...others].flat()
}

function faultCondition(
  { type, since }: PanelFault,
  place: string,
  { zone, name = '' }: { zone: number; name?: string },
): Evidence[] {
  if (!isTrouble(type)) return []
  const kind = kindOfFault(type, zone > 0)
  const word = kind === 'trouble' ? type : ''
  const begun = since === null ? null : Date.parse(since)
  const id = idOf(kind, place, word)
  return [newEvidence(kind, { ...{ id, zone, name, what: readable(word) }, since: begun })]
}

function kindOfFault(type: string, isOfZone: boolean): ConditionKind {
  if (type === 'TAMPER') return 'tamper'
  if (isOfZone && silence.has(type)) return 'lost'
  return type === 'LOW_BATTERY' ? 'battery' : 'trouble'
}

/** Returns the places of devices. */
export function placesOf(devices: readonly Device[]): string[] {
  return devices.map(placeOfDevice)
}

function placeOfDevice({ device_type, device_number, id }: Device): string {
  return placeOf(device_type, device_number, id)
}

function ofDevice(device: Device): Evidence[] {
  const { traits, warnings } = device
  const types = standing(device)
  const isRemembered = warnings.some(({ type }) => type.endsWith('_MEMORY'))
  const others = troubles(device).filter(
    (type) => type !== 'TAMPER' && type !== 'LOW_BATTERY' && !silence.has(type),
  )
  return [
    ...(types.includes('TAMPER') ? [evidence(device, 'tamper')] : []),
    // The owner has said that it is used so rarely that its silence means nothing.
    ...(types.some((type) => silence.has(type)) && !isRarelyUsed(device) ? [evidence(device, 'lost')] : []),
    ...others.map((word) => evidence(device, 'trouble', word)),
    ...(types.includes('LOW_BATTERY') ? [evidence(device, 'battery')] : []),
    ...(isRemembered ? [evidence(device, 'memory')] : []),
    ...(isOpen(device) ? [evidence(device, 'open')] : []),
    ...(isBypassed(device) ? [evidence(device, 'bypassed')] : []),
    ...(traits.soak?.enabled ? [evidence(device, 'soak')] : []),
  ]
}

/** Returns true for a zone that its owner calls rarely used. */
function isRarelyUsed({ traits }: Device): boolean {
  return traits.rarely_used?.enabled === true
}

function evidence(device: Device, kind: Evidence['kind'], word = '', says: ConditionText = kind): Evidence {
  return newEvidence(kind, {
    id: idOf(kind, placeOfDevice(device), word),
    zone: zoneOf(device.device_type, device.device_number),
    name: isControlPanel(device) ? device.name.trim() : readingDevice(device).label,
    says,
    what: says === 'gone' ? '' : readable(word),
    isQuiet: kind !== 'tamper' && isRarelyUsed(device),
  })
}

/**
 * Returns the conditions that the state of a panel shows: that it is offline, that it has lost one of its ways to the
 * service, and what it remembers of alarms.
 * @param lines the ways that have worked before: a panel without a SIM card has not lost its mobile way
 */
export function stateConditions(
  { online, transports, partitions }: StateView,
  lines: readonly Line[] = [],
): Evidence[] {
  const remembered = partitions.flatMap(({ alarms }) => alarms.filter(({ inMemory }) => inMemory))
  const isOther = (line: Line) => transports?.[line === 'broadband' ? 'mobile' : 'broadband'] === true
  const lost = lines.filter((line) => transports?.[line] === false && isOther(line))
  return [
    ...(online === false ? [newEvidence('offline')] : []),
    ...lost.map((line) => newEvidence('line', { id: idOf('line', line), what: line })),
    ...remembered.map(memory),
  ]
}

/** A way of the panel to the service. */
export type Line = keyof Transports

/** Returns the ways to the service that have worked, with those that work now; the same list if none is new. */
export function knownLines({ transports }: StateView, before: readonly Line[]): readonly Line[] {
  const added = (['broadband', 'mobile'] as const).filter(
    (line) => transports?.[line] === true && !before.includes(line),
  )
  return added.length === 0 ? before : [...before, ...added]
}

/** Returns true if the state says something about a condition: two answers without it do. */
export function stateSpeaksOf(
  { online, transports, hasAllPartitions = false, hasAllAlarms = false }: StateView,
  { kind, what }: Pick<PanelCondition, 'kind' | 'what'>,
): boolean {
  // A line stays lost until it works again, also while the panel has no other one left.
  if (kind === 'line') return transports?.[what === 'mobile' ? what : 'broadband'] === true
  return kind === 'offline' ? online !== null || hasAllPartitions : hasAllAlarms
}

function memory({ deviceType, zone, zoneName, location, time }: ActiveAlarm): Evidence {
  // The service leaves out the zone of an alarm of the control panel.
  const number = zone ?? 0
  return newEvidence('memory', {
    id: idOf('memory', placeOf(deviceType, number)),
    zone: zoneOf(deviceType, number),
    name: zoneName || location,
    since: time === null ? null : Date.parse(time),
  })
}

/** Returns the conditions that the running alarms of a panel are: one for each place. */
export function alarmConditions(alarms: readonly RunningAlarm[]): Evidence[] {
  return alarms.map(({ kind, deviceType, zone, name, since, eventKey }) =>
    newEvidence('alarm', {
      id: idOf('alarm', placeOf(deviceType, zone)),
      zone: zoneOf(deviceType, zone),
      name,
      since,
      eventKey,
      // An event that becomes known later tells more.
      what: kind === 'alarm' ? '' : kind,
    }),
  )
}

/** The word of the condition for an incident that is a mere loss of the contact. */
const contact = 'contact'

/**
 * Returns the condition of an incident that is a mere loss of the contact with the panel, which runs like an alarm.
 * @param since milliseconds since 1970; null if there is none
 */
export function contactConditions(since: number | null): Evidence[] {
  return since === null ? [] : [newEvidence('alarm', { id: idOf('alarm', contact), since, what: contact })]
}

/** Returns true for the condition of a mere loss of the contact. */
export function isContact({ kind, what }: Pick<Evidence, 'kind' | 'what'>): boolean {
  return kind === 'alarm' && what === contact
}

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
  const id = idOf(kind, placeOf(deviceType, zone), kind === 'trouble' ? word : '')
  return newEvidence(kind, {
    ...(kind !== 'offline' && { id, zone: zoneOf(deviceType, zone), name: zoneName }),
    since: time,
    eventKey: key,
    what: kind === 'trouble' ? what : '',
  })
}
