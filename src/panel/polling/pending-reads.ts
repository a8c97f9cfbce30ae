/** A read for a subscriber that waits for the answer. */
interface PendingRead<A, V> {
  readonly subscriber: A
  /** The latest view that was withheld from the subscriber because of this read. */
  withheld: V | undefined
}

/**
 * The reads of subscribers that wait for their own answers. Other views are withheld from these subscribers
 * meanwhile; the latest of them is delivered if no answer comes.
 */
export class PendingReads<A, V> {
  readonly #reads: PendingRead<A, V>[] = []

  /**
   * Runs `load` for a subscriber that waits for the answer.
   * @param deliver receives the latest withheld view once the subscriber's last read is over, if none was answered
   * since
   * @throws the error of `load`
   */
  async wait(subscriber: A, load: () => Promise<V>, deliver: (withheld: V) => void): Promise<V> {
    const read: PendingRead<A, V> = { subscriber, withheld: undefined }
    this.#reads.push(read)
    try {
      const answer = await load()
      for (const other of this.#readsOf(subscriber)) other.withheld = undefined
      return answer
    } finally {
      this.#reads.splice(this.#reads.indexOf(read), 1)
      const { withheld } = read
      if (withheld !== undefined && this.#readsOf(subscriber).length === 0) deliver(withheld)
    }
  }

  /** Withholds a view from a subscriber that waits; returns false if the subscriber has no pending read. */
  withhold(from: A, snapshot: V): boolean {
    const reads = this.#readsOf(from)
    for (const read of reads) read.withheld = snapshot
    return reads.length > 0
  }

  #readsOf(subscriber: A): PendingRead<A, V>[] {
    return this.#reads.filter((read) => read.subscriber === subscriber)
  }
}
