import type { ConditionKind, PanelCondition } from '../panel/conditions/condition.ts'
import type { DueList } from '../panel/conditions/condition-log.ts'
import type { Source } from '../panel/snapshot.ts'
import { type ConditionTexts, nameOf, textOfCondition } from './condition-text.ts'
import { type Message, message } from './message.ts'

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
