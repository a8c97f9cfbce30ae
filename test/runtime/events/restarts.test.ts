import assert from 'node:assert/strict'
import { type EventLoad, eventLoad, perfect } from '../../../harness/node-red/event-load.ts'
import { Laboratory } from '../../../harness/node-red.ts'

describe('Events over restarts of a real Node-RED', function () {
  this.timeout(120_000)
  let laboratory: Laboratory
  let load: EventLoad

  beforeEach(async () => {
    laboratory = await Laboratory.open()
    await laboratory.furnish([{ id: 'events', type: 'keyholder-events', first: 'deliver' }], {
      every: 0.02,
    })
    load = eventLoad(laboratory, 'events')
    load.happen()
  })

  afterEach(async () => {
    load.stop()
    await laboratory.close()
  })

  it('are told once, those too that happen meanwhile; only what was told in that instant may come again, flagged', async () => {
    for (let restart = 0; restart < 3; restart += 1) {
      const nodeRed = laboratory.start()
      load.happen(3)
      await load.settled()
      assert.equal(await nodeRed.stop(), 0)
      load.happen(3)
    }
    laboratory.start()
    await load.settled()
    assert.deepEqual(load.verdict, perfect)
    // Node-RED is told to stop while the last event may still be on a wire.
    assert.ok(load.flagged <= 3, `${load.flagged} of three last events`)
  })
})
