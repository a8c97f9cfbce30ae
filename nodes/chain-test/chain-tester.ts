import { randomBytes } from 'node:crypto'
import type { Node } from 'node-red'
import { type Moment, momentOf } from '../../src/clock.ts'
import {
  afterAnswer,
  afterAsking,
  afterSending,
  afterTime,
  askableIn,
  begun,
  type ChainSchedule,
  type ChainState,
  type ChainTest,
  isTestDue,
  untested,
} from '../../src/panel/conditions/chain-test.ts'
import type { DeliveringNode } from '../../src/panel/lease.ts'
import type { Panel } from '../../src/panel/panel.ts'
import type { PollCondition } from '../../src/panel/polling/poller.ts'
import type { Snapshot } from '../../src/panel/snapshot.ts'
import type { StateView } from '../../src/panel/state/partition-state.ts'
import { asKeyholderError, type KeyholderError } from '../../src/service/error.ts'
import { guard } from '../shared/guard.ts'
import { type ConditionTexts, type NodeStatus, phrase, type StatusText } from '../shared/node-status.ts'
import { AlarmParts } from './alarm-parts.ts'
import { notPossible, otherInstance, tooManyAsked, unanswered, unknownAnswer } from './chain-errors.ts'
import { answeredOf, questionOf } from './chain-messages.ts'

/** Bytes of an answer that nobody can guess. */
const answerBytes = 16

/** The dependencies of a chain tester. */
interface ChainTesterOptions {
  panel: Panel
  status: NodeStatus
  /** Sends an error to the log and the Catch nodes. */
  report(error: Error): void
  schedule: ChainSchedule
  /** Milliseconds for which each way waits for an answer. */
  wait: number
  language: unknown
  /** Returns the names of the nodes in which the ways end, the first way first. */
  wayNames(): readonly (readonly string[])[]
}

/** The tests of the alarm chain by one node: sends each one, takes its answer, and keeps how it stands. */
export class ChainTester {
  readonly #node: Node
  readonly #options: ChainTesterOptions
  readonly #self: DeliveringNode
  /** Undefined until it is loaded, and while another instance tests. */
  #state: ChainState | undefined
  #loading: Promise<void> | undefined
  /** The error for which nothing could be loaded. */
  #unread: KeyholderError | undefined
  readonly #alarmParts: AlarmParts
  #polled: PollCondition = { state: 'reading' }
  #isWatcherAway = false
  #isEnded = false
  /** Cancels the look at the end of the wait for an answer. */
  #cancelLook = () => {}

