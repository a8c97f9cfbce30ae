import { runDisturbedFleet } from '../../../harness/cluster/fleet/disturbed-fleet.ts'
import { seed } from '../../../harness/mocha/seed.ts'
import type { BenchmarkOptions } from '../../benchmark.ts'
import { withRedisServer } from '../../cluster/prepared-redis.ts'
import { scaledTimes } from '../../cluster/scaled-times.ts'
import type { Comparison } from '../../comparison.ts'

const seconds = 4
const kills = { count: 6, every: 20_000 }
const stalls = { count: 6, every: 17_600, lasts: 2400 }

/**
 * Events lost or repeated by four processes of which one is killed or stopped every ten seconds. With each of them,
 * what was sent in the half second before is repeated: a flow may not have handled it yet.
 */
export default async function eventsOfACluster({ progress }: BenchmarkOptions): Promise<Comparison[]> {
  progress(`${kills.count} kills and ${stalls.count} stops`)
  const { events } = await withRedisServer((server) =>
    runDisturbedFleet({
      server,
      times: scaledTimes,
      panels: 150,
      intervals: { stateEvery: seconds, eventsEvery: seconds, devicesEvery: 3600 },
      eventEvery: 50,
      seed,
      kills,
      stalls,
    }),
  )
  const theirs = events.events
  return [
    { what: 'lost, of all', ours: events.lost, theirs, unit: '', goal: 0 },
    { what: 'repeated without the flag', ours: events.unflagged, theirs, unit: '', goal: 0 },
    { what: 'repeated with the flag', ours: events.flagged, theirs, unit: '', goal: 0.02 },
  ]
}
