import { conditionTexts, type PanelCondition } from '../panel/conditions/condition.ts'
import { type AlarmKind, alarmKinds } from '../service/catalogue/alarm-kind.ts'
import { filled } from './incident-summary.ts'

/** The parts of the texts of conditions. */
export const conditionParts = [...conditionTexts, 'unnamed', 'panel'] as const

/** A part of the texts of conditions. */
export type ConditionPart = (typeof conditionParts)[number]

/** A word for a kind of alarm: incidents have it too. */
export type AlarmPart = `incident.${AlarmKind}`

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
  const what = condition.kind === 'alarm' ? text(`incident.${kindOf(condition)}`) : condition.what
  const time = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' }).format(
    at ?? since,
  )
  return filled(text(says), { name: nameOf(condition, text), what, time })
}

function kindOf({ what }: PanelCondition): AlarmKind {
  return alarmKinds.find((kind) => kind === what) ?? 'alarm'
}

/** Returns the name of the place of a condition. */
export function nameOf(
  { zone, name }: Pick<PanelCondition, 'zone' | 'name'>,
  text: ConditionTexts['text'],
): string {
  if (name) return name
  return zone === null || zone === 0 ? text('panel') : filled(text('unnamed'), { zone: String(zone) })
}
