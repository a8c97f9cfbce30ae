import { isDeepStrictEqual } from 'node:util'
import { isControlPanel, isZone } from '../devices/device.ts'

/** A property of all conditions of a kind. */
type ConditionTrait =
  /** Not in a node that selects no kinds: the kind needs a request of its own, or is wanted in many houses. */
  | 'off by default'
  /** A setting `<kind>After` holds the condition back until it has lasted for some minutes. */
  | 'delayable'
  /** About days, and so in the advanced part of the dialog; a setting of minutes would mean nothing. */
  | 'maintenance'
  /** Without the kind, an empty list does not say that all is fine. */
  | 'needed for fine'
  /** The panel reports it of itself too, in lists that are read only while a node wants them. */
  | 'of the panel'
  /** The list of devices decides it for each device that it has; events only tell since when. */
  | 'of devices'

/**
 * The kinds of conditions, in the order of the list: first an alarm that runs, then that nobody would hear one, then what makes the
 * system deaf, then what one can mend, then what one has left open or what raises no alarm, then maintenance.
 */
const conditionTraits = {
  alarm: ['needed for fine'],
  chain: [],
  offline: ['delayable', 'needed for fine'],
  line: ['delayable'],
  tamper: ['delayable', 'needed for fine', 'of the panel', 'of devices'],
  lost: ['delayable', 'of devices'],
  trouble: ['delayable', 'needed for fine', 'of the panel'],
  battery: ['delayable', 'of the panel', 'of devices'],
  memory: ['delayable'],
  open: ['delayable', 'needed for fine', 'of devices'],
  bypassed: ['delayable', 'of devices'],
  soak: [],
  unguarded: ['off by default'],
  inspection: ['maintenance'],
  backup: ['maintenance', 'off by default'],
  test: ['maintenance'],
  license: ['maintenance'],
} as const satisfies Readonly<Record<string, readonly ConditionTrait[]>>

/** The kind of a condition. */
export type ConditionKind = keyof typeof conditionTraits

/** All kinds, in the order of the list. */
export const conditionKinds = Object.keys(conditionTraits) as ConditionKind[]

/** Returns true if a trait is true of all conditions of a kind. */
export function hasTrait(kind: ConditionKind, trait: ConditionTrait): boolean {
  const traits: readonly ConditionTrait[] = conditionTraits[kind]
  return traits.includes(trait)
}

/** The kinds of a node that selects none, and of a new one. */
export const usualKinds = conditionKinds.filter((kind) => !hasTrait(kind, 'off by default'))

/** The kinds that can be held back until they have lasted for some minutes, each by its setting `<kind>After`. */
export const delayableKinds = conditionKinds.filter((kind) => hasTrait(kind, 'delayable'))

/** The words of a condition: its kind, or a text of its own. */
export const conditionTexts = [
  ...conditionKinds,
  'gone',
  'bypassKept',
  'leftOut',
  'unguardedInside',
  'chainSecond',
  'inspectionFailed',
  'inspectionFailedIn',
  'neverBackedUp',
  'licenseEnded',
] as const

/** A text for a condition. */
export type ConditionText = (typeof conditionTexts)[number]

/**
 * The sources that show a condition: a list of what is there now, the devices compared with the state of their partitions,
 * the alarms that run, the events, what is known of the maintenance, or the tests of the alarm chain.
 */
export const conditionSources = [
  'alarms',
  'devices',
  'faults',
  'state',
  'partitions',
  'events',
  'maintenance',
  'chain',
] as const

/** A source of conditions. */
export type ConditionSource = (typeof conditionSources)[number]

/** A condition as a source shows it. */
export interface Evidence {
  /** Its kind, place and word: the same as long as it lasts. */
  readonly id: string
  readonly kind: ConditionKind
  /** Number of the zone; 0 is the control panel, null another device or the whole panel. */
  readonly zone: number | null
  readonly name: string
  /** Milliseconds since 1970; null if the source does not tell it. */
  readonly since: number | null
  /** `eventKey` of the event that started it; null if none is known. */
  readonly eventKey: string | null
  readonly says: ConditionText
  /** Words of the service for a trouble; the kind of an alarm, as far as it is known; else empty. */
  readonly what: string
  /** The time in its text, in milliseconds since 1970; null for `since`. */
  readonly at: number | null
  /** True if nobody wants to be reminded of it: its zone is rarely used. */
  readonly isQuiet?: boolean
}

