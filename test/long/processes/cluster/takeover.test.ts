import assert from 'node:assert/strict'
import { connectScripts } from '../../../../harness/cluster/connected-scripts.ts'
import { measureTakeovers } from '../../../../harness/cluster/fleet/takeovers.ts'
import { repetitions } from '../../../../harness/mocha/depth.ts'
import { describeWithRedis } from '../../../../harness/redis-server.ts'

describeWithRedis(
  'The takeover of a cluster',
  (server) => {
    const rounds = repetitions(3, 1)

    it('gives all panels of a killed process to the other one, each time', async () => {
      await server.restart({})
      ;(await connectScripts(server)).close()
      const taken = await measureTakeovers(server, { pairs: 2, rounds, panels: 20 })
      // How long it takes is a figure of the bench: here it is that of a busy machine.
      console.log(`      ${taken.map((ms) => `${(ms / 1000).toFixed(1)} s`).join(', ')}`)
      assert.equal(taken.length, 2 * rounds)
      // Not before the lease is over: until then, the killed process could be one that was only slow.
      assert.ok(taken.every((ms) => ms > 3500))
    })
  },
  { isLong: true },
)
