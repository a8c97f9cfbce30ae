import { day, hour } from '../../duration.ts'
import { type AlarmKind, alarmKindOf } from './alarm-kind.ts'
import { type Catalogue, type EventType, groupName } from './catalogue.ts'

/** The ways in which an alarm or trouble that an event started can end. The first end counts. */
export interface EventEnding {
  /** Type ids of the restores that end it, if they are about the same zone and device type. */
  readonly restores: readonly number[]
  /** True for an alarm: a disarm or a cancellation in one of its partitions ends it, or the panel's list of alarms. */
  readonly disarm?: true
  /** True if somebody who arms or disarms ends it. */
  readonly arming?: true
  /** Milliseconds after which it ends by itself; 0 for a mere remark. */
  readonly after?: number
  /** The kind of alarm; absent if it is none, and opens no incident. */
  readonly incident?: AlarmKind
  /** The reason for the rule, where no restore has the Contact ID of the start with the qualifier 3. */
  readonly why?: string
}

const restoredBy = (...restores: number[]): EventEnding => ({ restores })

const remark = (why: string): EventEnding => ({ restores: [], after: 0, why })

/**
 * The end of each starting type of the bundled catalogue (groups EP_ALARM, EP_ALERT, EP_OFFLINE, EP_DURESS).
 *
 * A restore has the Contact ID of its start, with 3 instead of 1 in front (interface specification 6.3). Where several
 * have it, the neighboring vis and the device that the texts name decide. The others have a rule with its reason.
 */
const table: Readonly<Record<number, EventEnding>> = {
  1: restoredBy(19),
  2: restoredBy(20),
  3: restoredBy(21),
  4: restoredBy(22),
  5: restoredBy(23),
  6: restoredBy(24),
  7: restoredBy(25),
  8: restoredBy(26),
  9: restoredBy(27),
  10: restoredBy(28),
  11: restoredBy(28),
  12: restoredBy(30),
  13: restoredBy(42),
  14: restoredBy(42),
  15: {
    restores: [],
    after: day,
    why: 'The person who disarms is the one who is threatened, so only time ends it.',
  },
  16: { restores: [], why: 'It confirms another alarm, and ends with it.' },
  17: { restores: [32], why: 'General Restore has no Contact ID of its own, but names it.' },
  18: restoredBy(29),
  34: { restores: [], arming: true, why: 'The system is in use again as soon as somebody arms or disarms.' },
  35: remark('It only says that an alarm came soon after arming; the alarm has an event of its own.'),
  36: restoredBy(37),
  38: {
    restores: [],
    arming: true,
    after: 3 * day,
    why: 'Somebody who arms or disarms is active. Motion ends it untold: 72 hours is its longest window (makers’ guides).',
  },
  39: { restores: [32], why: 'No restore has its Contact ID. Panels send General Restore, or nothing.' },
  43: restoredBy(44),
  45: restoredBy(46),
  47: restoredBy(48),
  49: restoredBy(50),
  51: restoredBy(52),
  53: restoredBy(54),
  55: restoredBy(56),
  58: restoredBy(59),
  60: restoredBy(61),
  63: { restores: [50], why: 'The battery of the control panel is connected again when it is charged.' },
  64: restoredBy(65),
  66: restoredBy(67),
  68: remark('A user has taken note of a low battery, which has events of its own.'),
  69: {
    restores: [],
    after: 7 * day,
    why: 'Nothing tells that a detector was cleaned; one that is still dirty says so again.',
  },
  70: restoredBy(33),
  71: restoredBy(72),
  73: restoredBy(74),
  75: restoredBy(76),
  77: restoredBy(78),
  79: restoredBy(80),
  81: restoredBy(82),
  90: { restores: [], arming: true, after: day, why: 'The next arming succeeds or fails by itself.' },
  98: { restores: [], arming: true, after: day, why: 'The next arming succeeds or fails by itself.' },
  105: { restores: [], after: hour, why: 'It is one attempt; another one has an event of its own.' },
  106: remark('It tells of no state of the panel.'),
  107: remark('It tells of no state of the panel.'),
  108: restoredBy(109),
  110: restoredBy(111),
  112: restoredBy(113),
  114: restoredBy(115),
  116: restoredBy(118),
  117: restoredBy(119),
  120: restoredBy(122),
  121: restoredBy(123),
  124: restoredBy(125),
  126: restoredBy(127),
  128: restoredBy(129),
  132: { restores: [133], why: 'Neither has a Contact ID; the vis of the restore follows.' },
  134: { restores: [135], why: 'Neither has a Contact ID; the vis of the restore follows.' },
  136: restoredBy(137),
  143: restoredBy(144),
  145: restoredBy(146),
  147: restoredBy(148),
  149: restoredBy(118),
  150: restoredBy(151),
  152: restoredBy(153),
  156: restoredBy(157),
  158: { restores: [], why: 'It confirms another alarm, and ends with it.' },
  165: restoredBy(166),
  167: restoredBy(168),
  169: restoredBy(170),
  171: restoredBy(172),
  177: restoredBy(187),
  188: restoredBy(189),
  991: restoredBy(992),
  993: restoredBy(994),
  995: restoredBy(996),
  997: remark('It announces that another event follows.'),
  998: restoredBy(999),
  1000: { restores: [999], why: 'The panel is back, whatever the reason why it was away.' },
}

/** The groups whose types start something. */
const startingGroups: ReadonlySet<string> = new Set(['alarm', 'alert', 'offline', 'duress'])

/** Returns true if a type starts something that another event, a disarm or time ends. */
export function isStart({ group }: Pick<EventType, 'group'>): boolean {
  return startingGroups.has(groupName(group))
}

/**
 * Returns what ends that which events of a type start; undefined if the type starts nothing.
 *
 * Types that only the service's own catalogue has are paired by Contact ID. An alarm opens an incident.
 */
export function endingOf(type: EventType, catalogue: Catalogue): EventEnding | undefined {
  if (!isStart(type)) return undefined
  const rule = table[type.typeId] ?? ruleOf(type, catalogue)
  const incident = alarmKindOf(type)
  if (incident === null) return rule
  // Whoever disarms has not closed the case of a detector.
  const isDisarmEnough = rule.after === undefined && (incident !== 'tamper' || rule.restores.length === 0)
  return { ...rule, ...(isDisarmEnough && { disarm: true }), incident }
}

/** Returns the rule for a type that only the service's own catalogue has. */
function ruleOf(type: EventType, catalogue: Catalogue): EventEnding {
  const code = restoringCode(type.contactId)
  const restores = [...catalogue.values()]
    .filter((other) => other.contactId === code && !isStart(other))
    .map(({ typeId }) => typeId)
  const kind = alarmKindOf(type)
  if (kind === 'duress') return { restores, after: day }
  // Without any other sign, a trouble that is not told again for a week counts as over.
  return restores.length > 0 || kind !== null ? { restores } : { restores, after: 7 * day }
}

/** Returns true if an event of one type ends what one of another type has started, at the same place. */
export function isRestoreOf(start: EventType, end: EventType, catalogue: Catalogue): boolean {
  const isNamed = endingOf(start, catalogue)?.restores.includes(end.typeId) === true
  return isNamed || (!isStart(end) && restoringCode(start.contactId) === end.contactId)
}

/** Returns the Contact ID of the restore of a start, such as 3130 for 1130; null if there is none. */
export function restoringCode(contactId: string): string | null {
  return /^1\d{3}$/.test(contactId) ? `3${contactId.slice(1)}` : null
}
