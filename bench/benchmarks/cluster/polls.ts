import { runDisturbedFleet } from '../../../harness/cluster/fleet/disturbed-fleet.ts'
import { auditPolls } from '../../../harness/cluster/fleet/fleet-audit.ts'
import { seed } from '../../../harness/mocha/seed.ts'
import type { BenchmarkOptions } from '../../benchmark.ts'
import { withRedisServer } from '../../cluster/prepared-redis.ts'
import { installRivals, runRival } from '../../cluster/rivals.ts'
import { scaledMembership, scaledTimes } from '../../cluster/scaled-times.ts'
import type { Comparison } from '../../comparison.ts'

const panels = 150
const seconds = 4
const interval = 1000 * seconds
const kills = { count: 30, every: 3000 }

/**
 * Polls of four processes, one of which is killed every three seconds, compared with the due ones and with the job
 * schedulers of BullMQ. The times are scaled: leases of 1.2 seconds, and an interval of four.
 */
export default async function pollsOfACluster(surroundings: BenchmarkOptions): Promise<Comparison[]> {
  const place = await installRivals(surroundings)
  surroundings.progress(`${kills.count} kills`)
  const { state, eventPolls } = await withRedisServer((server) =>
    runDisturbedFleet({
      server,
      times: scaledTimes,
      panels,
      intervals: { stateEvery: seconds, eventsEvery: seconds, devicesEvery: 3600 },
      seed,
      kills,
    }),
  )
  surroundings.progress(`${kills.count} kills of BullMQ`)
  const rival = await withRedisServer(async ({ port: redisPort }) => {
    const task = {
      rival: 'bullmq-polls',
      place,
      redisPort,
      panels,
      interval,
      lock: scaledMembership.lease,
    } as const
    const began = performance.now()
    const run = { instances: 4, begin: 3 * interval, kills: kills.count, every: kills.every, end: 0 }
    const arrivals = (await runRival(task, run)).map(({ path, at }) => ({
      operation: 'poll',
      panel: path.replace('/poll?', ''),
      at,
    }))
    const serials = Array.from({ length: panels }, (_, nth) => `panel${nth}`)
    return auditPolls(arrivals, serials, interval, began + 2 * interval, performance.now())
  })
  const made = state.polls + eventPolls.polls
  const due = state.due + eventPolls.due
  const doubles = state.doubles + eventPolls.doubles
  const longest = Math.max(state.longestGap, eventPolls.longestGap)
  const takeover = scaledMembership.lease + 1000
  return [
    { what: 'due / made', ours: due, theirs: made, unit: '', goal: 1.02 },
    {
      what: 'due / made by BullMQ',
      ours: rival.due,
      theirs: rival.polls,
      unit: '',
      goal: Number.POSITIVE_INFINITY,
    },
    { what: 'double polls / made', ours: doubles, theirs: made, unit: '', goal: 0.02 },
    {
      what: 'double polls / made by BullMQ',
      ours: rival.doubles,
      theirs: rival.polls,
      unit: '',
      goal: Number.POSITIVE_INFINITY,
    },
    {
      what: 'longest gap less the interval / lease and 1 s',
      ours: longest - interval,
      theirs: takeover,
      unit: 'ms',
      goal: 1,
    },
    {
      what: 'the same of BullMQ',
      ours: rival.longestGap - interval,
      theirs: takeover,
      unit: 'ms',
      goal: Number.POSITIVE_INFINITY,
    },
  ]
}
