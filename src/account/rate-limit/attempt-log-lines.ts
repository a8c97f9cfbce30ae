const minute = 60_000

/** The longest possible attempt. An earlier one without an end was cut off long ago. */
const maxAttemptTime = 5 * minute

/** A moment on both clocks. The monotonic clock continues across processes until the machine restarts. */
export interface Moment {
  /** Milliseconds since 1970. */
  wall: number
  /** Milliseconds of the monotonic clock. */
  monotonic: number
}

type Deed = 'start' | 'end' | 'hold'

/**
 * Returns one line of the attempt log.
 * @param pause milliseconds, for a backoff
 */
export function attemptLogLine(what: Deed, { wall, monotonic }: Moment, pause?: number): string {
  const numbers = [wall, monotonic, ...(pause === undefined ? [] : [pause])]
  return [what, ...numbers.map((number) => Math.ceil(number))].join(' ')
}

/**
 * Returns the milliseconds since the end of each attempt of the last minute; 0 for attempts that were cut off
 * before their end.
 * @param lines oldest first
 */
export function endedAges(lines: readonly string[], now: Moment): number[] {
  const ages: number[] = []
  // An end is matched with the latest start: attempts that were cut off remain, and become too old later.
  const begun: number[] = []
  for (const { what, age } of entries(lines, now)) {
    if (what === 'start') begun.push(age)
    if (what === 'end') {
      begun.pop()
      ages.push(age)
    }
  }
  const cutOff = begun.filter((age) => age <= maxAttemptTime).map(() => 0)
  return [...ages.filter((age) => age <= minute), ...cutOff]
}

/**
 * Returns the latest backoff in the log: its length (`pause`, 0 without a backoff) and the milliseconds that
 * are left of it (`left`, 0 without a backoff or after its end).
 */
export function lastHold(lines: readonly string[], now: Moment): { pause: number; left: number } {
  const { pause = 0, age = 0 } = [...entries(lines, now)].findLast(({ what }) => what === 'hold') ?? {}
  return { pause, left: Math.max(0, pause - age) }
}

/** Returns the lines that still matter in a file that has grown: the latest backoff and attempts. */
export function latestLines(lines: readonly string[], most: number): string[] {
  const hold = lines.findLast((line) => line.startsWith('hold '))
  const attempts = lines.filter((line) => /^(start|end) /.test(line)).slice(-most)
  return hold === undefined ? attempts : [hold, ...attempts]
}

interface Entry {
  what: Deed
  /** Milliseconds since the entry was written. */
  age: number
  pause: number
}

/** Parses the lines. A line that was cut off by the end of a process is skipped. */
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
 * Returns the milliseconds since a moment. The wall clock is used only if the machine was restarted
 * meanwhile, since it may have been set; a moment in its future then counts as now.
 */
function ageOf({ wall, monotonic }: Moment, now: Moment): number {
  return monotonic <= Math.ceil(now.monotonic)
    ? Math.ceil(now.monotonic) - monotonic
    : Math.max(0, now.wall - wall)
}
