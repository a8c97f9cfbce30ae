import assert from 'node:assert/strict'
import { Random } from '../../src/simulator/random.ts'
import { seed } from '../mocha/seed.ts'
import { noneLost, type Recipient } from '../node-red/event-load.ts'
import type { FlowNode } from '../node-red/recorded-flow.ts'
import { type NodeRedHarness, startNodeRedHarness } from '../node-red.ts'
import { runKills } from './run-kills.ts'

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
  // This node must not get the events that happen while Node-RED is down.
  { id: 'present only', isOwed: () => false },
]

/** Adds a test of the promises for events over kills at random times, and for their repetitions. */
export function testKills(kills: number): void {
  let harness: NodeRedHarness
  before(async () => {
    harness = await startNodeRedHarness()
  })
  after(() => harness.close())

  it(`are not lost over ${kills} kills at random times, also at a node during its deploy, and repeated ones are flagged (SEED=${seed})`, async () => {
    const load = await runKills(harness, nodes, recipients, kills, new Random(seed))
    const verdicts = nodes.map(({ id }) => [id, load.countsAt(id)])
    assert.deepEqual(
      verdicts,
      nodes.map(({ id }) => [id, noneLost]),
    )
    // Each kill waits for a new event to be delivered, and one more event follows at the end.
    assert.ok(load.count > kills, `${load.count} events`)
    assert.deepEqual(harness.simulator.defects, [])
  }).timeout(1_800_000)
}
