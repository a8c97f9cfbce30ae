import type { ActiveAlarm } from '../../panel/state/partition-state.ts'
import type { Setup } from '../setup.ts'
import {
  availabilityTopic,
  bridgeTopic,
  devicesAvailabilityTopic,
  identifierOf,
  panelObject,
  panelTopic,
  setTopic,
  stateTopic,
} from '../topics.ts'
import {
  type AnnouncedDevice,
  availableBy,
  type Component,
  ComponentBuilder,
  configuration,
  diagnostic,
  type Entity,
  offAtFirst,
  onOff,
} from './component.ts'
import { diagnosticEntities } from './diagnostics.ts'
import { eventTypes, triggers } from './event-types.ts'
import { type NamedPartition, partitionEntities } from './partition-entities.ts'

/** The name, model and maker of a panel; a text is empty if the service does not tell it. */
export interface PanelIdentity {
  /** The name of the panel. */
  title: string
  model: string
  manufacturer: string
}

/** The facts of which the state of the whole panel is made. */
interface PanelStateFacts {
  alarms: readonly ActiveAlarm[]
  /** False if only those alarms are known that the events tell. */
  areAlarmsAll: boolean
  /** ISO 8601 in UTC; null if no exit delay runs. */
  exitUntil: string | null
  /** The devices with their troubles; undefined while they are not known. */
  faulty: readonly { device: string; warnings: readonly string[] }[] | undefined
  /** False if there may be other troubles. */
  areFaultsAll: boolean
  /** The names of the bypassed zones; undefined while they are not known. */
  bypassed: readonly string[] | undefined
  /** False if other zones may be bypassed. */
  areBypassesAll: boolean
}

/** The entities of a panel beside those of its partitions, in the order in which they are announced. */
export const panelEntities: Readonly<Record<string, Entity<[PanelStateFacts]>>> = {
  triggered: {
    group: 'alarm_panel',
    platform: 'binary_sensor',
    config: (builder) => ({ device_class: 'safety', ...builder.attributes('alarms_attributes') }),
    state: ({ alarms, areAlarmsAll }) =>
      isAny(
        alarms.filter(({ inMemory }) => !inMemory),
        areAlarmsAll,
      ),
  },
  memory: {
    group: 'alarm_panel',
    platform: 'binary_sensor',
    icon: 'mdi:shield-alert-outline',
    config: diagnostic,
    state: ({ alarms, areAlarmsAll }) =>
      isAny(
        alarms.filter(({ inMemory }) => inMemory),
        areAlarmsAll,
      ),
    attributes: ({ alarms }) => ({ alarms_attributes: { zones: [...new Set(alarms.map(zoneOfAlarm))] } }),
  },
  exit_until: {
    group: 'alarm_panel',
    platform: 'sensor',
    icon: 'mdi:exit-run',
    config: { device_class: 'timestamp' },
    state: ({ exitUntil }) => exitUntil,
  },
  command: {
    group: 'alarm_panel',
    platform: 'event',
    icon: 'mdi:message-alert-outline',
    withCommands: true,
    config: ({ setup }) => ({
      state_topic: panelTopic(setup, 'command'),
      event_types: ['done', 'refused'],
      ...diagnostic,
    }),
  },
  problem: {
    group: 'zones',
    platform: 'binary_sensor',
    config: (builder) => ({
      device_class: 'problem',
      ...whileRead(builder.setup),
      ...diagnostic,
      ...builder.attributes('problem_attributes'),
    }),
    state: ({ faulty, areFaultsAll }) => isAny(faulty, areFaultsAll),
  },
  troubles: {
    group: 'zones',
    platform: 'sensor',
    icon: 'mdi:counter',
    config: ({ setup }) => ({ state_class: 'measurement', ...whileRead(setup), ...diagnostic }),
    state: ({ faulty, areFaultsAll }) =>
      areFaultsAll ? (faulty?.reduce((sum, { warnings }) => sum + warnings.length, 0) ?? null) : null,
    attributes: ({ faulty }) => ({ problem_attributes: { devices: faulty ?? [] } }),
  },
  bypassed_zones: {
    group: 'zones',
    platform: 'binary_sensor',
    icon: 'mdi:shield-off-outline',
    config: (builder) => ({
      ...whileRead(builder.setup),
      ...diagnostic,
      ...builder.attributes('bypassed_attributes'),
    }),
    state: ({ bypassed, areBypassesAll }) => isAny(bypassed, areBypassesAll),
    attributes: ({ bypassed }) => ({ bypassed_attributes: { zones: bypassed ?? [] } }),
  },
  event: {
    group: 'events',
    platform: 'event',
    icon: 'mdi:bell-ring',
    config: ({ setup }) => ({ state_topic: panelTopic(setup, 'event'), event_types: eventTypes }),
  },
  last_event: remembered('last_event', 'mdi:history'),
  armed_by: remembered('armed_by', 'mdi:shield-account'),
  disarmed_by: remembered('disarmed_by', 'mdi:shield-account-outline'),
}

