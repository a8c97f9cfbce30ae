import { textOrEmpty } from '../../service/optional-fields.ts'
import {
  type Check,
  flag,
  integer,
  list,
  parse,
  record,
  text,
  withDefault,
  word,
} from '../../service/schema.ts'
import { storyEventCheck } from '../incidents/book-notes.ts'
import { conditionKinds, conditionSources, conditionTexts, type PanelCondition } from './condition.ts'
import type { ConditionBook } from './condition-book.ts'
import type { Telling } from './condition-plan.ts'
import type { MaintenanceFacts } from './maintenance.ts'

/** The conditions as a node keeps them for the next process. */
export interface NotedConditions {
  book: ConditionBook
  /** The conditions of the list that was told last. */
  told: readonly Telling[]
  /** True if the latest message may be lost. */
  isUntold: boolean
}

/** The version of the notes. */
const format = 1

const integerOrNothing = withDefault(integer, null)
const textOrNothing = withDefault(text, null)

const condition: Check<PanelCondition> = record({
  id: text,
  kind: word(conditionKinds),
  zone: integerOrNothing,
  name: textOrEmpty,
  since: integer,
  eventKey: textOrNothing,
  says: word(conditionTexts),
  what: textOrEmpty,
  at: integerOrNothing,
  shownBy: list(word(conditionSources)),
})

const facts: Check<MaintenanceFacts> = record({
  inspection: withDefault(record({ at: integer, hasFailed: flag, eventKey: text }), null),
  test: withDefault(record({ at: integer, eventKey: text }), null),
  backups: withDefault(record({ askedAt: integer, isKnown: flag, newest: integerOrNothing }), null),
  licenseEnd: integerOrNothing,
})

const telling: Check<Telling> = record({ id: text, since: integer, at: integer, reminders: integer })

const noted = record({
  format: integer,
  begunAt: integer,
  conditions: list(condition),
  events: list(storyEventCheck),
  over: list(text),
  places: withDefault(list(text), null),
  isOnlineTold: flag,
  facts,
  told: list(telling),
  isUntold: flag,
})

/** Returns the notes in the form in which they are kept. */
export function notesOf({ book, told, isUntold }: NotedConditions): string {
  return JSON.stringify({ format, ...book, told, isUntold })
}

/** Returns what notes say; undefined if they are damaged, so that the node begins anew. */
export function notedConditions(notes: unknown): NotedConditions | undefined {
  const parsed = parse(noted, notes)
  if (parsed === undefined || parsed.dropped > 0 || parsed.value.format !== format) return undefined
  const { told, isUntold, format: _version, ...book } = parsed.value
  return { book, told, isUntold }
}
