import assert from 'node:assert/strict'
import { until } from '../../../harness/clock/until.ts'
import { type NodeRedHarness, startNodeRedHarness } from '../../../harness/node-red.ts'
import { startSimulator } from '../../../src/simulator/simulator.ts'

describe('An outage of the service in a real Node-RED', () => {
  let harness: NodeRedHarness

  beforeEach(async () => {
    harness = await startNodeRedHarness()
    await harness.writeFlows([
      { id: 'state', type: 'keyholder-state' },
      { id: 'events', type: 'keyholder-events', first: 'deliver' },
    ])
  })

  afterEach(() => harness.close())

  it('is shown and reported once, and ends by itself when the service is back', async () => {
    const { messages, simulator } = harness
    const nodeRed = harness.startNodeRed()
    const shown = (word: string) =>
      messages
        .from('tab status')
        .all.filter(({ status }) => status.source.id === 'state' && status.text === word).length
    await messages.from('state').first()
    await simulator.close()
    await messages.until(() => shown('no connection') > 0, 'the loss')

    harness.simulator = await startSimulator({ port: Number(new URL(simulator.url).port) })
    harness.simulator.world.panels[0]?.arm(-1, 'AWAY')
    await messages.from('state').first(({ payload }) => payload === 'ARMING')
    await messages.from('events').first(({ payload }) => payload.typeId === 86)
    assert.deepEqual(
      messages.from('tab catch').all.map(({ error }) => error.code),
      ['NETWORK'],
    )
    const lines = (what: RegExp) => nodeRed.output.match(what)?.length
    await until(() => lines(/everything works again/g) !== undefined, 'the end of the outage in the log')
    assert.deepEqual([lines(/cannot be reached/g), lines(/everything works again/g)], [1, 1])
    assert.ok(nodeRed.isRunning)
    assert.doesNotMatch(nodeRed.output, /^\s+at /m)
  })
})
