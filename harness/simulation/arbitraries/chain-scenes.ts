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

const unreadable: readonly Step[] = [
  { after: 0, deed: { what: 'file unreadable', file: 'chain test', lasts: 3 * minute } },
  { after: 0, deed: { what: 'restart', lasts: 0 } },
]

/** What happens to Node-RED, or to the events, while a test waits. */
const between: fc.Arbitrary<readonly Step[]> = fc.oneof(
  { weight: 3, arbitrary: fc.constant([]) },
  {
    weight: 3,
    arbitrary: fc
      .record({ steps: fc.nat({ max: 24 }), lasts: fc.constantFrom(second, 30 * second) })
      .map((kill): Step[] => [{ after: 0, deed: { what: 'kill', ...kill } }]),
  },
  { weight: 1, arbitrary: fc.constant(unreadable) },
  {
    weight: 1,
    arbitrary: fc.constant<Step[]>([
      {
        after: 0,
        deed: { what: 'service fault', fault: 'status 500', operation: 'events', lasts: 12 * minute },
      },
    ]),
  },
)

/** Milliseconds until an answer: within the time of either way, and after both. */
const pause = fc.constantFrom(5 * second, 30 * second, 70 * second, 4 * minute)

/** An arbitrary for a test of the alarm chain, what happens to it, and who answers it. */
export const chainScene: fc.Arbitrary<Step[]> = fc
  .record({ begin, between, answers: fc.array(fc.tuple(pause, answer), { maxLength: 3 }), rest: pause })
  .map(({ begin, between, answers, rest }) => [
    { after: minute, deed: begin },
    ...between,
    ...answers.map(([after, deed]) => ({ after, deed })),
    { after: rest, deed: { what: 'ask' } },
  ])
