import { join } from 'node:path'
import type { FlowNode } from '../../harness/node-red/recorded-flow.ts'
import { Laboratory } from '../../harness/node-red.ts'
import { latency } from '../../src/simulator/faults/network-faults.ts'
import type { Surroundings } from '../benchmark.ts'
import type { Comparison } from '../comparison.ts'
import { installed, own } from '../palettes.ts'

const rounds = 10
const presses = 5
const hour = 3600

/** Requests that a real Node-RED sends for fifty nodes on one panel, compared with one node. */
export default async function requestsOfManyNodes(surroundings: Surroundings): Promise<Comparison[]> {
  const palette = join(await installed(own, surroundings), 'node_modules', own)
  const polls = await requests(palette, { every: 0.5, emit: 'poll' }, polled)
  const reads = await requests(palette, { every: hour, emit: 'change' }, pressed)
  return [
    { what: `sign-in and ${1 + rounds} polls`, ...polls, unit: '', goal: 1 },
    { what: `sign-in, and ${presses} times all asked at once`, ...reads, unit: '', goal: 1 },
  ]
}

type Use = (laboratory: Laboratory, nodes: readonly FlowNode[], press: () => Promise<void>) => Promise<void>

/** Returns the number of requests with fifty nodes and with one. */
async function requests(palette: string, { every, emit }: { every: number; emit: string }, use: Use) {
  const counted = async (count: number) => {
    const laboratory = await Laboratory.open({ panels: 1 }, { palette })
    try {
      laboratory.simulator.faults.start(latency(30))
      const nodes = Array.from({ length: count }, (_, nth): FlowNode => {
        return { id: `node ${nth}`, type: 'keyholder-state', partitions: [1], emit }
      })
      const button = { id: 'button', type: 'inject', props: [], wires: [nodes.map(({ id }) => id)] }
      await laboratory.furnish([...nodes, button], { every })
      const nodeRed = laboratory.start()
      await toldBy(laboratory, nodes, 1)
      await use(laboratory, nodes, () => nodeRed.press(button.id))
      // Includes the sign-in, because the second poll may have begun before the first one is over.
      return laboratory.simulator.requests.length
    } finally {
      await laboratory.close()
    }
  }
  return { ours: await counted(50), theirs: await counted(1) }
}

async function polled(laboratory: Laboratory, nodes: readonly FlowNode[]): Promise<void> {
  await toldBy(laboratory, nodes, 1 + rounds)
}

async function pressed(
  laboratory: Laboratory,
  nodes: readonly FlowNode[],
  press: () => Promise<void>,
): Promise<void> {
  for (let time = 1; time <= presses; time += 1) {
    await press()
    await toldBy(laboratory, nodes, 1 + time)
  }
}

/** Waits until each node has sent this number of messages. */
function toldBy({ sink }: Laboratory, nodes: readonly FlowNode[], count: number): Promise<void> {
  return sink.until(`${count} messages of each`, () => nodes.every(({ id }) => sink.from(id).length >= count))
}
