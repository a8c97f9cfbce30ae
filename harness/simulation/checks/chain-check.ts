import { minute, second } from '../../../src/duration.ts'
import type { FlowMessage } from '../../recorder.ts'
import { sources } from '../blind-times.ts'
import type { InstanceSurroundings } from './check.ts'

/** Minutes for which each way of a test waits for its answer, and between two calls to the watcher. */
export const answerMinutes = 1
export const watcherMinutes = 1

/** Milliseconds in which an answer is taken, or a failed test is told. */
const telling = 20 * second

/** Milliseconds after which a file is read again that could not be. */
const rereading = minute + 10 * second

/** Milliseconds without a trouble after which the watcher has been called. */
const calling = 4 * minute

/** A question of a test. */
interface Question {
  readonly id: string
  readonly attempt: number
  readonly answer: string
  readonly message: FlowMessage
  readonly at: number
  /** The moment at which a person has answered it. */
  answeredAt: number | undefined
}

/**
 * The rules for tests of the alarm chain:
 *
 * - **begin**: a test begins only when a person or a flow of the house wants it: no request from a network begins one.
 * - **pass**: only a person's answer to its message makes a test pass: no preview, and not the message itself.
 * - **answer**: a person's answer counts, also after a kill, a restart and a file that could not be read for a time.
 * - **failure**: a test that nobody has answered by either way is told as failed.
 * - **watcher**: it is called while all is well, and neither after a failed test nor while the events cannot be read.
 */
export class ChainCheck {
  readonly #of: InstanceSurroundings
  readonly #questions: Question[] = []
  /** True if a test was wanted, and has not begun yet. */
  #isWanted = false
  #failures = 0
  #failedAt = Number.POSITIVE_INFINITY
  #expected: Question | undefined
  #calls = 0

  constructor(of: InstanceSurroundings) {
    this.#of = of
  }

  /** The question of the latest test by a way; undefined if there is none. @param attempt 1 for the first way */
  question(attempt: number): Question | undefined {
    const id = this.#questions.at(-1)?.id
    return this.#questions.findLast((one) => one.id === id && one.attempt === attempt)
  }

  /** Notes that a person or a flow of the house is about to begin a test. */
  want(): void {
    this.#isWanted = true
  }

  /** Notes that a person is about to answer a question. */
  answer(question: Question, now: number): void {
    const isAnswered = this.#questions.some(
      ({ id, answeredAt }) => id === question.id && answeredAt !== undefined,
    )
    question.answeredAt ??= now
    if (!isAnswered) this.#expected = question
  }

  /** Notes that what was kept may be lost: names of files that were not synchronized, at a power cut. */
  forget(): void {
    this.#expected = undefined
    this.#questions.length = 0
    this.#failedAt = Number.POSITIVE_INFINITY
  }

  /** Takes a message of the node. */
  hear(message: FlowMessage, now: number): void {
    const { id, kind, attempt, answer } = message.payload
    if (kind === 'test') {
      if (!this.#questions.some((one) => one.id === id)) {
        // Once the clock was set, nobody knows when the latest test was, and the next one may be due.
        const wasClockSet = this.#of.clockSetAt(now) > Number.NEGATIVE_INFINITY
        if (!this.#isWanted && !wasClockSet) this.#report('begin', `${id} begins, and nobody wanted a test`)
        this.#isWanted = false
        this.#expected = undefined
      }
      this.#questions.push({ id, attempt, answer, message, at: now, answeredAt: undefined })
      return
    }
    const question = this.#questions.findLast((one) => one.id === id && one.attempt === attempt)
    if (question !== undefined && question.answeredAt === undefined)
      this.#report('pass', `${id} passes, and nobody has answered it`)
    if (question === this.#expected) this.#expected = undefined
    this.#failedAt = Number.POSITIVE_INFINITY
  }

  /** Takes a message of the Catch node. */
  hearError({ error }: FlowMessage, now: number): void {
    if (!/Nobody has answered the test/.test(String(error.message))) return
    this.#failures += 1
    this.#failedAt = now
  }

  /** Compares what was told with what was done. */
  compare(now: number): void {
    this.#checkCalls(now)
    const expected = this.#expected
    if (expected?.answeredAt !== undefined && now - expected.answeredAt > telling) {
      if (this.#isSure(expected.answeredAt, now))
        this.#report('answer', `that to ${expected.id}, attempt ${expected.attempt}, is not taken`)
      this.#expected = undefined
    }
    const last = this.question(2)
    const since = last?.at ?? now
    const isAnswered = this.#questions.some(
      ({ id, answeredAt }) => id === last?.id && answeredAt !== undefined,
    )
    if (last === undefined || isAnswered || now - since < answerMinutes * minute + telling + minute) return
    if (this.#failures === 0 && this.#isSure(since, now))
      this.#report('failure', `${last.id} was not answered, and nothing tells it`)
  }

  #checkCalls(now: number): void {
    const calls = this.#of.calls()
    const valid = Math.max(90 * second, 3 * this.#of.blind.pollEvery.events) + telling
    for (const at of calls.slice(this.#calls)) {
      if (at > this.#failedAt) this.#report('watcher', 'is called after a test that nobody has answered')
      const readAt = this.#of.eventsReadAt(at) ?? Number.NEGATIVE_INFINITY
      if (at - readAt > valid)
        this.#report('watcher', `is called ${Math.round((at - readAt) / second)} s after the last events`)
    }
    this.#calls = calls.length
    const since = now - calling
    const isWell = since > 0 && this.#failedAt > now && this.#isSure(since, now)
    if (isWell && (calls.at(-1) ?? 0) < since && !this.#isFailing)
      this.#report('watcher', 'is not called, and all is well')
  }

  /** True if the latest test may have failed. */
  get #isFailing(): boolean {
    return this.question(2) !== undefined
  }

  /** Returns true if Node-RED ran, and nothing was wrong, all the time between two moments. */
  #isSure(since: number, now: number): boolean {
    const { blind, hasFailedSince } = this.#of
    const isCalm = sources.every((source) => blind.isCertain(source, since, now))
    return isCalm && !hasFailedSince(since - rereading)
  }

  #report(rule: string, sentence: string): void {
    this.#of.report(`chain ${rule}`, `alarm chain, ${rule}: ${sentence}`)
  }
}
