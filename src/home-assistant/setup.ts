/** The groups of entities that a user can choose from. */
export const entityGroups = [
  'alarm_panel',
  'zones',
  'readings',
  'events',
  'diagnostics',
  'bypass',
  'siren',
] as const

/** One of the groups of entities. */
export type EntityGroup = (typeof entityGroups)[number]

/** The forms of the announcements: one for each device, since Home Assistant 2024.12, or one for each entity. */
export const forms = ['device', 'single'] as const

/** One of the forms of the announcements. */
export type Form = (typeof forms)[number]

/** Settings that decide which entities of a panel are announced, and in which form. */
export interface Setup {
  /** The first part of the topics of Home Assistant. */
  prefix: string
  /** The first part of the topics of states and commands. */
  base: string
  form: Form
  groups: ReadonlySet<EntityGroup>
  /** `remote`: Home Assistant asks for the user code. */
  code: 'none' | 'remote'
  /** True if the cards offer night where it is HOME without entry delay; a state of its own is always offered. */
  instantNight: boolean
  /** `bypass`: the cards offer to arm past open zones. */
  openZones: 'refuse' | 'bypass'
  serial: string
  /** The name of the node that announces, in the list of what it has announced: `<Node-RED>/<node>`. */
  keeper: string
  /** True if flows may send commands to the panel. */
  allowsCommands: boolean
  /** The version of this package. */
  version: string
  /**
   * Returns the name of an entity in the language of the account: `text` is its key, or a word for a device. A zone and a partition
   * have the name that the panel gives them.
   */
  nameOf(text: string, values?: Record<string, string>): string
}
