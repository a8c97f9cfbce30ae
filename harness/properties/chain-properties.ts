import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { Moment } from '../../src/clock.ts'
import { day, hour, minute } from '../../src/duration.ts'
import {
  afterAnswer,
  afterTime,
  begun,
  type ChainState,
  chainEvidence,
  isTestDue,
  keptChain,
  recalledChain,
  untested,
} from '../../src/panel/conditions/chain-test.ts'

const schedule = { interval: 5 * day, fromHour: 11, timeZone: 'Europe/Berlin' }
const wait = 15 * minute

/** Milliseconds from a break to its condition: an interval, the wait for the hour, both waits and the looks. */
const maxUnnoticed = schedule.interval + day + 2 * wait + hour

/** Milliseconds until a node that has lost its file tests: half a day and the wait for the hour. */
const maxUntested = 2 * day

/** The way in which a link treats a message, and its reader the answer. */
type Link = 'fine' | 'missing' | 'throws' | 'swallows' | 'unanswered' | 'oldAnswer'

const links: readonly Link[] = ['fine', 'missing', 'throws', 'swallows', 'unanswered', 'oldAnswer']

const gap = fc.integer({ min: 1, max: 2000 }).map((minutes) => minutes * minute)

const anyStep = fc.oneof(
  fc.record({
    does: fc.constant('link' as const),
    way: fc.constantFrom(0, 1),
    link: fc.constantFrom(...links),
  }),
  fc.record({
    does: fc.constantFrom(
      'restart' as const,
      'again' as const,
      'guess' as const,
      'test' as const,
      'damage' as const,
    ),
  }),
  fc.record({
    does: fc.constantFrom('setClock' as const, 'reboot' as const),
    by: fc.integer({ min: -9 * day, max: 9 * day }),
  }),
)

/** The node with its clocks, its file, both links and the person who answers. */
class ChainWorld {
  /** Milliseconds that have passed. */
  time = 0
  readonly links: Link[] = ['fine', 'fine']
  /** The number of tests that began since the file was lost. */
  begun = 0
  state: ChainState
  #boot = 0
  #bootedAt = 0
  #wallAhead = Date.UTC(2026, 2, 20)
  readonly #tokens: string[] = []
  /** The number of answers that earlier tests have asked for. */
  #asked = 0
  #answers: { at: number; token: string; isFirst: boolean }[] = []
  readonly #delays: fc.Stream<number>
  /** True while the latest test that ended counts as passed. */
  #isPassed = false

  constructor(delays: fc.Stream<number>) {
    this.#delays = delays
    this.state = untested(this.now)
  }

