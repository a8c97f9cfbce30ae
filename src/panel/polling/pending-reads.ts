/** A read for a listener that waits for the answer. */
interface ReadRequest<A, V> {
  readonly asker: A
  /** The latest view that was withheld from the listener because of this read. */
  withheld: V | undefined
}

/**
 * The reads of listeners that wait for their own answers. Other views are withheld from these listeners
 * meanwhile; the latest of them is delivered if no answer comes.
 */
export class PendingReads<A, V> {
  readonly #questions: ReadRequest<A, V>[] = []

  /**
   * Runs `ask` for a listener that waits for the answer.
   * @param tell receives the latest withheld view once the listener's last read is over, if none was answered
   * since
   * @throws the error of `ask`
   */
  async wait(asker: A, ask: () => Promise<V>, tell: (withheld: V) => void): Promise<V> {
    const question: ReadRequest<A, V> = { asker, withheld: undefined }
    this.#questions.push(question)
    try {
      const answer = await ask()
      for (const other of this.#questionsOf(asker)) other.withheld = undefined
      return answer
    } finally {
      this.#questions.splice(this.#questions.indexOf(question), 1)
      const { withheld } = question
      if (withheld !== undefined && this.#questionsOf(asker).length === 0) tell(withheld)
    }
  }

  /** Withholds a view from a listener that waits; returns false if the listener has no pending read. */
  withhold(from: A, snapshot: V): boolean {
    const questions = this.#questionsOf(from)
    for (const question of questions) question.withheld = snapshot
    return questions.length > 0
  }

  #questionsOf(asker: A): ReadRequest<A, V>[] {
    return this.#questions.filter((question) => question.asker === asker)
  }
}
