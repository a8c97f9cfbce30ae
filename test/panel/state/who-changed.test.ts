import assert from 'node:assert/strict'
import { CommandedPanel } from '../../../harness/panel/commanded-panel.ts'
import { requestsTo } from '../../../harness/simulator.ts'
import { StateReport } from '../../../src/messages/state-message.ts'

describe('A message about a change of the state', () => {
  let at: CommandedPanel
  afterEach(async () => {
    await at.panel.close()
    await at.close()
  })

  for (const [eventsEvery, isAlwaysNamed] of [
    [30_000, true],
    [60_000, false],
    [null, true],
  ] as const)
    it(`comes once, and names who it was ${isAlwaysNamed ? 'if' : 'only in a part of the cases unless'} the events are polled ${eventsEvery === null ? 'at their own pace' : 'as often as the state'}`, async () => {
      at = await CommandedPanel.open({}, { stateEvery: 30_000, eventsEvery })
      const { panel, simulated } = at
      const report = new StateReport({ partitions: [1], vocabulary: 'native' })
      const told: [string, string | undefined][] = []
      const condition = () => {}
      const stops = [
        panel.state.subscribe({
          condition,
          snapshot: (snapshot) => {
            const now = panel.account.clock.monotonic()
            for (const { state } of report.messages(snapshot.view, panel.sourceOf(snapshot), 'changed', now))
              told.push([state.value, state.changedBy?.name])
          },
        }),
        panel.events.subscribe({ condition, snapshot: () => {} }),
      ]
      await at.pass(120_000)
      const expected: typeof told = []
      for (let change = 0; change < 5; change += 1) {
        simulated.arm(1, 'AWAY', { user: 'Anna', exitDelay: 0 })
        await at.pass(217_000)
        simulated.disarm(1, { user: 'Ben' })
        await at.pass(193_000)
        expected.push(['AWAY', 'Anna'], ['DISARM', 'Ben'])
      }
      assert.deepEqual(
        told.map(([value]) => value),
        expected.map(([value]) => value),
      )
      if (isAlwaysNamed) assert.deepEqual(told, expected)
      else assert.ok(told.some(([, name]) => name !== undefined))
      // No request beside the polls, and at its own pace fewer than that.
      const polls = (120_000 + 2_050_000) / (eventsEvery ?? 30_000)
      assert.ok(requestsTo(at.simulator, 'events') <= Math.ceil(polls) + 1)
      for (const stop of stops) stop()
    })
})
