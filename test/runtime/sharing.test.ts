import assert from 'node:assert/strict'
import { systemClock } from '../../src/clock.ts'
import { Laboratory } from '../support/laboratory.ts'

/** How often each path was asked for when so many nodes had been told of the third poll of the state. */
async function askedInThreePolls(nodes: number): Promise<Record<string, number>> {
  const laboratory = await Laboratory.open()
  try {
    const ids = Array.from({ length: nodes }, (_, index) => `state ${index}`)
    await laboratory.furnish(
      ids.map((id) => ({ id, type: 'keyholder-state', emit: 'poll', partitions: [1] })),
    )
    laboratory.start()
    const { sink, simulator } = laboratory
    await sink.until('three messages from each', () => ids.every((id) => sink.from(id).length >= 3))
    const thirdAt = Date.parse(sink.from('state 0')[2]?.fetchedAt as string)
    const wallAt = (at: number) => at + systemClock.wall() - systemClock.monotonic()
    const asked: Record<string, number> = {}
    for (const { at, path } of simulator.requests) {
      if (wallAt(at) <= thirdAt) asked[path] = (asked[path] ?? 0) + 1
    }
    return asked
  } finally {
    await laboratory.close()
  }
}

describe('State nodes on one panel', function () {
  this.timeout(60_000)

  for (const nodes of [1, 50]) {
    it(`cost the same requests, however many there are: ${nodes}`, async () => {
      const { '/rest_api/14.0/alarms': alarms = 0, ...others } = await askedInThreePolls(nodes)
      assert.deepEqual(others, {
        '/rest_api/version': 1,
        '/rest_api/14.0/auth': 1,
        '/rest_api/14.0/panels': 1,
        '/rest_api/14.0/panel/login': 1,
        '/rest_api/14.0/panel_info': 1,
        '/rest_api/14.0/status': 3,
      })
      // Where the second poll follows soon upon the first, the alarms of that one are still young enough.
      assert.ok(alarms === 2 || alarms === 3, `${alarms} times the alarms`)
    })
  }
})
