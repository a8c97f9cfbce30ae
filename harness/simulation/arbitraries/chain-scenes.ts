import fc from 'fast-check'
import { minute, second } from '../../../src/duration.ts'
import type { Deed, Step } from '../life.ts'

const begin: fc.Arbitrary<Deed> = fc.record({
  what: fc.constant('chain test'),
  from: fc.constantFrom('button', 'button', 'flow', 'network'),
} as const)

const answer: fc.Arbitrary<Deed> = fc.record({
  what: fc.constant('chain answer'),
  from: fc.constantFrom('person', 'person', 'preview', 'echo'),
  attempt: fc.constantFrom<1 | 2>(1, 1, 2),
} as const)

/** Milliseconds until an answer: within the time of either way, and after both. */
const pause = fc.constantFrom(5 * second, 30 * second, 70 * second, 4 * minute)

const deaf: Step = {
  after: 0,
  deed: { what: 'service fault', fault: 'status 500', operation: 'events', lasts: 12 * minute },
}

/** A test, perhaps while the events cannot be read, and who answers it. */
const answered: fc.Arbitrary<Step[]> = fc
  .record({
    begin,
    isDeaf: fc.boolean(),
    answers: fc.array(fc.tuple(pause, answer), { maxLength: 3 }),
    rest: pause,
  })
  .map(({ begin, isDeaf, answers, rest }) => [
    { after: minute, deed: begin },
    ...(isDeaf ? [deaf] : []),
    ...answers.map(([after, deed]) => ({ after, deed })),
    { after: rest, deed: { what: 'ask' } },
  ])

/** The end of Node-RED right after a test was wanted, or its restart with a file that cannot be read for a time. */
const end: fc.Arbitrary<readonly Step[]> = fc.oneof(
  fc
    .record({ steps: fc.nat({ max: 5 }), lasts: fc.constantFrom(second, 30 * second) })
    .map((kill): Step[] => [{ after: 0, deed: { what: 'kill', ...kill } }]),
  fc.constant<Step[]>([
    { after: 10 * second, deed: { what: 'file unreadable', file: 'chain test', lasts: 30 * second } },
    { after: 0, deed: { what: 'restart', lasts: 0 } },
  ]),
)

/** A test that a person answers after Node-RED has started again. */
const kept: fc.Arbitrary<Step[]> = fc
  .tuple(end, fc.constantFrom(2 * minute, 4 * minute))
  .map(([end, rest]) => [
    { after: minute, deed: { what: 'chain test', from: 'flow' } },
    ...end,
    { after: rest, deed: { what: 'chain answer', from: 'person', attempt: 1 } },
    { after: minute, deed: { what: 'ask' } },
  ])

/** An arbitrary for a test of the alarm chain, what happens to it, and who answers it. */
export const chainScene: fc.Arbitrary<Step[]> = fc.oneof(answered, kept)
