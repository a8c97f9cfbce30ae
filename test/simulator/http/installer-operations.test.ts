import assert from 'node:assert/strict'
import { FakeClock } from '../../../harness/clock/fake-clock.ts'
import {
  type ApiClient,
  installerAt,
  signedIn,
  signedInAsInstaller,
} from '../../../harness/simulator/api-client.ts'
import { type Simulator, startSimulator } from '../../../src/simulator/simulator.ts'

const features =
  `interactive interactive/end_user_reporting interactive/installer_app interactive/user_app receiver
  receiver/central_stations receiver/receive_events resolve resolve/dls_api resolve/panel_configuration
  resolve/panel_diagnostic resolve/panel_event_log resolve/panel_labels resolve/panel_set_state
  resolve/remote_inspection resolve/reports resolve/software_upgrade resolve/virtual_keypad`.split(/\s+/)

describe('the installer service', () => {
  let simulator: Simulator

  beforeEach(async () => {
    simulator = await startSimulator({ clock: new FakeClock() })
  })

  afterEach(async () => {
    assert.deepEqual(simulator.defects, [])
    await simulator.close()
  })

  const signIn = (caller: ApiClient, fields: object) =>
    caller.post('auth', { email: simulator.email, password: simulator.password, ...fields })

  // @spec base-path
  it('has its own base path and versions', async () => {
    const caller = await signedInAsInstaller(simulator)
    const { body } = await caller.request('GET', '/rest_api/version')
    assert.deepEqual(body.installer_versions, ['8.0', '11.0'])
    assert.equal((await caller.request('GET', '/rest_api/installer/8.0/panels')).status, 200)
    assert.equal((await caller.request('GET', '/rest_api/installer/14.0/panels')).status, 404)
    assert.equal((await caller.request('GET', '/rest_api/11.0/panels')).status, 404)
  })

  // @spec 4.1
  it('reports the installer, the server and the license at the sign-in', async () => {
    const caller = await signedInAsInstaller(simulator)
    const { status, body } = await signIn(caller, { device_id: 'device', device_info: 'test' })
    assert.equal(status, 200)
    assert.deepEqual(Object.keys(body), ['user_token', 'info', 'server', 'license'])
    assert.deepEqual(Object.keys(body.info), ['name', 'email', 'phone'])
    assert.deepEqual(Object.keys(body.server), [
      'installer_allowed_to_remove_panels',
      'virtual_panel_support',
    ])
    assert.deepEqual(Object.keys(body.license), ['name', 'hmac', 'valid', 'features', 'limits'])
  })

  it('reports every feature and limit of a valid license, dated with an offset', async () => {
    const caller = await signedInAsInstaller(simulator)
    const { license } = (await signIn(caller, { device_id: 'device', device_info: 'test' })).body
    assert.deepEqual(
      license.features.map(({ feature }: { feature: string }) => feature),
      features,
    )
    assert.deepEqual(
      license.limits.map(({ limit }: { limit: string }) => limit),
      ['central_station_num', 'panels', 'panels_dual_path', 'panels_neo'],
    )
    const { not_before, not_after } = license.valid
    for (const date of [not_before, not_after])
      assert.match(date, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+\d\d:\d\d$/)
    const now = Date.UTC(2026, 10, 20)
    assert.ok(Date.parse(not_before) < now && now < Date.parse(not_after))
  })

  // @spec 4.1
  it('names every missing field of a sign-in', async () => {
    const caller = await signedInAsInstaller(simulator)
    const { status, body } = await signIn(caller, { app_id: 'app' })
    assert.equal(status, 400)
    assert.deepEqual(body.extras, [
      { key: 'device_id', value: 'required' },
      { key: 'device_info', value: 'required' },
    ])
  })

  it('answers a wrong password like the end-user service', async () => {
    const caller = await signedInAsInstaller(simulator)
    const { status, body } = await signIn(caller, { password: 'no', device_id: 'd', device_info: 'i' })
    assert.equal(status, 400)
    assert.equal(body.error_reason_code, 'WrongCombination')
  })

  it('opens a panel with the installer code, but not with a user code', async () => {
    const caller = await installerAt(simulator, '012345')
    assert.equal((await caller.get('panel_info')).body.serial, '012345')
    const login = { panel_serial: '012345', app_id: 'device' }
    const wrong = await caller.post('panel/login', { ...login, installer_code: simulator.userCode })
    assert.equal(wrong.status, 400)
    assert.equal(wrong.body.error_reason_code, 'WrongUserCode')
    const { body } = await caller.post('panel/login', { ...login, user_code: simulator.userCode })
    assert.deepEqual(body.extras, [{ key: 'installer_code', value: 'required' }])
  })

  it('does not share tokens with the end-user service', async () => {
    const installer = await installerAt(simulator)
    const user = await signedIn(simulator)
    assert.equal((await installer.request('GET', '/rest_api/14.0/status')).status, 401)
    assert.equal((await user.request('GET', '/rest_api/installer/11.0/status')).status, 401)
  })
})

