import { join } from 'node:path'
import fc from 'fast-check'
import { runKills } from '../../harness/kills/run-kills.ts'
import { seed } from '../../harness/mocha/seed.ts'
import type { FlowNode } from '../../harness/node-red/recorded-flow.ts'
import { startNodeRedHarness } from '../../harness/node-red.ts'
import { productMethod, timeMethod } from '../../harness/properties/events/detection-methods.ts'
import {
  countErrors,
  createHistory,
  type DetectionMethod,
  type History,
  historyPlans,
  kinds,
  minListLength,
  orders,
} from '../../harness/properties/events/event-histories.ts'
import { Random } from '../../src/simulator/random.ts'
import type { BenchmarkOptions } from '../benchmark.ts'
import type { Comparison } from '../comparison.ts'
import { installPalette, own } from '../palettes.ts'

const histories = 100
const kills = 10

const nodes: FlowNode[] = ['all', 'deployed'].map((id) => ({
  id,
  type: 'keyholder-events',
  first: 'deliver',
}))

/** Events lost or repeated, over random histories of a list and kills of a real Node-RED. */
export default async function lostEvents(surroundings: BenchmarkOptions): Promise<Comparison[]> {
  return [ofHistories(), await overKills(surroundings)]
}

/** Lost, repeated and gaps not reported, compared with the usual method. */
function ofHistories(): Comparison {
  const sum = { ours: 0, theirs: 0 }
  for (const kind of kinds) {
    for (const order of orders) {
      for (const course of fc.sample(historyPlans(kind, order, minListLength(kind)), {
        numRuns: histories,
        seed,
      })) {
        const history = createHistory(course)
        sum.ours += faults(history, productMethod())
        sum.theirs += faults(history, timeMethod())
      }
    }
  }
  const count = kinds.length * orders.length * histories
  return { what: `in ${count} histories, beside "time later than the last time"`, ...sum, unit: '', goal: 0 }
}

function faults(history: History, method: DetectionMethod): number {
  const { lost, repeated, misreported } = countErrors(history, method)
  return lost + repeated + misreported
}

/** Counts events lost, events repeated without the flag, and gaps, out of all events. */
async function overKills(surroundings: BenchmarkOptions): Promise<Comparison> {
  const palette = join(await installPalette(own, surroundings), 'node_modules', own)
  const harness = await startNodeRedHarness({}, { palette })
  try {
    surroundings.progress(`${kills} kills of a Node-RED`)
    const ids = nodes.map(({ id }) => id)
    const load = await runKills(harness, nodes, ids, kills, new Random(seed))
    const { lost, repeatedUnflagged, gaps } = load.counts
    const ours = lost + repeatedUnflagged + gaps
    return { what: `over ${kills} kills of Node-RED, of all`, ours, theirs: load.count, unit: '', goal: 0 }
  } finally {
    await harness.close()
  }
}
