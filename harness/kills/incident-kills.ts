import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { Random } from '../../src/simulator/random.ts'
import { seed } from '../mocha/seed.ts'
import { type NodeRedHarness, startNodeRedHarness } from '../node-red.ts'
import type { FlowMessage } from '../recorder.ts'

/** Adds a test in which a real Node-RED is killed in each of many burglaries, fires and false alarms. */
export function testIncidentKills(stories: number): void {
  let harness: NodeRedHarness
  before(async () => {
    harness = await startNodeRedHarness()
  })
  after(() => harness.close())

  it(`have one id, each event once and the right end over ${stories} kills (SEED=${seed})`, async () => {
    const random = new Random(seed)
    await harness.writeFlows([{ id: 'story', type: 'keyholder-incident' }], { every: 0.05 })
    const [home] = harness.simulator.world.panels
    assert.ok(home)
    const fire = home.devices.find(({ zone_type }) => zone_type === 'FIRE')?.device_number ?? assert.fail()
    const keyfob = home.devices.find(({ device_type }) => device_type === 'KEYFOB')?.id ?? assert.fail()
    const plays: readonly (readonly (() => void)[])[] = [
      [
        () => void home.arm(1, 'AWAY', { exitDelay: 0 }),
        () => home.open(2),
        () => home.open(3),
        () => home.close(3),
        () => home.close(2),
        () => home.disarm(1),
      ],
      [() => home.open(fire), () => home.close(fire)],
      [() => home.panic(keyfob), () => home.disarm(1)],
    ]
    const recorder = harness.messages.from('story')
    let nodeRed = harness.startNodeRed()
    await nodeRed.url
    const told = new Set<string>()
    // What is over before the node's first list is not told, so the first story is one that lasts until it is seen.
    home.panic(keyfob)
    told.add((await recorder.first()).payload.id)
    home.disarm(1)
    await recorder.first(({ payload }) => payload.status === 'closed')
    await pause(1100)
    for (let nth = 0; nth < stories; nth += 1) {
      const steps = plays[nth % plays.length] ?? []
      const killedAt = random.between(0, steps.length - 1)
      for (const [at, step] of steps.entries()) {
        step()
        await pause(random.between(0, 300))
        if (at !== killedAt) continue
        await nodeRed.kill()
        nodeRed = harness.startNodeRed()
      }
      const closed = await recorder.first(
        ({ payload }) => payload.status === 'closed' && !told.has(payload.id),
      )
      told.add(closed.payload.id)
      // The times of events have whole seconds: the next story begins in another one.
      await pause(1100)
    }
    const ids = [...new Set(recorder.all.map(({ payload }) => payload.id))]
    assert.equal(ids.length, 1 + stories, 'an incident has two ids, or two have one')
    const latest = ids.map((id) => recorder.all.findLast(({ payload }) => payload.id === id) as FlowMessage)
    const keys = latest.flatMap(({ payload }) =>
      payload.timeline.map(({ eventKey }: { eventKey: string }) => eventKey),
    )
    assert.equal(new Set(keys).size, keys.length, 'an event is there twice')
    assert.deepEqual(
      latest.filter(({ payload }) => payload.status !== 'closed'),
      [],
    )
    const unflagged = recorder.all.filter(({ redelivered }) => !redelivered)
    const texts = unflagged.map(({ payload }) => JSON.stringify(payload))
    assert.equal(new Set(texts).size, texts.length, 'a message came twice without a flag')
    assert.deepEqual(harness.simulator.defects, [])
  }).timeout(1_800_000)
}
