/**
 * What is made when it is first asked for, once for all who ask.
 *
 * A failure is not kept: what was missing, such as a file or a port, may be there the next time somebody asks.
 */
export class OnDemand<T> {
  readonly #make: () => Promise<T>
  #made: Promise<T> | undefined

  constructor(make: () => Promise<T>) {
    this.#make = make
  }

  /** @throws what its making failed with, to all who wait for it */
  get(): Promise<T> {
    this.#made ??= this.#make().catch((thrown) => {
      this.#made = undefined
      throw thrown
    })
    return this.#made
  }

  /** What is made or being made; nothing where nobody has asked, or where it failed. Never rejects. */
  async made(): Promise<T | undefined> {
    return this.#made?.catch(() => undefined)
  }
}
