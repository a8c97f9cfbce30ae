import assert from 'node:assert/strict'
import type { Redis } from 'ioredis'
import type { Lane } from '../../src/account/service-user/rate-limit/budget.ts'
import type { RateLimitStore } from '../../src/account/service-user/rate-limit/rate-limit-store.ts'
import { type Clock, systemClock } from '../../src/clock.ts'
import { Cluster, type ClusterOptions } from '../../src/cluster/cluster.ts'
import { clusterSettings } from '../../src/cluster/cluster-settings.ts'
import type { RawSettings } from '../../src/settings.ts'
import { ProcessClock } from '../clock/process-clock.ts'
import { until } from '../clock/until.ts'
import { type RedisServer, withRedis } from '../redis-server.ts'

/** Times that a test can wait for: a tenth of those of the product. A busy machine lets such a session lapse. */
export const shortTimes = {
  quiet: { blank: 0, other: 0 },
  membership: { heartbeat: 50, lease: 500, validity: 400 },
} as const

/** Times with sessions that no busy machine lets lapse. */
export const lastingTimes = {
  ...shortTimes,
  membership: { ...shortTimes.membership, lease: 600_000, validity: 500_000 },
} as const

/** An instance of a cluster in this process. */
export interface ClusterInstance {
  cluster: Cluster
  /** Ends it as a kill does: no timer runs, nothing is sent any more, and the others are not told. */
  kill(): void
}

/** Asserts that a cluster connects, counts an attempt, gives a lease and writes to a cursor. */
export async function assertWorks(cluster: Cluster): Promise<void> {
  await until(() => cluster.status.state !== 'connecting')
  assert.equal(cluster.status.error, undefined)
  const { rateLimits } = cluster.userStores('user')
  rateLimits.limit = 3
  assert.ok(await rateLimits.take('command'))
  const [lease, cursor] = [cluster.panels.leases.lease('panel'), cluster.panels.cursor('panel')]
  lease.want()
  await until(() => lease.isHeld)
  await cursor.intend(['key'])
}

/** Instances of one cluster, each as if in a process of its own. */
export class ClusterInstances {
  readonly #server: RedisServer
  readonly #times: ClusterOptions['times']
  readonly #instances: ClusterInstance[] = []

  constructor(server: RedisServer, times: ClusterOptions['times'] = lastingTimes) {
    this.#server = server
    this.#times = times
  }

  /**
   * Adds an instance, and resolves when it is connected.
   * @param own its settings that are not those of the others
   */
  async add(instance: string, clock: Clock = systemClock, own: RawSettings = {}): Promise<ClusterInstance> {
    const life = new ProcessClock(clock)
    const clients: Redis[] = []
    const { address } = this.#server
    const settings = clusterSettings({ address, clusterName: 'test', instance, ...own })
    const cluster = new Cluster(settings, {
      clock: life,
      load: () => loadNotingClients(clients),
      ...(this.#times && { times: this.#times }),
    })
    cluster.open()
    await until(() => cluster.status.state === 'connected')
    const kill = () => {
      life.stop()
      // An answer that is under way would else be followed by another request, such as that of a new session.
      for (const client of clients) client.disconnect()
    }
    const added = { cluster, kill }
    this.#instances.push(added)
    return added
  }

  /** Kills an instance, and lets the others see at once what the end of its lease shows them. */
  async killAndExpire({ cluster, kill }: ClusterInstance): Promise<void> {
    kill()
    await withRedis(this.#server, (client) =>
      client.zadd('keyholder:{test}:members', 'XX', 0, `${cluster.session}`),
    )
  }

  /** Closes all instances, also the killed ones. */
  async close(): Promise<void> {
    await Promise.all(this.#instances.splice(0).map(({ cluster }) => cluster.close()))
  }
}

/**
 * Asks for an attempt that there is no room for, until the answer tells the wait, in milliseconds. Another answer of the
 * server, which may come at the same time, lets who waits ask again at once.
 */
export async function waitOfFull(rateLimits: RateLimitStore, lane: Lane): Promise<number> {
  for (;;) {
    assert.equal(await rateLimits.take(lane), undefined)
    const wait = rateLimits.wait(lane)
    if (wait > 0) return wait
  }
}

/** Imports the library of the connections, and adds each client to a list. */
async function loadNotingClients(clients: Redis[]): Promise<typeof import('ioredis')> {
  const { default: library } = await import('ioredis')
  const construct = (client: typeof Redis, options: unknown[]) => {
    const made: Redis = Reflect.construct(client, options)
    clients.push(made)
    return made
  }
  return { ...library, Redis: new Proxy(library.Redis, { construct }) }
}
