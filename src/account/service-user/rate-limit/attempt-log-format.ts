import { ageOf, type Moment } from '../../../clock.ts'
import { minute } from '../../../duration.ts'
import { DayCount, dayOf } from './daily-budget.ts'

/** Milliseconds after the note of starts in which the attempts may start: longer than between two polls, as a rule. */
export const maxReservationTime = minute

/** Milliseconds after which attempts without a noted end were cut off long ago; the longest attempt takes five minutes. */
const maxOpenTime = maxReservationTime + 5 * minute

type LogEntryKind = 'start' | 'end' | 'unused' | 'hold'

/** A line that shows where the attempts after it are counted. */
export const isAboutCluster = /^(joined [\w-]{1,64}|left)$/

/**
 * Returns one line of the attempt log: kind, both clocks, a number, and the start of the machine.
 * @param number for a backoff its milliseconds, else the number of attempts
 */
export function attemptLogLine(
  what: LogEntryKind,
  { wall, monotonic, boot }: Moment,
  number?: number,
): string {
  const isShort = number === undefined || (number === 1 && what !== 'hold')
  const numbers = [wall, monotonic, ...(isShort ? [] : [number])]
  const words = [what, ...numbers.map((one) => Math.ceil(one)), ...(boot === undefined ? [] : [`@${boot}`])]
  return words.join(' ')
}

/** Returns the line that tells the number of attempts since midnight in UTC, with all before it. */
export function todayLine({ wall }: Moment, count: number): string {
  return `today ${dayOf(wall)} ${count}`
}

/** Returns the number of attempts since midnight in UTC: that of the latest line about it, and those that started after it. */
export function todayIn(lines: readonly string[], now: Moment): number {
  const count = new DayCount()
  for (const line of lines) {
    const [, day, noted] = /^today (\d{1,9}) (\d{1,15})$/.exec(line) ?? []
    const [, what, wall, number = 1] = /^(start|unused) (\d{1,15}) \d{1,15}(?: (\d{1,15}))?/.exec(line) ?? []
    if (noted !== undefined && Number(day) === dayOf(now.wall))
      count.add(Number(noted) - count.of(now.wall), now.wall)
    if (wall !== undefined) count.add(what === 'start' ? Number(number) : -Number(number), Number(wall))
  }
  return count.of(now.wall)
}

export function endLines(count: number, at: Moment): string[] {
  return count > 0 ? [attemptLogLine('end', at, count)] : []
}

/**
 * Returns the milliseconds since the end of each attempt of the last minute; 0 for attempts that were cut off
 * before their end.
 * @param lines oldest first
 */
export function endedAges(lines: readonly string[], now: Moment): number[] {
  const { ended, open } = attemptsOf(lines, now)
  const cutOff = open.map((entry) => ({ ...entry, age: 0 }))
  return [...ended, ...cutOff].flatMap(({ age, number }) => new Array<number>(number).fill(age))
}

/**
 * Returns the latest backoff in the log: its length (`pause`, 0 without a backoff) and the milliseconds that
 * are left of it (`left`, 0 without a backoff or after its end).
 */
export function lastHold(lines: readonly string[], now: Moment): { pause: number; left: number } {
  const { number: pause = 0, age = 0 } =
    [...entries(lines, now)].findLast(({ what }) => what === 'hold') ?? {}
  return { pause, left: Math.max(0, pause - age) }
}

/** Returns the lines that still matter in a file that has grown: where attempts count, the latest backoff and attempts, the count of the day. */
export function latestLines(lines: readonly string[], now: Moment): string[] {
  const hold = lines.findLast((line) => line.startsWith('hold '))
  const aboutCluster = lines.findLast((line) => isAboutCluster.test(line))
  const { ended, open } = attemptsOf(lines, now)
  const today = todayLine(now, todayIn(lines, now))
  // The ends come first: each belongs to the latest start before it, and the starts that are left have none yet.
  const attempts = [...ended, ...open].map(({ what, age, number }) =>
    attemptLogLine(what, before(now, age), number),
  )
  return [aboutCluster, hold, ...attempts, today].filter((line) => line !== undefined)
}

interface Entry {
  what: LogEntryKind
  /** Milliseconds since the entry was written. */
  age: number
  /** The milliseconds of a backoff; else the number of attempts. */
  number: number
}

/** Returns the attempts that still count: those that ended in the last minute, and those whose end is not noted. */
function attemptsOf(lines: readonly string[], now: Moment): { ended: Entry[]; open: Entry[] } {
  const ended: Entry[] = []
  // An end is matched with the latest start: attempts that were cut off remain, and become too old later.
  const open: Entry[] = []
  for (const entry of entries(lines, now)) {
    const { what, number } = entry
    if (what === 'start') open.push({ ...entry })
    else if (what !== 'hold') removeLatest(open, number)
    if (what === 'end') ended.push(entry)
  }
  return {
    ended: ended.filter(({ age }) => age <= minute),
    open: open.filter(({ age }) => age <= maxOpenTime),
  }
}

/** Removes a number of attempts, the latest first. */
function removeLatest(open: Entry[], count: number): void {
  for (let left = count; left > 0; ) {
    const latest = open.at(-1)
    if (latest === undefined) return
    const removed = Math.min(left, latest.number)
    latest.number -= removed
    left -= removed
    if (latest.number === 0) open.pop()
  }
}

/** Parses the lines. A line that was cut off by the end of a process is skipped. */
function* entries(lines: readonly string[], now: Moment): Iterable<Entry> {
  for (const line of lines) {
    const [, what, wall, monotonic, number, boot] =
      /^(start|end|unused|hold) (\d{1,15}) (\d{1,15})(?: (\d{1,15}))?(?: @([\w-]{1,64}))?$/.exec(line) ?? []
    if (what === undefined) continue
    const age = ageOf({ wall: Number(wall), monotonic: Number(monotonic), boot }, now)
    yield { what: what as LogEntryKind, age, number: Number(number ?? (what === 'hold' ? 0 : 1)) }
  }
}

/** Returns an earlier moment. */
function before({ wall, monotonic, boot }: Moment, age: number): Moment {
  const ago = Math.floor(age)
  return { wall: wall - ago, monotonic: monotonic - ago, boot }
}

export function asText(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('')
}
