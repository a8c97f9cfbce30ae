import assert from 'node:assert/strict'
import { Laboratory } from '../../harness/node-red.ts'
import { startSimulator } from '../../src/simulator/simulator.ts'

describe('An outage of the service in a real Node-RED', () => {
  let laboratory: Laboratory

  beforeEach(async () => {
    laboratory = await Laboratory.open()
    await laboratory.furnish([
      { id: 'state', type: 'keyholder-state' },
      { id: 'events', type: 'keyholder-events', first: 'deliver' },
    ])
  })

  afterEach(() => laboratory.close())

  it('is shown, said once, and over by itself when the service is back', async () => {
    const { sink, simulator } = laboratory
    const nodeRed = laboratory.start()
    const shown = (word: string) =>
      sink.from('tab status').filter(({ status }) => status.source.id === 'state' && status.text === word)
        .length
    await sink.first('state')
    await simulator.close()
    await sink.until('the loss', () => shown('no connection') > 0)

    laboratory.simulator = await startSimulator({ port: Number(new URL(simulator.url).port) })
    laboratory.simulator.world.panels[0]?.arm(-1, 'AWAY')
    await sink.first('state', ({ payload }) => payload === 'ARMING')
    await sink.first('events', ({ payload }) => payload.typeId === 86)
    assert.deepEqual(
      sink.from('tab catch').map(({ error }) => error.code),
      ['NETWORK'],
    )
    const lines = (what: RegExp) => nodeRed.output.match(what)?.length
    await laboratory.until(
      'the end of the outage in the log',
      () => lines(/everything works again/g) !== undefined,
    )
    assert.deepEqual([lines(/cannot be reached/g), lines(/everything works again/g)], [1, 1])
    assert.ok(nodeRed.isRunning)
    assert.doesNotMatch(nodeRed.output, /^\s+at /m)
  })
})
