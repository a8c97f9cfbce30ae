/** A question of somebody who waits for the answer. */
interface Question<A, V> {
  readonly asker: A
  /** The latest that the asker was not told for the sake of the answer. */
  withheld: V | undefined
}

/** Those who wait for an answer of their own: what comes meanwhile is kept from them, and is told where no answer comes. */
export class Askers<A, V> {
  readonly #questions: Question<A, V>[] = []

  /**
   * Lets `asker` wait for its answer.
   * @param tell takes the latest that was withheld, once the last of its questions is over and none was answered since
   * @throws what `ask` throws
   */
  async wait(asker: A, ask: () => Promise<V>, tell: (withheld: V) => void): Promise<V> {
    const question: Question<A, V> = { asker, withheld: undefined }
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

  /** Keeps news from one who waits; false where it waits for nothing. */
  withhold(from: A, news: V): boolean {
    const questions = this.#questionsOf(from)
    for (const question of questions) question.withheld = news
    return questions.length > 0
  }

  #questionsOf(asker: A): Question<A, V>[] {
    return this.#questions.filter((question) => question.asker === asker)
  }
}
