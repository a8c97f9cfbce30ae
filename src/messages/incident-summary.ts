import type { IncidentView, IncidentZone, UserAction } from '../panel/incidents/incident-view.ts'
import { alarmKinds } from '../service/catalogue/alarm-kind.ts'

/** The parts of a summary that have a text. */
export const summaryParts = [
  ...alarmKinds,
  'sentence',
  'join',
  'at',
  'on',
  'first',
  'then',
  'zone',
  'unnamed',
  'panel',
  'armed',
  'threat',
  'threatUnnamed',
  'disarmed',
  'disarmedUnnamed',
  'unrestored',
  'open',
  'restored',
  'closed',
] as const

/** A part of a summary that has a text. */
export type SummaryPart = (typeof summaryParts)[number]

/** The texts of a language. */
export interface IncidentTexts {
  /** A language tag such as `en-US`, for dates and times. */
  language: string
  /** Returns the text of a part, with its placeholders such as `__time__`. */
  text(part: SummaryPart): string
}

/** Zones that a sentence names; the others are in the payload. */
const maxZones = 8

/**
 * Returns one sentence about an incident: its kind and time, who armed, the zones in their order, who disarmed, and how
 * it stands. Times are those of the machine's time zone.
 */
export function summaryOf(incident: IncidentView, texts: IncidentTexts): string {
  const { since, until, zones, armedBy, threat, disarmedBy, kind, status } = incident
  const { language } = texts
  const say = (part: SummaryPart, values: Record<string, string> = {}) => filled(texts.text(part), values)
  const begin = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' }).format(since)
  const time = (at: number) => timeOf(at, since, texts)
  const nameOf = ({ zone, name }: IncidentZone) =>
    name || (zone === 0 ? say('panel') : say('unnamed', { zone: String(zone) }))
  const named = zones
    .slice(0, maxZones)
    .map((zone) => say('zone', { name: nameOf(zone), time: time(zone.first) }))
  const order = named.join(say('then')) + (zones.length > maxZones ? ' …' : '')
  const open = zones.filter(({ restored }) => restored === null).map(nameOf)
  const action = ({ name, at }: UserAction, part: SummaryPart, unnamed: SummaryPart) =>
    say(name ? part : unnamed, { name, time: time(at) })
  const parts = [
    armedBy?.name ? say('armed', { name: armedBy.name, time: time(armedBy.at) }) : '',
    zones.length > 1 ? say('first', { zones: order }) : order,
    threat ? action(threat, 'threat', 'threatUnnamed') : '',
    disarmedBy ? action(disarmedBy, 'disarmed', 'disarmedUnnamed') : '',
    status === 'open' && open.length > 0 && open.length < zones.length
      ? say('unrestored', { zones: open.slice(0, maxZones).join(', ') })
      : '',
    until === null ? say(status) : say('closed', { time: time(until) }),
  ]
  return say('sentence', { kind: say(kind), time: begin, parts: parts.filter(Boolean).join(say('join')) })
}

/** Returns a time with its preposition, and with its day in a sentence that has begun with another one. */
function timeOf(at: number, since: number, { language, text }: IncidentTexts): string {
  const isSameDay = new Date(at).toDateString() === new Date(since).toDateString()
  const format: Intl.DateTimeFormatOptions = isSameDay
    ? { timeStyle: 'medium' }
    : { dateStyle: 'medium', timeStyle: 'medium' }
  const time = new Intl.DateTimeFormat(language, format).format(at)
  return filled(text(isSameDay ? 'at' : 'on'), { time })
}

/** Returns a text with the values in place of its placeholders. */
export function filled(text: string, values: Record<string, string>): string {
  return text.replace(/__(\w+?)__/g, (whole, name: string) => values[name] ?? whole)
}
