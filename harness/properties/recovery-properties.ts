import assert from 'node:assert/strict'
import fc from 'fast-check'
import { seed } from '../mocha/seed.ts'
import { disturbances } from './disturbances.ts'
import { cap, runDisturbances } from './run-disturbances.ts'

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
        { numRuns, seed: firstSeed },
      )).timeout(numRuns * 5000)
  })
}
