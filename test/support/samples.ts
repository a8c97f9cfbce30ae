import type { Source } from '../../src/panel/snapshot.ts'
import type { PartitionState } from '../../src/panel/state/partition-state.ts'
import type { Catalogue } from '../../src/service/catalogue/catalogue.ts'
import { catalogueEnUs } from '../../src/service/catalogue/en-us.ts'
import type { PanelAlarm } from '../../src/service/responses/alarms.ts'
import { type Device, devices } from '../../src/service/responses/devices.ts'
import type { PanelEvent } from '../../src/service/responses/events.ts'
import { type PanelInfo, panelInfo } from '../../src/service/responses/panel-info.ts'
import { type PanelStatus, status } from '../../src/service/responses/status.ts'
import { type Check, parse } from '../../src/service/schema.ts'

/** What the check makes of an answer that it must accept. */
export function accepted<T>(check: Check<T>, answer: unknown): T {
  const parsed = parse(check, answer)
  if (parsed === undefined) throw new Error('The answer was refused')
  return parsed.value
}

/** The English catalogue by type id. */
export const catalogue: Catalogue = new Map(catalogueEnUs.map((type) => [type.typeId, type]))

/** Where the messages of a test come from. */
export const source: Source = {
  name: 'House',
  panel: { serial: '00C0DE', alias: 'Home', online: true },
  fetchedAt: '2026-01-02T03:04:06.000Z',
  stale: false,
}

/** The state set of the interface specification, section 3. */
export const stateSet = [
  {
    name: 'AWAY',
    settable: true,
    options: ['NOENTRY', 'LATCHKEY'],
    statuses: ['EXIT'],
    transitions: ['DISARM', 'HOME'],
  },
  { name: 'HOME', settable: true, options: ['NOENTRY'], statuses: ['EXIT'], transitions: ['DISARM', 'AWAY'] },
  { name: 'DISARM', settable: true, options: null, statuses: null, transitions: ['DISARM', 'AWAY', 'HOME'] },
  { name: 'ENTRY_DELAY', settable: false, options: null, statuses: null, transitions: ['DISARM'] },
  { name: 'PROGRAMMING', settable: false, options: null, statuses: null, transitions: null },
]

/** A panel with these partitions, all with the state set of the interface specification. */
export function info(...partitions: object[]): PanelInfo {
  return accepted(panelInfo, {
    serial: '00C0DE',
    state_sets: { all: stateSet },
    partitions: partitions.map((partition) => ({ state_set: 'all', exit_delay_time: 60, ...partition })),
  })
}

/** The status of a connected panel with these partitions. */
export function statusOf(...partitions: object[]): PanelStatus {
  return accepted(status, { connected: true, partitions })
}

/** An alarm of zone 3; the given fields replace its own. */
export function alarm(fields: Partial<PanelAlarm> = {}): PanelAlarm {
  return {
    device_type: 'ZONE',
    alarm_type: 'ALARM',
    datetime: '2026-01-02 03:04:05',
    has_video: false,
    evt_id: 700,
    location: 'Hall',
    partitions: [],
    zone: 3,
    zone_name: 'Front door',
    zone_type: 'PERIMETER',
    ...fields,
  }
}

/** An event of type 85, Arm Home; the given fields replace its own. */
export function event(fields: Partial<PanelEvent> = {}): PanelEvent {
  return {
    event: 700,
    type_id: 85,
    label: 'ARM',
    description: 'Arm Home',
    appointment: 'Anna',
    datetime: '2026-01-02 03:04:05',
    video: false,
    device_type: 'USER',
    zone: 1,
    zone_name: 'Anna',
    partitions: [-1],
    ...fields,
  }
}

/** A contact in zone 3 as the service sends it; the given fields replace its own. */
export function device(fields: object = {}): Device {
  const [checked] = accepted(devices, [
    {
      id: 11,
      enrollment_id: '100-0003',
      device_number: 3,
      device_type: 'ZONE',
      zone_type: 'PERIMETER',
      subtype: 'CONTACT',
      partitions: [1],
      name: '',
      ...fields,
    },
  ])
  if (checked === undefined) throw new Error('The device was dropped')
  return checked
}

/** A disarmed panel as a whole; the given fields replace its own. */
export function partitionState(fields: Partial<PartitionState> = {}): PartitionState {
  return {
    id: -1,
    name: 'ALL',
    active: true,
    value: 'DISARM',
    status: '',
    ready: true,
    options: [],
    settable: ['AWAY', 'HOME', 'DISARM'],
    exitDelay: 60,
    exitUntil: null,
    alarms: [],
    inferred: false,
    ...fields,
  }
}
