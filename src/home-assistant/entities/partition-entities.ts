import { homeAssistantStates } from '../../messages/state-words.ts'
import { setTopic, stateTopic } from '../topics.ts'
import type { Component, ComponentBuilder } from './component.ts'

/** A partition that Home Assistant shows; an empty name is not known. */
export interface NamedPartition {
  id: number
  name: string
  /** The state to request for the night; null if it has none, absent before it is known. */
  night?: 'NIGHT' | 'HOME' | null
}

/** Returns the name of a partition in topics. */
export function partitionObject(id: number): string {
  return `partition_${id}`
}

/** Returns the id of a partition with this name in topics; undefined for another name. */
export function partitionOf(object: string): number | undefined {
  const [, id] = /^partition_(-?\d{1,4})$/.exec(object) ?? []
  return id === undefined ? undefined : Number(id)
}

/** Returns the ids of the partitions that have entities with these keys. */
export function partitionsWith(keys: readonly string[]): number[] {
  return keys.flatMap((key) => {
    const [, id] = /^(?:partition|state)_(-?\d{1,4})$/.exec(key) ?? []
    return id === undefined ? [] : [Number(id)]
  })
}

/** Returns the entities of a partition: without commands a sensor, because an alarm control panel must have them. */
export function partitionEntities(
  builder: ComponentBuilder,
  { id, name, night }: NamedPartition,
  count: number,
): Component[] {
  const { setup } = builder
  const object = partitionObject(id)
  const isWhole = id === -1 || count === 1
  const title = isWhole ? null : name || setup.nameOf('partition', { id: `${id}` })
  const shown = {
    icon: 'mdi:shield-home',
    state_topic: stateTopic(setup, object),
    value_template: '{{ value_json.state }}',
    ...builder.attributes('attributes', object),
  }
  const uniqueId = builder.idOf(`${id}`)
  const withPartition = (text: string) => (isWhole ? text : `${title} ${text}`)
  const ready = builder.entity('binary_sensor', `ready_${id}`, withPartition(setup.nameOf('ready')), {
    icon: 'mdi:shield-check',
    state_topic: stateTopic(setup, object),
    value_template: '{{ value_json.ready }}',
    ...builder.attributes('ready_attributes', object),
  })
  if (!setup.allowsCommands) {
    const sensor = { ...shown, device_class: 'enum', options: homeAssistantStates }
    return [
      builder.entity('sensor', `state_${id}`, withPartition(setup.nameOf('state')), sensor, uniqueId),
      ready,
    ]
  }
  const offersNight = night === 'NIGHT' || (night === 'HOME' && setup.instantNight)
  const panel = {
    ...shown,
    command_topic: setTopic(setup, object),
    supported_features: [
      ...['arm_away', 'arm_home'],
      ...(offersNight ? ['arm_night'] : []),
      ...(setup.openZones === 'bypass' ? ['arm_custom_bypass'] : []),
    ],
    ...(setup.code === 'remote'
      ? { code: 'REMOTE_CODE', command_template: '{"action":"{{ action }}","code":"{{ code }}"}' }
      : { code_arm_required: false, code_disarm_required: false }),
  }
  return [builder.entity('alarm_control_panel', object, title, panel, uniqueId), ready]
}
