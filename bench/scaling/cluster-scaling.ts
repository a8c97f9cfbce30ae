import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { PanelFleet } from '../../harness/cluster/fleet/panel-fleet.ts'
import type { AccountTask } from '../../harness/cluster/fleet/panel-process.ts'
import { withRedis } from '../../harness/redis-server.ts'
import { withRedisServer } from '../cluster/prepared-redis.ts'
import type { ClusterServiceTask, ServiceFigures } from './cluster-service-process.ts'

/** The cost of this number of panels over four processes. */
export interface ClusterScalingResult {
  panels: number
  /** HTTP attempts a second, of all processes. */
  attempts: number
  /** The polls of events, of the due ones. */
  polls: number
  /** Percent of a core: all processes together, and Redis. */
  processor: number
  redis: number
  /** Megabytes of one process, the largest; kilobytes of Redis for each panel. */
  memory: number
  redisMemory: number
  /** The panels of the process that has the fewest, and of the one that has the most. */
  fewest: number
  most: number
  /** Seconds from the start until all panels have answered once. */
  start: number
}

const instances = ['one', 'two', 'three', 'four']
/** Four times the defaults, so that two cores suffice for 10,000 panels with their services. */
const intervals = { stateEvery: 120, eventsEvery: 120, devicesEvery: 1200 }
/** A request limit that no process reaches, so that the wait for it is not measured. */
const unbounded = 1_000_000
const maxPanels = 500
/** Milliseconds. */
const lasts = 120_000
const longestStart = 1_200_000
const program = fileURLToPath(new URL('cluster-service-process.js', import.meta.url))

/** Measures four processes that share this number of panels. */
export function measureCluster(panels: number): Promise<ClusterScalingResult> {
  const task: ClusterServiceTask = {
    services: Math.ceil(panels / maxPanels),
    panels: Math.min(panels, maxPanels),
  }
  return withRedisServer(async (server) => {
    const service = fork(program, [JSON.stringify(task)])
    const [users] = (await once(service, 'message')) as [Omit<AccountTask, 'requestsPerMinute'>[]]
    const accounts = users.map((user) => ({ ...user, requestsPerMinute: unbounded, intervals }))
    const ask = async (): Promise<ServiceFigures> => {
      service.send('figures')
      const [figures] = (await once(service, 'message')) as [ServiceFigures]
      return figures
    }
    const fleet = new PanelFleet((instance) => ({ redis: server.address, instance, accounts }))
    const report = () => Promise.all(instances.map((name) => fleet.report(name)))
    const used = () =>
      withRedis(server, async (client) => numberIn(await client.info('memory'), 'used_memory'))
    try {
      const empty = await used()
      const began = performance.now()
      await Promise.all(instances.map((name) => fleet.launch(name)))
      for (;;) {
        const { polledPanels } = await ask()
        if (polledPanels === panels) break
        if (performance.now() - began > longestStart) {
          throw new Error(`Only ${polledPanels} of ${panels} panels have answered.`)
        }
        await pause(500)
      }
      const start = (performance.now() - began) / 1000
      // Exclude the requests and the garbage of the start, and the polls that come soon after a first one.
      await pause(1500 * intervals.eventsEvery)
      const before = { reports: await report(), redis: await server.processorTime(), service: await ask() }
      const since = performance.now()
      await pause(lasts)
      const after = { reports: await report(), redis: await server.processorTime(), service: await ask() }
      const seconds = (performance.now() - since) / 1000
      const spent = after.reports.map(
        (one, nth) => (one?.processor ?? 0) - (before.reports[nth]?.processor ?? 0),
      )
      const held = after.reports.map((one) => (one?.leases.held ?? 0) / ((one?.leases.wanted ?? 1) / panels))
      return {
        panels,
        attempts: (after.service.requests - before.service.requests) / seconds,
        polls:
          (after.service.eventPolls - before.service.eventPolls) /
          ((panels * seconds) / intervals.eventsEvery),
        processor: (100 * spent.reduce((sum, one) => sum + one, 0)) / seconds,
        redis: (100 * (after.redis - before.redis)) / seconds,
        memory: Math.max(...after.reports.map((one) => one?.memory ?? 0)),
        redisMemory: ((await used()) - empty) / 1000 / panels,
        fewest: Math.min(...held),
        most: Math.max(...held),
        start,
      }
    } finally {
      await fleet.close()
      service.kill()
    }
  })
}

function numberIn(info: string, field: string): number {
  return Number(new RegExp(`^${field}:(.*)$`, 'm').exec(info)?.[1] ?? 0)
}
