import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { readRecord, recordPath, type StartedProgram, type SuiteRecord } from './suite-record.ts'

/** The most that one run of a suite may cost. Raise a bound only on purpose, in a commit that says why. */
export interface SuiteBounds {
  started: Record<StartedProgram, number>
  /** HTTP requests that servers in the processes of the tests answer. */
  requests: number
  /** Random inputs of all properties together. */
  runs: number
  /**
   * The files that open sockets although they have a fake clock, where the suite is held to a list of them. The list may
   * only get shorter: everything else reaches the simulator through memory.
   */
  mixed?: readonly string[]
}

/**
 * Adds tests of what the last run of a suite has cost. They run after the suite, and look at no clock: what a suite
 * starts and tries is the same on each machine.
 * @param suite the folder of its configuration; `test` for `npm test`
 */
export function testBounds(suite: string, { started, requests, runs, mixed }: SuiteBounds): void {
  let record: SuiteRecord
  before(() => {
    record = readRecord(process.env.KEYHOLDER_SUITE_RECORD ?? recordPath(suite))
  })

  const check = (what: string, bound: number, count: () => number) =>
    it(`${what}: at most ${bound.toLocaleString('en-US')}`, () => {
      const advice = 'Move tests to another suite, as CONTRIBUTING.md says, or raise the bound on purpose.'
      assert.ok(count() <= bound, `${count()} ${what}. ${advice}`)
    })

  for (const [program, bound] of Object.entries(started) as [StartedProgram, number][])
    check(`starts of ${program}`, bound, () => record.started[program])
  check('requests', requests, () => record.requests)
  check('random inputs', runs, () => record.runs)

  if (mixed !== undefined) {
    it('opens sockets on the fake clock only in the listed files', () => {
      const found = record.files.filter(({ mixesClockAndSockets }) => mixesClockAndSockets)
      const tests = found.map(({ file }) => file.replace(/\.js$/, '.ts'))
      assert.deepEqual(
        tests.filter((file) => !mixed.includes(file)),
        [],
        'Let the harness connect the simulator through memory, as harness/account.ts does.',
      )
      assert.deepEqual(
        mixed.filter((file) => !existsSync(file)),
        [],
        'Remove what is gone.',
      )
    })
  }
}
