import type { ArmingMode } from './partition.ts'

/** What a zone type does when its zone is disturbed. */
export interface ZoneRule {
  /** Catalogue type ids of the alarm and of its end (interface specification 6.3). */
  readonly alarm: number
  readonly restore: number
  /** The arming modes in which it is watched; null: always, armed or not. */
  readonly modes: readonly ArmingMode[] | null
  /** The modes in which it starts the entry delay instead of an alarm. */
  readonly delayed: readonly ArmingMode[]
  /** True when it is on the way in and keeps quiet while an entry delay runs. */
  readonly follows: boolean
  /** Where the service lists it: a flood is an alert, not an alarm. */
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

/** What a panic button does, be it a zone or a key on a keyfob. */
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

/** The rule of a zone type (interface specification 2.9); undefined for types that never alarm. */
export function zoneRule(zoneType: string | null): ZoneRule | undefined {
  return zoneType !== null && Object.hasOwn(rules, zoneType) ? rules[zoneType] : undefined
}

/** What a disturbed zone does in a partition that is watched in `mode`, or, with null, is not. */
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
