import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { seed } from '../../../../harness/mocha/seed.ts'
import { createEventLoad, type EventLoad, noneLost } from '../../../../harness/node-red/event-load.ts'
import type { FlowNode } from '../../../../harness/node-red/recorded-flow.ts'
import { type NodeRedHarness, startNodeRedHarness } from '../../../../harness/node-red.ts'
import { requestsTo } from '../../../../harness/simulator.ts'
import { Random } from '../../../../src/simulator/random.ts'

describe('Events over deploys of a real Node-RED', () => {
  let harness: NodeRedHarness
  let flows: FlowNode[]
  let load: EventLoad

  beforeEach(async () => {
    harness = await startNodeRedHarness()
    flows = await harness.writeFlows([{ id: 'events', type: 'keyholder-events', first: 'deliver' }], {
      every: 0.02,
    })
    load = createEventLoad(harness, 'events')
    load.addEvents()
  })

  afterEach(async () => {
    load.stop()
    await harness.close()
  })

  it('are delivered once over five full deploys, also those that happen meanwhile, without another sign-in', async () => {
    const nodeRed = harness.startNodeRed()
    for (let deploy = 0; deploy < 5; deploy += 1) {
      await load.finish()
      const deployed = nodeRed.deploy(flows)
      load.addEvents()
      await deployed
    }
    await load.finish()
    assert.deepEqual(load.counts, noneLost)
    // The next event is told when the last one is saved: one of the two is on a wire at each deploy.
    assert.ok(load.flaggedCount <= 5, `${load.flaggedCount} flagged over five deploys`)
    assert.deepEqual(
      [requestsTo(harness.simulator, 'auth'), requestsTo(harness.simulator, 'panel/login')],
      [1, 1],
    )
  })

  it(`in flight are not lost over ten full deploys, and repeated ones are flagged (SEED=${seed})`, async () => {
    const random = new Random(seed)
    const nodeRed = harness.startNodeRed()
    for (let deploy = 0; deploy < 10; deploy += 1) {
      load.start({ every: 20, most: 40 })
      await load.waitForNext()
      // The next ones are given to the flow half a second after these.
      await pause(random.between(480, 530))
      await nodeRed.deploy(flows)
    }
    await load.finish()
    assert.deepEqual(load.counts, noneLost)
  })
})
