import { ageOf, type Clock, type Moment, momentOf } from '../../../clock.ts'
import { Documents } from '../../../documents.ts'
import { minute } from '../../../duration.ts'
import { unusableFile } from '../unusable-file.ts'
import { Hold } from './backoff.ts'
import { DayCount, dayOf } from './budget.ts'

/**
 * Milliseconds after the note of starts in which the attempts may start. Each panel sends four a minute at least, as a
 * rule: in this time they use up eight, so that nothing must be taken back.
 */
export const maxReservationTime = 2 * minute

/** Milliseconds after which attempts without a noted end were cut off long ago; the longest attempt takes five minutes. */
const maxOpenTime = maxReservationTime + 5 * minute

type LogEntryKind = 'start' | 'end' | 'unused' | 'hold'

/** A line that shows where the attempts after it are counted. */
const isAboutCluster = /^(joined [\w-]{1,64}|left)$/

/**
 * Returns one line of the attempt log: kind, both clocks, a number, and the start of the machine.
 * @param number for a backoff its milliseconds, else the number of attempts
 */
function attemptLogLine(what: LogEntryKind, { wall, monotonic, boot }: Moment, number?: number): string {
  const isShort = number === undefined || (number === 1 && what !== 'hold')
  const numbers = [wall, monotonic, ...(isShort ? [] : [number])]
  const words = [what, ...numbers.map(Math.ceil), ...(boot === undefined ? [] : [`@${boot}`])]
  return words.join(' ')
}

/** Returns the line that tells the number of attempts since midnight in UTC, with all before it. */
function todayLine({ wall }: Moment, count: number): string {
  return `today ${dayOf(wall)} ${count}`
}

/** Returns the number of attempts since midnight in UTC: that of the latest line about it, and those that started after it. */
function todayIn(lines: readonly string[], now: Moment): number {
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

function endLines(count: number, at: Moment): string[] {
  return count > 0 ? [attemptLogLine('end', at, count)] : []
}

/**
 * Returns the milliseconds since the end of each attempt of the last minute; 0 for attempts that were cut off
 * before their end.
 * @param lines oldest first
 */
function endedAges(lines: readonly string[], now: Moment): number[] {
  const { ended, open } = attemptsOf(lines, now)
  const cutOff = open.map((entry) => ({ ...entry, age: 0 }))
  return [...ended, ...cutOff].flatMap(({ age, number }) => new Array<number>(number).fill(age))
}

/**
 * Returns the latest backoff in the log: its length (`pause`, 0 without a backoff) and the milliseconds that
 * are left of it (`left`, 0 without a backoff or after its end).
 */
function lastHold(lines: readonly string[], now: Moment): { pause: number; left: number } {
  const { number: pause = 0, age = 0 } =
    [...entries(lines, now)].findLast(({ what }) => what === 'hold') ?? {}
  return { pause, left: Math.max(0, pause - age) }
}

/** Returns the lines that still matter in a file that has grown: where attempts count, the latest backoff and attempts, the count of the day. */
function latestLines(lines: readonly string[], now: Moment): string[] {
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
    yield { what: what as LogEntryKind, age, number: Number(number ?? 1) }
  }
}

/** Returns an earlier moment. */
function before({ wall, monotonic, boot }: Moment, age: number): Moment {
  const ago = Math.floor(age)
  return { wall: wall - ago, monotonic: monotonic - ago, boot }
}

export function asText(lines: readonly string[]): string {
  return [...lines, ''].join('\n')
}

/** The longest backoff in milliseconds. A longer one in the file is shortened to it. */
const maxHold = 24 * 60 * 60_000

/** The file is rewritten with the lines that still matter when it has this number, and twice those that mattered. */
const minLines = 1000

/** Milliseconds after which the number of the attempts of the day is noted again, with a write that is made anyway. */
const noteTodayEvery = 10 * minute

/**
 * Stores the times of the latest HTTP attempts and of a backoff on disk, so that the limits continue after a
 * restart.
 *
 * Every restart sends a dozen requests. A supervisor that restarts Node-RED every few seconds would otherwise
 * send many times the cap, and sign in while the service has blocked it. A line is appended before each
 * attempt, without a forced write: it survives a killed process, and a power failure lasts longer than the
 * minute that matters. A process sends nothing before it has opened the log; if it can be read and not written, a minute
 * later. If the disk is not writable later, requests are sent anyway: cap and backoff still apply in this process, and the
 * next one waits.
 */
export class AttemptLog {
  readonly #path: string
  readonly #clock: Clock
  readonly #documents = new Documents(unusableFile)
  #lines: number | undefined
  #maxLines = minLines
  readonly #hold = new Hold()
  /** True if the latest hold is not in the file. */
  #isHoldUnwritten = false
  /** True if the latest write failed and may have left half a line. */
  #isCutOff = false
  #todayNotedAt = Number.NEGATIVE_INFINITY

  /** @param path file below the user directory; its folder is created when first needed */
  constructor(path: string, clock: Clock) {
    this.#path = path
    this.#clock = clock
  }

  /**
   * Makes sure, before anything is sent, that attempts can be noted.
   * @throws KeyholderError BAD_SETTING if the file cannot be read or written
   */
  open(): Promise<void> {
    return this.#lines === undefined ? this.#append() : Promise.resolve()
  }

