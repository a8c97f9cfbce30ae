import assert from 'node:assert/strict'
import { FakeClock } from '../../../harness/clock/fake-clock.ts'
import { type ApiClient, signedIn } from '../../../harness/simulator/api-client.ts'
import { type Simulator, startSimulator } from '../../../src/simulator/simulator.ts'

describe('the responses of the end-user service', () => {
  let simulator: Simulator
  let home: ApiClient
  let cottage: ApiClient

  before(async () => {
    simulator = await startSimulator({ clock: new FakeClock(), versions: ['8.0', '10.0', '14.0'] })
    home = await signedIn(simulator, simulator.serials[0])
    cottage = await signedIn(simulator, simulator.serials[1])
  })

  after(async () => {
    assert.deepEqual(simulator.defects, [])
    await simulator.close()
  })

  // @spec 4.3
  it('list a serial with letters and one of digits with a leading zero', async () => {
    const { body } = await home.get('panels')
    assert.deepEqual(
      body.map((panel: { panel_serial: string }) => panel.panel_serial),
      ['A1B2C3', '012345'],
    )
    assert.deepEqual(Object.keys(body[0]), [
      'panel_serial',
      'alias',
      'role',
      'customization',
      'panel_model',
      'type',
    ])
    assert.equal(body[0].role, 'MASTER_USER')
  })

  it('omit the fields that older versions did not have', async () => {
    const old = await signedIn(simulator, 'A1B2C3', '8.0')
    simulator.world.panel('A1B2C3').addEvents(1)
    const [event] = (await old.get('events')).body
    assert.equal(event.name, 'Anna')
    assert.ok(!('zone_name' in event))
    assert.deepEqual(Object.keys((await old.get('panels')).body[0]), ['panel_serial', 'alias', 'role'])
    simulator.world.panel('A1B2C3').clearEvents()
  })

  // @spec 3
  it('list the arming states with their transitions in panel_info', async () => {
    const { body } = await home.get('panel_info')
    assert.deepEqual(Object.keys(body), [
      'serial',
      'model',
      'manufacturer',
      'current_user',
      'state_sets',
      'partitions',
      'bypass_mode',
      'local_wakeup_needed',
      'remote_switch_to_programming_mode_requires_user_acceptance',
      'features',
    ])
    assert.deepEqual(
      body.state_sets.all.map((state: { name: string; settable: boolean; transitions: string[] }) => [
        state.name,
        state.settable,
        state.transitions.join(),
      ]),
      [
        ['AWAY', true, 'DISARM,HOME'],
        ['HOME', true, 'DISARM,AWAY'],
        ['DISARM', true, 'DISARM,AWAY,HOME'],
        ['ENTRY_DELAY', false, 'DISARM'],
        ['PROGRAMMING', false, ''],
      ],
    )
  })

  // @spec 4.4
  it('list -1 before the partitions in panel_info, and only the partitions in status', async () => {
    const ids = (list: { id: number }[]) => list.map(({ id }) => id)
    const info = (await home.get('panel_info')).body
    assert.deepEqual(ids(info.partitions), [-1, 1, 2, 3])
    assert.equal(info.partitions[0].name, 'ALL')
    assert.deepEqual(ids((await home.get('status')).body.partitions), [1, 2, 3])
    assert.deepEqual(ids((await cottage.get('panel_info')).body.partitions), [-1])
    assert.deepEqual(ids((await cottage.get('status')).body.partitions), [-1])
  })

  it('report the status in the format that clients read', async () => {
    assert.deepEqual((await cottage.get('status')).body, {
      connected: true,
      connected_status: {
        bba: { is_connected: true, state: 'online' },
        gprs: { is_connected: false, state: null },
      },
      discovery: { completed: true, stages: 11, in_queue: 0, triggered: null },
      partitions: [{ id: -1, state: 'DISARM', status: '', ready: true, options: [] }],
      rssi: { level: 'ok', network: 'Unknown' },
    })
  })

  // @spec 4.6
  it('describe every device with the thirteen fields of the specification', async () => {
    const members = `device_number device_type enrollment_id id name partitions preenroll removable renamable
      subtype traits warnings zone_type`.split(/\s+/)
    for (const caller of [home, cottage]) {
      for (const device of (await caller.get('devices')).body) {
        assert.deepEqual(Object.keys(device).sort(), members)
        assert.equal(device.warnings, null)
      }
    }
  })

  it('number devices within their type and give each a unique id', async () => {
    const devices = [...(await home.get('devices')).body, ...(await cottage.get('devices')).body]
    assert.equal(new Set(devices.map(({ id }) => id)).size, devices.length)
    const zones = (await home.get('devices')).body.filter(
      (device: { device_type: string }) => device.device_type === 'ZONE',
    )
    assert.deepEqual(
      zones.map((zone: { device_number: number }) => zone.device_number),
      zones.map((_: unknown, index: number) => index + 1),
    )
  })

  // @spec 2.10
  it('contain traits in the combinations of the specification', async () => {
    const devices: { device_type: string; subtype: string; traits: object; enrollment_id: string | null }[] =
      (await home.get('devices')).body
    const traits = (subtype: string) =>
      Object.keys(devices.find((device) => device.subtype === subtype)?.traits ?? { none: true }).join()
    assert.equal(traits('CONTACT_V'), 'rssi,location,bypass,soak,rarely_used')
    assert.equal(traits('FLAT_PIR_SMART'), 'rssi,location,bypass,soak,rarely_used,meteo_info')
    assert.equal(traits('S_SMOKE_AND_HEAT'), 'rssi,location,soak,rarely_used,meteo_info')
    assert.equal(traits('GLASS_BREAK'), 'rssi,location,bypass,soak')
    assert.equal(traits('VENDORA_PANEL'), '')
    assert.equal(traits('KEYFOB_ARM_LED'), 'owner')
    assert.equal(traits('PGM_ON_PANEL'), 'location,parent')
    const enrollment = (type: string) => devices.find((one) => one.device_type === type)?.enrollment_id
    assert.equal(enrollment('CONTROL_PANEL'), null)
    assert.match(enrollment('ZONE') ?? '', /^\d{3}-\d{4}$/)
  })

  it('include a subtype that is in no list of subtypes', async () => {
    const known = (await home.get('feature_set')).body.devices.devices.map(
      (type: { name: string }) => type.name,
    )
    assert.equal(known.length, 55)
    const unknown = (await home.get('devices')).body.filter(
      (device: { subtype: string }) => !known.includes(device.subtype),
    )
    assert.deepEqual(
      unknown.map((device: { subtype: string }) => device.subtype),
      ['RADAR_MOTION'],
    )
  })

  it('date the radio survey long ago, and measurements without a time zone', async () => {
    const devices: { traits: { rssi?: { last_updated: string }; meteo_info?: { temperature: object } } }[] = (
      await home.get('devices')
    ).body
    const surveys = new Set(devices.flatMap(({ traits }) => (traits.rssi ? [traits.rssi.last_updated] : [])))
    assert.deepEqual([...surveys], ['2026-03-14 09:26:53'])
    const measured = devices.find(({ traits }) => traits.meteo_info)
    assert.deepEqual(measured?.traits.meteo_info?.temperature, { date: '2026-11-20T11:00:00', value: 20.5 })
  })

  // @spec 2.7
  it('contain every field of the feature set', async () => {
    const { body } = await home.get('feature_set')
    assert.deepEqual(
      Object.keys(body),
      `events datetime partitions sirens devices home_automation_devices state faults diagnostic wifi locations
       user emergency`.split(/\s+/),
    )
    assert.equal(body.devices.zone_types.length, 25)
    assert.equal(body.partitions.is_enabled, true)
    assert.equal((await cottage.get('feature_set')).body.partitions.is_enabled, false)
    assert.deepEqual(body.devices.devices[0], {
      enrollment_prefix: '300',
      name: 'BASIC_KEYFOB',
      enroll: true,
      removing: true,
      partitions_required: false,
      users_required: false,
      is_zone_type_applicable: false,
    })
  })

  // @spec 4.11
  it('list the event catalogue in groups, with prefixed labels', async () => {
    const { body } = await home.get('had/rules/event-profiles/en_US')
    assert.equal(body[0].profile.id, 'EP_ALERT')
    const alarm = body.find((group: { profile: { id: string } }) => group.profile.id === 'EP_ALARM')
    assert.deepEqual(alarm.events[0], {
      description: 'Interior Alarm',
      description_original: 'Interior Alarm',
      description_placeholder_arguments: [],
      code_vis: '1',
      code_cid: '1132',
      code_sia: 'NBA',
      type_id: 1,
      label: 'EL_BURGLER',
      label_description: 'EL_BURGLER',
    })
  })

  // @spec 4.11, unknown-locale
  it('translate the catalogue, and refuse an unsupported locale', async () => {
    const german = (await home.get('had/rules/event-profiles/de_DE')).body
    const alarm = german.find((group: { profile: { id: string } }) => group.profile.id === 'EP_ALARM')
    assert.equal(alarm.events[0].description, 'Innenraumalarm')
    assert.equal(alarm.events[0].description_original, 'Interior Alarm')
    for (const locale of ['xx_XX', '__proto__', 'constructor']) {
      const { status, body } = await home.get(`had/rules/event-profiles/${locale}`)
      assert.equal(status, 400)
      assert.deepEqual(body.extras, [{ key: 'locale', value: 'incorrect' }])
    }
  })
})

