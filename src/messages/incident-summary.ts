import { minute } from '../duration.ts'
import { type IncidentView, incidentKinds, type UserAction } from '../panel/incidents/incident-view.ts'
import { onOneLine } from '../service/error.ts'
import { shorten } from '../shorten.ts'

/** The parts of a title or a summary that have a text. */
export const summaryParts = [
  ...incidentKinds.filter((kind) => kind !== 'duress'),
  'title',
  'join',
  'then',
  'zone',
  'unnamed',
  'panel',
  'dated',
  'open',
  'restored',
  'unrestored',
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
export type SummaryPart = (typeof summaryParts)[number]

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

/** Zones that a summary names; the others are in the payload. */
const maxZones = 8

/** Returns the kind and the place of an incident. A threat reads as the disarm that it also is. */
export function titleOf({ kind, place }: IncidentView, panel: string, texts: IncidentTexts): string {
  if (kind === 'duress') return texts.text('disarm')
  const name = kind === 'contact' ? panel : placeName(place, texts)
  const title = (shown: string) => filled(texts.text('title'), { kind: texts.text(kind), place: shown })
  const whole = onOneLine(name)
  return title(shorten(whole, Math.max(1, maxTitleLength - title('').length)))
}

/**
 * Returns a few short sentences about an incident: the places in their order, how it stands, who disarmed, who armed. They
 * say nothing of a threat, which reads as the disarm that it also is. Times have a day only if it is neither today nor that
 * of the time before.
 */
export function summaryOf(incident: IncidentView, texts: IncidentTexts, moment: Moment): string {
  const { until, zones, armedBy, disarmedBy, kind, status, contact } = incident
  const say = (part: SummaryPart, values: Record<string, string> = {}) => filled(texts.text(part), values)
  const time = timesIn(texts, moment)
  const named = zones
    .slice(0, maxZones)
    .map((zone) => say('zone', { name: placeName(zone, texts), time: time(zone.first) }))
  const order = named.join(say('then')) + (zones.length > maxZones ? ' …' : '')
  const sentences = [order]
  const isDisarmTheEnd = disarmedBy !== null && until !== null && isSameMinute(disarmedBy.at, until)
  if (kind !== 'duress' && kind !== 'contact') {
    const values = { kind: say(kind), ...(until !== null && { time: time(until) }) }
    if (until === null) sentences.push(say(status, values))
    else if (!isDisarmTheEnd) sentences.push(say('closed', values))
    else if (disarmedBy.name) sentences.push(say('closedBy', { ...values, name: disarmedBy.name }))
    else sentences.push(say('closedByUnnamed', values))
    const unrestored = zones.filter(({ restored }) => restored === null)
    if (status === 'open' && unrestored.length > 0 && unrestored.length < zones.length) {
      const names = unrestored.slice(0, maxZones).map((zone) => placeName(zone, texts))
      sentences.push(say('unrestored', { zones: names.join(', ') }))
    }
  }
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

function placeName(place: IncidentView['place'], { text }: IncidentTexts): string {
  const { zone = 0, name = '' } = place ?? {}
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
export function filled(text: string, values: Record<string, string>): string {
  return text.replace(/__(\w+?)__/g, (whole, name: string) => values[name] ?? whole)
}
