import assert from 'node:assert/strict'
import { NodeRedHarness } from '../../harness/node-red.ts'
import { startSimulator } from '../../src/simulator/simulator.ts'

describe('An outage of the service in a real Node-RED', () => {
  let harness: NodeRedHarness

  beforeEach(async () => {
    harness = await NodeRedHarness.open()
    await harness.writeFlows([
      { id: 'state', type: 'keyholder-state' },
      { id: 'events', type: 'keyholder-events', first: 'deliver' },
    ])
  })

  afterEach(() => harness.close())

  it('is shown, said once, and over by itself when the service is back', async () => {
    const { messages: sink, simulator } = harness
    const nodeRed = harness.startNodeRed()
    const shown = (word: string) =>
      sink.from('tab status').filter(({ status }) => status.source.id === 'state' && status.text === word)
        .length
    await sink.first('state')
    await simulator.close()
    await sink.until('the loss', () => shown('no connection') > 0)

    harness.simulator = await startSimulator({ port: Number(new URL(simulator.url).port) })
    harness.simulator.world.panels[0]?.arm(-1, 'AWAY')
    await sink.first('state', ({ payload }) => payload === 'ARMING')
    await sink.first('events', ({ payload }) => payload.typeId === 86)
    assert.deepEqual(
      sink.from('tab catch').map(({ error }) => error.code),
      ['NETWORK'],
    )
    const lines = (what: RegExp) => nodeRed.output.match(what)?.length
    await harness.until(
      'the end of the outage in the log',
      () => lines(/everything works again/g) !== undefined,
    )
    assert.deepEqual([lines(/cannot be reached/g), lines(/everything works again/g)], [1, 1])
    assert.ok(nodeRed.isRunning)
    assert.doesNotMatch(nodeRed.output, /^\s+at /m)
  })
})
