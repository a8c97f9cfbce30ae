import { ageOf, type Moment } from '../../clock.ts'
import { day, hour, minute } from '../../duration.ts'
import {
  flag,
  integer,
  integerOrNull,
  list,
  parse,
  record,
  text,
  withDefault,
  word,
} from '../../service/schema.ts'
import { localHour } from '../../service/time.ts'
import { type Evidence, idOf, newEvidence } from './condition.ts'

/** A test of the alarm chain: a message that asks for an answer, and a second one by another way if none comes. */
export interface ChainTest {
  readonly id: string
  /** The begin, in milliseconds since 1970. */
  readonly at: number
  readonly begunAt: Moment
  /** The time of the latest message. */
  readonly sentAt: Moment
  /** The answer that each message asks for, in their order; null if it is not accepted any more. */
  readonly tokens: readonly (string | null)[]
  /** True until there is an answer, or no time is left for one. */
  readonly isWaiting: boolean
  /** False until the latest message was sent: after a kill in between it is sent again. */
  readonly isSent: boolean
}

/** The latest test of an alarm chain, and how the tests so far have ended. */
export interface ChainState {
  /** The time from which the node counts, for the first test. */
  readonly begunAt: Moment
  readonly test: ChainTest | null
  /** The test that was not answered by the first way; null after one that was, and before any has ended. */
  readonly failure: ChainFailure | null
  /** The latest answer, in milliseconds since 1970; null if none is known. */
  readonly answeredAt: number | null
  /** The begins of the tests that messages have begun since the latest answer, the oldest first. */
  readonly asked: readonly Moment[]
}

/** A test that was not answered, or only by the second way. */
interface ChainFailure {
  readonly says: 'chain' | 'chainSecond'
  /** The begin of the test, in milliseconds since 1970. */
  readonly at: number
  /** The time at which it became known, in milliseconds since 1970. */
  readonly since: number
}

/** The times at which tests begin. */
export interface ChainSchedule {
  /** Milliseconds between two tests. */
  readonly interval: number
  /** The hour of the day from which a test may begin. */
  readonly fromHour: number
  /** Undefined is that of the machine. */
  readonly timeZone: string | undefined
}

/** The number of ways by which a test is sent. */
const ways = 2

/** Milliseconds from a test that a message has begun, and nobody has answered, to the next one by a message. */
const askEvery = hour

/** The tests without an answer that messages begin: whoever can send them must not ring a phone without an end. */
const maxAsked = 3

/** The hour of the day from which no test begins by itself: it must not wake anybody. */
const lastHour = 20

/** Milliseconds by which a test may begin before its interval has passed, so that it comes at the same hour. */
const maxEarly = 12 * hour

/** Milliseconds by which the wall clock may be put back while the machine restarts. */
const tolerance = minute

/** Returns the state of a node that knows of no test. */
export function untested(now: Moment): ChainState {
  return { begunAt: now, test: null, failure: null, answeredAt: null, asked: [] }
}

/** Returns true if a test is to begin by itself: the interval has passed, and it is day. */
export function isTestDue({ test, begunAt }: ChainState, now: Moment, schedule: ChainSchedule): boolean {
  if (test?.isWaiting) return false
  const { interval, fromHour, timeZone } = schedule
  const least = test === null ? maxEarly : interval - maxEarly
  if (age(test?.begunAt ?? begunAt, now) < least) return false
  const hourNow = localHour(now.wall, timeZone)
  return hourNow >= fromHour && hourNow < Math.max(fromHour + 1, lastHour)
}

/** Returns the state after a test has begun: the answers to earlier ones are no longer accepted. */
export function begun(state: ChainState, now: Moment, id: string, token: string): ChainState {
  const test = {
    ...{ id, at: now.wall, begunAt: now, sentAt: now, tokens: [token] },
    ...{ isWaiting: true, isSent: false },
  }
  return { ...state, test }
}

/**
 * Returns the milliseconds until a message may begin a test: 0 is now, and infinity is after the next answer.
 *
 * Each test that is answered shows that somebody wanted it, so only those without an answer count.
 */
export function askableIn({ asked }: ChainState, now: Moment): number {
  if (asked.length >= maxAsked) return Number.POSITIVE_INFINITY
  const latest = asked.at(-1)
  return latest === undefined ? 0 : Math.max(0, askEvery - age(latest, now))
}

/** Returns the state after a message has asked for a test. */
export function afterAsking(state: ChainState, now: Moment): ChainState {
  return { ...state, asked: [...state.asked, now] }
}

