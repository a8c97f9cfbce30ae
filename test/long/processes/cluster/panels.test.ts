import { assertKept } from '../../../../harness/cluster/fleet/fleet-assertions.ts'
import { describeWithRedis } from '../../../../harness/redis-server.ts'

describeWithRedis(
  'Four processes of a cluster with panels',
  (server) => {
    it('lose no event, repeat none without a flag and keep to the cap over 60 kills and 30 stops, while the clock of the server is set', async () => {
      await server.restart({})
      await assertKept(server, {
        kills: { count: 60, every: 1500 },
        // Longer than the lease.
        stalls: { count: 30, every: 600, lasts: 2400 },
        steps: { count: 15, every: 6000 },
      })
    })
  },
  { isLong: true },
)
