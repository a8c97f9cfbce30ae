import { minute } from '../duration.ts'
import { maxNamed } from '../panel/incidents/incident-news.ts'
import type { DueIncident } from '../panel/incidents/incident-report.ts'
import {
  type IncidentView,
  type IncidentZone,
  incidentKinds,
  type UserAction,
} from '../panel/incidents/incident-view.ts'
import type { Source } from '../panel/snapshot.ts'
import { onOneLine, shorten } from '../service/error.ts'
import { type Message, message } from './message.ts'

/** The parts of a title or a summary that have a text. */
export const summaryParts = [
  ...incidentKinds.filter((kind) => kind !== 'duress'),
  'title',
  'titleOver',
  'join',
  'then',
  'zone',
  'unnamed',
  'panel',
  'dated',
  'open',
  'restored',
  'unrestored',
  'leftOut',
  'unconfirmed',
  'stopped',
  'closed',
  'closedBy',
  'closedByUnnamed',
  'lost',
  'back',
  'disarm',
  'disarmed',
  'disarmedUnnamed',
  'armed',
] as const

/** A part of a title or a summary that has a text. */
type SummaryPart = (typeof summaryParts)[number]

/** The texts of a language. */
export interface IncidentTexts {
  /** A language tag such as `en-US`, for dates and times. */
  language: string
  /** Returns the text of a part, with its placeholders such as `__time__`. */
  text(part: SummaryPart): string
}

/** The moment at which something is told. */
export interface Moment {
  /** Milliseconds since 1970. */
  readonly now: number
  /** The time zone of the reader; undefined is that of the machine. */
  readonly timeZone: string | undefined
}

/** Characters of a title: about what the screen of a locked phone shows. */
const maxTitleLength = 60

/**
 * Milliseconds after the begin of an alarm in which a disarm can have stopped its report: the longest abort time (makers'
 * guides: 4 minutes), and a minute until it is known.
 */
const maxAbortTime = 5 * minute

/** Returns the kind and the place of an incident, and if it is over. A threat reads as the disarm that it also is. */
export function titleOf(incident: IncidentView, panel: string, texts: IncidentTexts): string {
  const { place } = incident
  const name = onOneLine(place === null ? panel : placeName(place, texts))
  return titleWith(shorten(name, roomInTitle(incident, texts)), incident, texts)
}

function titleWith(place: string, { kind, status }: IncidentView, { text }: IncidentTexts): string {
  if (kind === 'duress') return text('disarm')
  return filled(text(status === 'closed' ? 'titleOver' : 'title'), { kind: text(kind), place })
}

/** Returns the characters that the name of the place may have in the title. */
function roomInTitle(incident: IncidentView, texts: IncidentTexts): number {
  return Math.max(1, maxTitleLength - titleWith('', incident, texts).length)
}

/**
 * Returns a few short sentences about an incident: its places in their order, how it stands, who disarmed, who armed. They
 * repeat neither the kind nor the first place of the title, and say nothing of a threat, which reads as the disarm that it
 * also is. Times have a day only if it is neither today nor that of the time before.
 */
export function summaryOf(incident: IncidentView, texts: IncidentTexts, moment: Moment): string {
  const { since, until, zones, armedBy, disarmedBy, kind, status, confirmed, contact } = incident
  const say = (part: SummaryPart, values: Record<string, string> = {}) => filled(texts.text(part), values)
  const time = timesIn(texts, moment)
  const isAlarm = kind !== 'duress' && kind !== 'contact'
  const named = zones.slice(0, maxNamed).map((zone, at) => {
    const name = placeName(zone, texts)
    return at === 0 && isInTitle(zone, incident, texts)
      ? time(zone.first)
      : say('zone', { name, time: time(zone.first) })
  })
  // A state alone has told it: the title has the name of the panel.
  if (named.length === 0 && isAlarm) named.push(time(since))
  const order = named.join(say('then')) + (zones.length > maxNamed ? ' …' : '')
  const sentences = [order]
  const isDisarmTheEnd = disarmedBy !== null && until !== null && isSameMinute(disarmedBy.at, until)
  if (isAlarm) {
    const values = until === null ? {} : { time: time(until) }
    if (until === null) sentences.push(say(status, values))
    else if (!isDisarmTheEnd) sentences.push(say('closed', values))
    else if (disarmedBy.name) sentences.push(say('closedBy', { ...values, name: disarmedBy.name }))
    else sentences.push(say('closedByUnnamed', values))
    const unrestored = zones.filter(({ restored }) => restored === null)
    if (status === 'open' && unrestored.length > 0 && unrestored.length < zones.length) {
      const names = unrestored.slice(0, maxNamed).map((zone) => placeName(zone, texts))
      sentences.push(say('unrestored', { zones: names.join(', ') }))
    }
  }
  const leftOut = zones.filter(({ zone }) => incident.leftOut.includes(zone)).slice(0, maxNamed)
  if (leftOut.length > 0)
    sentences.push(say('leftOut', { zones: leftOut.map((zone) => placeName(zone, texts)).join(', ') }))
  if (!confirmed && until === null) sentences.push(say('unconfirmed'))
  else if (!confirmed && (until ?? 0) - since <= maxAbortTime) sentences.push(say('stopped'))
  if (contact !== null) {
    const lost = time(contact.lostAt)
    sentences.push(
      contact.backAt === null
        ? say('lost', { time: lost })
        : say('back', { time: lost, back: time(contact.backAt) }),
    )
  }
  const action = ({ name, at }: UserAction, part: SummaryPart, unnamed: SummaryPart) =>
    say(name ? part : unnamed, { name, time: time(at) })
  if (disarmedBy !== null && (!isDisarmTheEnd || kind === 'duress'))
    sentences.push(action(disarmedBy, 'disarmed', 'disarmedUnnamed'))
  if (armedBy?.name) sentences.push(say('armed', { name: armedBy.name, time: time(armedBy.at) }))
  // The last one ends as the others do.
  return onOneLine([...sentences.filter(Boolean), ''].join(say('join')).trimEnd())
}

