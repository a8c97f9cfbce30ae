import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { Random } from '../../src/simulator/world/random.ts'
import { EventLoad, perfect } from '../support/event-load.ts'
import type { FlowNode } from '../support/flow-with-sink.ts'
import { Laboratory } from '../support/laboratory.ts'
import { seed } from '../support/seed.ts'

const kills = 15

describe('Events in a real Node-RED', function () {
  this.timeout(120_000)
  let laboratory: Laboratory
  let flows: FlowNode[]
  let load: EventLoad

  beforeEach(async () => {
    laboratory = await Laboratory.open()
    flows = await laboratory.furnish([{ id: 'events', type: 'keyholder-events', first: 'deliver' }], {
      every: 0.02,
    })
    const [panel] = laboratory.simulator.world.panels
    assert.ok(panel)
    load = new EventLoad(panel, laboratory.sink, 'events')
    load.happen()
  })

  afterEach(async () => {
    load.stop()
    await laboratory.close()
  })

  it(`are not lost over ${kills} kills at random moments, and a repeat says that it is one (SEED=${seed})`, async () => {
    const random = new Random(seed)
    for (let kill = 0; kill < kills; kill += 1) {
      const nodeRed = laboratory.start()
      // Few enough that the list reaches back over several kills in a row that leave no time to save the cursor.
      load.start({ every: 250, most: 5 })
      await load.oneMore()
      await pause(random.between(0, 900))
      await nodeRed.kill()
    }
    load.stop()
    laboratory.start()
    await load.settled()
    assert.deepEqual(load.verdict, perfect)
  })

  it('are told once over restarts, those too that happen meanwhile; only what was told in that instant may come again, flagged', async () => {
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

  it('are told once over ten full deploys, those too that happen meanwhile, at no cost of a sign-in', async () => {
    const nodeRed = laboratory.start()
    for (let deploy = 0; deploy < 10; deploy += 1) {
      await load.settled()
      const deployed = nodeRed.deploy(flows)
      load.happen(3)
      await deployed
    }
    await load.settled()
    assert.deepEqual(load.verdict, perfect)
    assert.ok(load.flagged <= 10, `${load.flagged} of ten last events`)
    assert.deepEqual([laboratory.requestsTo('auth'), laboratory.requestsTo('panel/login')], [1, 1])
  })

  it(`are not lost over ten full deploys while they are on their way, and a repeat says that it is one (SEED=${seed})`, async () => {
    const random = new Random(seed)
    const nodeRed = laboratory.start()
    for (let deploy = 0; deploy < 10; deploy += 1) {
      load.start({ every: 20, most: 40 })
      await load.oneMore()
      // The next ones are given to the flow half a second after these.
      await pause(random.between(480, 530))
      await nodeRed.deploy(flows)
    }
    load.stop()
    await load.settled()
    assert.deepEqual(load.verdict, perfect)
  })
})
