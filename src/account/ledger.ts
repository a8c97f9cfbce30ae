import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Clock } from '../clock.ts'

const minute = 60_000

/** Lines after which the file is written anew with the last minute alone. */
const longestFile = 1000

/**
 * Keeps the times of the latest HTTP attempts and of a hold on disk, so that a restart begins where it left off.
 *
 * Every restart asks a dozen questions; a supervisor that restarts Node-RED every few seconds would otherwise send
 * many times the cap, and sign in while the service has blocked it. A line is appended before each attempt, without
 * a forced write: it survives a killed process, and a power cut takes longer than the minute it is about.
 */
export class Ledger {
  readonly #path: string
  readonly #clock: Clock
  #lines = 0

  /** @param path file below the user directory; its folder is made when first needed */
  constructor(path: string, clock: Clock) {
    this.#path = path
    this.#clock = clock
  }

  /**
   * How many milliseconds ago the attempts of the last minute were made, by this process or an earlier one.
   *
   * Only the wall clock is common to both. A time in its future, after a step back, counts as this moment.
   * @param most attempts at most that a minute can hold
   */
  async recall(most: number): Promise<number[]> {
    const times = (await this.#read()).filter((line) => /^\d{1,15}$/.test(line))
    const ages = times.slice(-most).map((line) => Math.max(0, this.#clock.wall() - Number(line)))
    return ages.filter((age) => age <= minute)
  }

  /** How many milliseconds the latest hold still lasts, at most an hour; 0 where there is none. */
  async recallHold(): Promise<number> {
    const holds = (await this.#read()).filter((line) => /^hold \d{1,15}$/.test(line))
    const left = Number(holds.at(-1)?.slice('hold '.length) ?? 0) - this.#clock.wall()
    return Math.min(Math.max(0, left), 60 * minute)
  }

  /** Notes an attempt that is about to be made; a disk that cannot be written is no reason not to make it. */
  note(): Promise<void> {
    return this.#append(`${this.#clock.wall()}\n`)
  }

  /** Notes that nothing may be sent for so many milliseconds. */
  noteHold(pause: number): Promise<void> {
    return this.#append(`hold ${Math.ceil(this.#clock.wall() + pause)}\n`)
  }

  async #read(): Promise<string[]> {
    try {
      return (await readFile(this.#path, 'utf8')).split('\n')
    } catch {
      // No file yet, or none that can be read: the first start, or as good as it.
      return []
    }
  }

  async #append(line: string): Promise<void> {
    try {
      if (this.#lines === 0) await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 })
      this.#lines += 1
      if (this.#lines % longestFile > 0) return await appendFile(this.#path, line, { mode: 0o600 })
      const recent = await this.recall(longestFile)
      const times = recent.map((age) => `${this.#clock.wall() - age}\n`)
      await writeFile(this.#path, times.join('') + line, { mode: 0o600 })
    } catch {
      // The cap within this process holds all the same.
    }
  }
}
