/** Runs works with the same key one at a time, in the order of the calls; those with different keys run side by side. */
export class KeyedMutex {
  /** The end of the latest work with each key; never rejects. */
  readonly #working = new Map<string, Promise<void>>()

  /**
   * Runs a work when those before it with its key have ended, however they ended.
   * @throws the errors of `work`
   */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#working.get(key) ?? Promise.resolve()
    const mine = before.then(work)
    const over = mine.then(
      () => {},
      () => {},
    )
    this.#working.set(key, over)
    try {
      return await mine
    } finally {
      if (this.#working.get(key) === over) this.#working.delete(key)
    }
  }
}
