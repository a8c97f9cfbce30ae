import { type ConditionKind, conditionTexts, type PanelCondition } from '../panel/conditions/condition.ts'
import type { DueList } from '../panel/conditions/condition-report.ts'
import { type IncidentKind, incidentKinds } from '../panel/incidents/incident-view.ts'
import type { Source } from '../panel/snapshot.ts'
import { filled } from './incident-message.ts'
import { type Message, message } from './message.ts'

/** The parts of the texts of conditions. */
export const conditionParts = [...conditionTexts, 'unnamed', 'panel', 'broadband', 'mobile'] as const

/** A part of the texts of conditions. */
export type ConditionPart = (typeof conditionParts)[number]

/** A word for a kind of alarm, as incidents have it. */
export type AlarmPart = `incident.${IncidentKind}`

/** The texts of a language. */
export interface ConditionTexts {
  /** A language tag such as `en-US`, for dates and times. */
  language: string
  /** Returns the text of a part, with its placeholders such as `__time__`. */
  text(part: ConditionPart | AlarmPart): string
}

/**
 * Returns one sentence about a condition, which is the same as long as it lasts. Times are those of the machine's time zone.
 */
export function textOfCondition(condition: PanelCondition, { language, text }: ConditionTexts): string {
  const { says, since, at } = condition
  const what = whatOf(condition, text)
  const time = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' }).format(
    at ?? since,
  )
  return filled(text(says), { name: nameOf(condition, text), what, time })
}

/** Returns what a condition tells, in the words of the language where it is one of our own words. */
function whatOf(condition: PanelCondition, text: ConditionTexts['text']): string {
  const { kind, what } = condition
  if (kind === 'alarm') return text(`incident.${kindOf(condition)}`)
  return kind === 'line' ? text(what === 'mobile' ? what : 'broadband') : what
}

function kindOf({ what }: PanelCondition): IncidentKind {
  return incidentKinds.find((kind) => kind === what) ?? 'alarm'
}

/** Returns the name of the place of a condition. */
function nameOf({ zone, name }: Pick<PanelCondition, 'zone' | 'name'>, text: ConditionTexts['text']): string {
  if (name) return name
  return zone === null || zone === 0 ? text('panel') : filled(text('unnamed'), { zone: String(zone) })
}

/** Something that needs attention, as messages tell it. */
export interface ToldCondition {
  kind: ConditionKind
  /** Number of the zone; 0 is the control panel, null another device or the whole panel. */
  zone: number | null
  /** Name of the device; empty for the whole panel. */
  name: string
  /** ISO 8601 in UTC; the same as long as the condition lasts. */
  since: string
  /** `eventKey` of the event that started it; null if none is known. */
  eventKey: string | null
  /** One sentence in the language of the node. */
  text: string
}

/** The list of conditions, on the topic `<panel>/conditions`; `reminder` and `redelivered` are present only when true. */
export interface ConditionsMessage extends Message<ToldCondition[]> {
  reminder?: true
  redelivered?: true
}

/** Builds the message with the list of conditions. */
export function conditionsMessage(
  { conditions, isReminder, redelivered }: DueList,
  source: Source,
  texts: ConditionTexts,
): ConditionsMessage {
  return {
    ...message(
      source,
      'conditions',
      conditions.map((one) => payload(one, texts)),
    ),
    ...(isReminder && { reminder: true }),
    ...(redelivered && { redelivered }),
  }
}

function payload(condition: PanelCondition, texts: ConditionTexts): ToldCondition {
  const { kind, zone, name, since, eventKey } = condition
  return {
    kind,
    zone,
    name: zone === null ? name : nameOf(condition, texts.text),
    since: new Date(since).toISOString(),
    eventKey,
    text: textOfCondition(condition, texts),
  }
}
