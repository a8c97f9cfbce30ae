import { Cluster } from '../../src/cluster/cluster.ts'
import { clusterSettings } from '../../src/cluster/cluster-settings.ts'
import { minute } from '../../src/duration.ts'
import { FakeClock } from '../clock/fake-clock.ts'
import { ProcessClock } from '../clock/process-clock.ts'
import { until } from '../clock/until.ts'
import type { Testbed, Testbeds } from '../contract/testbed.ts'
import { type RedisServer, withRedis } from '../redis-server.ts'
import { advanceSharedClock, connectScripts, shortQuietTimes } from './connected-scripts.ts'

/** Milliseconds of a step of the driven clock: as long as a heartbeat, so that none is missed. */
const step = 500

/**
 * Returns the testbeds of several instances and a server, on a clock that only the test moves.
 * @param open opens the stores
 * @param flows true if the time also goes on by itself, for stores that wait for each other
 */
export function redisTestbeds<S>(
  server: RedisServer,
  open: (cluster: Cluster) => S,
  { flows = false } = {},
): Testbeds<S> {
  return { maxInstances: 4, start: () => start(server, open, flows) }
}

async function start<S>(
  server: RedisServer,
  open: (cluster: Cluster) => S,
  flows: boolean,
): Promise<Testbed<S>> {
  const clock = new FakeClock()
  await withRedis(server, (client) => client.flushall())
  const driver = await connectScripts(server, { clock })
  const clusters: Cluster[] = []
  // The server answers what it was sent before; two turns let the answers take effect.
  const settle = async () => {
    for (let turn = 0; turn < 2; turn += 1) {
      await driver.connection.send('PING', [])
      await new Promise(setImmediate)
    }
  }
  // As slow as real time, so that nothing seems to be without an answer for long.
  const flowing = flows ? setInterval(() => clock.advance(10), 10) : undefined
  return {
    window: minute,
    now: () => clock.monotonic(),
    advance: async (ms) => {
      await settle()
      for (let left = ms; left > 0; left -= step) {
        const next = Math.min(left, step)
        await advanceSharedClock(driver, next)
        clock.advance(next)
        await settle()
      }
    },
    open: async () => {
      // All processes run on one machine since one start of it.
      const life = Object.assign(new ProcessClock(clock), { boot: 'a' })
      const instance = `instance ${clusters.length + 1}`
      const settings = clusterSettings({ address: server.address, clusterName: 'test', instance })
      const cluster = new Cluster(settings, { clock: life, times: { quiet: shortQuietTimes } })
      clusters.push(cluster)
      cluster.open()
      await until(() => cluster.status.state === 'connected')
      return { stores: open(cluster), kill: async () => life.stop() }
    },
    close: async () => {
      clearInterval(flowing)
      await Promise.all(clusters.map((cluster) => cluster.close()))
      driver.close()
    },
  }
}
