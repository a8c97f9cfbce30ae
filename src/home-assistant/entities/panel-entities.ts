import type { EntityGroup, Setup } from '../setup.ts'
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
  offAtFirst,
} from './component.ts'
import { eventTypes, triggers } from './event-types.ts'
import { type NamedPartition, partitionEntities } from './partition-entities.ts'

/** The name, model and maker of a panel; a text is empty if the service does not tell it. */
export interface PanelIdentity {
  /** The name of the panel. */
  title: string
  model: string
  manufacturer: string
}

/** Returns the panel as a device with all its entities. */
export function announcedPanel(
  setup: Setup,
  { title, model, manufacturer }: PanelIdentity,
  partitions: readonly NamedPartition[],
): AnnouncedDevice {
  const builder = new ComponentBuilder(setup, panelObject, title)
  const has = (group: EntityGroup) => setup.groups.has(group)
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
      ...(has('alarm_panel') ? alarmEntities(setup, builder, partitions) : []),
      ...(has('zones') ? zoneEntities(setup, builder) : []),
      ...(has('events') ? eventEntities(setup, builder) : []),
      ...(has('diagnostics') ? diagnosticEntities(setup, builder) : []),
      ...(has('siren') && setup.allowsCommands ? sirenEntities(setup, builder) : []),
    ],
  }
}

function alarmEntities(
  setup: Setup,
  builder: ComponentBuilder,
  partitions: readonly NamedPartition[],
): Component[] {
  const memory = builder.attributes('alarms_attributes')
  return [
    ...partitions.flatMap((partition) => partitionEntities(setup, builder, partition, partitions.length)),
    builder.shown('binary_sensor', 'triggered', 'triggered', { device_class: 'safety', ...memory }),
    builder.shown('binary_sensor', 'memory', 'memory', diagnostic),
    builder.shown('sensor', 'exit_until', 'exit_until', { device_class: 'timestamp' }),
    ...(setup.allowsCommands
      ? [
          builder.entity('event', 'command', setup.nameOf('command'), {
            state_topic: panelTopic(setup, 'command'),
            event_types: ['done', 'refused'],
            ...diagnostic,
          }),
        ]
      : []),
  ]
}

function zoneEntities(setup: Setup, builder: ComponentBuilder): Component[] {
  const topics = [bridgeTopic(setup), availabilityTopic(setup), devicesAvailabilityTopic(setup)]
  const ofDevices = availableBy(topics)
  return [
    builder.shown('binary_sensor', 'problem', 'problem', {
      device_class: 'problem',
      ...ofDevices,
      ...diagnostic,
      ...builder.attributes('problem_attributes'),
    }),
    builder.shown('sensor', 'troubles', 'troubles', {
      state_class: 'measurement',
      ...ofDevices,
      ...diagnostic,
    }),
    builder.shown('binary_sensor', 'bypassed_zones', 'bypassed_zones', {
      ...ofDevices,
      ...diagnostic,
      ...builder.attributes('bypassed_attributes'),
    }),
  ]
}

function eventEntities(setup: Setup, builder: ComponentBuilder): Component[] {
  const remembered = (key: 'last_event' | 'armed_by' | 'disarmed_by') =>
    builder.entity('sensor', key, setup.nameOf(key), {
      state_topic: stateTopic(setup, key),
      value_template: '{{ value_json.value }}',
      ...builder.attributes('attributes', key),
    })
  return [
    builder.entity('event', 'event', setup.nameOf('event'), {
      state_topic: panelTopic(setup, 'event'),
      event_types: eventTypes,
    }),
    remembered('last_event'),
    remembered('armed_by'),
    remembered('disarmed_by'),
    ...triggers.map((subtype): Component => {
      const key = `trigger_${subtype}`
      const topic = panelTopic(setup, 'trigger')
      const type = subtype === 'line' ? 'trouble' : 'alarm'
      return {
        key,
        platform: 'device_automation',
        id: builder.idOf(key),
        config: { automation_type: 'trigger', type, subtype, topic, payload: subtype },
      }
    }),
  ]
}

function diagnosticEntities(setup: Setup, builder: ComponentBuilder): Component[] {
  const shown = (
    key: 'age' | 'requests_left' | 'held_until' | 'service_version' | 'license_end',
    config = {},
  ) =>
    builder.entity('sensor', key, setup.nameOf(key), {
      state_topic: stateTopic(setup, 'diagnostics'),
      value_template: `{{ value_json.${key} }}`,
      ...connected(setup),
      ...diagnostic,
      ...config,
    })
  const connection = (key: 'online' | 'broadband' | 'mobile') =>
    builder.entity('binary_sensor', key, setup.nameOf(key), {
      state_topic: stateTopic(setup, 'diagnostics'),
      value_template: `{{ value_json.${key} }}`,
      device_class: 'connectivity',
      ...connected(setup),
      ...diagnostic,
    })
  return [
    ...(['online', 'broadband', 'mobile'] as const).map(connection),
    shown('age', { device_class: 'duration', unit_of_measurement: 'min' }),
    shown('requests_left', { state_class: 'measurement', ...offAtFirst }),
    shown('held_until', { device_class: 'timestamp' }),
    shown('service_version', offAtFirst),
    shown('license_end', { device_class: 'timestamp', ...offAtFirst }),
    ...(setup.allowsCommands ? [button(setup, builder, 'refresh', 'refresh', 'PRESS', diagnostic)] : []),
  ]
}

/** Returns the availability of an entity that also tells something while the panel is offline. */
function connected(setup: Setup): Record<string, unknown> {
  return availableBy([bridgeTopic(setup)])
}

function sirenEntities(setup: Setup, builder: ComponentBuilder): Component[] {
  return [
    button(setup, builder, 'siren_on', 'siren', 'ON', { ...configuration, ...offAtFirst }),
    button(setup, builder, 'siren_off', 'siren', 'OFF', { ...configuration, ...offAtFirst }),
  ]
}

function button(
  setup: Setup,
  builder: ComponentBuilder,
  key: 'refresh' | 'siren_on' | 'siren_off',
  object: string,
  payload: string,
  config: Record<string, unknown>,
): Component {
  return builder.entity('button', key, setup.nameOf(key), {
    command_topic: setTopic(setup, object),
    payload_press: payload,
    ...config,
  })
}
