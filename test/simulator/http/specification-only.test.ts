import assert from 'node:assert/strict'
import { FakeClock } from '../../../harness/clock/fake-clock.ts'
import { ApiClient } from '../../../harness/simulator/api-client.ts'
import { type Simulator, startSimulator } from '../../../src/simulator/simulator.ts'

describe('the simulator of the specification and no more', () => {
  let simulator: Simulator
  let caller: ApiClient

  before(async () => {
    simulator = await startSimulator({ clock: new FakeClock(), panels: 1, onlySpecified: true })
    caller = new ApiClient(simulator, '14.0')
    const { email, password } = simulator
    caller.userToken = (await caller.post('auth', { email, password, app_id: 'app' })).body.user_token
  })

  after(async () => {
    assert.deepEqual(simulator.defects, [])
    await simulator.close()
  })

  const statuses = [
    ['panels', 200],
    ['standard_log', 200],
    ['rri_results', 200],
    ['configuration_list', 200],
    ['events', 200],
    ['had/rules/event-profiles/en_US', 200],
    ['panel_info', 440],
    ['feature_set', 440],
    ['devices', 440],
    ['status', 404],
    ['alarms', 404],
    ['users', 404],
    ['apptype', 404],
  ] as const
  for (const [operation, status] of statuses) {
    // @spec 5.4
    it(`answers ${operation} to a user token with ${status}`, async () => {
      assert.equal((await caller.get(operation)).status, status)
    })
  }

  it('has no operation that opens a panel, and no list of versions', async () => {
    assert.equal((await caller.post('panel/login', {})).status, 404)
    assert.equal((await fetch(`${simulator.url}/rest_api/version`)).status, 404)
  })

  // @spec 4.8
  it('returns events of shape B', async () => {
    simulator.world.panel('A1B2C3').addEvents(1)
    const [event] = (await caller.get('events')).body
    assert.ok('delivery' in event && !('zone_name' in event))
  })
})