describe('the responses of the installer service', () => {
  let simulator: Simulator
  let caller: ApiClient

  beforeEach(async () => {
    simulator = await startSimulator({ clock: new FakeClock() })
    caller = await installerAt(simulator)
  })

  afterEach(async () => {
    assert.deepEqual(simulator.defects, [])
    await simulator.close()
  })

  it('list panels with serial, alias and type', async () => {
    const { body } = await caller.get('panels')
    assert.equal(body.length, 2)
    assert.deepEqual(Object.keys(body[0]), ['panel_serial', 'alias', 'type'])
  })

  it('have another name for exit delays in panel_info, and null for an empty list', async () => {
    const { body } = await caller.get('panel_info')
    assert.deepEqual(
      body.partitions.map(({ id, exit_delay }: { id: number; exit_delay: number }) => [id, exit_delay]),
      [
        [-1, 20],
        [1, 20],
        [2, 20],
        [3, 20],
      ],
    )
    assert.equal(body.current_user, 'INSTALLER')
    assert.equal(body.state_sets.default, null)
    assert.deepEqual(body.state_sets.all.at(-1), {
      name: 'PROGRAMMING',
      settable: false,
      options: null,
      statuses: null,
      transitions: null,
    })
  })

  it('contain the whole feature set, plus features for installers', async () => {
    const user = await signedIn(simulator)
    const { body } = await caller.get('feature_set')
    for (const member of Object.keys((await user.get('feature_set')).body)) assert.ok(member in body, member)
    assert.deepEqual(body.remote_inspections, { is_enabled: true })
  })

  it('list the transports next to the partitions in status', async () => {
    simulator.world.panel('A1B2C3').goOffline()
    const { body } = await caller.get('status')
    assert.deepEqual(body.bba, { connected: false, state: 'offline' })
    assert.equal(body.gprs, null)
    assert.equal(body.last_discovery, '2026-11-20T12:00:00Z')
    assert.equal(body.partitions.length, 3)
    assert.ok(!('connected' in body))
  })

  it('contain an empty list without warnings, the firmware, and a repeater only if there is one', async () => {
    const panel = simulator.world.panel('A1B2C3')
    panel.open(2)
    const { body } = await caller.get('devices')
    const [control, , door, window] = body
    assert.deepEqual(control.warnings, [])
    assert.ok(control.traits.firmware.version)
    assert.ok(!('repeater' in door.traits.rssi))
    assert.equal(window.traits.rssi.repeater, 1)
    assert.equal(window.warnings[0].type, 'OPENED')
    panel.goOffline()
    for (const device of (await caller.get('devices')).body) assert.deepEqual(device.traits, {})
  })

  // @spec 4.8, 6.2
  it('contain events in shape B, with a name and the result of forwarding', async () => {
    const panel = simulator.world.panel('A1B2C3')
    panel.arm(1, 'HOME', { exitDelay: 0 })
    panel.open(2)
    const [armed, alarm] = (await caller.get('events')).body
    assert.deepEqual(alarm, {
      event: panel.events[1]?.event,
      type_id: 2,
      label: 'BURGLER',
      description: 'Perimeter Alarm',
      appointment: 'Kitchen window',
      datetime: '2026-11-20 12:00:00',
      video: false,
      device_type: 'ZONE',
      zone: 2,
      partitions: [1],
      name: 'Kitchen window',
      delivery: { queue: 0, success: 2, failed: 0, retry: 0, processing: 0 },
    })
    assert.equal(armed.delivery.success, 1)
    panel.disarm(1)
  })

  it('number the users and name them', async () => {
    const { body } = await caller.get('users')
    assert.deepEqual(body.user_names, { 1: 'Anna', 2: 'Ben', 3: 'Chiara', 4: 'Dmitri' })
  })

  it('have no alarms', async () => {
    assert.equal((await caller.get('alarms')).status, 404)
  })
})

describe('the installer service without event ids', () => {
  it('reports 0 for each event, while the end-user service reports the ids', async () => {
    const simulator = await startSimulator({ installerEventIds: 'zero' })
    simulator.world.panels[0]?.addEvents(2)
    const seen = (await (await installerAt(simulator)).get('events')).body
    assert.deepEqual(
      seen.map(({ event }: { event: number }) => event),
      [0, 0],
    )
    assert.notEqual((await (await signedIn(simulator)).get('events')).body[0].event, 0)
    await simulator.close()
  })
})