  constructor(node: Node, options: ChainTesterOptions) {
    this.#node = node
    this.#options = options
    // Two instances would ring twice, and the answer to one would not be that to the other.
    this.#self = { id: node.id, instances: 'one' }
    this.#alarmParts = new AlarmParts(options.panel)
    options.panel.chainTests.show(this.#self, undefined)
  }

  /** The node, as the panel delivers to it. */
  get self(): DeliveringNode {
    return this.#self
  }

  /**
   * True while this instance tests, all that tells alarms is fresh, and no test has failed both ways: else only the watcher
   * outside can still reach somebody.
   */
  get isAlive(): boolean {
    if (this.#isStandby || this.#state === undefined) return false
    return this.#state.failure?.says !== 'chain' && this.#alarmParts.areFresh
  }

  /** Takes a state of the panel. */
  note(state: Snapshot<StateView>): void {
    this.#alarmParts.note(state)
    this.show()
  }

  /** Takes the condition of the polls. */
  async follow(condition: PollCondition): Promise<void> {
    this.#polled = condition
    if (condition.state === 'standby') {
      this.#state = undefined
      this.#loading = undefined
      this.#options.panel.chainTests.show(this.#self, undefined)
    }
    this.show()
    await this.#load()
  }

  /** Notes if the watcher can be called. */
  noteWatcher(isAway: boolean): void {
    this.#isWatcherAway = isAway
    if (isAway) this.#node.warn('The watcher outside cannot be called. Check its address and the network.')
    else this.#node.log('The watcher outside can be called again.')
    this.show()
  }

  /** Does what is due: begins a test, goes to the second way, or gives up. */
  async look(): Promise<void> {
    await this.#load()
    const state = this.#state
    if (state === undefined) return
    const { wait, schedule, report, wayNames } = this.#options
    const now = this.#now()
    const next = afterTime(state, now, wait, newAnswer)
    if (next !== state) {
      await this.#take(next)
      if (!next.test?.isWaiting) report(unanswered(wayNames()))
    } else if (isTestDue(state, now, schedule)) await this.#begin(state, now)
  }

  /**
   * Begins a test.
   * @throws KeyholderError INVALID_TRANSITION while one waits for its answer
   */
  async start(): Promise<void> {
    const state = await this.#idle()
    await this.#begin(state, this.#now())
  }

  /**
   * Begins a test that a message asks for.
   * @throws KeyholderError INVALID_TRANSITION also if the tests that messages have begun were not answered
   */
  async startByMessage(): Promise<void> {
    const state = await this.#idle()
    const now = this.#now()
    const left = askableIn(state, now)
    if (left > 0) throw tooManyAsked(left)
    await this.#begin(afterAsking(state, now), now)
  }

  /**
   * Takes an answer; returns what it proves.
   * @throws KeyholderError NOT_FOUND if no test asks for it, INVALID_TRANSITION
   */
  async answer(answer: string): Promise<object> {
    const state = await this.#loaded()
    const next = afterAnswer(state, answer, this.#now())
    if (next === undefined || next.test === null) throw unknownAnswer()
    await this.#take(next)
    const attempt = 1 + (state.test?.tokens.indexOf(answer) ?? 0)
    return answeredOf(next.test, attempt, next.answeredAt ?? 0, this.#options.panel)
  }

  /** Shows how the latest test stands. */
  show(): void {
    const { status, panel } = this.#options
    if (this.#isEnded) return
    const { test = null, failure = null } = this.#state ?? {}
    if (this.#unread !== undefined) status.showError(this.#unread)
    else if (failure?.says === 'chain' && !test?.isWaiting && this.#polled.state === 'fine')
      status.showError({ code: 'TIMEOUT' }, this.#failedText())
    else status.showCondition(panel, this.#polled, 'status', this.#texts())
  }

  /** Ends the work; what is kept stays. */
  end(): void {
    this.#isEnded = true
    this.#cancelLook()
    this.#options.panel.chainTests.leave(this.#self)
  }

  /** Returns the text for a test that nobody has answered, with the names of its ways. */
  #failedText(): StatusText {
    const detail = [...new Set(this.#options.wayNames().flat())].join(', ')
    return phrase('chain-test.status.chain', { ...(detail && { detail }) })
  }

  #texts(): ConditionTexts {
    const { test = null, failure = null, answeredAt = null } = this.#state ?? {}
    const shown = (name: string, at?: number) =>
      phrase(`chain-test.status.${name}`, at === undefined ? {} : { at })
    if (test?.isWaiting) return { fine: shown('waiting', test.at), isPending: true }
    if (failure !== null) return { fine: shown(failure.says, failure.at), isPending: true }
    if (this.#isWatcherAway) return { fine: shown('watcherAway'), isPending: true }
    // Nothing proves yet that an alarm arrives.
    if (answeredAt === null) return { fine: shown('untested'), isPending: true }
    return { fine: shown('answered', answeredAt) }
  }

  /** True while another instance tests. */
  get #isStandby(): boolean {
    return this.#options.panel.toldStore(this.#self, 'state')?.isHeld === false
  }

  async #load(): Promise<void> {
    if (this.#isStandby || this.#isEnded) return
    this.#loading ??= this.#read()
    await this.#loading
  }

  async #read(): Promise<void> {
    const { panel, report } = this.#options
    let loaded: ChainState | undefined
    try {
      loaded = await panel.chainTests.load(this.#self, () => this.#now())
    } catch (thrown) {
      // Tried again with the next look: what cannot be read now must not be overwritten.
      this.#loading = undefined
      const before = this.#unread
      this.#unread = asKeyholderError(thrown)
      if (this.#unread.message !== before?.message) report(this.#unread)
      this.show()
      return
    }
    this.#unread = undefined
    if (this.#isStandby || this.#isEnded || this.#state !== undefined) return
    // Without what was known, nothing counts as answered.
    await this.#take(loaded ?? untested(this.#now()))
  }

  /** @throws KeyholderError INVALID_TRANSITION if another instance tests, BAD_SETTING if nothing can be loaded */
  async #loaded(): Promise<ChainState> {
    await this.#load()
    if (this.#state !== undefined) return this.#state
    if (this.#unread !== undefined) throw this.#unread
    throw otherInstance()
  }

  /** @throws KeyholderError INVALID_TRANSITION also while a test waits for its answer */
  async #idle(): Promise<ChainState> {
    const state = await this.#loaded()
    if (!state.test?.isWaiting) return state
    throw notPossible(
      'A test of the alarm chain is still waiting for its answer. Answer it, or wait until it is over.',
    )
  }

  #begin(state: ChainState, now: Moment): Promise<void> {
    return this.#take(begun(state, now, newAnswer().slice(0, 8), newAnswer()))
  }

  /**
   * Keeps a state, and then sends the message of its test that was not sent yet, so that a kill can neither make its answer
   * unknown nor lose it.
   */
  async #take(state: ChainState): Promise<void> {
    const { panel, report } = this.#options
    this.#know(state)
    await panel.chainTests.save(this.#self, state).catch(report)
    const { test } = state
    if (test === null || !test.isWaiting || test.isSent || this.#state !== state || this.#isEnded) return
    const sent = afterSending(state, this.#now())
    this.#know(sent)
    this.#send(test)
    // A failure was reported a moment ago; at worst the message is sent again after a restart.
    await panel.chainTests.save(this.#self, sent).catch(() => {})
  }

  /** Goes on from a state, and shows it. */
  #know(state: ChainState): void {
    this.#state = state
    this.#options.panel.chainTests.show(this.#self, state)
    this.show()
  }

  #send(test: ChainTest): void {
    const { panel, wait } = this.#options
    // The second way begins when the time for an answer is over, not with the next look.
    this.#cancelLook()
    this.#cancelLook = panel.account.clock.after(wait, () => guard(this.#node, () => this.look()))
    const question = questionOf(test, this.#options)
    this.#node.send(test.tokens.length === 1 ? [question] : [null, question])
  }

  #now(): Moment {
    return momentOf(this.#options.panel.account.clock)
  }
}

function newAnswer(): string {
  return randomBytes(answerBytes).toString('base64url')
}
