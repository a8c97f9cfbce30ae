import { join } from 'node:path'
import type { FlowNode } from '../../harness/node-red/recorded-flow.ts'
import { type NodeRedHarness, startNodeRedHarness } from '../../harness/node-red.ts'
import { systemClock } from '../../src/clock.ts'
import { latency } from '../../src/simulator/faults/network-faults.ts'
import { Random } from '../../src/simulator/random.ts'
import type { BenchmarkOptions } from '../benchmark.ts'
import type { Comparison } from '../comparison.ts'
import { installPalette, own } from '../palettes.ts'

const rounds = 100
const roundsOfOne = 10
const polls = 4
const presses = 5
const hour = 3600
const button = 'button'

/** The smallest and the greatest number of requests in some rounds. */
interface Range {
  least: number
  most: number
}

/** Requests that a real Node-RED sends for fifty nodes on one panel, compared with one node; the worst of many rounds. */
export default async function requestsOfManyNodes(surroundings: BenchmarkOptions): Promise<Comparison[]> {
  const palette = join(await installPalette(own, surroundings), 'node_modules', own)
  const ofOne = await inRounds(palette, 1, roundsOfOne)
  const ofFifty = await inRounds(palette, 50, rounds)
  return [
    {
      what: `${polls} polls, the most of ${rounds} redeploys`,
      ...{ ours: ofFifty.most, theirs: ofOne.least, unit: '', goal: 1, isExact: true },
    },
    {
      what: `sign-in, and ${presses} times all asked at once`,
      ...{
        ours: await onDemand(palette, 50),
        theirs: await onDemand(palette, 1),
        unit: '',
        goal: 1,
        isExact: true,
      },
    },
  ]
}

/** Returns the requests for some polls, after each of many deploys of the nodes in another order. */
async function inRounds(palette: string, count: number, deploys: number): Promise<Range> {
  const harness = await startHarness(palette)
  const random = new Random(count)
  try {
    const flowsOf = (round: number) => {
      const nodes = stateNodes(count, `of round ${round}`, 'poll')
      const places = new Map(nodes.map(({ id }) => [id, random.next()]))
      nodes.sort((one, other) => (places.get(one.id) ?? 0) - (places.get(other.id) ?? 0))
      return { nodes, flows: harness.writeFlows(nodes, { every: 0.25 }) }
    }
    const { nodes, flows } = flowsOf(0)
    await flows
    const nodeRed = harness.startNodeRed()
    await toldBy(harness, nodes, 1)
    const counts: number[] = []
    for (let round = 1; round <= deploys; round += 1) {
      const next = flowsOf(round)
      await nodeRed.deploy(await next.flows)
      await toldBy(harness, next.nodes, 2 + polls)
      counts.push(requestsOfPolls(harness, next.nodes[0]?.id ?? ''))
    }
    return { least: Math.min(...counts), most: Math.max(...counts) }
  } finally {
    await harness.close()
  }
}

/**
 * Returns the number of requests for the polls of which a node has told, without the first one: it may take the answers
 * of before the deploy, which may have aborted another request. The poll after the last of them does not count, however
 * late this is called.
 */
function requestsOfPolls({ simulator, messages }: NodeRedHarness, node: string): number {
  const { requests } = simulator
  const offset = systemClock.wall() - systemClock.monotonic()
  const starts = [...requests.keys()].filter((at) => requests[at]?.path.endsWith('/status'))
  const endOf = (nth: number) => {
    const answered = Date.parse(String(messages.from(node).all[nth]?.fetchedAt)) - offset
    return starts.find((at) => (requests[at]?.at ?? 0) > answered) ?? requests.length
  }
  return endOf(1 + polls) - endOf(1)
}

/** Returns the number of requests with this many nodes that are all asked at once, several times. */
async function onDemand(palette: string, count: number): Promise<number> {
  const harness = await startHarness(palette)
  try {
    const nodes = stateNodes(count, '', 'change')
    const inject = { id: button, type: 'inject', props: [], wires: [nodes.map(({ id }) => id)] }
    await harness.writeFlows([...nodes, inject], { every: hour })
    const nodeRed = harness.startNodeRed()
    await toldBy(harness, nodes, 1)
    for (let time = 1; time <= presses; time += 1) {
      await nodeRed.press(button)
      await toldBy(harness, nodes, 1 + time)
    }
    return harness.simulator.requests.length
  } finally {
    await harness.close()
  }
}

async function startHarness(palette: string): Promise<NodeRedHarness> {
  const harness = await startNodeRedHarness({ panels: 1 }, { palette })
  // So slow that all nodes can ask while one request is under way.
  harness.simulator.faults.start(latency(30))
  return harness
}

function stateNodes(count: number, round: string, emit: string): FlowNode[] {
  return Array.from({ length: count }, (_, nth): FlowNode => {
    return { id: `node ${nth} ${round}`, type: 'keyholder-state', partitions: [1], emit }
  })
}

/** Waits until each node has sent this number of messages. */
function toldBy({ messages }: NodeRedHarness, nodes: readonly FlowNode[], count: number): Promise<void> {
  return messages.until(
    () => nodes.every(({ id }) => messages.from(id).all.length >= count),
    `${count} messages of each`,
  )
}