/** The buttons of a panel. */
export const panelButtons: Readonly<Record<string, Entity>> = {
  refresh: {
    ...button('mdi:refresh', 'refresh', 'PRESS', diagnostic),
    group: 'diagnostics',
  },
  siren_on: button('mdi:bullhorn', 'siren', 'ON', { ...configuration, ...offAtFirst }),
  siren_off: button('mdi:bullhorn-outline', 'siren', 'OFF', { ...configuration, ...offAtFirst }),
}

/** Returns the availability of an entity that tells what the devices report. */
function whileRead(setup: Setup): object {
  return availableBy([bridgeTopic(setup), availabilityTopic(setup), devicesAvailabilityTopic(setup)])
}

/** Returns an entity with a state of its own, which an event sets. */
function remembered(object: string, icon: string): Entity {
  return {
    group: 'events',
    platform: 'sensor',
    icon,
    config: (builder) => ({
      state_topic: stateTopic(builder.setup, object),
      value_template: '{{ value_json.value }}',
      ...builder.attributes('attributes', object),
    }),
  }
}

function button(icon: string, object: string, payload: string, config: object): Entity {
  return {
    group: 'siren',
    platform: 'button',
    icon,
    withCommands: true,
    config: ({ setup }) => ({
      command_topic: setTopic(setup, object),
      payload_press: payload,
      ...config,
    }),
  }
}

/** Returns a flag: that there is none is no news if there may be others. */
function isAny(some: readonly unknown[] | undefined, areAll: boolean) {
  return onOff(some === undefined || (some.length === 0 && !areAll) ? null : some.length > 0)
}

/** Returns the name of the zone of an alarm, or else its location, or else the type of the alarm. */
export function zoneOfAlarm({ zoneName, location, type }: ActiveAlarm): string {
  return zoneName || location || type
}

/** Returns the panel as a device with all its entities. */
export function announcedPanel(
  setup: Setup,
  { title, model, manufacturer }: PanelIdentity,
  partitions: readonly NamedPartition[],
): AnnouncedDevice {
  const builder = new ComponentBuilder(setup, panelObject, title)
  const ofPartitions = partitions.flatMap((one) => partitionEntities(builder, one, partitions.length))
  return {
    object: panelObject,
    device: {
      identifiers: [identifierOf(setup, panelObject)],
      name: title,
      ...(model && { model }),
      ...(manufacturer && { manufacturer }),
      serial_number: setup.serial,
    },
    components: [
      ...(setup.groups.has('alarm_panel') ? ofPartitions : []),
      ...builder.components(panelEntities),
      ...(setup.groups.has('events') ? triggers.map((subtype) => trigger(builder, subtype)) : []),
      ...builder.components(diagnosticEntities, 'diagnostics'),
      ...builder.components(panelButtons),
    ],
  }
}

function trigger(builder: ComponentBuilder, subtype: (typeof triggers)[number]): Component {
  const key = `trigger_${subtype}`
  const topic = panelTopic(builder.setup, 'trigger')
  const type = subtype === 'line' ? 'trouble' : 'alarm'
  return {
    key,
    platform: 'device_automation',
    id: builder.idOf(key),
    config: { automation_type: 'trigger', type, subtype, topic, payload: subtype },
  }
}