  get now(): Moment {
    const { time } = this
    return { wall: this.#wallAhead + time, monotonic: time - this.#bootedAt, boot: `${this.#boot}` }
  }

  get hasCondition(): boolean {
    return (chainEvidence(this.state, 'n1')?.length ?? 0) > 0
  }

  /** Lets time pass, with a look at what is due each minute while a test waits, else every half hour. */
  pass(ms: number): void {
    const end = this.time + ms
    while (this.time < end) {
      const isBusy = this.state.test?.isWaiting || this.#answers.length > 0
      this.time += isBusy ? minute : 30 * minute
      const due = this.#answers.filter(({ at }) => at <= this.time)
      this.#answers = this.#answers.filter(({ at }) => at > this.time)
      for (const { token, isFirst } of due) this.answer(token, isFirst)
      this.look()
    }
  }

  look(): void {
    const { state, now } = this
    const next = afterTime(state, now, wait, () => this.#token())
    this.#take(next)
    if (next !== state && next.test?.isWaiting) this.#send(1)
    else if (next === state && isTestDue(state, now, schedule)) this.test()
  }

  test(): void {
    if (this.state.test?.isWaiting) return
    this.begun += 1
    this.#asked = this.#tokens.length
    this.#take(begun(this.state, this.now, `${this.begun}`, this.#token()))
    this.#send(0)
  }

  answer(token: string, isProof = false): void {
    const next = afterAnswer(this.state, token, this.now)
    if (next === undefined) return
    assert.ok(
      this.#tokens.indexOf(token) >= this.#asked,
      'an answer counted that the latest test does not ask for',
    )
    this.#take(next, isProof)
    assert.equal(afterAnswer(next, token, this.now), undefined, 'an answer counted twice')
  }

  /** Answers with each answer that an earlier test has asked for. */
  answerAgain(): void {
    for (const token of this.#tokens.slice(0, this.#asked)) this.answer(token)
  }

  restart(): void {
    const content = JSON.parse(JSON.stringify(keptChain(this.state)))
    const state = recalledChain(content, this.now)
    assert.ok(state, 'the file is not understood')
    this.#take(state)
  }

  reboot(by: number): void {
    this.#boot += 1
    this.#bootedAt = this.time
    this.#wallAhead += by
    this.restart()
  }

  setClock(by: number): void {
    this.#wallAhead += by
  }

  damage(): void {
    assert.equal(recalledChain({ format: 1, test: {} }, this.now), undefined)
    this.#isPassed = false
    this.state = untested(this.now)
    this.begun = 0
  }

  /** @param isProof true if the message of the first way has arrived and was answered */
  #take(state: ChainState, isProof = false): void {
    this.state = state
    const isPassed = chainEvidence(state, 'n1')?.length === 0
    assert.ok(!isPassed || this.#isPassed || isProof, 'a test passed without an answer')
    this.#isPassed = isPassed
  }

  #token(): string {
    const token = `answer ${this.#tokens.length}`
    this.#tokens.push(token)
    return token
  }

  #send(way: number): void {
    const link = this.links[way]
    const token = this.state.test?.tokens[way] ?? ''
    const old = this.#tokens[this.#tokens.length - 3]
    const at = this.time + (this.#delays.next().value % 40) * minute
    if (link === 'fine') this.#answers.push({ at, token, isFirst: way === 0 })
    if (link === 'oldAnswer' && old !== undefined) this.#answers.push({ at, token: old, isFirst: false })
  }
}

/**
 * Tries random lives of a node that tests the alarm chain: links that break, answers that are early, late, twice or wrong,
 * restarts, damaged files, and clocks that are set.
 */
export function testChainTests(numRuns: number): void {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(gap, anyStep), { minLength: 1, maxLength: 12 }),
      fc.constantFrom(...links.slice(1), 'damage' as const),
      fc.boolean(),
      fc.infiniteStream(fc.nat()),
      (steps, broken, restarts, delays) => {
        const world = new ChainWorld(delays)
        for (const [ms, step] of steps) {
          world.pass(ms)
          if (step.does === 'link') world.links[step.way] = step.link
          else if (step.does === 'setClock') world.setClock(step.by)
          else if (step.does === 'reboot') world.reboot(step.by)
          else if (step.does === 'again') world.answerAgain()
          else if (step.does === 'guess') world.answer('wrong')
          else world[step.does]()
        }
        // What is on its way when the link breaks may still arrive.
        world.links[0] = broken === 'damage' ? 'fine' : broken
        world.pass(hour)
        if (broken === 'damage') {
          world.damage()
          world.pass(maxUntested)
          assert.ok(world.begun > 0, 'no test has begun since the file was lost')
          return
        }
        const until = world.time + maxUnnoticed
        while (!world.hasCondition && world.time < until) {
          world.pass(hour)
          if (restarts && world.time % (7 * hour) < hour) world.restart()
        }
        assert.ok(world.hasCondition, `${broken}: not noticed`)
        // It stays until a later test is answered.
        world.answerAgain()
        world.pass(day)
        assert.ok(world.hasCondition, 'the condition is over without an answer')
      },
    ),
    { numRuns },
  )
}
