import { appendFile, mkdir, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { ageOf, type Clock, type Moment, momentOf } from '../../clock.ts'
import { minute } from '../../duration.ts'
import { replaceFile } from '../../files.ts'

/** The longest backoff in milliseconds. A longer one in the file is shortened to it. */
const maxHold = 24 * 60 * 60_000

/** The number of lines after which the file is rewritten with only those that still matter. */
const maxLines = 1000

/**
 * Stores the times of the latest HTTP attempts and of a backoff on disk, so that the limits continue after a
 * restart.
 *
 * Every restart sends a dozen requests. A supervisor that restarts Node-RED every few seconds would otherwise
 * send many times the cap, and sign in while the service has blocked it. A line is appended before each
 * attempt, without a forced write: it survives a killed process, and a power failure lasts longer than the
 * minute that matters. If the disk is not writable, requests are sent anyway: the cap and the backoff still
 * apply in this process.
 */
export class AttemptLog {
  readonly #path: string
  readonly #clock: Clock
  #lines: number | undefined
  #turn: Promise<void> = Promise.resolve()

  /** @param path file below the user directory; its folder is created when first needed */
  constructor(path: string, clock: Clock) {
    this.#path = path
    this.#clock = clock
  }

  /**
   * Returns the milliseconds since the end of each attempt of the last minute, in this process or an earlier
   * one; 0 for attempts that were cut off by the end of their process.
   */
  async recall(): Promise<number[]> {
    return endedAges(await this.#read(), this.#now)
  }

  /** Returns the milliseconds that the backoff still lasts, at most a day; 0 without a backoff. */
  async recallBackoff(): Promise<number> {
    const { pause, left } = lastHold(await this.#read(), this.#now)
    // If the machine was restarted with its clock set back, the backoff starts again, but only once: it is
    // noted again with the current time.
    if (left > 0 && left === pause) await this.noteBackoff(pause)
    return Math.min(left, maxHold)
  }

  /** Returns the generation of the cluster in which the last process counted its attempts; undefined if it was alone. */
  async joined(): Promise<string | undefined> {
    const latest = (await this.#read()).findLast((line) => isAboutCluster.test(line))
    return latest?.match(/^joined (.+)/)?.[1]
  }

  /** Notes that from now on the attempts are counted in a cluster, whose data has this generation, and not here. */
  noteJoined(generation: string): Promise<void> {
    return this.#append(`joined ${generation}`)
  }

  /**
   * Notes that from now on the attempts are counted here again.
   * @param ages milliseconds since the end of each attempt of the cluster that counts
   */
  async noteLeft(ages: readonly number[]): Promise<void> {
    const { wall, monotonic, boot } = this.#now
    const ends = ages.map((age) => {
      const ago = Math.floor(age)
      return attemptLogLine('end', { wall: wall - ago, monotonic: monotonic - ago, boot })
    })
    for (const line of [...ends, 'left']) await this.#append(line)
  }

  /** Notes that an attempt is about to start, or has ended. */
  note(what: 'start' | 'end'): Promise<void> {
    return this.#append(attemptLogLine(what, this.#now))
  }

  /** Notes a backoff: no request is allowed for this many milliseconds. */
  noteBackoff(pause: number): Promise<void> {
    return this.#append(attemptLogLine('hold', this.#now, pause))
  }

  get #now(): Moment {
    return momentOf(this.#clock)
  }

  #append(line: string): Promise<void> {
    this.#turn = this.#turn.then(() => this.#write(line)).catch(() => {})
    return this.#turn
  }

  async #write(line: string): Promise<void> {
    if (this.#lines === undefined) {
      await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 })
      this.#lines = (await this.#read()).length
      // An earlier process may have ended in the middle of its last line.
      await appendFile(this.#path, '\n', { mode: 0o600 })
    }
    if (this.#lines < maxLines) {
      await appendFile(this.#path, `${line}\n`, { mode: 0o600 })
      this.#lines += 1
      return
    }
    const latest = [...latestLines(await this.#read(), maxLines / 2), line]
    await replaceFile(this.#path, `${latest.join('\n')}\n`)
    this.#lines = latest.length
  }

  async #read(): Promise<string[]> {
    try {
      return (await readFile(this.#path, 'utf8')).split('\n')
    } catch {
      // No file, or an unreadable one: treated as the first start.
      return []
    }
  }
}

/** The longest possible attempt. An earlier one without an end was cut off long ago. */
const maxAttemptTime = 5 * minute

type LogEntryKind = 'start' | 'end' | 'hold'

/** A line that shows where the attempts after it are counted. */
const isAboutCluster = /^(joined [\w-]{1,64}|left)$/

/**
 * Returns one line of the attempt log: kind, both clocks, the pause, and the start of the machine.
 * @param pause milliseconds, for a backoff
 */
export function attemptLogLine(
  what: LogEntryKind,
  { wall, monotonic, boot }: Moment,
  pause?: number,
): string {
  const numbers = [wall, monotonic, ...(pause === undefined ? [] : [pause])]
  const words = [
    what,
    ...numbers.map((number) => Math.ceil(number)),
    ...(boot === undefined ? [] : [`@${boot}`]),
  ]
  return words.join(' ')
}

/**
 * Returns the milliseconds since the end of each attempt of the last minute; 0 for attempts that were cut off
 * before their end.
 * @param lines oldest first
 */
export function endedAges(lines: readonly string[], now: Moment): number[] {
  const ages: number[] = []
  // An end is matched with the latest start: attempts that were cut off remain, and become too old later.
  const started: number[] = []
  for (const { what, age } of entries(lines, now)) {
    if (what === 'start') started.push(age)
    if (what === 'end') {
      started.pop()
      ages.push(age)
    }
  }
  const cutOff = started.filter((age) => age <= maxAttemptTime).map(() => 0)
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

/** Returns the lines that still matter in a file that has grown: where attempts count, the latest backoff and attempts. */
export function latestLines(lines: readonly string[], maxAttempts: number): string[] {
  const hold = lines.findLast((line) => line.startsWith('hold '))
  const aboutCluster = lines.findLast((line) => isAboutCluster.test(line))
  const attempts = lines.filter((line) => /^(start|end) /.test(line)).slice(-maxAttempts)
  return [aboutCluster, hold, ...attempts].filter((line) => line !== undefined)
}

interface Entry {
  what: LogEntryKind
  /** Milliseconds since the entry was written. */
  age: number
  pause: number
}

/** Parses the lines. A line that was cut off by the end of a process is skipped. */
function* entries(lines: readonly string[], now: Moment): Iterable<Entry> {
  for (const line of lines) {
    const [, what, wall, monotonic, pause, boot] =
      /^(start|end|hold) (\d{1,15}) (\d{1,15})(?: (\d{1,15}))?(?: @([\w-]{1,64}))?$/.exec(line) ?? []
    if (what === undefined) continue
    const age = ageOf({ wall: Number(wall), monotonic: Number(monotonic), boot }, now)
    yield { what: what as LogEntryKind, age, pause: Number(pause ?? 0) }
  }
}
