import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { Random } from '../../src/simulator/world/random.ts'
import { EventLoad, perfect, type Recipient } from '../support/event-load.ts'
import type { FlowNode } from '../support/flow-with-sink.ts'
import { Laboratory } from '../support/laboratory.ts'
import { seed } from '../support/seed.ts'

const kills = 60
const restored = 86

const nodes: FlowNode[] = [
  { id: 'all', type: 'keyholder-events', first: 'deliver' },
  { id: 'deployed', type: 'keyholder-events', first: 'deliver' },
  { id: 'one type', type: 'keyholder-events', first: 'skip', typeIds: [restored] },
  { id: 'present only', type: 'keyholder-events', first: 'skip', missed: 'skip' },
]

const recipients: (Recipient | string)[] = [
  'all',
  'deployed',
  { id: 'one type', isOwed: ({ type_id }) => type_id === restored },
  // What happens while Node-RED is dead is not for this one.
  { id: 'present only', isOwed: () => false },
]

describe('Events over many kills of a real Node-RED', () => {
  let laboratory: Laboratory
  before(async () => {
    laboratory = await Laboratory.open()
  })
  after(() => laboratory.close())

  it(`are not lost over ${kills} kills at random moments, also of a node that is being deployed, and a repeat says that it is one (SEED=${seed})`, async () => {
    const random = new Random(seed)
    const flows = await laboratory.furnish(nodes, { every: 0.02 })
    const [panel] = laboratory.simulator.world.panels
    assert.ok(panel)
    const first = new EventLoad(panel, laboratory.sink, 'all')
    first.happen()
    const beginning = laboratory.start()
    await first.toldAll()
    await beginning.stop()

    const load = new EventLoad(panel, laboratory.sink, ...recipients)
    for (let kill = 0; kill < kills; kill += 1) {
      const nodeRed = laboratory.start()
      // Few enough that the list reaches back over several kills in a row that leave no time to save the cursor.
      load.start({ every: 200, most: 4, atOnce: () => random.between(1, 2) })
      await load.oneMore()
      // The kill may well come in the middle of it.
      if (kill % 3 === 1) nodeRed.deploy(renamed(flows, kill), 'nodes').catch(() => {})
      await pause(random.between(0, 600))
      await nodeRed.kill()
    }
    load.stop()
    laboratory.start()
    await load.settled()
    const verdicts = nodes.map(({ id }) => [id, load.verdictAt(id)])
    assert.deepEqual(
      verdicts,
      nodes.map(({ id }) => [id, perfect]),
    )
    assert.ok(load.count >= 3 * kills, `${load.count} events`)
    assert.deepEqual(laboratory.simulator.defects, [])
  })
})

/** The flows with a change in one node, so that a deploy starts this one anew. */
function renamed(flows: readonly FlowNode[], nth: number): FlowNode[] {
  return flows.map((node) => (node.id === 'deployed' ? { ...node, name: `Deployed ${nth}` } : node))
}
