import type { EntityGroup, Setup } from '../setup.ts'
import { bridgeTopic, identifierOf, panelObject, panelTopic, setTopic, stateTopic } from '../topics.ts'
import {
  type AnnouncedDevice,
  type Component,
  ComponentBuilder,
  diagnostic,
  offAtFirst,
} from './component.ts'
import { eventTypes, triggers } from './event-types.ts'

/** What the service tells about the panel itself; empty texts are not known. */
export interface PanelIdentity {
  /** The name of the panel. */
  title: string
  model: string
  manufacturer: string
}

/** A partition that Home Assistant shows; an empty name is not known. */
export interface NamedPartition {
  id: number
  name: string
}

/** The words of Home Assistant for the state of a partition, which a sensor lists. */
const states = ['armed_away', 'armed_home', 'disarmed', 'pending', 'arming', 'triggered']

/** Returns the name of a partition in topics. */
export function partitionObject(id: number): string {
  return `partition_${id}`
}

/** Returns the id of a partition with this name in topics; undefined for another name. */
export function partitionOf(object: string): number | undefined {
  const [, id] = /^partition_(-?\d{1,4})$/.exec(object) ?? []
  return id === undefined ? undefined : Number(id)
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
      ...(has('zones') ? zoneEntities(builder) : []),
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
    builder.shown('sensor', 'exit_delay', 'exit_delay', {
      device_class: 'duration',
      unit_of_measurement: 's',
    }),
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

/** Returns the entities of a partition: without commands a sensor, because an alarm control panel must have them. */
function partitionEntities(
  setup: Setup,
  builder: ComponentBuilder,
  { id, name }: NamedPartition,
  count: number,
): Component[] {
  const object = partitionObject(id)
  const isWhole = id === -1 || count === 1
  const title = isWhole ? null : name || setup.nameOf('partition', { id: `${id}` })
  const shown = {
    state_topic: stateTopic(setup, object),
    value_template: '{{ value_json.state }}',
    ...builder.attributes('attributes', object),
  }
  const uniqueId = builder.idOf(`${id}`)
  const withPartition = (text: string) => (isWhole ? text : `${title} ${text}`)
  const ready = builder.entity('binary_sensor', `ready_${id}`, withPartition(setup.nameOf('ready')), {
    state_topic: stateTopic(setup, object),
    value_template: '{{ value_json.ready }}',
  })
  if (!setup.allowsCommands) {
    const sensor = { ...shown, device_class: 'enum', options: states }
    return [
      builder.entity('sensor', `state_${id}`, withPartition(setup.nameOf('state')), sensor, uniqueId),
      ready,
    ]
  }
  const panel = {
    ...shown,
    command_topic: setTopic(setup, object),
    supported_features: ['arm_away', 'arm_home'],
    ...(setup.code === 'remote'
      ? { code: 'REMOTE_CODE', command_template: '{"action":"{{ action }}","code":"{{ code }}"}' }
      : { code_arm_required: false, code_disarm_required: false }),
  }
  return [builder.entity('alarm_control_panel', object, title, panel, uniqueId), ready]
}

function zoneEntities(builder: ComponentBuilder): Component[] {
  return [
    builder.shown('binary_sensor', 'problem', 'problem', {
      device_class: 'problem',
      ...diagnostic,
      ...builder.attributes('problem_attributes'),
    }),
    builder.shown('sensor', 'troubles', 'troubles', { state_class: 'measurement', ...diagnostic }),
    builder.shown('binary_sensor', 'bypassed_zones', 'bypassed_zones', {
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
  return [
    builder.entity('binary_sensor', 'online', setup.nameOf('online'), {
      state_topic: stateTopic(setup, 'diagnostics'),
      value_template: '{{ value_json.online }}',
      device_class: 'connectivity',
      ...connected(setup),
      ...diagnostic,
    }),
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
  return { availability: [{ topic: bridgeTopic(setup) }] }
}

function sirenEntities(setup: Setup, builder: ComponentBuilder): Component[] {
  return [
    button(setup, builder, 'siren_on', 'siren', 'ON', offAtFirst),
    button(setup, builder, 'siren_off', 'siren', 'OFF', offAtFirst),
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
