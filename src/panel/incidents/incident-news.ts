import { createHash } from 'node:crypto'
import { minute } from '../../duration.ts'
import { type IncidentKind, type IncidentView, incidentKinds } from './incident-view.ts'

/**
 * The news of a message about an incident, of which the first three are worth waking somebody: an alarm, also one that
 * begins again, becomes more serious or becomes known after the end; a further zone; the contact with the panel is lost;
 * something is restored; it is over; anything else.
 */
export const newsWords = ['alarm', 'zone', 'contact', 'restore', 'over', 'detail'] as const

/** The news of a message. */
export type News = (typeof newsWords)[number]

/** The zones that a summary names; the others are in the payload alone. */
export const maxNamed = 8

const loud: ReadonlySet<News> = new Set(['alarm', 'zone', 'contact'])

/** The latest message about an incident, as far as the next one depends on it. */
export interface Told {
  /** The same for messages with the same title, summary and status, as many reported alarms, and the same threat. */
  readonly digest: string
  readonly kind: IncidentKind
  readonly status: IncidentView['status']
  readonly confirmed: boolean
  /** The numbers of zones, and of those that were restored. */
  readonly zones: number
  readonly restored: number
  readonly lostAt: number | null
  /** The number of alarms, and if there was a threat; null in the notes of an earlier version. */
  readonly alarms: number | null
  readonly hasThreat: boolean | null
  readonly news: News
  /** True if the incident was over before anything was told of it. */
  readonly isLate: boolean
}

/**
 * Returns what is to be told of an incident after its latest message; undefined if there is nothing new. After the end that is
 * an alarm that was not told, which rings, and a threat, of which only the payload tells; nobody waits for anything else.
 * @param isDoubtful true if the latest message may have been lost: it is told again, and rings if that would have
 */
export function toldNext(
  before: Told | undefined,
  incident: IncidentView,
  isDoubtful: boolean,
): Told | undefined {
  const { kind, status, confirmed, zones, contact } = incident
  const digest = digestOf(incident)
  const isAfterEnd = before?.status === 'closed' && status === 'closed'
  const isSame = before?.digest === digest || (isAfterEnd && !hasUntold(before, incident))
  if (isSame && !isDoubtful) return undefined
  const lost = isDoubtful && (isSame || status !== 'closed') ? before : undefined
  return {
    digest,
    kind,
    status,
    confirmed,
    zones: zones.length,
    restored: restoredIn(incident),
    lostAt: contact?.lostAt ?? null,
    alarms: incident.alarms,
    hasThreat: incident.threat !== null,
    news: lost !== undefined && (isSame || loud.has(lost.news)) ? lost.news : newsOf(before, incident),
    isLate: lost?.isLate ?? (before === undefined && status === 'closed'),
  }
}

/** The facts that decide how an incident differs from its latest message. */
type TellableBefore = Omit<Told, 'digest' | 'news' | 'isLate'>

/** Returns the news of an incident: how it differs from the latest message, undefined if there is none. */
export function newsOf(before: TellableBefore | undefined, now: IncidentView): News {
  const { kind, status, zones, contact } = now
  // A threat is shown as a disarm, which wakes nobody.
  if (kind === 'duress') return 'detail'
  const isAfterEnd = before?.status === 'closed' && status === 'closed'
  if (isAfterEnd && !hasUntoldAlarm(before, now)) return 'detail'
  if (status === 'closed' && !isAfterEnd) return 'over'
  const isWorse =
    before !== undefined && incidentKinds.indexOf(kind) < incidentKinds.indexOf(kindRung(before))
  if (kind !== 'contact' && (before === undefined || before.status === 'closed' || isWorse)) return 'alarm'
  if (contact !== null && contact.lostAt !== before?.lostAt) return 'contact'
  if (before === undefined) return 'detail'
  const beginsAgain = before.status === 'restored' && status === 'open'
  // Of a state alone no zone was known: the first zone is that of the alarm that has rung.
  const zonesRung = before.confirmed ? before.zones : Math.max(1, before.zones)
  if (zones.length > zonesRung || beginsAgain) return 'zone'
  return restoredIn(now) > before.restored || status !== before.status ? 'restore' : 'detail'
}

function hasUntold(before: TellableBefore, now: IncidentView): boolean {
  return hasUntoldAlarm(before, now) || (before.hasThreat === false && now.threat !== null)
}

function hasUntoldAlarm({ alarms, zones }: TellableBefore, now: IncidentView): boolean {
  return alarms === null ? now.zones.length > zones : now.alarms > alarms
}

/** Returns the kind for which an incident has rung: a state alone tells none, and most alarms are burglaries. */
function kindRung({ kind, confirmed }: Pick<Told, 'kind' | 'confirmed'>): IncidentKind {
  return kind === 'alarm' && !confirmed ? 'burglary' : kind
}

function restoredIn({ zones }: IncidentView): number {
  return zones.filter(({ restored }) => restored !== null).length
}

/** Returns a short text that is the same for the same title, summary, status, reported alarms and threat, in any language. */
function digestOf(incident: IncidentView): string {
  const { kind, status, until, zones, place, armedBy, disarmedBy, contact, reported, threat } = incident
  const who = (action: IncidentView['armedBy']) => action && [action.name, minuteOf(action.at)]
  const leftOut = zones
    .map(({ zone }) => zone)
    .filter((zone) => incident.leftOut.includes(zone))
    .slice(0, maxNamed)
  const said = [
    ...[kind, status, minuteOf(until), place],
    zones
      .slice(0, maxNamed)
      .map(({ zone, name, first, restored }) => [zone, name, minuteOf(first), restored !== null]),
    // Of an arming without a name, nothing is said.
    armedBy?.name ? who(armedBy) : null,
    who(disarmedBy),
    contact && [minuteOf(contact.lostAt), minuteOf(contact.backAt)],
    ...[reported, threat !== null],
    ...(incident.confirmed ? [] : ['not confirmed']),
    ...(leftOut.length === 0 ? [] : [{ leftOut }]),
  ]
  return createHash('sha256').update(JSON.stringify(said)).digest('base64').slice(0, 12)
}

/** Returns the minute of a time, because a summary tells no seconds. */
function minuteOf(time: number | null): number | null {
  return time === null ? null : Math.floor(time / minute)
}
