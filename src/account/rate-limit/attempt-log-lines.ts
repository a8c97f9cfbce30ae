const minute = 60_000

/** No attempt lasts as long; what began earlier and has no end was cut off long ago. */
const longestAttempt = 5 * minute

/** A moment on both clocks; the monotonic one goes on from process to process until the machine is restarted. */
export interface Moment {
  /** Milliseconds since 1970. */
  wall: number
  /** Milliseconds of the monotonic clock. */
  monotonic: number
}

type Deed = 'start' | 'end' | 'hold'

/**
 * One line of the ledger.
 * @param pause milliseconds, of a hold
 */
export function ledgerLine(what: Deed, { wall, monotonic }: Moment, pause?: number): string {
  const numbers = [wall, monotonic, ...(pause === undefined ? [] : [pause])]
  return [what, ...numbers.map((number) => Math.ceil(number))].join(' ')
}

/**
 * How many milliseconds ago the attempts of the last minute ended; 0 for those that were cut off before their end.
 * @param lines oldest first
 */
export function endedAges(lines: readonly string[], now: Moment): number[] {
  const ages: number[] = []
  // The latest start belongs to the next end: what was cut off stays behind, and is too old one day.
  const begun: number[] = []
  for (const { what, age } of entries(lines, now)) {
    if (what === 'start') begun.push(age)
    if (what === 'end') {
      begun.pop()
      ages.push(age)
    }
  }
  const cutOff = begun.filter((age) => age <= longestAttempt).map(() => 0)
  return [...ages.filter((age) => age <= minute), ...cutOff]
}

/** The hold that was noted last: how long it lasts, and how many milliseconds of that are left; none, or over, is 0. */
export function lastHold(lines: readonly string[], now: Moment): { pause: number; left: number } {
  const { pause = 0, age = 0 } = [...entries(lines, now)].findLast(({ what }) => what === 'hold') ?? {}
  return { pause, left: Math.max(0, pause - age) }
}

/** The lines that still matter once the file has grown: the last hold, and the latest attempts. */
export function latestLines(lines: readonly string[], most: number): string[] {
  const hold = lines.findLast((line) => line.startsWith('hold '))
  const attempts = lines.filter((line) => /^(start|end) /.test(line)).slice(-most)
  return hold === undefined ? attempts : [hold, ...attempts]
}

interface Entry {
  what: Deed
  /** Milliseconds ago. */
  age: number
  pause: number
}

/** What the lines say; a line torn by the end of a process says nothing. */
function* entries(lines: readonly string[], now: Moment): Iterable<Entry> {
  for (const line of lines) {
    const [, what, wall, monotonic, pause] =
      /^(start|end|hold) (\d{1,15}) (\d{1,15})(?: (\d{1,15}))?$/.exec(line) ?? []
    if (what === undefined) continue
    const age = ageOf({ wall: Number(wall), monotonic: Number(monotonic) }, now)
    yield { what: what as Deed, age, pause: Number(pause ?? 0) }
  }
}

/**
 * Milliseconds since a moment. The wall clock is asked only where the machine was restarted meanwhile, since it may
 * have been set; a time in its future then counts as this moment.
 */
function ageOf({ wall, monotonic }: Moment, now: Moment): number {
  return monotonic <= Math.ceil(now.monotonic)
    ? Math.ceil(now.monotonic) - monotonic
    : Math.max(0, now.wall - wall)
}
