import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const bench = fileURLToPath(new URL('../bench/bench.js', import.meta.url))
const run = (...args: string[]) => promisify(execFile)(process.execPath, [bench, ...args])

describe('The benchmark', () => {
  it('prints one JSON entry for each selected benchmark and nothing else', async () => {
    const { stdout } = await run('--json', '--only', '9', '--only', '3')
    const entries = JSON.parse(stdout)
    assert.deepEqual(
      entries.map(({ id }: { id: number }) => id),
      [3, 9],
    )
    for (const { measure, ours, theirs, ratio, goal, met, id, ...others } of entries) {
      assert.deepEqual(others, {})
      assert.ok(measure.length > 0)
      for (const figure of [ours, theirs, ratio, goal]) assert.equal(typeof figure, 'number')
      assert.equal(ratio, Math.round((1000 * ours) / theirs) / 1000)
      assert.equal(met, ratio <= goal)
    }
  })

  it('reports its progress on standard error', async () => {
    const { stderr } = await run('--json', '--only', '9')
    assert.match(stderr, /^9 of 23: /)
  })

  it('names the valid numbers for an unknown benchmark', async () => {
    await assert.rejects(run('--only', '24'), {
      code: 1,
      stderr: '--only takes a number from 1 to 23, or cluster.\n',
    })
  })
})
