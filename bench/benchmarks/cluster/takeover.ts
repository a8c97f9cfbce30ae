import { measureTakeovers } from '../../../harness/cluster/fleet/takeovers.ts'
import type { BenchmarkOptions } from '../../benchmark.ts'
import { withRedisServer } from '../../cluster/prepared-redis.ts'
import { type Comparison, median } from '../../comparison.ts'

const limit = 7000

/** Time from a kill until the other one of two processes holds all leases, with the times of the product. */
export default async function takeovers({ progress }: BenchmarkOptions): Promise<Comparison[]> {
  progress('20 kills')
  const taken = await withRedisServer((server) =>
    measureTakeovers(server, { pairs: 4, rounds: 5, panels: 50 }),
  )
  const beside = { theirs: limit, unit: 'ms', goal: 1 }
  const late = taken.filter((ms) => ms > limit).length
  return [
    { what: 'later than 7 s, of 20', ours: late, theirs: taken.length, unit: '', goal: 0 },
    { what: 'quickest', ours: Math.min(...taken), ...beside },
    { what: 'median', ours: median(taken), ...beside },
    { what: 'slowest', ours: Math.max(...taken), ...beside },
  ]
}
