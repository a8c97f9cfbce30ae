import { inspect } from 'node:util'
import { noteWait } from './clock/in-vain.ts'

/** A message as a flow sees it. */
// biome-ignore lint/suspicious/noExplicitAny: a message has any properties, and a wrong access fails the test
export type FlowMessage = Record<string, any>

/** Waits until a condition holds; `describe` returns the description of the condition for the error. */
export type Until = (condition: () => boolean, describe: () => string) => Promise<void>

/** Milliseconds of real time: a Node-RED process on a busy machine takes long to start. */
const maxWait = 100_000

/** Records the items that arrive at one point, such as the messages of a node, and lets a test wait for them. */
export class Recorder<T> {
  /** All items, the oldest first. */
  readonly all: T[] = []
  readonly #name: string
  readonly #until: Until
  readonly #onItem = new Set<() => void>()
  #taken = 0

  /**
   * @param name describes the items for the error of a wait
   * @param until waits on a fake clock; in real time by default
   */
  constructor(name = 'recorder', until?: Until) {
    this.#name = name
    this.#until = until ?? ((condition, describe) => this.#untilItem(condition, describe))
  }

  /** Records an item; usable as a callback. */
  readonly add = (item: T): void => {
    this.all.push(item)
    for (const check of [...this.#onItem]) check()
  }

  /** Takes the next item that matches, recorded already or not; the items before it are skipped. */
  async next(matches: (item: T) => boolean = () => true): Promise<T> {
    for (;;) {
      while (this.#taken < this.all.length) {
        const item = this.all[this.#taken] as T
        this.#taken += 1
        if (matches(item)) return item
      }
      await this.until(
        () => this.#taken < this.all.length,
        () => `an item that matches ${matches}`,
      )
    }
  }

  /** Takes the next `count` items. */
  async take(count: number, matches?: (item: T) => boolean): Promise<T[]> {
    const items: T[] = []
    while (items.length < count) items.push(await this.next(matches))
    return items
  }

  /** Takes the next `count` items that are recorded from now on. */
  takeNew(count: number): Promise<T[]> {
    this.skip()
    return this.take(count)
  }

  /** Skips all items recorded so far, and returns them. */
  skip(): T[] {
    const skipped = this.all.slice(this.#taken)
    this.#taken = this.all.length
    return skipped
  }

  /** Waits for the first item of all that matches; `next` is not affected. */
  async first(matches: (item: T) => boolean = () => true): Promise<T> {
    await this.until(
      () => this.all.some(matches),
      () => `an item that matches ${matches}`,
    )
    return this.all.find(matches) as T
  }

  /** Waits until `count` items are recorded, and returns the last of them. */
  async atLeast(count: number): Promise<T> {
    await this.until(
      () => this.all.length >= count,
      () => `${count} items`,
    )
    return this.all[count - 1] as T
  }

  /**
   * Waits until a condition holds that depends on the items.
   * @throws Error that shows the latest items
   */
  until(condition: () => boolean, describe: () => string = () => `${condition}`): Promise<void> {
    return this.#until(condition, () => `${this.#name}: ${describe()}. Latest items: ${this.#latest}`)
  }

  /** Waits in real time; the condition is checked after each item. */
  #untilItem(condition: () => boolean, describe: () => string): Promise<void> {
    const fail = noteWait()
    return new Promise((resolve, reject) => {
      const end = () => {
        clearTimeout(deadline)
        this.#onItem.delete(check)
      }
      const check = () => {
        if (!condition()) return
        end()
        resolve()
      }
      const deadline = setTimeout(() => {
        end()
        reject(fail(`Waited ${maxWait / 1000} s in vain for ${describe()}`))
      }, maxWait)
      this.#onItem.add(check)
      check()
    })
  }

  get #latest(): string {
    const options = { depth: 3, breakLength: Number.POSITIVE_INFINITY, maxStringLength: 1000 }
    const lines = this.all.slice(-6).map((item) => `\n  ${inspect(item, options)}`)
    return lines.join('') || 'none'
  }
}
