/** What a listener was told, in its order, with a way to wait for what is still to come. */
export class Heard<T> {
  readonly all: T[] = []
  #wake = () => {}

  /** Hand this to whatever tells. */
  readonly tell = (item: T): void => {
    this.all.push(item)
    this.#wake()
  }

  /** Waits until there are `count` items, and gives the last of them. */
  async atLeast(count: number): Promise<T> {
    while (this.all.length < count) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    return this.all[count - 1] as T
  }
}
