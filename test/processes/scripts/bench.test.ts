import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const bench = fileURLToPath(new URL('../../../bench/bench.js', import.meta.url))
const run = (...args: string[]) => promisify(execFile)(process.execPath, [bench, ...args])

describe('The benchmark', () => {
  it('prints one JSON entry for each selected benchmark and nothing else', async () => {
    const { stdout } = await run('--json', '--runs', '1', '--only', '9', '--only', '3')
    const entries = JSON.parse(stdout)
    assert.deepEqual(
      entries.map(({ id }: { id: number }) => id),
      [3, 9],
    )
    for (const { measure, ours, theirs, ratio, min, max, goal, met, id, ...others } of entries) {
      assert.deepEqual(others, {})
      assert.ok(measure.length > 0)
      for (const figure of [ours, theirs, ratio, min, max, goal]) assert.equal(typeof figure, 'number')
      assert.ok(min <= ratio && ratio <= max)
      assert.equal(met, ratio <= goal)
    }
  })

  it('runs a benchmark five times, but once if it always gives the same figures', async () => {
    const { stdout, stderr } = await run('--only', '9', '--only', '3')
    assert.match(stderr, /^9 of 25: .*, run 5 of 5 took/m)
    assert.doesNotMatch(stderr, /^3 of 25: .*, run/m)
    assert.match(stdout, /^3 .*, 1 run: always the same$/m)
    assert.match(stdout, /^9 .*, 5 runs$/m)
  })

  it('runs each benchmark as often as asked', async () => {
    const { stdout } = await run('--runs', '2', '--only', '3')
    assert.match(stdout, /^3 .*, 2 runs$/m)
  })

  it('reports its progress on standard error', async () => {
    const { stderr } = await run('--json', '--runs', '1', '--only', '9')
    assert.match(stderr, /^9 of 25: /)
  })

  it('names the valid numbers for an unknown benchmark', async () => {
    await assert.rejects(run('--only', '26'), {
      code: 1,
      stderr: '--only takes a number from 1 to 25, or cluster.\n',
    })
  })

  it('refuses to run something less than once', async () => {
    for (const runs of ['0', '', 'two', '1.5'])
      await assert.rejects(run('--runs', runs), { code: 1, stderr: '--runs takes a number from 1.\n' })
  })
})