  /**
   * Returns the milliseconds since the end of each attempt of the last minute, in this process or an earlier
   * one; 0 for attempts that were cut off by the end of their process.
   * @throws KeyholderError BAD_SETTING if the file cannot be read, here and in the two methods below
   */
  async recall(): Promise<number[]> {
    return endedAges(await this.#read(), this.#now)
  }

  /** Returns the milliseconds that the backoff still lasts, at most a day; 0 without a backoff. */
  async recallBackoff(): Promise<number> {
    const { pause, left } = lastHold(await this.#read(), this.#now)
    this.#hold.backoffUntil = this.#clock.monotonic() + left
    // If the machine was restarted with its clock set back, the backoff starts again, but only once: it is
    // noted again with the current time.
    if (left > 0 && left === pause) await this.noteBackoff(pause)
    return Math.min(left, maxHold)
  }

  /**
   * Returns the number of attempts since midnight in UTC, in this process or an earlier one.
   * @throws KeyholderError BAD_SETTING if the file cannot be read
   */
  async recallToday(): Promise<number> {
    return todayIn(await this.#read(), this.#now)
  }

  /** Returns the generation of the cluster in which the last process counted its attempts; undefined if it was alone. */
  async joined(): Promise<string | undefined> {
    const latest = (await this.#read()).findLast((line) => isAboutCluster.test(line))
    return latest?.match(/^joined (.+)/)?.[1]
  }

  /** Notes that from now on the attempts are counted in a cluster, whose data has this generation, and not here. */
  noteJoined(generation: string): Promise<void> {
    return this.#note(`joined ${generation}`)
  }

  /** Notes that from now on the attempts are counted here again. */
  noteLeft(): Promise<void> {
    return this.#note('left')
  }

  /**
   * Notes that attempts start from now on: as many as are counted, if this process is killed.
   * @param ended the number of earlier ones that have ended, noted by the same write
   * @param at the end of the last one of them
   * @param sinceMidnight the attempts since midnight in UTC, with the one that is about to start; 0 if they are not known
   */
  noteStarts(count: number, ended = 0, at = this.#now, sinceMidnight = 0): Promise<void> {
    const now = this.#now
    const isDue = now.monotonic - this.#todayNotedAt >= noteTodayEvery
    if (isDue) this.#todayNotedAt = now.monotonic
    // Those that start now come with the line after it.
    const today = isDue && sinceMidnight > 0 ? [todayLine(now, sinceMidnight - 1)] : []
    return this.#note(...endLines(ended, at), ...today, attemptLogLine('start', now, count))
  }

  /**
   * Notes that attempts have ended.
   * @param at the end of the last one
   * @param unused the number of those whose start was noted and that are not made
   */
  noteEnds(count: number, at: Moment, unused: number): Promise<void> {
    const rest = unused > 0 ? [attemptLogLine('unused', at, unused)] : []
    return this.#note(...endLines(count, at), ...rest)
  }

  /** Notes a backoff: no request is allowed for this many milliseconds. */
  noteBackoff(pause: number): Promise<void> {
    this.#hold.backoffUntil = this.#clock.monotonic() + pause
    return this.#noteHold().catch(() => {})
  }

  /**
   * Notes that something is about to be sent which must not be sent again before its answer is known: if this process
   * ends before it calls the returned function, the next one has a backoff of `pause` milliseconds from now.
   * @throws KeyholderError BAD_SETTING if it could not be noted
   */
  async guardKill(pause: number): Promise<() => Promise<void>> {
    const close = this.#hold.guard(this.#clock.monotonic() + pause)
    try {
      await this.#noteHold()
    } catch (thrown) {
      close()
      throw thrown
    }
    return () => {
      close()
      return this.#noteHold().catch(() => {})
    }
  }

  get #now(): Moment {
    return momentOf(this.#clock)
  }

  /** Notes what holds the next process, with this write or the next one that succeeds. @throws KeyholderError */
  #noteHold(): Promise<void> {
    this.#isHoldUnwritten = true
    return this.#append()
  }

  /** Never rejects. */
  #note(...lines: string[]): Promise<void> {
    return this.#append(...lines).catch(() => {})
  }

  /** @throws KeyholderError BAD_SETTING if the file cannot be read or written */
  #append(...lines: string[]): Promise<void> {
    return this.#documents.run(this.#path, () => this.#write(lines))
  }

  async #write(lines: readonly string[]): Promise<void> {
    const hasHold = this.#isHoldUnwritten
    this.#isHoldUnwritten = false
    try {
      await this.#writeLines(hasHold ? [this.#holdLine, ...lines] : lines)
      this.#isCutOff = false
    } catch (thrown) {
      this.#isHoldUnwritten ||= hasHold
      this.#isCutOff = true
      throw thrown
    }
  }

  async #writeLines(lines: readonly string[]): Promise<void> {
    if (this.#lines === undefined) {
      const before = await this.#read()
      // An earlier process may have ended in the middle of its last line, and of attempts: the next one after a kill
      // counts them from now on, and not from its own start.
      const cutOff = attemptsOf(before, this.#now).open.reduce((sum, { number }) => sum + number, 0)
      const ends = asText(endLines(cutOff, this.#now))
      await this.#documents.append(this.#path, `\n${ends}`)
      this.#lines = before.length
    }
    if (this.#lines < this.#maxLines) {
      await this.#documents.append(this.#path, `${this.#isCutOff ? '\n' : ''}${asText(lines)}`)
      this.#lines += lines.length
      return
    }
    const latest = [...latestLines(await this.#read(), this.#now), ...lines]
    await this.#documents.replace(this.#path, asText(latest))
    this.#lines = latest.length
    this.#maxLines = Math.max(minLines, 2 * latest.length)
  }

  /** The latest line of this kind counts alone, so each has all that holds the next process. */
  get #holdLine(): string {
    const now = this.#now
    return attemptLogLine('hold', now, this.#hold.left(now.monotonic))
  }

  async #read(): Promise<string[]> {
    return (await this.#documents.read(this.#path))?.split('\n') ?? []
  }
}
