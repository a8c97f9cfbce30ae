import { join } from 'node:path'
import type { FlowNode } from '../../harness/node-red/recorded-flow.ts'
import { type NodeRedHarness, startNodeRedHarness } from '../../harness/node-red.ts'
import { latency } from '../../src/simulator/faults/network-faults.ts'
import type { BenchmarkOptions } from '../benchmark.ts'
import type { Comparison } from '../comparison.ts'
import { installPalette, own } from '../palettes.ts'

const rounds = 10
const presses = 5
const hour = 3600

/** Requests that a real Node-RED sends for fifty nodes on one panel, compared with one node. */
export default async function requestsOfManyNodes(surroundings: BenchmarkOptions): Promise<Comparison[]> {
  const palette = join(await installPalette(own, surroundings), 'node_modules', own)
  const polls = await requests(palette, { every: 0.5, emit: 'poll' }, polled)
  const reads = await requests(palette, { every: hour, emit: 'change' }, pressed)
  return [
    { what: `sign-in and ${1 + rounds} polls`, ...polls, unit: '', goal: 1, isExact: true },
    { what: `sign-in, and ${presses} times all asked at once`, ...reads, unit: '', goal: 1, isExact: true },
  ]
}

type Use = (harness: NodeRedHarness, nodes: readonly FlowNode[], press: () => Promise<void>) => Promise<void>

/** Returns the number of requests with fifty nodes and with one. */
async function requests(palette: string, { every, emit }: { every: number; emit: string }, use: Use) {
  const counted = async (count: number) => {
    const harness = await startNodeRedHarness({ panels: 1 }, { palette })
    try {
      harness.simulator.faults.start(latency(30))
      const nodes = Array.from({ length: count }, (_, nth): FlowNode => {
        return { id: `node ${nth}`, type: 'keyholder-state', partitions: [1], emit }
      })
      const button = { id: 'button', type: 'inject', props: [], wires: [nodes.map(({ id }) => id)] }
      await harness.writeFlows([...nodes, button], { every })
      const nodeRed = harness.startNodeRed()
      await toldBy(harness, nodes, 1)
      await use(harness, nodes, () => nodeRed.press(button.id))
      // Includes the sign-in, because the second poll may have begun before the first one is over.
      return harness.simulator.requests.length
    } finally {
      await harness.close()
    }
  }
  return { ours: await counted(50), theirs: await counted(1) }
}

async function polled(harness: NodeRedHarness, nodes: readonly FlowNode[]): Promise<void> {
  await toldBy(harness, nodes, 1 + rounds)
}

async function pressed(
  harness: NodeRedHarness,
  nodes: readonly FlowNode[],
  press: () => Promise<void>,
): Promise<void> {
  for (let time = 1; time <= presses; time += 1) {
    await press()
    await toldBy(harness, nodes, 1 + time)
  }
}

/** Waits until each node has sent this number of messages. */
function toldBy({ messages }: NodeRedHarness, nodes: readonly FlowNode[], count: number): Promise<void> {
  return messages.until(
    () => nodes.every(({ id }) => messages.from(id).all.length >= count),
    `${count} messages of each`,
  )
}
