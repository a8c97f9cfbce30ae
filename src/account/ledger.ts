import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Clock } from '../clock.ts'

const minute = 60_000

/** Lines after which the file is written anew with the last minute alone. */
const longestFile = 1000

/**
 * Keeps the times of the latest HTTP attempts on disk, so that a restart begins with the budget it left.
 *
 * Every restart asks a dozen questions; a supervisor that restarts Node-RED every few seconds would otherwise send
 * many times the cap. A line is appended before each attempt, without a forced write: it survives a killed process,
 * and a power cut takes longer than the minute it is about.
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
    try {
      const content = await readFile(this.#path, 'utf8')
      const times = content.split('\n').filter((line) => /^\d{1,15}$/.test(line))
      const ages = times.slice(-most).map((line) => Math.max(0, this.#clock.wall() - Number(line)))
      return ages.filter((age) => age <= minute)
    } catch {
      // No file yet, or none that can be read: the first start, or as good as it.
      return []
    }
  }

  /** Notes an attempt that is about to be made; a disk that cannot be written is no reason not to make it. */
  async note(): Promise<void> {
    const line = `${this.#clock.wall()}\n`
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
