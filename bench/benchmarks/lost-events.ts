import { join } from 'node:path'
import fc from 'fast-check'
import { seed } from '../../harness/mocha/seed.ts'
import type { FlowNode } from '../../harness/node-red/recorded-flow.ts'
import { Laboratory } from '../../harness/node-red.ts'
import { feed, wrongMethods } from '../../harness/properties/detection-methods.ts'
import {
  classifyError,
  courses,
  type History,
  kinds,
  leastOf,
  type Method,
  orders,
  play,
} from '../../harness/properties/event-histories.ts'
import { killed } from '../../harness/properties/run-kills.ts'
import { Random } from '../../src/simulator/random.ts'
import type { Surroundings } from '../benchmark.ts'
import type { Comparison } from '../comparison.ts'
import { installed, own } from '../palettes.ts'

const histories = 100
const kills = 10

/** The usual method of reading such lists. */
const common = 'time later than the last time'

const nodes: FlowNode[] = ['all', 'deployed'].map((id) => ({
  id,
  type: 'keyholder-events',
  first: 'deliver',
}))

/** Events lost or repeated, over random histories of a list and kills of a real Node-RED. */
export default async function lostEvents(surroundings: Surroundings): Promise<Comparison[]> {
  return [ofHistories(), await overKills(surroundings)]
}

/** Lost, repeated and gaps not reported, compared with the usual method. */
function ofHistories(): Comparison {
  const sum = { ours: 0, theirs: 0 }
  const theirs = wrongMethods()[common]?.method ?? feed
  for (const kind of kinds) {
    for (const order of orders) {
      for (const course of fc.sample(courses(kind, order, leastOf(kind)), { numRuns: histories, seed })) {
        const history = play(course)
        sum.ours += faults(history, feed())
        sum.theirs += faults(history, theirs())
      }
    }
  }
  const count = kinds.length * orders.length * histories
  return { what: `in ${count} histories, beside "${common}"`, ...sum, unit: '', goal: 0 }
}

function faults(history: History, method: Method): number {
  const { lost, repeated, misreported } = classifyError(history, method)
  return lost + repeated + misreported
}

/** Counts events lost, events repeated without the flag, and gaps, out of all events. */
async function overKills(surroundings: Surroundings): Promise<Comparison> {
  const palette = join(await installed(own, surroundings), 'node_modules', own)
  const laboratory = await Laboratory.open({}, { palette })
  try {
    surroundings.progress(`${kills} kills of a Node-RED`)
    const ids = nodes.map(({ id }) => id)
    const load = await killed(laboratory, nodes, ids, kills, new Random(seed))
    const { lost, repeatedUnflagged, gaps } = load.verdict
    const ours = lost + repeatedUnflagged + gaps
    return { what: `over ${kills} kills of Node-RED, of all`, ours, theirs: load.count, unit: '', goal: 0 }
  } finally {
    await laboratory.close()
  }
}
