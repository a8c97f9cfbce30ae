import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import type { Random } from '../../src/simulator/random.ts'
import { EventLoad, type Recipient } from '../node-red/event-load.ts'
import type { FlowNode } from '../node-red/recorded-flow.ts'
import type { NodeRedHarness } from '../node-red.ts'

/**
 * Kills a real Node-RED at random times while events are added, and returns the event load.
 * @param nodes event nodes; the first must get all events, and the one with the id `deployed` is redeployed
 */
export async function runKills(
  harness: NodeRedHarness,
  nodes: readonly FlowNode[],
  recipients: readonly (Recipient | string)[],
  kills: number,
  random: Random,
): Promise<EventLoad> {
  const flows = await harness.writeFlows(nodes, { every: 0.02 })
  const [panel] = harness.simulator.world.panels
  assert.ok(panel)
  const first = new EventLoad(panel, harness.messages, nodes[0]?.id ?? '')
  first.addEvents()
  const beginning = harness.startNodeRed()
  await first.waitForAll()
  await beginning.stop()

  const load = new EventLoad(panel, harness.messages, ...recipients)
  for (let kill = 0; kill < kills; kill += 1) {
    const nodeRed = harness.startNodeRed()
    // Few events, so that the list covers several kills in a row without a saved cursor.
    load.start({ every: 200, most: 4, atOnce: () => random.between(1, 2) })
    await load.waitForNext()
    // The kill may happen during this deploy.
    if (kill % 3 === 1) nodeRed.deploy(renamed(flows, kill), 'nodes').catch(() => {})
    await pause(random.between(0, 900))
    await nodeRed.kill()
  }
  harness.startNodeRed()
  await load.finish()
  return load
}

/** Returns the flows with one changed node, which a deploy restarts. */
function renamed(flows: readonly FlowNode[], nth: number): FlowNode[] {
  return flows.map((node) => (node.id === 'deployed' ? { ...node, name: `Deployed ${nth}` } : node))
}
