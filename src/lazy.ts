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
