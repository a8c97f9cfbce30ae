import type { RedisServer } from '../../harness/redis-server.ts'
import { systemClock } from '../../src/clock.ts'
import { Cluster } from '../../src/cluster/cluster.ts'
import { clusterSettings } from '../../src/cluster/cluster-settings.ts'
import { withRedisServer } from './prepared-redis.ts'

/** Runs `work` with a cluster that is connected to a Redis server of its own. */
export function withOpenCluster<T>(work: (cluster: Cluster, server: RedisServer) => Promise<T>): Promise<T> {
  return withRedisServer(async (server) => {
    const settings = clusterSettings({ address: server.address, clusterName: 'test', instance: 'one' })
    let noteConnected = () => {}
    const connected = new Promise<void>((resolve) => {
      noteConnected = resolve
    })
    const cluster: Cluster = new Cluster(settings, {
      clock: systemClock,
      onChange: () => {
        if (cluster.status.state === 'connected') noteConnected()
      },
    })
    try {
      cluster.open()
      await connected
      return await work(cluster, server)
    } finally {
      await cluster.close()
    }
  })
}
