/**
 * A lazily created value, shared by all callers.
 *
 * A failure is not cached: something that was missing, such as a file or a port, may be available at the next
 * call.
 */
export class Lazy<T> {
  readonly #make: () => Promise<T>
  #made: Promise<T> | undefined

  constructor(make: () => Promise<T>) {
    this.#make = make
  }

  /**
   * Returns the value and creates it on first use.
   * @throws the error of the creation, to all callers that wait for it
   */
  get(): Promise<T> {
    this.#made ??= this.#make().catch((thrown) => {
      this.#made = undefined
      throw thrown
    })
    return this.#made
  }

  /** Waits for the value if its creation has begun; undefined if not, or if it failed. Never rejects. */
  async made(): Promise<T | undefined> {
    return this.#made?.catch(() => undefined)
  }
}

/** Returns the value of a key, created on first use. */
export function getOrCreate<K, V>(values: Map<K, V>, key: K, create: () => V): V {
  const known = values.get(key)
  if (known !== undefined) return known
  const created = create()
  values.set(key, created)
  return created
}

/** Runs works with the same key one at a time, in the order of the calls; those with different keys run side by side. */
export class KeyedMutex {
  /** The end of the latest work with each key; never rejects. */
  readonly #working = new Map<string, Promise<unknown>>()

  /**
   * Runs a work when those before it with its key have ended, however they ended.
   * @throws the errors of `work`
   */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#working.get(key) ?? Promise.resolve()
    const mine = before.then(work)
    const over = Promise.allSettled([mine])
    this.#working.set(key, over)
    try {
      return await mine
    } finally {
      if (this.#working.get(key) === over) this.#working.delete(key)
    }
  }
}