/** The words that are German as well as English, and names of modules. */
const inBothLanguages = [
  'alarm',
  'bba',
  'co',
  'exp33',
  'gas',
  'gprs',
  'gsm',
  'offline',
  'online',
  'plink',
  'repeater',
  'system',
  'test',
  'zone',
]

interface Texts {
  description: string
  description_original: string
}

const wordsOf = (text: string) => text.toLowerCase().match(/[\p{L}\d]{2,}/gu) ?? []

describe('the German texts of the simulator', () => {
  let simulator: Simulator
  let home: ApiClient

  before(async () => {
    simulator = await startSimulator({ clock: new FakeClock() })
    home = await signedIn(simulator)
  })

  after(() => simulator.close())

  it('exist for all groups and types of events, and have no English word', async () => {
    const groups: { profile: Texts; events: Texts[] }[] = (await home.get('had/rules/event-profiles/de_DE'))
      .body
    const texts = groups.flatMap(({ profile, events }) => [profile, ...events])
    assert.ok(texts.length > 190)
    const english = new Set(texts.flatMap(({ description_original }) => wordsOf(description_original)))
    const shared = texts
      .flatMap(({ description }) => wordsOf(description))
      .filter((word) => english.has(word))
    assert.deepEqual([...new Set(shared)].toSorted(), inBothLanguages)
    const untranslated = texts.filter((text) => text.description === text.description_original)
    assert.deepEqual(
      untranslated.map(({ description }) => description),
      ['Alarm', 'Online', 'Offline'],
    )
  })

  it('are those of the events and the log of the panel, once its service is German', async () => {
    const panel = simulator.world.panel('A1B2C3')
    panel.log({ type_id: 86 })
    panel.log({ type_id: 86, description: 'Everybody has left' })
    const last = async (operation: string) =>
      (await home.get(operation)).body.map(({ description }: Texts) => description)
    assert.deepEqual((await last('events')).slice(-2), ['Arm Away', 'Everybody has left'])
    simulator.setLocale('de_DE')
    assert.deepEqual((await last('events')).slice(-2), ['Extern scharf', 'Everybody has left'])
    const log = await last('standard_log')
    assert.ok(log.includes('Extern scharf') && log.includes('System zurückgesetzt'))
    simulator.setLocale('xx_XX')
    assert.ok((await last('standard_log')).includes('System Reset'))
  })
})

