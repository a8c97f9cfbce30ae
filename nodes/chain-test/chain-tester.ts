import { randomBytes } from 'node:crypto'
import type { Node } from 'node-red'
import { ageWithSleep, type Moment, momentOf } from '../../src/clock.ts'
import { minute } from '../../src/duration.ts'
import { filled } from '../../src/messages/incident-message.ts'
import { message } from '../../src/messages/message.ts'
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
import { KeyholderError } from '../../src/service/error.ts'
import { chainTestTexts } from '../shared/message-texts.ts'
import { type ConditionTexts, type NodeStatus, phrase } from '../shared/node-status.ts'

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
}

/** The tests of the alarm chain by one node: sends each one, takes its answer, and keeps how it stands. */
export class ChainTester {
  readonly #node: Node
  readonly #options: ChainTesterOptions
  readonly #self: DeliveringNode
  /** Undefined until it is loaded, and while another instance tests. */
  #state: ChainState | undefined
  #loading: Promise<void> | undefined
  #polled: PollCondition = { state: 'reading' }
  #isWatcherAway = false
  #isEnded = false

  constructor(node: Node, options: ChainTesterOptions) {
    this.#node = node
    this.#options = options
    // Two instances would ring twice, and the answer to one would not be that to the other.
    this.#self = { id: node.id, instances: 'one' }
    options.panel.chainTests.show(this.#self, undefined)
  }

  /** The node, as the panel delivers to it. */
  get self(): DeliveringNode {
    return this.#self
  }

  /** True while this instance tests, and the latest answer about the panel is not too old. */
  get isAlive(): boolean {
    const { panel } = this.#options
    const { latest } = panel.state
    if (latest === undefined || this.#isStandby) return false
    return (
      ageWithSleep({ wall: latest.fetchedAt, monotonic: latest.at }, panel.account.clock) <= latest.validFor
    )
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
    const { wait, schedule } = this.#options
    const now = this.#now()
    const next = afterTime(state, now, wait, newAnswer)
    if (next !== state) await this.#take(next)
    else if (isTestDue(state, now, schedule)) await this.#begin(state, now)
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
    if (left > 0) throw notPossible(tooManyAsked(left))
    await this.#begin(afterAsking(state, now), now)
  }

  /**
   * Takes an answer; returns what it proves.
   * @throws KeyholderError NOT_FOUND if no test asks for it, INVALID_TRANSITION
   */
  async answer(answer: string): Promise<object> {
    const state = await this.#loaded()
    const next = afterAnswer(state, answer, this.#now())
    if (next === undefined || next.test === null) {
      const why =
        'No test of the alarm chain asks for this answer. It was given before, or there was a later test.'
      throw new KeyholderError('NOT_FOUND', why)
    }
    await this.#take(next)
    const attempt = 1 + (state.test?.tokens.indexOf(answer) ?? 0)
    return this.#messageOf({ ...partsOf(next.test), attempt, answeredAt: isoTime(next.answeredAt ?? 0) })
  }

  /** Shows how the latest test stands. */
  show(): void {
    const { status, panel } = this.#options
    if (!this.#isEnded) status.showCondition(panel, this.#polled, 'status', this.#texts())
  }

  /** Ends the work; what is kept stays. */
  end(): void {
    this.#isEnded = true
    this.#options.panel.chainTests.leave(this.#self)
  }

  #texts(): ConditionTexts {
    const { test = null, failure = null, answeredAt = null } = this.#state ?? {}
    const shown = (name: string, at?: number) =>
      phrase(`chain-test.status.${name}`, at === undefined ? {} : { at })
    if (test?.isWaiting) return { fine: shown('waiting', test.at), isPending: true }
    if (failure !== null) return { fine: shown(failure.says, failure.at), isPending: true }
    if (this.#isWatcherAway) return { fine: shown('watcherAway'), isPending: true }
    return { fine: answeredAt === null ? shown('untested') : shown('answered', answeredAt) }
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
    const loaded = await panel.chainTests.load(this.#self, () => this.#now()).catch(report)
    if (this.#isStandby || this.#isEnded || this.#state !== undefined) return
    // Without what was known, nothing counts as answered.
    await this.#take(loaded ?? untested(this.#now()))
  }

  /** @throws KeyholderError INVALID_TRANSITION if another instance tests */
  async #loaded(): Promise<ChainState> {
    await this.#load()
    if (this.#state !== undefined) return this.#state
    throw notPossible(
      'Another Node-RED instance of the cluster tests the alarm chain of this panel. Send the message to that one.',
    )
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
    const { panel, language, wait } = this.#options
    const attempt = test.tokens.length
    const text = chainTestTexts(language, panel.account.settings.locale)
    const values = { panel: panel.title, minutes: String(Math.round(wait / minute)) }
    const sent = this.#messageOf({
      ...partsOf(test),
      title: filled(text('title'), values),
      summary: filled(text('summary'), values),
      // As flows that send alarms to a phone expect it: it must ring.
      kind: 'test',
      news: 'alarm',
      answer: test.tokens.at(-1),
      attempt,
    })
    this.#node.send(attempt === 1 ? [sent] : [null, sent])
  }

  #messageOf(payload: object) {
    const { panel } = this.#options
    const { clock } = panel.account
    const nothing = {
      view: undefined,
      fetchedAt: clock.wall(),
      at: clock.monotonic(),
      sentAt: 0,
      validFor: -1,
    }
    return { ...message(panel.sourceOf(panel.latest ?? nothing), 'chain-test', payload), chainTest: true }
  }

  #now(): Moment {
    return momentOf(this.#options.panel.account.clock)
  }
}

function notPossible(sentence: string): KeyholderError {
  return new KeyholderError('INVALID_TRANSITION', sentence)
}

/** @param left milliseconds until a message may begin a test; infinity is after the next answer */
function tooManyAsked(left: number): string {
  if (left === Number.POSITIVE_INFINITY)
    return 'Nobody has answered the last tests that messages have begun, so they begin no further one until a test is answered. Press the button of the node "alarm chain test".'
  const minutes = Math.ceil(left / minute)
  return `Nobody has answered the test that a message has begun, so the next one by a message can begin in ${minutes} minutes. Or press the button of the node "alarm chain test".`
}

function newAnswer(): string {
  return randomBytes(answerBytes).toString('base64url')
}

function partsOf({ id, at }: ChainTest): { id: string; startedAt: string } {
  return { id, startedAt: isoTime(at) }
}

function isoTime(time: number): string {
  return new Date(time).toISOString()
}
