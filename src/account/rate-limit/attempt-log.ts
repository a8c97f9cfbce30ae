import { appendFile, mkdir, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Clock } from '../../clock.ts'
import { replaceFile } from '../../files.ts'
import { attemptLogLine, endedAges, lastHold, latestLines, type Moment } from './attempt-log-lines.ts'

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
  async recallHold(): Promise<number> {
    const { pause, left } = lastHold(await this.#read(), this.#now)
    // If the machine was restarted with its clock set back, the backoff starts again, but only once: it is
    // noted again with the current time.
    if (left > 0 && left === pause) await this.noteHold(pause)
    return Math.min(left, maxHold)
  }

  /** Notes that an attempt is about to start, or has ended. */
  note(what: 'start' | 'end'): Promise<void> {
    return this.#append(attemptLogLine(what, this.#now))
  }

  /** Notes a backoff: no request is allowed for this many milliseconds. */
  noteHold(pause: number): Promise<void> {
    return this.#append(attemptLogLine('hold', this.#now, pause))
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
      // An earlier process may have ended in the middle of its last line.
      await appendFile(this.#path, '\n', { mode: 0o600 })
    }
    if (this.#lines < maxLines) {
      await appendFile(this.#path, `${line}\n`, { mode: 0o600 })
      this.#lines += 1
      return
    }
    const kept = [...latestLines(await this.#read(), maxLines / 2), line]
    await replaceFile(this.#path, `${kept.join('\n')}\n`)
    this.#lines = kept.length
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
