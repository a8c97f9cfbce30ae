import assert from 'node:assert/strict'
import fc from 'fast-check'
import { minute } from '../../src/duration.ts'
import { seed } from '../mocha/seed.ts'
import { type Disturbance, disturbances } from './disturbances.ts'
import { cap, runDisturbances } from './run-disturbances.ts'

/** Sequences that once kept the client from working again. */
const found: Disturbance[][] = [
  [{ what: 'version withdrawn', answer: { status: 200, body: {}, retryAfter: undefined }, after: 0 }],
  [
    {
      ...{ what: 'answer', answer: { status: 440, body: undefined, retryAfter: undefined } },
      ...{ after: 0, operation: undefined, lasts: 12 * minute },
    },
    {
      ...{ what: 'answer', answer: { status: 200, body: {}, retryAfter: undefined } },
      ...{ after: 12_329, operation: undefined, lasts: 6 * minute },
    },
  ],
]

/** Adds a test of the promises of the whole client, with `numRuns` random sequences of disturbances. */
export function testRecovery(numRuns: number, firstSeed = seed): void {
  describe(`A client, after random answers and faults of the service (SEED=${firstSeed})`, () => {
    it('works again within ten minutes without a deploy, and loses no event', () =>
      fc.assert(
        fc.asyncProperty(disturbances, async (sequence) => {
          const outcome = await runDisturbances(sequence)
          const { ailing, rejected, repeatedRejections, mostInAMinute, lost, repeated } = outcome
          assert.deepEqual(outcome.unhandled, [])
          assert.deepEqual(outcome.defects, [])
          assert.ok(mostInAMinute <= cap, `${mostInAMinute} requests in a minute`)
          assert.equal(repeatedRejections, 0, `${rejected}`)
          assert.deepEqual(repeated, [])
          if (rejected.length > 0) return
          assert.deepEqual(ailing, [])
          assert.deepEqual(lost, [])
        }),
        { numRuns, seed: firstSeed, examples: found.map((sequence) => [sequence]) },
      )).timeout(1_800_000)
  })
}
