import { appendFile, mkdir, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Clock } from '../clock.ts'
import { replaceFile } from '../replace-file.ts'

const minute = 60_000

/** No hold is longer, so no time further ahead is believed. */
const longestHold = 24 * 60 * minute

/** Lines after which the file is written anew with what still matters. */
const longestFile = 1000

/**
 * Keeps the times of the latest HTTP attempts and of a hold on disk, so that a restart begins where it left off.
 *
 * Every restart asks a dozen questions; a supervisor that restarts Node-RED every few seconds would otherwise send
 * many times the cap, and sign in while the service has blocked it. A line is appended before each attempt, without a
 * forced write: it survives a killed process, and a power cut takes longer than the minute it is about. A disk that
 * cannot be written is no reason not to ask: the cap and the hold in this process stand all the same.
 */
export class Ledger {
  readonly #path: string
  readonly #clock: Clock
  #lines: number | undefined
  #turn: Promise<void> = Promise.resolve()

  /** @param path file below the user directory; its folder is made when first needed */
  constructor(path: string, clock: Clock) {
    this.#path = path
    this.#clock = clock
  }

  /**
   * How many milliseconds ago the attempts of the last minute ended, in this process or an earlier one; 0 for those
   * that were cut off by its end.
   *
   * Only the wall clock is common to both. A time in its future, after a step back, counts as this moment.
   * @param most attempts at most that a minute can hold
   */
  async recall(most: number): Promise<number[]> {
    const lines = await this.#read()
    const recent = (times: number[], within: number) =>
      times.map((time) => Math.max(0, this.#clock.wall() - time)).filter((age) => age <= within)
    const ended = recent(timesOf(lines, 'end'), minute)
    const open =
      recent(timesOf(lines, 'start'), 5 * minute).length - recent(timesOf(lines, 'end'), 5 * minute).length
    return [...ended, ...Array.from({ length: Math.max(0, open) }, () => 0)].slice(-most)
  }

  /** How many milliseconds a hold still lasts, at most a day; 0 where there is none. */
  async recallHold(): Promise<number> {
    const left = holdEnd(await this.#read()) - this.#clock.wall()
    return Math.min(Math.max(0, left), longestHold)
  }

  /** Notes that an attempt is about to be made, or has ended. */
  note(what: 'start' | 'end'): Promise<void> {
    return this.#append(`${what} ${this.#clock.wall()}`)
  }

  /** Notes that nothing may be sent for so many milliseconds. */
  noteHold(pause: number): Promise<void> {
    return this.#append(`hold ${Math.ceil(this.#clock.wall() + pause)}`)
  }

  #append(line: string): Promise<void> {
    this.#turn = this.#turn.then(() => this.#write(line)).catch(() => {})
    return this.#turn
  }

  async #write(line: string): Promise<void> {
    if (this.#lines === undefined) {
      await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 })
      this.#lines = (await this.#read()).length
    }
    if (this.#lines < longestFile) {
      await appendFile(this.#path, `${line}\n`, { mode: 0o600 })
      this.#lines += 1
      return
    }
    const lines = await this.#read()
    const kept = [
      `hold ${holdEnd(lines)}`,
      ...lines.filter((one) => /^(start|end) /.test(one)).slice(-longestFile / 2),
      line,
    ]
    await replaceFile(this.#path, `${kept.join('\n')}\n`)
    this.#lines = kept.length
  }

  async #read(): Promise<string[]> {
    try {
      return (await readFile(this.#path, 'utf8')).split('\n')
    } catch {
      // No file yet, or none that can be read: the first start, or as good as it.
      return []
    }
  }
}

/** The times of one kind of line; a line torn by a kill is left out. */
function timesOf(lines: readonly string[], what: 'start' | 'end' | 'hold'): number[] {
  const form = new RegExp(`^${what} (\\d{1,15})$`)
  return lines.flatMap((line) => form.exec(line)?.[1] ?? []).map(Number)
}

/** When the last of the holds ends; 0 where there is none. */
function holdEnd(lines: readonly string[]): number {
  return Math.max(0, ...timesOf(lines, 'hold'))
}