/** Returns true if the title has the whole name of a zone. */
function isInTitle(zone: IncidentZone, incident: IncidentView, texts: IncidentTexts): boolean {
  const { place } = incident
  if (place?.zone !== zone.zone || place.name !== zone.name) return false
  return onOneLine(placeName(zone, texts)).length <= roomInTitle(incident, texts)
}

function placeName({ zone, name }: NonNullable<IncidentView['place']>, { text }: IncidentTexts): string {
  return name || (zone === 0 ? text('panel') : filled(text('unnamed'), { zone: String(zone) }))
}

/** Returns a function that says times, in the order in which they stand in a text. */
function timesIn({ language, text }: IncidentTexts, { now, timeZone }: Moment): (at: number) => string {
  const zone = timeZone === undefined ? {} : { timeZone }
  const clock = new Intl.DateTimeFormat(language, { timeStyle: 'short', ...zone })
  const day = new Intl.DateTimeFormat(language, { day: 'numeric', month: 'short', ...zone })
  const today = day.format(now)
  let before = today
  return (at) => {
    const own = day.format(at)
    const isPlain = own === today || own === before
    before = own
    return isPlain ? clock.format(at) : filled(text('dated'), { day: own, time: clock.format(at) })
  }
}

function isSameMinute(one: number, other: number): boolean {
  return Math.floor(one / minute) === Math.floor(other / minute)
}

/** Returns a text with the values in place of its placeholders. */
export function filled(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replace(/__(\w+?)__/g, (whole, name: string) => `${values[name] ?? whole}`)
}

/** A person, and the time of what they did: ISO 8601 in UTC. */
export interface UserActionPayload {
  name: string
  at: string
}

/** The payload for an incident. Times are ISO 8601 in UTC. */
export interface IncidentPayload {
  /** The same in all messages about the incident. */
  id: string
  /** `fire`, `gas`, `panic`, `medical`, `burglary`, `alarm`, `flood`, `tamper`, `duress` or `contact`. */
  kind: string
  status: 'open' | 'restored' | 'closed'
  /** False until an event tells the alarm: the panel shows it, and has not reported it yet. */
  confirmed: boolean
  since: string
  until: string | null
  /** Empty means the whole panel. */
  partitions: number[]
  /** In the order of their first alarms; 0 is the control panel. */
  zones: { zone: number; name: string; first: string; restored: string | null }[]
  armedBy: UserActionPayload | null
  disarmedBy: UserActionPayload | null
  duress: boolean
  timeline: { time: string; eventKey: string; what: string; zone: number; actor: string }[]
  /** Kind and place in the language of the node, and if it is over; at most 60 characters. Says nothing of a threat. */
  title: string
  /** A few short sentences in the language of the node, without kind and place of the title. They say nothing of a threat. */
  summary: string
  /** The news since the latest message about the incident; the first three are worth waking somebody. */
  news: 'alarm' | 'zone' | 'contact' | 'restore' | 'over' | 'detail'
}

/** An incident, on the topic `<panel>/incident`; `late` and `redelivered` are present only when true. */
export interface IncidentMessage extends Message<IncidentPayload> {
  /** It was over before anything was told of it. */
  late?: true
  redelivered?: true
}

/** Builds the message about an incident. */
export function incidentMessage(
  { incident, news, late, redelivered }: DueIncident,
  source: Source,
  texts: IncidentTexts,
  moment: Moment,
): IncidentMessage {
  const told = {
    title: titleOf(incident, source.name, texts),
    summary: summaryOf(incident, texts, moment),
    news,
  }
  return {
    ...message(source, 'incident', { ...payload(incident), ...told }),
    ...(late && { late }),
    ...(redelivered && { redelivered }),
  }
}

function payload(view: IncidentView): Omit<IncidentPayload, 'title' | 'summary' | 'news'> {
  const {
    id,
    kind,
    status,
    confirmed,
    since,
    until,
    partitions,
    zones,
    armedBy,
    disarmedBy,
    threat,
    timeline,
  } = view
  return {
    id,
    kind,
    status,
    confirmed,
    since: iso(since),
    until: until === null ? null : iso(until),
    partitions: [...partitions],
    zones: zones.map(({ zone, name, first, restored }) => ({
      zone,
      name,
      first: iso(first),
      restored: restored === null ? null : iso(restored),
    })),
    armedBy: armedBy && { name: armedBy.name, at: iso(armedBy.at) },
    disarmedBy: disarmedBy && { name: disarmedBy.name, at: iso(disarmedBy.at) },
    duress: threat !== null,
    timeline: timeline.map(({ time, key, what, zone, actor }) => ({
      time: iso(time),
      eventKey: key,
      what,
      zone,
      actor,
    })),
  }
}

function iso(time: number): string {
  return new Date(time).toISOString()
}
