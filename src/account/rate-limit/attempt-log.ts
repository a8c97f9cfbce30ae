import { appendFile, mkdir, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Clock } from '../clock.ts'
import { replaceFile } from '../replace-file.ts'
import { endedAges, lastHold, latestLines, ledgerLine, type Moment } from './ledger-lines.ts'

/** No hold is longer, so no more than that is believed; milliseconds. */
const longestHold = 24 * 60 * 60_000

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
   */
  async recall(): Promise<number[]> {
    return endedAges(await this.#read(), this.#now)
  }

  /** How many milliseconds a hold still lasts, at most a day; 0 where there is none. */
  async recallHold(): Promise<number> {
    const { pause, left } = lastHold(await this.#read(), this.#now)
    // After a restart of the machine with its clock set back it begins anew, once: it is noted as one of this moment.
    if (left > 0 && left === pause) await this.noteHold(pause)
    return Math.min(left, longestHold)
  }

  /** Notes that an attempt is about to be made, or has ended. */
  note(what: 'start' | 'end'): Promise<void> {
    return this.#append(ledgerLine(what, this.#now))
  }

  /** Notes that nothing may be sent for so many milliseconds. */
  noteHold(pause: number): Promise<void> {
    return this.#append(ledgerLine('hold', this.#now, pause))
  }

  get #now(): Moment {
    return { wall: this.#clock.wall(), monotonic: this.#clock.monotonic() }
  }

  #append(line: string): Promise<void> {
    this.#turn = this.#turn.then(() => this.#write(line)).catch(() => {})
    return this.#turn
  }

  async #write(line: string): Promise<void> {
    if (this.#lines === undefined) {
      await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 })
      this.#lines = (await this.#read()).length
      // An earlier process may have ended within its last line.
      await appendFile(this.#path, '\n', { mode: 0o600 })
    }
    if (this.#lines < longestFile) {
      await appendFile(this.#path, `${line}\n`, { mode: 0o600 })
      this.#lines += 1
      return
    }
    const kept = [...latestLines(await this.#read(), longestFile / 2), line]
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
