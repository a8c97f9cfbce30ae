import { inspect } from 'node:util'

/** Longer than anything takes on a slow machine; who waits for it waits in vain. */
const patience = 20_000

/** Whatever arrives at one point, to be waited for: each `next` goes on behind what was taken before. */
export class Inbox<T> {
  /** Everything that arrived, taken or not. */
  readonly all: T[] = []
  readonly #what: string
  #taken = 0
  #arrived = () => {}

  /** @param what names what arrives, for the error of who waits in vain */
  constructor(what: string) {
    this.#what = what
  }

  /** Takes an arrival. */
  add(item: T): void {
    this.all.push(item)
    this.#arrived()
  }

  /** The next one that fits, there already or still to come; those before it are passed over. */
  async next(fits: (item: T) => boolean = () => true): Promise<T> {
    const deadline = performance.now() + patience
    for (;;) {
      while (this.#taken < this.all.length) {
        const item = this.all[this.#taken] as T
        this.#taken += 1
        if (fits(item)) return item
      }
      await this.#arrival(deadline - performance.now(), fits)
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

  #arrival(left: number, fits: (item: T) => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        const came = inspect(this.all.slice(-6), { depth: 3, breakLength: 110 })
        reject(new Error(`${this.#what}: nothing that fits ${fits} came. Last: ${came}`))
      }, left)
      this.#arrived = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}
