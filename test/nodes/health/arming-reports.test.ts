import assert from 'node:assert/strict'
import { processClock, processTime } from '../../../harness/clock/process-fake-clock.ts'
import { createPart } from '../../../harness/flow/flow-part.ts'
import { useFlowHarness } from '../../../harness/flow.ts'
import { minute } from '../../../src/duration.ts'
import type { PanelOptions } from '../../../src/simulator/world/panel-options.ts'

const nodes = {
  state: { type: 'keyholder-state', partitions: [1] },
  events: { type: 'keyholder-events' },
  health: { type: 'keyholder-health' },
}

describe('Reports of arming and disarming that the installer has turned off', () => {
  const harness = useFlowHarness()

  /** Arms and disarms a panel as often as given, and returns what its health tells of its reports after that. */
  async function reportsAfter(changes: number, reports: PanelOptions['reports']): Promise<boolean | null> {
    const simulator = await harness.startSimulator()
    const part = createPart(simulator, { nodes, panel: { stateEvery: 30, eventsEvery: 60 } })
    const withAccount = part.nodes.map((node) =>
      node.type === 'keyholder-health' ? { ...node, account: part.account } : node,
    )
    const flow = await harness.startParts([{ ...part, nodes: withAccount }])
    const home = simulator.world.panel('A1B2C3')
    home.setOptions({ reports })
    await flow.output('state').next()
    for (let change = 0; change < changes; change += 1) {
      if (change % 2 === 0) home.arm(1, 'AWAY', { exitDelay: 0 })
      else home.disarm(1)
      await flow.output('state').next(({ payload }) => payload === (change % 2 === 0 ? 'AWAY' : 'DISARM'))
    }
    await processTime.advanceTo(processClock.monotonic() + 15 * minute)
    flow.input('health', { question: true })
    const { payload } = await flow.output('health').next(({ question }) => question === true)
    return payload.panel.reportsArming
  }

  // @spec report-groups
  it('are told after three changes without an event', async () => {
    assert.equal(await reportsAfter(3, 'all-but-open-close'), false)
  })

  it('are not told after two changes', async () => {
    assert.equal(await reportsAfter(2, 'all-but-open-close'), null)
  })

  it('are not told of a panel that reports them', async () => {
    assert.equal(await reportsAfter(3, 'all'), true)
  })
})
