import { minute } from '../../duration.ts'
import {
  type Check,
  flag,
  integer,
  integerOrNull,
  list,
  parse,
  parseJson,
  record,
  text,
  textOrEmpty,
  textOrNull,
  withDefault,
  word,
} from '../../service/schema.ts'
import { storyEventCheck } from '../incidents/story-event.ts'
import { conditionKinds, conditionSources, conditionTexts, type PanelCondition } from './condition.ts'
import { type ConditionBook, newBook } from './condition-book.ts'
import {
  afterTelling,
  type ConditionChoice,
  hasChanged,
  isReminderDue,
  listedConditions,
  type Telling,
  tellingOf,
} from './condition-choice.ts'
import type { MaintenanceFacts } from './maintenance.ts'

/** Milliseconds from a start to the first reminder: two lists show until then which of the noted conditions still last. */
const untilRead = minute

/** A list of conditions to tell. */
export interface DueList {
  conditions: readonly PanelCondition[]
  /** True if nothing came or went, but the reminder of a condition is due. */
  isReminder: boolean
  /** True if it may have been told before. */
  redelivered: boolean
}

/** The conditions of a panel as one node knows and tells them, with the notes from which the next process goes on. */
export class ConditionReport {
  readonly #choice: ConditionChoice
  /** The conditions and all that is known; undefined before the notes were recalled. */
  book: ConditionBook | undefined
  #told: readonly Telling[] = []
  /** True if the latest message may have been lost. */
  #isUntold = false
  /** Milliseconds since 1970. */
  #recalledAt = Number.NEGATIVE_INFINITY

  constructor(choice: ConditionChoice) {
    this.#choice = choice
  }

  /** Goes on from the notes of an earlier process, or of the time before; null for the first run. */
  recall(notes: string | null, now: number): void {
    const noted = notes === null ? undefined : notedConditions(parseJson(notes))
    this.book = noted?.book ?? newBook(now)
    this.#told = noted?.told ?? []
    this.#isUntold = noted?.isUntold ?? false
    this.#recalledAt = now
  }

  /** Takes what has become known; returns true if there is anything to note or to tell. */
  change(next: (book: ConditionBook, told: readonly Telling[]) => ConditionBook, now: number): boolean {
    const before = this.book
    if (before === undefined) return false
    const { book, told } = withoutFuture({ book: before, told: this.#told }, now)
    this.#told = told
    this.book = next(book, told)
    return this.book !== before || this.due(now) !== undefined
  }

  /** Returns the list at a time. */
  listed(now: number): PanelCondition[] {
    return listedConditions(this.book?.conditions ?? [], this.#choice, this.#told, now)
  }

  /** Returns the list if conditions came or went, if a reminder is due, or if the latest message may have been lost. */
  due(now: number): DueList | undefined {
    const conditions = this.listed(now)
    const isChanged = hasChanged(conditions, this.#told)
    const sinceStart = now - this.#recalledAt
    // The clock of the machine can be set back.
    const areRead = sinceStart < 0 || sinceStart >= Math.min(untilRead, this.#choice.remindAfter)
    const isReminded = conditions.some((condition) => {
      const telling = areRead ? tellingOf(condition, this.#told) : undefined
      return telling !== undefined && isReminderDue(condition, telling, this.#choice, now)
    })
    if (!isChanged && !isReminded && !this.#isUntold) return undefined
    return { conditions, isReminder: isReminded && !isChanged, redelivered: this.#isUntold }
  }

  /** Notes that a list is told. */
  noteTold({ conditions }: DueList, now: number): void {
    this.#told = afterTelling(conditions, this.#told, this.#choice, now)
    this.#isUntold = false
  }

  /**
   * Returns what the next process needs.
   * @param mayBeLost true while a message is about to be sent
   */
  notes(mayBeLost = false): string {
    const book = this.book ?? newBook(0)
    return notesOf({ book, told: this.#told, isUntold: mayBeLost || this.#isUntold })
  }
}

/** Milliseconds by which a time may be later than now: a clock is often put back by a little. */
const tolerance = minute

/** The conditions that a node knows, and those of the list that it told last. */
interface Known {
  readonly book: ConditionBook
  readonly told: readonly Telling[]
}

/**
 * Returns what is known with now for each time that is later: the clock was ahead when it was noted, and would hold back
 * conditions and reminders until that time. The same object if there is none.
 * @param now milliseconds since 1970
 */
export function withoutFuture(known: Known, now: number): Known {
  const { book, told } = known
  const { inspection, test, backups } = book.facts
  const times = [
    book.begunAt,
    ...book.conditions.map(({ since }) => since),
    ...told.flatMap(({ since, at }) => [since, at]),
    ...book.armings.map(({ disarmedAt }) => disarmedAt ?? 0),
    ...[inspection?.at, test?.at, backups?.askedAt].map((time) => time ?? 0),
  ]
  const isLater = (time: number) => time > now + tolerance
  if (!times.some(isLater)) return known
  const past = (time: number) => (isLater(time) ? now : time)
  const facts = {
    ...book.facts,
    inspection: inspection && { ...inspection, at: past(inspection.at) },
    test: test && { ...test, at: past(test.at) },
    backups: backups && { ...backups, askedAt: past(backups.askedAt) },
  }
  const conditions = book.conditions.map((one) => ({ ...one, since: past(one.since) }))
  const armings = book.armings.map((one) => ({ ...one, disarmedAt: one.disarmedAt && past(one.disarmedAt) }))
  return {
    book: { ...book, begunAt: past(book.begunAt), conditions, armings, facts },
    told: told.map((one) => ({ ...one, since: past(one.since), at: past(one.at) })),
  }
}

/** The conditions as a node keeps them for the next process. */
interface NotedConditions extends Known {
  /** True if the latest message may be lost. */
  isUntold: boolean
}

/** The version of the notes. */
const format = 1

const condition: Check<PanelCondition> = record({
  id: text,
  kind: word(conditionKinds),
  zone: integerOrNull,
  name: textOrEmpty,
  since: integer,
  eventKey: textOrNull,
  says: word(conditionTexts),
  what: textOrEmpty,
  at: integerOrNull,
  isQuiet: withDefault(flag, false),
  shownBy: list(word(conditionSources)),
})

const facts: Check<MaintenanceFacts> = record({
  inspection: withDefault(
    record({
      at: integer,
      hasFailed: flag,
      eventKey: text,
      askedAt: integerOrNull,
      tests: textOrNull,
    }),
    null,
  ),
  test: withDefault(record({ at: integer, eventKey: text }), null),
  backups: withDefault(record({ askedAt: integer, isKnown: flag, newest: integerOrNull }), null),
  licenseEnd: integerOrNull,
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
  // Notes of an earlier version have none of these.
  lines: withDefault(list(word(['broadband', 'mobile'])), []),
  armings: withDefault(list(record({ partition: integer, disarmedAt: integerOrNull })), []),
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
