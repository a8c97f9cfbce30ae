/** A checked value of the service, and the circumstances of its request. */
export interface Success<T> {
  readonly value: T
  /** Milliseconds of the monotonic clock: of two answers, the one with the later request is newer. */
  readonly sentAt: number
  /** The sign-in whose tokens the request had; lists are thin right after it (field fact). */
  readonly session?: string | undefined
  /** Milliseconds for which a cache on the way has kept it; absent if none has. */
  readonly cached?: number
}

/** The answer of the service to a request, and the times of its arrival. */
export interface Answer<T> extends Success<T> {
  /** Milliseconds since 1970; of an answer that a cache has kept, the time since which it has. */
  readonly fetchedAt: number
  /** Milliseconds of the monotonic clock. */
  readonly at: number
}

/** The answers that a process publishes for others, which need the same ones at the same time. */
export interface AnswerStore {
  /**
   * Publishes an answer for those who follow; does nothing if nobody does. Never rejects.
   * @param answersOf the polls that it belongs to
   * @param question identifies the request, and may contain secrets
   * @param key 32 bytes that only who may ask the question has
   */
  publish(answersOf: string, question: string, answer: Answer<unknown>, key: Buffer): Promise<void>

  /**
   * Returns a published answer with its times on the clocks of this process; undefined if there is none. Never
   * rejects. The values of one question always have the same type.
   */
  find(answersOf: string, question: string, key: Buffer): Promise<Answer<unknown> | undefined>

  /**
   * Keeps an answer that hardly ever changes for a day, for the processes that ask the same. Never rejects.
   * @param question as that of `publish`
   */
  keep(question: string, answer: Answer<unknown>, key: Buffer): Promise<void>

  /** Returns a kept answer, as `find` does. */
  recall(question: string, key: Buffer): Promise<Answer<unknown> | undefined>
}
