import { assertKept } from '../../../../harness/cluster/fleet/fleet-assertions.ts'
import { repetitions } from '../../../../harness/mocha/depth.ts'
import { describeWithRedis } from '../../../../harness/redis-server.ts'

describeWithRedis(
  'Four processes of a cluster with panels',
  (server) => {
    const kills = repetitions(60, 12)
    const stops = repetitions(30, 6)

    it(`lose no event, repeat none without a flag and keep to the cap over ${kills} kills and ${stops} stops, while the clock of the server is set`, async () => {
      await server.restart({})
      await assertKept(server, {
        kills: { count: kills, every: 1500 },
        // Longer than the lease.
        stalls: { count: stops, every: 600, lasts: 2400 },
        steps: { count: repetitions(15, 3), every: 6000 },
      })
    })
  },
  { isLong: true },
)
