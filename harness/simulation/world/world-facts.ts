import type { Incident } from '../../../src/simulator/world/alarms/incidents.ts'
import { type Device, isContact } from '../../../src/simulator/world/device.ts'
import type { Panel } from '../../../src/simulator/world/panel.ts'
import type { Partition } from '../../../src/simulator/world/partition.ts'

/** Warnings of a detector that the panel does not hear. */
const silences = new Set(['INACTIVE'])

/** Warnings that stand for no trouble of the device. */
const harmless = new Set(['OPENED', 'ALARM_IN_MEMORY', 'TAMPER_MEMORY', 'TAMPER', 'LOW_BATTERY'])

/** Returns the types of the warnings that stand, without those that the panel only remembers. */
export function standingWarnings({ warnings }: Device): string[] {
  return (warnings ?? []).filter(({ in_memory }) => !in_memory).map(({ type }) => type)
}

/** Returns the name by which people know a device. */
export function labelOf({ name, traits, device_type, device_number }: Device): string {
  return name || traits.location?.name || `${device_type} ${device_number}`
}

/** Returns the name of a condition: its kind, and the number of its zone or else its name. */
export function conditionName(kind: string, zone: number | null, name: string): string {
  return `condition ${kind} ${zone ?? name}`.trimEnd()
}

/**
 * Returns all that is true of a panel, by name: `partition 1 value`, `device 828778 open`, `condition open 1`. It is
 * derived from the simulated world alone.
 * @param hasAlarmList false for a service that tells of an alarm only when the panel has reported it
 */
export function factsOf(panel: Panel, hasAlarmList: boolean): Map<string, string> {
  const facts = new Map<string, string>()
  const listed = panel.incidents.filter(({ rule }) => rule.list === 'alarms')
  const known = listed.filter(({ reportedAt }) => hasAlarmList || reportedAt !== null)
  for (const partition of panel.partitions) addPartition(facts, panel, partition, known)
  for (const device of panel.devices) addDevice(facts, device)
  for (const { device, active } of known) facts.set(conditionOf(active ? 'alarm' : 'memory', device), 'true')
  addPanel(facts, panel, known)
  facts.set('broadband', String(panel.lines.broadband))
  return facts
}

function addPartition(
  facts: Map<string, string>,
  panel: Panel,
  partition: Partition,
  incidents: readonly Incident[],
): void {
  const { id } = partition.plan
  const active = incidents.filter((incident) => incident.active && incident.partitions.has(partition))
  const armed = partition.status === 'EXIT' ? 'ARMING' : partition.state
  facts.set(`partition ${id} armed`, armed)
  const value = active.length > 0 ? 'ALARM' : armed
  facts.set(`partition ${id} value`, value)
  const hasNoEntry = partition.options.includes('NOENTRY')
  facts.set(`partition ${id} entry delay`, hasNoEntry ? 'off' : 'on')
  const modeOf = (state: string) => (state === 'HOME' && hasNoEntry ? 'NIGHT' : state)
  facts.set(`partition ${id} mode`, modeOf(value))
  facts.set(`partition ${id} armed mode`, modeOf(armed))
  facts.set(`partition ${id} ready`, String(panel.isReady(partition)))
  for (const { device } of active) facts.set(`partition ${id} alarm of ${labelOf(device)}`, 'true')
}

function addPanel(facts: Map<string, string>, { devices }: Panel, listed: readonly Incident[]): void {
  const isTrouble = (type: string) => type !== 'OPENED'
  const troubles = devices.flatMap((device) => standingWarnings(device).filter(isTrouble))
  facts.set('panel triggered', String(listed.some(({ active }) => active)))
  facts.set('panel memory', String(listed.some(({ active }) => !active)))
  facts.set('panel troubles', String(troubles.length))
  facts.set('panel bypassed', String(devices.some(({ traits }) => traits.bypass?.enabled)))
}

function addDevice(facts: Map<string, string>, device: Device): void {
  const { id, traits, device_type, warnings } = device
  const standing = standingWarnings(device)
  const isOpen = standing.includes('OPENED')
  const isZone = device_type === 'ZONE'
  const isBypassed = traits.bypass?.enabled
  const { temperature, brightness } = traits.meteo_info ?? {}
  const readings: Record<string, unknown> = {
    presence: true,
    warnings: (warnings ?? []).map(({ type }) => type).sort(),
    tamper: standing.includes('TAMPER'),
    battery: standing.includes('LOW_BATTERY'),
    open: isZone ? isOpen : undefined,
    contact: isContact(device) ? isOpen : undefined,
    bypassed: isBypassed,
    soak: traits.soak?.enabled,
    temperature: temperature?.value,
    brightness: brightness?.value,
    rssi: traits.rssi?.current,
  }
  for (const [kind, value] of Object.entries(readings))
    if (value !== undefined) facts.set(`device ${id} ${kind}`, String(value))
  const conditions: Record<string, boolean> = {
    tamper: standing.includes('TAMPER'),
    lost: standing.some((type) => silences.has(type)),
    trouble: standing.some((type) => !silences.has(type) && !harmless.has(type)),
    battery: standing.includes('LOW_BATTERY'),
    memory: (warnings ?? []).some(({ type }) => type.endsWith('_MEMORY')),
    open: isZone && isOpen,
    bypassed: isBypassed === true,
    soak: traits.soak?.enabled === true,
  }
  for (const [kind, holds] of Object.entries(conditions))
    if (holds) facts.set(conditionOf(kind, device), 'true')
}

function conditionOf(kind: string, device: Device): string {
  const { device_type, device_number } = device
  const zone = device_type === 'CONTROL_PANEL' ? 0 : device_type === 'ZONE' ? device_number : null
  return conditionName(kind, zone, labelOf(device))
}
