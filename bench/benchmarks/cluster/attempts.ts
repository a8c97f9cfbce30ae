import { runDisturbedFleet } from '../../../harness/cluster/fleet/disturbed-fleet.ts'
import { mostWithin } from '../../../harness/cluster/fleet/instance-fleet.ts'
import { seed } from '../../../harness/mocha/seed.ts'
import type { BenchmarkOptions } from '../../benchmark.ts'
import { withRedisServer } from '../../cluster/prepared-redis.ts'
import { installRivals, runRival } from '../../cluster/rivals.ts'
import type { Comparison } from '../../comparison.ts'

const cap = 120
const window = 60_000
const kills = { count: 36, every: 5000 }
const lasts = kills.count * kills.every

/**
 * Attempts of one user in the fullest minute over four processes that always want more, compared with the cap and with
 * libraries that limit, while the processes are killed. Ours are also stopped for longer than the window, and the clock
 * of the server is set.
 */
export default async function attemptsOfACluster(surroundings: BenchmarkOptions): Promise<Comparison[]> {
  const place = await installRivals(surroundings)
  surroundings.progress(`${kills.count} kills in ${lasts / 1000} s`)
  const rival = (name: 'bullmq-limiter' | 'rate-limiter-flexible') =>
    withRedisServer(async ({ port: redisPort }) => {
      const run = { instances: 4, begin: 1000, kills: kills.count, every: kills.every, end: 5000 }
      const arrivals = await runRival({ rival: name, place, redisPort, cap, window }, run)
      return mostWithin(
        arrivals.map(({ at }) => at),
        window,
      )
    })
  const ours = withRedisServer((server) =>
    runDisturbedFleet({
      server,
      panels: 4,
      intervals: { stateEvery: 10, eventsEvery: 10, devicesEvery: 3600 },
      eventEvery: 1000,
      limited: { cap, window, callers: 6 },
      seed,
      kills,
      stalls: { count: Math.floor(lasts / 75_000), every: 5000, lasts: 70_000 },
      steps: { count: 9, every: lasts / 9 },
    }),
  )
  const [{ attempts }, bullmq, flexible] = await Promise.all([
    ours,
    rival('bullmq-limiter'),
    rival('rate-limiter-flexible'),
  ])
  const { most, made, possible } = attempts
  return [
    { what: 'in the fullest minute, beside the cap', ours: most, theirs: cap, unit: '', goal: 1 },
    { what: 'beside the limiter of BullMQ', ours: most, theirs: bullmq, unit: '', goal: 1 },
    { what: 'beside rate-limiter-flexible', ours: most, theirs: flexible, unit: '', goal: 1 },
    { what: 'possible attempts / made ones', ours: possible, theirs: made, unit: '', goal: 1.25 },
  ]
}
