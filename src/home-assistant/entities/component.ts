import type { EntityText, Setup } from '../setup.ts'
import { panelObject, stateTopic, uniqueId } from '../topics.ts'

/** The platforms of Home Assistant that the entities use. */
export const platforms = [
  'alarm_control_panel',
  'binary_sensor',
  'button',
  'device_automation',
  'event',
  'sensor',
  'switch',
] as const

/** One of the platforms. */
type Platform = (typeof platforms)[number]

/** One entity or device trigger of a device. */
export interface Component {
  /** Its name within the device. */
  key: string
  platform: Platform
  /** The id of its single announcement, which is also its unique id unless it is a trigger. */
  id: string
  config: Readonly<Record<string, unknown>>
}

/** A device of Home Assistant with its entities. */
export interface AnnouncedDevice {
  /** The name in topics: `panel`, or `d` and the id of a device. */
  object: string
  device: Readonly<Record<string, unknown>>
  components: readonly Component[]
}

/**
 * Returns the topics by which Home Assistant knows if entities are available. The values are its defaults: while it loads a
 * platform, it may take an announcement without adding any, and drops an entity that lacks one.
 */
export function availableBy(topics: readonly string[]): { availability: readonly object[] } {
  const values = { payload_available: 'online', payload_not_available: 'offline' }
  return { availability: topics.map((topic) => ({ topic, ...values })) }
}

/** The state of an entity in JSON: a flag, a number, a text, or null while it is not known. */
export type EntityState = 'ON' | 'OFF' | number | string | null

/** Returns the state of a binary sensor or a switch. */
export function onOff(value: boolean | null): 'ON' | 'OFF' | null {
  return value === null ? null : value ? 'ON' : 'OFF'
}

/** The icons of entities whose class has none, by key without the id of a partition. */
const icons: Readonly<Record<string, string>> = {
  partition: 'mdi:shield-home',
  state: 'mdi:shield-home',
  ready: 'mdi:shield-check',
  memory: 'mdi:shield-alert-outline',
  exit_until: 'mdi:exit-run',
  command: 'mdi:message-alert-outline',
  troubles: 'mdi:counter',
  bypass: 'mdi:shield-off-outline',
  bypassed: 'mdi:shield-off-outline',
  bypassed_zones: 'mdi:shield-off-outline',
  event: 'mdi:bell-ring',
  last_event: 'mdi:history',
  armed_by: 'mdi:shield-account',
  disarmed_by: 'mdi:shield-account-outline',
  age: 'mdi:clock-alert-outline',
  requests_left: 'mdi:gauge',
  held_until: 'mdi:pause-circle-outline',
  service_version: 'mdi:tag-outline',
  license_end: 'mdi:certificate-outline',
  refresh: 'mdi:refresh',
  siren_on: 'mdi:bullhorn',
  siren_off: 'mdi:bullhorn-outline',
  soak: 'mdi:test-tube',
  signal: 'mdi:signal',
}

/** Builds the entities of one device. */
export class ComponentBuilder {
  readonly #setup: Setup
  readonly #object: string
  readonly #entityPrefix: string

  /**
   * @param names the name of the panel, and that of the device if it is another one, for the ids that Home Assistant proposes:
   * two panels may both have a front door
   */
  constructor(setup: Setup, object: string, ...names: readonly string[]) {
    this.#setup = setup
    this.#object = object
    const [panel = '', device] = names.map(slug)
    const prefix = panel || uniqueId(setup, []).toLowerCase()
    this.#entityPrefix = device === undefined ? prefix : `${prefix}_${device || object}`
  }

  /** Returns the unique id of an entity of the device. */
  idOf(key: string): string {
    return uniqueId(this.#setup, this.#object === panelObject ? [key] : [this.#object, key])
  }

  /**
   * Returns an entity that shows a field of the state of the device.
   * @param name of the entity; null for that of the device
   */
  shown(
    platform: Platform,
    key: string,
    name: EntityText | null,
    config: Record<string, unknown> = {},
  ): Component {
    return this.entity(platform, key, name === null ? null : this.#setup.nameOf(name), {
      state_topic: stateTopic(this.#setup, this.#object),
      value_template: `{{ value_json.${key} }}`,
      ...config,
    })
  }

  /** Returns an entity. */
  entity(
    platform: Platform,
    key: string,
    name: string | null,
    config: Record<string, unknown>,
    id = this.idOf(key),
  ): Component {
    const icon = icons[key.replace(/_-?\d+$/, '')]
    const common = {
      name,
      ...(icon !== undefined && { icon }),
      unique_id: id,
      default_entity_id: `${platform}.${[this.#entityPrefix, slug(key)].join('_')}`,
    }
    return { key, platform, id, config: { ...common, ...config } }
  }

  /** Returns the fields with which an entity shows a member of the state of the device as attributes. */
  attributes(member: string, object = this.#object): Record<string, unknown> {
    return {
      json_attributes_topic: stateTopic(this.#setup, object),
      json_attributes_template: `{{ value_json.${member} | tojson }}`,
    }
  }
}

/** Returns a name as a part of an entity id: small letters, digits and underscores. */
function slug(text: string): string {
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  return plain.replace(/[^a-z\d]+/g, '_').replace(/^_|_$/g, '')
}

/** The category of entities about the connection and the upkeep. */
export const diagnostic = { entity_category: 'diagnostic' } as const

/** The category of controls that belong to no voice, no area and no generated dashboard. */
export const configuration = { entity_category: 'config' } as const

/** The field of an entity that a user turns on in Home Assistant if it is wanted. */
export const offAtFirst = { enabled_by_default: false } as const
