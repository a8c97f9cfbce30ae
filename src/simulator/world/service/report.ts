import type { Incident } from '../alarms/incidents.ts'
import { type Device, getLabel } from '../device.ts'
import { eventIds, type Partition } from '../partition.ts'

/**
 * One partition in the response of status (field fact; the interface specification has no such operation).
 */
interface PartitionReport {
  id: number
  state: string
  status: string
  ready: boolean
  options: string[]
}

/** The origin of a trouble, alarm or alert; all null for the control panel itself (field fact). */
interface TroubleSource {
  device_type: string
  zone_type: string | null
  zone: number | null
  location: string | null
  zone_name: string | null
  partitions: number[]
}

/** An entry of the response of troubles (field fact). */
export type Trouble = TroubleSource & { trouble_type: string }

/** An entry of the responses of alarms and alerts (field fact). */
type AlarmEntry = TroubleSource & {
  alarm_type?: string
  alert_type?: string
  datetime: string
  has_video: boolean
  evt_id: number
}

/** The last data from a panel; the service serves it while the panel is offline. */
export interface PanelReport {
  partitions: PartitionReport[]
  devices: Device[]
  alarms: AlarmEntry[]
  alerts: AlarmEntry[]
  troubles: Trouble[]
}

const warningsWithoutTrouble: ReadonlySet<string> = new Set(['OPENED', 'BYPASS', 'ALARM_IN_MEMORY'])

/** Returns the current report of a panel, as a copy. The devices are copied on first use: most operations need none. */
export function createReport(
  partitions: readonly Partition[],
  isReady: (partition: Partition) => boolean,
  devices: readonly Device[],
  incidents: readonly Incident[],
): PanelReport {
  let copy: Device[] | undefined
  return {
    get devices() {
      copy ??= structuredClone([...devices])
      return copy
    },
    partitions: partitions.map((partition) => ({
      id: partition.plan.id,
      state: partition.state,
      status: partition.status,
      ready: isReady(partition),
      options: partition.options,
    })),
    alarms: incidents
      .filter(({ rule }) => rule.list === 'alarms')
      .map((one) => createAlarmEntry(one, 'alarm_type')),
    alerts: incidents
      .filter(({ rule }) => rule.list === 'alerts')
      .map((one) => createAlarmEntry(one, 'alert_type')),
    troubles: devices.flatMap(listTroubles),
  }
}

/** Returns the report of an offline panel: without device traits (field fact), otherwise unchanged. */
export function withoutTraits(report: PanelReport): PanelReport {
  return { ...report, devices: report.devices.map((device) => ({ ...device, traits: {} })) }
}

function createAlarmEntry(incident: Incident, typeField: 'alarm_type' | 'alert_type'): AlarmEntry {
  return {
    ...describeSource(incident.device),
    [typeField]: incident.active ? incident.rule.word : 'ALARM_IN_MEMORY',
    datetime: incident.datetime,
    has_video: false,
    evt_id: incident.eventId,
    partitions: eventIds(incident.partitions),
  }
}

function listTroubles(device: Device): Trouble[] {
  const types = (device.warnings ?? []).filter((warning) => !warningsWithoutTrouble.has(warning.type))
  return types.map((warning) => ({ ...describeSource(device), trouble_type: warning.type }))
}

function describeSource(device: Device): TroubleSource {
  const isPanel = device.device_type === 'CONTROL_PANEL'
  return {
    device_type: device.device_type,
    zone_type: device.zone_type,
    zone: isPanel ? null : device.device_number,
    location: isPanel ? null : (device.traits.location?.name ?? getLabel(device)),
    zone_name: isPanel ? null : device.name,
    partitions: [...device.partitions],
  }
}
