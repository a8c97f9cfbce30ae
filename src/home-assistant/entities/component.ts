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
export type Platform = (typeof platforms)[number]

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

/** The state of an entity in JSON: a flag, a number, a text, or null while it is not known. */
export type EntityState = 'ON' | 'OFF' | number | string | null

/** Returns the state of a binary sensor or a switch. */
export function onOff(value: boolean | null): 'ON' | 'OFF' | null {
  return value === null ? null : value ? 'ON' : 'OFF'
}

/** Builds the entities of one device. */
export class ComponentBuilder {
  readonly #setup: Setup
  readonly #object: string
  readonly #entityPrefix: string

  /** @param title the name of the device, for the ids that Home Assistant proposes */
  constructor(setup: Setup, object: string, title: string) {
    this.#setup = setup
    this.#object = object
    this.#entityPrefix = slug(title) || uniqueId(setup, object === panelObject ? [] : [object]).toLowerCase()
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
    const common = {
      name,
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

/** The field of an entity that a user turns on in Home Assistant if it is wanted. */
export const offAtFirst = { enabled_by_default: false } as const
