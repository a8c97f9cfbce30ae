import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { neverAborted } from '../../../harness/account.ts'
import type { RedisServer } from '../../../harness/redis-server.ts'
import { operations } from '../../../src/service/operations.ts'
import type { BenchmarkOptions } from '../../benchmark.ts'
import { openAccount } from '../../client.ts'
import { withOpenCluster } from '../../cluster/open-cluster.ts'
import { withRedisServer } from '../../cluster/prepared-redis.ts'
import { installRivals, runRival } from '../../cluster/rivals.ts'
import { scaledMembership } from '../../cluster/scaled-times.ts'
import type { Comparison } from '../../comparison.ts'

const attempts = 3000
/** The rival, as it is used for panels: many schedulers, several processes, and locks that end soon. */
const panels = 1000
const interval = 4000
const plainServer = fileURLToPath(new URL('../../plain-server.js', import.meta.url))

/** Processor time of Redis for an attempt, compared with that for a poll of a job scheduler of BullMQ. */
export default async function redisTimeOfAnAttempt(surroundings: BenchmarkOptions): Promise<Comparison[]> {
  const place = await installRivals(surroundings)
  const ours = await timeOfAnAttempt(surroundings)
  surroundings.progress('polls of BullMQ')
  const theirs = await withRedisServer(async (server) => {
    const task = {
      rival: 'bullmq-polls',
      place,
      redisPort: server.port,
      panels,
      interval,
      lock: scaledMembership.lease,
    } as const
    let [from, until] = [0, 0]
    const measured = (async () => {
      await pause(12_000)
      from = await server.processorTime()
      const since = performance.now()
      await pause(15_000)
      until = await server.processorTime()
      return { since, to: performance.now() }
    })()
    const arrivals = await runRival(task, { instances: 4, begin: 28_000, every: 0, kills: 0, end: 0 })
    const { since, to } = await measured
    return (1e6 * (until - from)) / arrivals.filter(({ at }) => at >= since && at < to).length
  })
  return [{ what: 'an attempt / a poll of BullMQ', ours, theirs, unit: 'µs', goal: 0.3 }]
}

/** Microseconds of Redis for an attempt and its end, without the heartbeats. */
async function timeOfAnAttempt({ folder }: BenchmarkOptions): Promise<number> {
  const service = fork(plainServer)
  try {
    const [url] = (await once(service, 'message')) as [string]
    return await withOpenCluster(async (cluster, server) => {
      const own = await mkdtemp(join(folder, 'redis-time-'))
      const raw = { url, email: 'user@example.org', password: 'right' }
      const account = openAccount(raw, 10_000_000, own, cluster)
      const panel = { serial: 'A1B2C3', userCode: '0123' }
      const send = (locale: string) => {
        const signal = neverAborted()
        return account.sendRead(operations.status, { lane: 'poll', maxAge: 0, panel, locale, signal })
      }
      await send('first')
      // One attempt at a time, as the polls of a process.
      const [busy, spent] = await timeOf(server, async () => {
        for (let nth = 0; nth < attempts; nth += 1) await send(`${nth}`)
      })
      const [idle] = await timeOf(server, () => pause(spent))
      return (1e6 * (busy - idle)) / attempts
    })
  } finally {
    service.kill()
  }
}

/** Returns the seconds of processor time of Redis and the milliseconds that `work` takes. */
async function timeOf(server: RedisServer, work: () => Promise<void>): Promise<[number, number]> {
  const [from, began] = [await server.processorTime(), performance.now()]
  await work()
  return [(await server.processorTime()) - from, performance.now() - began]
}
