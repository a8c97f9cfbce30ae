import type { ArmingMode } from '../partition.ts'

/** The reaction of a zone type when it is triggered. */
export interface ZoneRule {
  /** Catalogue type ids of the alarm and of its end (interface specification 6.3). */
  readonly alarm: number
  readonly restore: number
  /** The arming modes in which it guards; null: always, armed or not. */
  readonly modes: readonly ArmingMode[] | null
  /** The modes in which it starts the entry delay instead of an alarm. */
  readonly delayedModes: readonly ArmingMode[]
  /** True for a zone on the entry path, which raises no alarm during an entry delay. */
  readonly isOnEntryPath: boolean
  /**
   * True if it is reported only after the abort time. Not a fire, a silent alarm and an emergency, by all guides; by one of
   * them, not gas and water either. No guide speaks of a panic button.
   */
  readonly hasAbortTime: boolean
  /** True if the siren sounds. */
  readonly isLoud: boolean
  /** The list of the service that it appears in: a flood is an alert, not an alarm. */
  readonly list: 'alarms' | 'alerts'
  /** The type in that list; the interface specification does not show it. */
  readonly word: string
}

const bothModes: readonly ArmingMode[] = ['AWAY', 'HOME']
const awayOnly: readonly ArmingMode[] = ['AWAY']

function createRule(alarm: number, restore: number, modes: ZoneRule['modes'], overrides?: Partial<ZoneRule>) {
  return {
    alarm,
    restore,
    modes,
    delayedModes: [],
    isOnEntryPath: false,
    hasAbortTime: true,
    isLoud: true,
    list: 'alarms',
    word: 'BURGLER',
    ...overrides,
  } as const
}

const alert = { list: 'alerts', hasAbortTime: false, isLoud: false } as const

/** The rule of a panic button: a zone or a key of a keyfob. */
export const panicRule: ZoneRule = createRule(13, 42, null, { word: 'PANIC', hasAbortTime: false })

const rules: Readonly<Record<string, ZoneRule>> = {
  DELAY_1: createRule(3, 21, bothModes, { delayedModes: bothModes }),
  DELAY_2: createRule(3, 21, bothModes, { delayedModes: bothModes }),
  HOME_DELAY: createRule(3, 21, bothModes, { delayedModes: ['HOME'], isOnEntryPath: true }),
  INTERIOR_DELAY: createRule(3, 21, awayOnly, { delayedModes: awayOnly }),
  PERIMETER: createRule(2, 20, bothModes),
  PERIMETER_FOLLOW: createRule(2, 20, bothModes, { isOnEntryPath: true }),
  INTERIOR: createRule(1, 19, awayOnly),
  INTERIOR_FOLLOW: createRule(1, 19, awayOnly, { isOnEntryPath: true }),
  OUTDOOR: createRule(134, 135, bothModes),
  H24_SILENT: createRule(4, 22, null, { hasAbortTime: false, isLoud: false }),
  H24_AUDIBLE: createRule(6, 24, null),
  FIRE: createRule(36, 37, null, { word: 'FIRE', hasAbortTime: false }),
  EMERGENCY: createRule(39, 32, null, { word: 'EMERGENCY', hasAbortTime: false, isLoud: false }),
  PANIC: panicRule,
  FLOOD: createRule(81, 82, null, { ...alert, word: 'FLOOD_ALERT' }),
  GAS: createRule(77, 78, null, { ...alert, word: 'GAS_ALERT' }),
}

/** Returns the rule of a zone type (interface specification 2.9); undefined for types without alarm. */
export function findZoneRule(zoneType: string | null): ZoneRule | undefined {
  return zoneType !== null && Object.hasOwn(rules, zoneType) ? rules[zoneType] : undefined
}

/**
 * Returns the mode in which a zone guards that is in partitions of these modes; null if it does not. A zone of several
 * partitions guards only when all of them are armed, and as when away only if all of them are (makers' guides, table
 * "Common Area Definitions").
 */
export function guardedMode(modes: readonly (ArmingMode | null)[]): ArmingMode | null {
  if (modes.length === 0 || modes.includes(null)) return null
  return modes.includes('HOME') ? 'HOME' : 'AWAY'
}

/** Returns the reaction of a triggered zone that guards in a mode; null if it does not guard. */
export function decideReaction(
  rule: ZoneRule,
  mode: ArmingMode | null,
  isEntryDelay: boolean,
): 'none' | 'entry delay' | 'alarm' {
  if (rule.modes === null) return 'alarm'
  if (mode === null || !rule.modes.includes(mode)) return 'none'
  if (isEntryDelay && (rule.isOnEntryPath || rule.delayedModes.includes(mode))) return 'none'
  return rule.delayedModes.includes(mode) ? 'entry delay' : 'alarm'
}