/** Returns what a source shows; what it does not tell is that of a condition of the whole panel. */
export function newEvidence(kind: ConditionKind, told: Partial<Evidence> = {}): Evidence {
  const ofPanel = { zone: null, name: '', since: null, eventKey: null, what: '', at: null }
  return { id: kind, kind, says: kind, ...ofPanel, ...told }
}

/** Something that needs attention, from when it was first shown until nothing shows it any more. */
export interface PanelCondition extends Evidence {
  /** Never moves while it lasts. */
  readonly since: number
  readonly isQuiet: boolean
  readonly shownBy: readonly ConditionSource[]
}

/** The largest number of conditions that are kept: more than the zones of a large panel with several each. */
const maxConditions = 1000

/**
 * Returns the conditions after a source was read; the same object if nothing has changed.
 *
 * A list that has shown a condition and no longer does ends it, whatever the events say: a restore may never have come.
 * @param now milliseconds since 1970
 * @param speaksOf returns false for a condition of which this answer says nothing: it stays
 */
export function withEvidence(
  conditions: readonly PanelCondition[],
  source: ConditionSource,
  evidence: readonly Evidence[],
  now: number,
  speaksOf: (condition: PanelCondition) => boolean = () => true,
): readonly PanelCondition[] {
  const shown = new Map(evidence.map((one) => [one.id, one]))
  const kept = conditions.flatMap((condition): PanelCondition[] => {
    const again = shown.get(condition.id)
    if (again !== undefined) return [seenAgain(condition, source, again)]
    if (!condition.shownBy.includes(source) || !speaksOf(condition)) return [condition]
    const others = condition.shownBy.filter((one) => one !== source)
    return others.every((one) => one === 'events') ? [] : [{ ...condition, shownBy: others }]
  })
  const known = new Set(conditions.map(({ id }) => id))
  const begun = [...shown.values()]
    .filter(({ id }) => !known.has(id))
    // The clocks of panel and machine differ: what is there has begun.
    .map(
      (one): PanelCondition => ({
        ...one,
        since: Math.min(one.since ?? now, now),
        isQuiet: one.isQuiet ?? false,
        shownBy: [source],
      }),
    )
  const isSame = begun.length === 0 && kept.length === conditions.length
  if (isSame && kept.every((one, at) => one === conditions[at])) return conditions
  return [...kept, ...begun].slice(0, maxConditions)
}

/** Returns a condition that is shown again: its begin stays, the event that began it may become known late. */
function seenAgain(condition: PanelCondition, source: ConditionSource, again: Evidence): PanelCondition {
  const { eventKey, name, what, shownBy } = condition
  const next: PanelCondition = {
    ...condition,
    eventKey: eventKey ?? again.eventKey,
    shownBy: shownBy.includes(source) ? shownBy : [...shownBy, source],
    // A list knows the names of today. The words of an event are in the language of the account.
    ...(source !== 'events' && {
      name: again.name || name,
      says: again.says,
      what: what || again.what,
      at: again.at,
      isQuiet: again.isQuiet ?? false,
    }),
  }
  return isDeepStrictEqual(next, condition) ? condition : next
}

/** Returns the place of a device or an event in the ids of conditions: the control panel has the number 0. */
export function placeOf(type: string, number: number | null, id?: number): string {
  if (isControlPanel({ device_type: type }) || number === 0) return 'panel'
  return `${type} ${number ?? `id ${id ?? ''}`}`
}

/** Returns the zone that a message tells: the number of a detector, 0 for the control panel, else null. */
export function zoneOf(type: string, number: number | null): number | null {
  if (isControlPanel({ device_type: type }) || number === 0) return 0
  return isZone({ device_type: type }) ? number : null
}

/** Returns the id of a condition of a place. */
export function idOf(kind: string, place: string, word = ''): string {
  return [kind, place, word].filter(Boolean).join(' ')
}

/** Returns true for a condition of a place. */
export function isAt({ id, kind }: Pick<PanelCondition, 'id' | 'kind'>, place: string): boolean {
  return `${id} `.startsWith(`${idOf(kind, place)} `)
}
