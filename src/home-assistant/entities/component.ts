import type { EntityGroup, Setup } from '../setup.ts'
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

/** Returns the state of a binary sensor or a switch; null while it is not known. */
export function onOff(value: boolean | null): 'ON' | 'OFF' | null {
  return value === null ? null : value ? 'ON' : 'OFF'
}

/** The fields of an announcement. */
type Config = Readonly<Record<string, unknown>>

/**
 * An entity as a row of a table, by its key, which is also the name of its text and of its member in the state. `Facts` are those
 * of which its state is made, `Subject` is what its announcement depends on.
 */
export interface Entity<Facts extends readonly unknown[] = [], Subject = undefined> {
  group: EntityGroup
  platform: Platform
  /** For an entity whose class has no icon. */
  icon?: string
  /** True for the main entity of a device, which has the name of the device. */
  isMain?: true
  /** True if it exists only where flows may send commands, false if only where they may not; absent: in both cases. */
  withCommands?: boolean
  config?: Config | ((builder: ComponentBuilder, subject: Subject) => Config)
  /** Returns its member of the state of the device; absent if it shows none. */
  state?(...facts: Facts): EntityState
  /** Returns the members that follow its own: attributes of this entity, or of one before it. */
  attributes?(...facts: Facts): Readonly<Record<string, object>>
}

/** Returns true if a user wants the entity, and flows may send the commands that it needs. */
export function isWanted({ groups, allowsCommands }: Setup, entity: Entity<never, never>): boolean {
  return groups.has(entity.group) && entity.withCommands !== !allowsCommands
}

/** Returns the state of a device: a member for each of its entities that has one, and their attributes. */
export function stateOf<Facts extends readonly unknown[]>(
  entities: Readonly<Record<string, Entity<Facts, never>>>,
  keys: readonly string[],
  ...facts: Facts
): Record<string, EntityState | object> {
  const state: Record<string, EntityState | object> = {}
  for (const key of keys) {
    const entity = entities[key]
    if (entity?.state !== undefined) state[key] = entity.state(...facts)
    Object.assign(state, entity?.attributes?.(...facts))
  }
  return state
}

/** Builds the entities of one device. */
export class ComponentBuilder {
  readonly setup: Setup
  readonly #object: string
  readonly #entityPrefix: string

  /**
   * @param names the name of the panel, and that of the device if it is another one, for the ids that Home Assistant proposes:
   * two panels may both have a front door
   */
  constructor(setup: Setup, object: string, ...names: readonly string[]) {
    this.setup = setup
    this.#object = object
    const [panel = '', device] = names.map(slug)
    const prefix = panel || uniqueId(setup, []).toLowerCase()
    this.#entityPrefix = device === undefined ? prefix : `${prefix}_${device || object}`
  }

  /** Returns the unique id of an entity of the device. */
  idOf(key: string): string {
    return uniqueId(this.setup, this.#object === panelObject ? [key] : [this.#object, key])
  }

  /**
   * Returns an entity of a table.
   * @param object the one whose state has its member
   */
  component<Subject>(
    key: string,
    { platform, icon, isMain, config = {}, state }: Entity<never, Subject>,
    subject: Subject,
    object = this.#object,
  ): Component {
    return this.entity(platform, key, isMain ? null : this.setup.nameOf(key), {
      icon,
      ...(state !== undefined && {
        state_topic: stateTopic(this.setup, object),
        value_template: `{{ value_json.${key} }}`,
      }),
      ...(typeof config === 'function' ? config(this, subject) : config),
    })
  }

  /** Returns the entities of a table that a user wants. */
  components(entities: Readonly<Record<string, Entity<never>>>, object = this.#object): Component[] {
    return Object.entries(entities)
      .filter(([, entity]) => isWanted(this.setup, entity))
      .map(([key, entity]) => this.component(key, entity, undefined, object))
  }

  /** Returns an entity. */
  entity(
    platform: Platform,
    key: string,
    name: string | null,
    { icon, ...config }: Config,
    id = this.idOf(key),
  ): Component {
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
      json_attributes_topic: stateTopic(this.setup, object),
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
