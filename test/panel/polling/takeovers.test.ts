import assert from 'node:assert/strict'
import { PollingInstances } from '../../../harness/panel/polling-instances.ts'
import { Random } from '../../../src/simulator/random.ts'

const times = { interval: 4000, lease: 1200, heartbeat: 120, restart: 1000, warmUp: 400 }

describe('Instances that poll panels while they are killed', () => {
  it('poll none twice, and each within a second after its lease is over', async () => {
    for (const seed of [1, 2]) {
      const instances = new PollingInstances(new Random(seed), times, 4, 40)
      const { polls, due, doubles, longestGap } = await instances.killEvery(3000, 12)
      assert.ok(polls >= due, `${polls} of ${due}`)
      assert.ok(doubles <= 0.004 * polls, `${doubles} of ${polls}`)
      assert.ok(longestGap - times.interval <= times.lease + 1000, `${longestGap}`)
    }
  })

  it('poll no later than that after a read in between that has answered a poll, too', async () => {
    for (const seed of [1, 2]) {
      const instances = new PollingInstances(new Random(seed), times, 4, 40)
      const { longestGap } = await instances.killEvery(3000, 12, true)
      assert.ok(longestGap - times.interval <= times.lease + 1000, `${longestGap}`)
    }
  })
})
