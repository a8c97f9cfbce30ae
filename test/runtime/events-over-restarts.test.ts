import assert from 'node:assert/strict'
import { setTimeout as after } from 'node:timers/promises'
import { Random } from '../../src/simulator/world/random.ts'
import { EventLoad } from '../support/event-load.ts'
import { Laboratory } from '../support/laboratory.ts'

const kills = 15
const seed = Number(process.env.SEED ?? 1)

describe('Events in a real Node-RED', function () {
  this.timeout(150_000)
  let laboratory: Laboratory
  let load: EventLoad

  beforeEach(async () => {
    laboratory = await Laboratory.open()
    await laboratory.furnish([{ id: 'events', type: 'keyholder-events', first: 'deliver' }])
    const [panel] = laboratory.simulator.world.panels
    assert.ok(panel)
    load = new EventLoad(panel, laboratory.sink, 'events')
    load.happen()
  })

  afterEach(async () => {
    load.stop()
    await laboratory.close()
  })

  it(`are not lost over ${kills} kills at random moments, and what is repeated says so (SEED=${seed})`, async () => {
    const random = new Random(seed)
    load.start()
    for (let kill = 0; kill < kills; kill += 1) {
      const nodeRed = laboratory.start()
      const told = load.told.size
      await laboratory.sink.until('a new event', () => load.told.size > told)
      await after(random.between(0, 900))
      await nodeRed.kill()
    }
    load.stop()
    laboratory.start()
    await load.settled()
    load.happen()
    await load.settled()
    assert.deepEqual({ lost: load.lost, repeated: load.repeatedUnflagged, gaps: load.gaps }, nothing)
  })

  it('are told once and unflagged over restarts that let Node-RED end by itself', async () => {
    load.start()
    for (let restart = 0; restart < 3; restart += 1) {
      const nodeRed = laboratory.start()
      const told = load.told.size
      await laboratory.sink.until('a new event', () => load.told.size > told)
      assert.equal(await nodeRed.stop(), 0)
    }
    load.stop()
    laboratory.start()
    await load.settled()
    load.happen()
    await load.settled()
    assert.deepEqual({ lost: load.lost, repeated: load.repeatedUnflagged, gaps: load.gaps }, nothing)
    assert.deepEqual(load.flagged, [])
  })

  it('are told once over ten full deploys under load, which cost no sign-in', async () => {
    const nodeRed = laboratory.start()
    await load.settled()
    const flows = await nodeRed.flows()
    load.start(20)
    for (let deploy = 0; deploy < 10; deploy += 1) {
      const told = load.told.size
      await nodeRed.deploy(flows)
      await laboratory.sink.until('a new event', () => load.told.size > told)
    }
    load.stop()
    await load.settled()
    load.happen()
    await load.settled()
    assert.deepEqual({ lost: load.lost, repeated: load.repeatedUnflagged, gaps: load.gaps }, nothing)
    assert.deepEqual(load.flagged, [])
    assert.deepEqual([laboratory.requestsTo('auth'), laboratory.requestsTo('panel/login')], [1, 1])
  })
})

const nothing = { lost: [], repeated: [], gaps: [] }
