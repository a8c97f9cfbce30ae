import assert from 'node:assert/strict'
import { FakeClock } from '../../../harness/clock/fake-clock.ts'
import {
  ApiClient,
  installerAt,
  signedIn,
  signedInAsInstaller,
} from '../../../harness/simulator/api-client.ts'
import { type Simulator, startSimulator } from '../../../src/simulator/simulator.ts'

type Needs = 'nothing' | 'user token' | 'both tokens'

/**
 * The tokens that each read needs in the two services (interface specification 4 and 5, the rest are field
 * facts).
 */
const endUser: [operation: string, needs: Needs][] = [
  ['apptype', 'nothing'],
  ['panels', 'user token'],
  ['panel_access_info?panel_web_name=A1B2C3', 'user token'],
  ['standard_log', 'user token'],
  ['rri_results', 'user token'],
  ['configuration_list', 'user token'],
  ['had/rules/event-profiles/en_US', 'user token'],
  ['panel_info', 'both tokens'],
  ['feature_set', 'both tokens'],
  ['devices', 'both tokens'],
  ['events', 'both tokens'],
  ['status', 'both tokens'],
  ['alarms', 'both tokens'],
  ['alerts', 'both tokens'],
  ['troubles', 'both tokens'],
  ['locations', 'both tokens'],
  ['users', 'both tokens'],
]
const installer: typeof endUser = [
  ['apptype', 'nothing'],
  ['panels', 'user token'],
  ['standard_log', 'user token'],
  ['events', 'user token'],
  ['rri_results', 'user token'],
  ['configuration_list', 'user token'],
  ['had/rules/event-profiles/en_US', 'user token'],
  ['panel_info', 'both tokens'],
  ['feature_set', 'both tokens'],
  ['devices', 'both tokens'],
  ['status', 'both tokens'],
  ['users', 'both tokens'],
]

/** The statuses without token, with a user token, and with both, while a session is open. */
const statuses: Record<Needs, number[]> = {
  nothing: [200, 200, 200],
  'user token': [401, 200, 200],
  'both tokens': [401, 440, 200],
}

describe('the tokens of the simulator', () => {
  let simulator: Simulator

  before(async () => {
    simulator = await startSimulator({ clock: new FakeClock() })
  })

  after(async () => {
    assert.deepEqual(simulator.defects, [])
    await simulator.close()
  })

  for (const [service, table, version] of [
    ['end-user', endUser, '14.0'],
    ['installer', installer, 'installer/11.0'],
  ] as const) {
    for (const [operation, needs] of table) {
      // @spec 5.2, 5.3, 5.5, token-headers
      it(`are checked at ${operation} of the ${service} service: ${needs}`, async () => {
        const caller = service === 'installer' ? await installerAt(simulator) : await signedIn(simulator)
        const withUserToken = new ApiClient(simulator, version)
        withUserToken.userToken = caller.userToken
        const asked = [new ApiClient(simulator, version), withUserToken, caller]
        const replies = await Promise.all(asked.map((one) => one.get(operation)))
        assert.deepEqual(
          replies.map(({ status }) => status),
          statuses[needs],
        )
      })
    }
  }

  const commands = `set_state set_bypass_zone activate_siren disable_siren`.split(' ')
  for (const operation of commands) {
    it(`are both required at ${operation}`, async () => {
      const caller = await signedIn(simulator)
      caller.sessionToken = ''
      assert.equal((await caller.post(operation, {})).status, 440)
      caller.userToken = ''
      assert.equal((await caller.post(operation, {})).status, 401)
    })
  }
})

describe('a panel operation without a session token', () => {
  let simulator: Simulator

  afterEach(() => simulator.close())

  const start = async (panels: number) => {
    simulator = await startSimulator({ clock: new FakeClock(), panels })
    for (const [index, panel] of simulator.world.panels.entries()) panel.addEvents(index + 1)
    return signedInAsInstaller(simulator)
  }
  const open = async (caller: ApiClient, serial: string | undefined) => {
    const { installerCode } = simulator
    const login = { panel_serial: serial, installer_code: installerCode, app_id: 'device' }
    return (await caller.post('panel/login', login)).body.session_token
  }

  // @spec 5.4
  it('uses the only panel of the account', async () => {
    const caller = await start(1)
    assert.equal((await caller.get('events')).body.length, 1)
  })

  it('is refused like an expired session if several panels are possible', async () => {
    const caller = await start(2)
    assert.equal((await caller.get('events')).status, 440)
  })

  it('uses the only panel that the user token has opened', async () => {
    const caller = await start(3)
    await open(caller, simulator.serials[1])
    await open(caller, simulator.serials[1])
    await open(await signedInAsInstaller(simulator), simulator.serials[2])
    assert.equal((await caller.get('events')).body.length, 2)
    await open(caller, simulator.serials[2])
    assert.equal((await caller.get('events')).status, 440)
  })

  // @spec 5.4
  it('uses the panel of a session token, and is refused if that has expired', async () => {
    const caller = await start(2)
    await open(caller, simulator.serials[0])
    caller.sessionToken = await open(caller, simulator.serials[1])
    assert.equal((await caller.get('events')).body.length, 2)
    caller.sessionToken = 'gone'
    assert.equal((await caller.get('events')).status, 440)
  })
})