describe('the options of the simulator', () => {
  it('sort events newest first', async () => {
    const simulator = await startSimulator({ eventOrder: 'newest-first' })
    simulator.world.panels[0]?.addEvents(3)
    const { body } = await (await signedIn(simulator)).get('events')
    assert.ok(body[0].event > body[1].event && body[1].event > body[2].event)
    await simulator.close()
  })

  it('remove operations, which then answer with 404 in JSON', async () => {
    const simulator = await startSimulator({ missingOperations: ['status', 'alarms'] })
    const caller = await signedIn(simulator)
    for (const lacking of ['status', 'alarms', 'never_heard_of']) {
      const { status, body } = await caller.get(lacking)
      assert.equal(status, 404)
      assert.equal(body.error, 404)
    }
    assert.equal((await caller.get('events')).status, 200)
    await simulator.close()
  })

  it('limit the versions; others answer with a web page', async () => {
    const simulator = await startSimulator({ versions: ['14.0'] })
    const caller = await signedIn(simulator)
    const { status, headers, body } = await caller.request('GET', '/rest_api/10.0/panels')
    assert.equal(status, 404)
    assert.match(headers.get('content-type') ?? '', /^text\/html/)
    assert.match(body, /^<!DOCTYPE html>/)
    await simulator.close()
  })

  it('set the number of panels, each with a unique serial', async () => {
    const simulator = await startSimulator({ panels: 7 })
    assert.equal(new Set(simulator.serials).size, 7)
    assert.equal((await (await signedIn(simulator)).get('panels')).body.length, 7)
    await simulator.close()
  })
})
