import type { ArmingMode } from './partition.ts'

/** The reaction of a zone type to a disturbance. */
export interface ZoneRule {
  /** Catalogue type ids of the alarm and of its end (interface specification 6.3). */
  readonly alarm: number
  readonly restore: number
  /** The arming modes in which it is monitored; null: always, armed or not. */
  readonly modes: readonly ArmingMode[] | null
  /** The modes in which it starts the entry delay instead of an alarm. */
  readonly delayed: readonly ArmingMode[]
  /** True for a zone on the entry path: no alarm during an entry delay. */
  readonly follows: boolean
  /** The list of the service that it appears in: a flood is an alert, not an alarm. */
  readonly list: 'alarms' | 'alerts'
  /** The word in that list; the interface specification shows none. */
  readonly word: string
}

const both: readonly ArmingMode[] = ['AWAY', 'HOME']
const away: readonly ArmingMode[] = ['AWAY']

function watched(alarm: number, restore: number, modes: ZoneRule['modes'], differing?: Partial<ZoneRule>) {
  return {
    alarm,
    restore,
    modes,
    delayed: [],
    follows: false,
    list: 'alarms',
    word: 'BURGLER',
    ...differing,
  } as const
}

/** The rule of a panic button: a zone or a key of a keyfob. */
export const panicRule: ZoneRule = watched(13, 42, null, { word: 'PANIC' })

const rules: Readonly<Record<string, ZoneRule>> = {
  DELAY_1: watched(3, 21, both, { delayed: both }),
  DELAY_2: watched(3, 21, both, { delayed: both }),
  HOME_DELAY: watched(3, 21, both, { delayed: ['HOME'], follows: true }),
  INTERIOR_DELAY: watched(3, 21, away, { delayed: away }),
  PERIMETER: watched(2, 20, both),
  PERIMETER_FOLLOW: watched(2, 20, both, { follows: true }),
  INTERIOR: watched(1, 19, away),
  INTERIOR_FOLLOW: watched(1, 19, away, { follows: true }),
  OUTDOOR: watched(134, 135, both),
  H24_SILENT: watched(4, 22, null),
  H24_AUDIBLE: watched(6, 24, null),
  FIRE: watched(36, 37, null, { word: 'FIRE' }),
  EMERGENCY: watched(39, 32, null, { word: 'EMERGENCY' }),
  PANIC: panicRule,
  FLOOD: watched(81, 82, null, { list: 'alerts', word: 'FLOOD_ALERT' }),
  GAS: watched(77, 78, null, { list: 'alerts', word: 'GAS_ALERT' }),
}

/** Returns the rule of a zone type (interface specification 2.9); undefined for types without alarm. */
export function zoneRule(zoneType: string | null): ZoneRule | undefined {
  return zoneType !== null && Object.hasOwn(rules, zoneType) ? rules[zoneType] : undefined
}

/** Returns the reaction of a disturbed zone; `mode` is null if its partition is not monitored. */
export function reaction(
  rule: ZoneRule,
  mode: ArmingMode | null,
  entering: boolean,
): 'none' | 'entry delay' | 'alarm' {
  if (rule.modes === null) return 'alarm'
  if (mode === null || !rule.modes.includes(mode)) return 'none'
  if (entering && (rule.follows || rule.delayed.includes(mode))) return 'none'
  return rule.delayed.includes(mode) ? 'entry delay' : 'alarm'
}
