import assert from 'node:assert/strict'
import { PollingInstances } from '../../../harness/panel/polling-instances.ts'
import { Random } from '../../../src/simulator/random.ts'

describe('Instances that poll panels while they are killed', () => {
  it('poll none twice, and each within a second after its lease is over', async () => {
    const times = { interval: 4000, lease: 1200, heartbeat: 120, restart: 1000, warmUp: 400 }
    for (const seed of [1, 2]) {
      const instances = new PollingInstances(new Random(seed), times, 4, 40)
      const { polls, due, doubles, longestGap } = await instances.killEvery(3000, 12)
      assert.ok(polls >= due, `${polls} of ${due}`)
      assert.ok(doubles <= 0.004 * polls, `${doubles} of ${polls}`)
      assert.ok(longestGap - times.interval <= times.lease + 1000, `${longestGap}`)
    }
  })
})
