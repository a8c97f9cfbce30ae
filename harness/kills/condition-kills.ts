import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { Random } from '../../src/simulator/random.ts'
import { until } from '../clock/until.ts'
import { seed } from '../mocha/seed.ts'
import { type NodeRedHarness, startNodeRedHarness } from '../node-red.ts'

/** Adds a test in which a real Node-RED is killed while doors open and close and batteries run low. */
export function testConditionKills(kills: number): void {
  let harness: NodeRedHarness
  before(async () => {
    harness = await startNodeRedHarness()
  })
  after(() => harness.close())

  it(`keep their begins, and no list comes twice without a flag, over ${kills} kills (SEED=${seed})`, async () => {
    const random = new Random(seed)
    await harness.writeFlows([{ id: 'list', type: 'keyholder-conditions' }], { every: 0.05 })
    const [home] = harness.simulator.world.panels
    assert.ok(home)
    const recorder = harness.messages.from('list')
    const { requests } = harness.simulator
    // A sign-in that a kill cuts off is not repeated for minutes, so that no account is locked.
    const startAndRead = async () => {
      const sent = requests.length
      const started = harness.startNodeRed()
      await until(
        () => requests.slice(sent).some(({ path, status }) => path.endsWith('/status') && status === 200),
        'a state that was read',
      )
      return started
    }
    let nodeRed = await startAndRead()
    const steps = [
      { act: () => home.open(1), kinds: 'open' },
      { act: () => home.lowBattery(home.zone(2).id), kinds: 'battery,open' },
      { act: () => home.close(1), kinds: 'battery' },
      { act: () => home.restoreBattery(home.zone(2).id), kinds: '' },
    ]
    const kindsOf = (payload: readonly { kind: string }[]) => payload.map(({ kind }) => kind).join()
    for (let nth = 0; nth < kills; nth += 1) {
      const { act, kinds } = steps[nth % steps.length] ?? assert.fail()
      const known = recorder.all.length
      act()
      await pause(random.between(0, 300))
      await nodeRed.kill()
      nodeRed = await startAndRead()
      // A list that came just before the kill comes again only if its notes do not say that it was told.
      const hasCome = () => recorder.all.slice(known).some(({ payload }) => kindsOf(payload) === kinds)
      if (!hasCome()) await recorder.first(({ payload }) => hasCome() && kindsOf(payload) === kinds)
      const battery = recorder.all
        .slice(-3)
        .flatMap(({ payload }) => payload.filter(({ kind }: { kind: string }) => kind === 'battery'))
      if (kinds.includes('battery'))
        assert.equal(
          new Set(battery.map(({ since }: { since: string }) => since)).size,
          1,
          'a begin has moved',
        )
    }
    const unflagged = recorder.all.filter(({ redelivered }) => !redelivered)
    const lists = unflagged.map(({ payload }) =>
      JSON.stringify(payload.map(({ kind, since }: { kind: string; since: string }) => [kind, since])),
    )
    const twice = lists.filter((list, at) => at > 0 && list === lists[at - 1])
    assert.deepEqual(twice, [], 'a list came twice without a flag')
    assert.deepEqual(harness.simulator.defects, [])
  }).timeout(1_800_000)
}
