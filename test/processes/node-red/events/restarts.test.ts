import assert from 'node:assert/strict'
import { createEventLoad, type EventLoad, noneLost } from '../../../../harness/node-red/event-load.ts'
import { type NodeRedHarness, startNodeRedHarness } from '../../../../harness/node-red.ts'

describe('Events over restarts of a real Node-RED', () => {
  let harness: NodeRedHarness
  let load: EventLoad

  beforeEach(async () => {
    harness = await startNodeRedHarness()
    await harness.writeFlows([{ id: 'events', type: 'keyholder-events', first: 'deliver' }], {
      every: 0.02,
    })
    load = createEventLoad(harness, 'events')
    load.addEvents()
  })

  afterEach(async () => {
    load.stop()
    await harness.close()
  })

  it('are delivered once, also those that happen meanwhile; only events delivered at that moment can be repeated, with a flag', async () => {
    for (let restart = 0; restart < 3; restart += 1) {
      const nodeRed = harness.startNodeRed()
      load.addEvents(3)
      await load.finish()
      assert.equal(await nodeRed.stop(), 0)
      load.addEvents(3)
    }
    harness.startNodeRed()
    await load.finish()
    assert.deepEqual(load.counts, noneLost)
    // Node-RED is told to stop while the last event may still be on a wire.
    assert.ok(load.flaggedCount <= 3, `${load.flaggedCount} of three last events`)
  })
})
