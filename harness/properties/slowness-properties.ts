import assert from 'node:assert/strict'
import fc from 'fast-check'
import { seed } from '../mocha/seed.ts'
import { slowOrWrong } from './disturbances.ts'
import { cap, runDisturbances } from './run-disturbances.ts'

/**
 * Adds a test of the promises of the whole client, with `numRuns` random sequences of disturbances that make something
 * slow, late, incomplete or wrong, but end nothing.
 */
export function testSlowness(numRuns: number, firstSeed = seed): void {
  describe(`A client whose surroundings are slow or wrong instead of dead (SEED=${firstSeed})`, () => {
    it('works again, loses and repeats no event, keeps its limit and signs in once', () =>
      fc.assert(
        fc.asyncProperty(slowOrWrong, async (sequence) => {
          const outcome = await runDisturbances(sequence, true)
          assert.deepEqual(outcome.unhandled, [])
          assert.deepEqual(outcome.defects, [])
          assert.ok(outcome.mostInAMinute <= cap, `${outcome.mostInAMinute} requests in a minute`)
          assert.deepEqual(outcome.ailing, [])
          assert.deepEqual(outcome.lost, [])
          assert.deepEqual(outcome.repeated, [])
          assert.deepEqual([outcome.signIns, outcome.panelLogins], [1, 1])
        }),
        { numRuns, seed: firstSeed },
      )).timeout(1_800_000)
  })
}
