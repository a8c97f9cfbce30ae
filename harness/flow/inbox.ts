import { inspect } from 'node:util'
import type { AutoAdvance } from '../clock/auto-advance.ts'

/** Milliseconds, longer than anything takes on a slow machine: who waits for it waits in vain. */
export const patience = 20_000

/** Whatever arrives at one point, to be waited for: each `next` goes on behind what was taken before. */
export class Inbox<T> {
  /** Everything that arrived, taken or not. */
  readonly all: T[] = []
  readonly #what: string
  readonly #time: AutoAdvance
  #taken = 0

  /**
   * @param what names what arrives, for the error of who waits in vain
   * @param time goes on while somebody waits
   */
  constructor(what: string, time: AutoAdvance) {
    this.#what = what
    this.#time = time
  }

  /** Takes an arrival. */
  add(item: T): void {
    this.all.push(item)
  }

  /** The next one that fits, there already or still to come; those before it are passed over. */
  async next(fits: (item: T) => boolean = () => true): Promise<T> {
    for (;;) {
      while (this.#taken < this.all.length) {
        const item = this.all[this.#taken] as T
        this.#taken += 1
        if (fits(item)) return item
      }
      await this.#time.until(
        () => this.#taken < this.all.length,
        () => `${this.#what}: nothing that fits ${fits} came. Last: ${this.#latest}`,
      )
    }
  }

  /** The next so many. */
  async take(count: number, fits?: (item: T) => boolean): Promise<T[]> {
    const items: T[] = []
    while (items.length < count) items.push(await this.next(fits))
    return items
  }

  /** So many that arrive from now on. */
  takeNew(count: number): Promise<T[]> {
    this.skip()
    return this.take(count)
  }

  /** Passes over all that has arrived, and answers with it. */
  skip(): T[] {
    const passed = this.all.slice(this.#taken)
    this.#taken = this.all.length
    return passed
  }

  get #latest(): string {
    return inspect(this.all.slice(-6), { depth: 3, breakLength: 110 })
  }
}