/** Returns the state after the latest message was sent: the time for its answer begins. */
export function afterSending(state: ChainState, now: Moment): ChainState {
  return state.test === null ? state : { ...state, test: { ...state.test, sentAt: now, isSent: true } }
}

/**
 * Returns the state after time has passed: without an answer the test goes to the second way, and then it has failed. The
 * same object if nothing has changed.
 * @param wait milliseconds for which an answer is awaited
 * @param token the answer that a second message asks for
 */
export function afterTime(state: ChainState, now: Moment, wait: number, token: () => string): ChainState {
  const { test } = state
  // A wall clock that is set does not shorten the time for an answer.
  if (test === null || !test.isWaiting || ageOf(test.sentAt, now) < wait) return state
  if (test.tokens.length < ways)
    return { ...state, test: { ...test, sentAt: now, tokens: [...test.tokens, token()], isSent: false } }
  return { ...state, test: { ...test, isWaiting: false }, failure: failed(state, 'chain', test, now) }
}

/**
 * Returns the state after an answer; undefined if no message of the latest test asks for it, or it was given.
 *
 * Only an answer to the first message proves the first way. It does so late too: then a message has arrived late.
 */
export function afterAnswer(state: ChainState, answer: string, now: Moment): ChainState | undefined {
  const { test } = state
  const way = test?.tokens.indexOf(answer) ?? -1
  if (test === null || way === -1) return undefined
  const isFirst = way === 0
  const tokens = test.tokens.map((token, at) => (isFirst || at === way ? null : token))
  const failure = isFirst ? null : failed(state, 'chainSecond', test, now)
  const answered = { ...test, tokens, isWaiting: false }
  return { ...state, test: answered, failure, answeredAt: now.wall, asked: [] }
}

function failed(
  { failure }: ChainState,
  says: ChainFailure['says'],
  { at }: ChainTest,
  { wall }: Moment,
): ChainFailure {
  return { says, at, since: failure?.says === says ? failure.since : wall }
}

/**
 * Returns what the state shows; undefined while no test has ended, so that nothing is known.
 * @param nodeId the node that tests
 */
export function chainEvidence({ failure, answeredAt }: ChainState, nodeId: string): Evidence[] | undefined {
  if (failure === null) return answeredAt === null ? undefined : []
  const { says, since, at } = failure
  return [newEvidence('chain', { id: idOf('chain', nodeId, says), says, since, at })]
}

/** The version of the text in which a state is kept. */
const format = 1

const moment = record({ wall: integer, monotonic: integer, boot: withDefault(text, undefined) })

const kept = record({
  format: integer,
  begunAt: moment,
  test: withDefault(
    record({
      id: text,
      at: integer,
      begunAt: moment,
      sentAt: moment,
      tokens: list(withDefault(text, null), ways),
      isWaiting: flag,
      isSent: withDefault(flag, true),
    }),
    null,
  ),
  failure: withDefault(record({ says: word(['chain', 'chainSecond']), at: integer, since: integer }), null),
  answeredAt: integerOrNull,
  asked: withDefault(list(moment, maxAsked), []),
})

/** Returns a state in the form in which it is kept. */
export function keptChain(state: ChainState): object {
  return { format, ...state }
}

/**
 * Returns the state that was kept, with its moments on the clock of now, so that a clock that is set afterwards changes no age;
 * undefined if it is damaged.
 */
export function recalledChain(value: unknown, now: Moment): ChainState | undefined {
  const parsed = parse(kept, value)
  if (parsed === undefined || parsed.value.format !== format) return undefined
  const { format: _version, ...state } = parsed.value
  const { test, begunAt, asked } = state
  return {
    ...state,
    begunAt: before(now, age(begunAt, now)),
    asked: asked.map((then) => before(now, age(then, now))),
    test: test && {
      ...test,
      begunAt: before(now, age(test.begunAt, now)),
      sentAt: before(now, ageOf(test.sentAt, now)),
    },
  }
}

/**
 * Returns the milliseconds since a moment, with those in which the machine slept. A moment in the future is of a time before
 * the machine started with a clock that was put back: then nobody knows, and a test too many is better than one too few.
 */
function age(then: Moment, now: Moment): number {
  const known = ageOf(then, now)
  if (known === 0 && then.wall > now.wall + tolerance) return unknownAge
  return Math.max(known, now.wall - then.wall)
}

/** Milliseconds that are longer than any interval. */
const unknownAge = 10_000 * day

function before({ wall, monotonic, boot }: Moment, ms: number): Moment {
  return { wall: wall - ms, monotonic: monotonic - ms, boot }
}
