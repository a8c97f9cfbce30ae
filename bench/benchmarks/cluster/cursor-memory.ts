import { setTimeout as pause } from 'node:timers/promises'
import { userOf } from '../../../harness/cluster/fleet/disturbed-fleet.ts'
import { PanelFleet } from '../../../harness/cluster/fleet/panel-fleet.ts'
import { WatchedService } from '../../../harness/cluster/fleet/watched-service.ts'
import { withRedis } from '../../../harness/redis-server.ts'
import { bodyText, ok, withJsonText } from '../../../src/simulator/http/http-response.ts'
import { withRedisServer } from '../../cluster/prepared-redis.ts'
import type { Comparison } from '../../comparison.ts'
import { eventsFrom } from '../../sample-responses.ts'

const count = 1000

/** Memory of Redis for the cursor of a panel with 1,000 events, compared with the same as the JSON of a process alone. */
export default async function memoryOfACursor(): Promise<Comparison[]> {
  const service = await WatchedService.start({ panels: 1 })
  try {
    const list = withJsonText(ok(eventsFrom(0, count)), bodyText(ok(eventsFrom(0, count))))
    const answer = (getOriginal: () => unknown) => {
      // The service notes the request.
      getOriginal()
      return list
    }
    service.simulator.faults.start({ name: 'long list', answer }, { operation: 'events' })
    const intervals = { stateEvery: 3600, eventsEvery: 1, devicesEvery: 3600 }
    const account = { ...userOf(service), requestsPerMinute: 6000, intervals }
    const afterPolls = async (fleet: PanelFleet) => {
      const before = performance.now()
      await fleet.launch('one')
      while (service.of('events', before).length < 4) await pause(50)
    }
    return await withRedisServer(async (server) => {
      const together = new PanelFleet((instance) => ({
        redis: server.address,
        instance,
        accounts: [account],
      }))
      const alone = new PanelFleet((instance) => ({ instance, accounts: [account] }))
      try {
        await afterPolls(alone)
        await alone.stopAll()
        await afterPolls(together)
        const json = alone.readFile('one', /^events-.*\.json$/)
        return await withRedis(server, async (client) => {
          const cursors = (await client.keys('*')).filter((key) => key.endsWith(':cursor'))
          const sizes = await Promise.all(
            cursors.map(async (key) => Number(await client.memory('USAGE', key))),
          )
          await client.set('keyholder:{test}:as JSON', json)
          const theirs = Number(await client.memory('USAGE', 'keyholder:{test}:as JSON'))
          const ours = sizes.reduce((sum, size) => sum + size, 0)
          return [
            { what: `${count} events`, ours: ours / 1000, theirs: theirs / 1000, unit: 'kB', goal: 0.4 },
          ]
        })
      } finally {
        await Promise.all([together.close(), alone.close()])
      }
    })
  } finally {
    await service.close()
  }
}
