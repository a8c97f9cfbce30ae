import { cp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { BenchmarkOptions } from '../../benchmark.ts'
import type { Comparison } from '../../comparison.ts'
import { installPalette, own } from '../../palettes.ts'
import { sizeOf } from '../installed-size.ts'
import { loadsOf } from '../load-time.ts'

/**
 * The cost of the cluster for a user who has none: installed size, load and first use, compared with the same package
 * without the files of the cluster.
 */
export default async function baseCost(surroundings: BenchmarkOptions): Promise<Comparison[]> {
  const place = await installPalette(own, surroundings)
  const without = `${place}-without-cluster`
  // An earlier run has left its copy.
  await rm(without, { recursive: true, force: true })
  await cp(place, without, { recursive: true })
  await removeCluster(join(without, 'node_modules', own))
  const [size, sizeWithout] = [await sizeOf(place), await sizeOf(without)]
  const target = (of: string) => join(of, 'node_modules', own)
  const loads = await loadsOf(own, surroundings, target(place))
  const loadsWithout = await loadsOf(own, surroundings, target(without))
  const compare = (what: string, ours: number, theirs: number, unit: string): Comparison => {
    return { what, ours, theirs, unit, goal: 1.02 }
  }
  const { loaded, used } = loads
  return [
    compare('on disk', size.bytes / 1e6, sizeWithout.bytes / 1e6, 'MB'),
    compare('packages', size.packages, sizeWithout.packages, ''),
    compare('at the load, time', loaded.time, loadsWithout.loaded.time, 'ms'),
    compare('at the load, memory', loaded.memory / 1e6, loadsWithout.loaded.memory / 1e6, 'MB'),
    compare('after the first use, time', used.time, loadsWithout.used.time, 'ms'),
    compare('after the first use, memory', used.memory / 1e6, loadsWithout.used.memory / 1e6, 'MB'),
  ]
}

/** Removes the files that only a cluster loads; what the node of the cluster adds to the others is too little to see. */
async function removeCluster(palette: string): Promise<void> {
  for (const file of ['cluster-client.js', 'cluster-check.js']) await rm(join(palette, 'dist', file))
}
