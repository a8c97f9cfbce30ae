import { type Catalogue, type EventType, groupName } from './catalogue.ts'
import { bundled } from './en-us.ts'

/** The kinds of alarm, the most serious first; `alarm` is one whose type tells no more. */
export const alarmKinds = [
  'fire',
  'gas',
  'panic',
  'medical',
  'burglary',
  'alarm',
  'flood',
  'tamper',
  'duress',
] as const

/** The kind of an alarm. */
export type AlarmKind = (typeof alarmKinds)[number]

/** The facts that decide the kind of an alarm: an event type, or an event whose type may be unknown. */
type AlarmType = { readonly [K in 'typeId' | 'group' | 'contactId']: EventType[K] | null }

/** The type of an ordinary disarm. */
const disarm = 89

/** The kinds by Contact ID without its qualifier; the first row that fits decides. Other alarms have codes below 200. */
const kindByCode: readonly (readonly [RegExp, AlarmKind])[] = [
  [/^10[0-2]$/, 'medical'],
  [/^11\d$/, 'fire'],
  [/^(120|129|133)$/, 'panic'],
  [/^12[145]$/, 'duress'],
  [/^(137|144|145|383)$/, 'tamper'],
  [/^(122|123|13\d|220)$/, 'burglary'],
  [/^(151|162)$/, 'gas'],
  [/^154$/, 'flood'],
  [/^1\d\d$/, 'alarm'],
]

/** Types of which group and Contact ID do not tell the kind of alarm; null is none. */
const exceptions: Readonly<Record<number, { kind: AlarmKind | null; why: string }>> = {
  18: { kind: null, why: 'Only a zone was opened and closed again quickly.' },
  35: {
    kind: null,
    why: 'It is a remark that an alarm came soon after arming; the alarm has its own event.',
  },
  134: { kind: 'burglary', why: 'An outdoor zone in alarm has no Contact ID.' },
  997: { kind: null, why: 'It announces that another event follows.' },
}

/** Alerts are troubles, except those about gas and water, for which somebody has to come at once. */
const urgentAlerts: ReadonlySet<AlarmKind | null> = new Set(['gas', 'flood'])

/**
 * Returns the kind of alarm that an event of a type is; null if it is none. Nothing else decides it.
 *
 * A type of the bundled catalogue has the same kind on every service. One that only the service has is judged by its
 * group and its Contact ID (interface specification 6.3).
 */
export function alarmKindOf(type: AlarmType): AlarmKind | null {
  const typeId = type.typeId ?? Number.NaN
  const exception = exceptions[typeId]
  if (exception !== undefined) return exception.kind
  const { group, contactId } = bundled.get(typeId) ?? type
  const kind = kindOfCode(contactId ?? '')
  switch (groupName(group ?? '')) {
    case 'duress':
      return 'duress'
    case 'alarm':
      return kind ?? 'alarm'
    case 'alert':
      return urgentAlerts.has(kind) ? kind : null
    default:
      return null
  }
}

/** Returns the kind of alarm that a Contact ID is about, with any qualifier; null if it is about none. */
export function kindOfCode(contactId: string): AlarmKind | null {
  const code = contactId.slice(-3)
  return kindByCode.find(([pattern]) => pattern.test(code))?.[1] ?? null
}

/** The kinds by the words of the list of alarms, as panels and services are known to write them. */
const kindByWord: readonly (readonly [RegExp, AlarmKind])[] = [
  [/DURESS/, 'duress'],
  [/FIRE|SMOKE/, 'fire'],
  [/GAS|^CO(_|$)/, 'gas'],
  [/PANIC/, 'panic'],
  [/EMERGENCY|MEDICAL/, 'medical'],
  [/TAMPER/, 'tamper'],
  [/BURGL/, 'burglary'],
  [/FLOOD|WATER/, 'flood'],
]

/**
 * Returns the kind of an alarm in the panel's list of alarms, by its type. The interface specification does not show the
 * words of that list; one that tells no kind is `alarm`.
 */
export function kindOfListed(word: string): AlarmKind {
  return kindByWord.find(([pattern]) => pattern.test(word.toUpperCase()))?.[1] ?? 'alarm'
}

/**
 * Returns true if an event of a type tells of a threat. Nothing else decides it: the person who threatens may read
 * whatever is shown, so it shows such an event as the disarm that it also is.
 */
export function isDuress(type: AlarmType): boolean {
  return alarmKindOf(type) === 'duress'
}

/** Returns the description of an event for everybody to read; of a threat, that of an ordinary disarm in its language. */
export function shownDescription(
  event: AlarmType & { readonly description: string },
  catalogue: Catalogue,
): string {
  if (!isDuress(event)) return event.description
  const own = catalogue.get(event.typeId ?? Number.NaN)
  const ordinary = catalogue.get(disarm) ?? bundled.get(disarm)
  const isOriginal = event.description === own?.descriptionOriginal
  return (isOriginal ? ordinary?.descriptionOriginal : ordinary?.description) ?? ''
}
