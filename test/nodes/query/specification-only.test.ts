import assert from 'node:assert/strict'
import { useFlowHarness } from '../../../harness/flow.ts'
import { requestsTo } from '../../../harness/simulator.ts'

describe('With a service that is the specification and no more', () => {
  const harness = useFlowHarness()
  const account = { apiVersion: '14.0' }
  const service = { onlySpecified: true, panels: 1 }

  // @spec 4.7, 4.9, 4.10, 5.4
  it('a query node passes on the log, the inspections and the configurations', async () => {
    const nodes = { query: { type: 'keyholder-query' } }
    const { simulator, flow } = await harness.start({ account, nodes }, service)
    for (const operation of ['standard_log', 'rri_results', 'configuration_list', 'events']) {
      flow.input('query', { operation })
      const { payload, panel } = await flow.output('query').next()
      assert.equal(typeof payload, 'object')
      assert.equal(panel.alias, 'Home')
    }
    flow.input('query', { operation: 'devices' })
    assert.equal((await flow.caught.next()).error.code, 'NOT_FOUND')
    assert.equal(requestsTo(simulator, 'devices'), 0)
    assert.equal(simulator.accounts.signIns, 1)
  })

  // @spec 4.8, inferred-state
  it('an events node sends new events, and a state node what they tell', async () => {
    const nodes = {
      events: { type: 'keyholder-events' },
      state: { type: 'keyholder-state', partitions: [1] },
    }
    const { home, simulator, flow } = await harness.start({ account, nodes }, service)
    await flow.status('events').next(({ fill }) => fill === 'green')
    home.arm(1, 'HOME', { exitDelay: 0 })
    assert.equal(
      (await flow.output('events').next(({ payload }) => payload.label === 'ARM')).panel.alias,
      'Home',
    )
    const armed = await flow.output('state').next(({ payload }) => payload === 'HOME')
    assert.equal(armed.state.inferred, true)
    assert.equal(typeof armed.state.changedBy.name, 'string')
    assert.equal(simulator.accounts.signIns, 1)
    assert.equal(simulator.accounts.panelLogins, 0)
  })

  // @spec 4.8, condition-sources
  it('a conditions node lists what the events tell', async () => {
    const { home, flow } = await harness.start(
      { account, nodes: { list: { type: 'keyholder-conditions' } } },
      service,
    )
    await flow.status('list').next(({ fill }) => fill !== 'blue')
    home.lowBattery(home.zone(2).id)
    const low = await flow.output('list').next(({ payload }) => payload.length > 0)
    assert.deepEqual([low.payload[0].kind, low.payload[0].zone], ['battery', 2])
    home.restoreBattery(home.zone(2).id)
    assert.deepEqual((await flow.output('list').next()).payload, [])
  })
})
