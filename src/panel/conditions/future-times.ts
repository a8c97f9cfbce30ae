import { minute } from '../../duration.ts'
import type { ConditionBook } from './condition-book.ts'
import type { Telling } from './condition-plan.ts'

/** Milliseconds by which a time may be later than now: a clock is often put back by a little. */
const tolerance = minute

/** What a node knows of conditions, and what it has told of them. */
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
  return {
    book: { ...book, begunAt: past(book.begunAt), conditions, facts },
    told: told.map((one) => ({ ...one, since: past(one.since), at: past(one.at) })),
  }
}
