import assert from 'node:assert/strict'
import { ConnectedPanel } from '../../harness/home-assistant/connected-panel.ts'
import { describeWithHomeAssistant } from '../../harness/home-assistant/home-assistant.ts'
import { packedPalette } from '../../harness/home-assistant/packed-palette.ts'

const everything = ['alarm_panel', 'zones', 'readings', 'events', 'diagnostics', 'bypass', 'siren']
const panelId = 'keyholder_A1B2C3'

/** The entities of the panel in Home Assistant: name, class, category, and off at first. */
const ofPanel: Record<string, string> = {
  '1': 'House',
  '2': 'Workshop',
  '3': 'Garage',
  ready_1: 'House Ready to arm',
  ready_2: 'Workshop Ready to arm',
  ready_3: 'Garage Ready to arm',
  triggered: 'In alarm, safety',
  memory: 'Alarm in memory, diagnostic',
  exit_until: 'End of the exit delay, timestamp',
  command: 'Command result, diagnostic',
  problem: 'Problem, problem, diagnostic',
  troubles: 'Number of problems, diagnostic',
  bypassed_zones: 'Bypassed zones, diagnostic',
  event: 'Event',
  last_event: 'Last event',
  armed_by: 'Last armed by',
  disarmed_by: 'Last disarmed by',
  online: 'Connection, connectivity, diagnostic',
  broadband: 'Broadband, connectivity, diagnostic',
  mobile: 'Mobile network, connectivity, diagnostic',
  age: 'Age of the data, duration, diagnostic',
  requests_left: 'Requests left, diagnostic, off at first',
  held_until: 'Paused until, timestamp, diagnostic',
  service_version: 'Service version, diagnostic, off at first',
  license_end: 'End of the license, diagnostic, off at first',
  refresh: 'Refresh, diagnostic',
  siren_on: 'Siren on, config, off at first',
  siren_off: 'Siren off, config, off at first',
}

const bypass = 'Bypass, config'
const temperature = 'Temperature, temperature'
const illuminance = 'Brightness, illuminance'

/** The same of a detector, by its name, besides what every zone has. A fire cannot be bypassed. */
const ofDetector: Record<string, Record<string, string>> = {
  'Front door': { open: 'door', bypass },
  'Kitchen window': { open: 'window', bypass },
  'Living room': { temperature, illuminance, bypass },
  Landing: { open: 'smoke', temperature },
  'Utility room': { open: 'moisture', bypass },
  'Winter garden': { bypass },
  Cellar: { open: 'heat', temperature, bypass },
}

/** The entities of every zone. */
const ofZone: Record<string, string> = {
  tamper: 'Tamper, tamper, diagnostic',
  battery: 'Battery, battery, diagnostic',
  problem: 'Problem, problem, diagnostic',
  soak: 'Test mode, diagnostic',
  signal: 'Signal strength, diagnostic, off at first',
}

describeWithHomeAssistant('A panel in a real Home Assistant', (home) => {
  let panel: ConnectedPanel

  const open = async (locale: string) => {
    const nodeRed = { palette: await packedPalette(), settings: { lang: 'en-US' } }
    const options = { allowCommands: true, locale }
    panel = await ConnectedPanel.open(home.broker, { entities: everything }, options, nodeRed)
  }
  const zone = (name: string, key: string) => {
    const device = panel.panel.devices.find(
      ({ name: own, traits }) => (own || traits.location?.name) === name,
    )
    return `${panelId}_d${device?.id}_${key}`
  }
  const key = (name: string) => `${panelId}_${name}`

  /** Returns name, class and category in Home Assistant of all entities that begin with a unique id. */
  const described = async (prefix: string) => {
    const entities = [...(await home.client.entities())].filter(([id]) => id.startsWith(prefix))
    const pairs = entities.map(([id, entity]) => {
      const shown = home.client.stateOf(entity.entity_id)
      const parts = [
        entity.original_name,
        shown?.attributes.device_class,
        entity.entity_category,
        entity.disabled_by === null ? null : 'off at first',
      ]
      return [id.slice(prefix.length), parts.filter((part) => part !== null && part !== undefined).join(', ')]
    })
    return Object.fromEntries(pairs)
  }

  before(async () => {
    await open('en_US')
    await home.client.untilShown(key('1'), 'disarmed')
    await home.client.untilShown(zone('Front door', 'open'), 'off')
  })
  after(() => panel?.close())

  it('has its entities with their names, classes and categories', async () => {
    const all = await described(`${panelId}_`)
    const own = Object.entries(all).filter(([id]) => !/^d\d/.test(id))
    assert.deepEqual(Object.fromEntries(own), ofPanel)
  })

  for (const [name, expected] of Object.entries(ofDetector))
    it(`has a device for ${name}, with its own entities and those of every zone`, async () => {
      assert.deepEqual(await described(zone(name, '')), { ...expected, ...ofZone })
    })

  it('is a device with the detectors behind it, each with its maker, model and room', async () => {
    const devices = await home.client.devices()
    const own = devices.get(panelId)
    assert.deepEqual([own?.name, own?.model, own?.manufacturer], ['House', 'Simulated 64', 'Keyholder'])
    assert.equal(devices.size, 17)
    for (const [id, device] of devices) if (id !== panelId) assert.equal(device.via_device_id, own?.id, id)
    const smoke = devices.get(zone('Landing', '').slice(0, -1))
    assert.deepEqual(
      [smoke?.name, smoke?.model, smoke?.manufacturer, smoke?.area_id],
      ['Landing', 'Smoke and heat', 'Keyholder', 'landing'],
    )
    const names = [...devices.values()].map((device) => device.name)
    for (const word of ['Siren 1', 'Keypad 1', 'Keys', 'Repeater 1']) assert.ok(names.includes(word), word)
  })

  it('shows what happens: an open door, smoke, tamper, a low battery, a bypass, a temperature', async () => {
    panel.panel.open(1)
    await home.client.untilShown(zone('Front door', 'open'), 'on')
    await home.client.untilShown(key('ready_1'), 'off')
    await home.client.until(async () => {
      const { attributes } = (await home.client.shown(key('ready_1'))) ?? {}
      return JSON.stringify(attributes?.open_zones) === '["Front door"]'
    }, 'the open zone')
    panel.panel.close(1)
    await home.client.untilShown(zone('Front door', 'open'), 'off')
    await home.client.untilShown(key('ready_1'), 'on')

    panel.panel.tamper(2)
    await home.client.untilShown(zone('Kitchen window', 'tamper'), 'on')
    await home.client.untilShown(key('troubles'), '1')
    await home.client.untilShown(key('problem'), 'on')
    panel.panel.restoreTamper(2)
    await home.client.untilShown(key('problem'), 'off')

    const cellar = panel.panel.devices.find(({ subtype }) => subtype === 'TEMPERATURE') ?? assert.fail()
    panel.panel.lowBattery(cellar.id)
    await home.client.untilShown(zone('Cellar', 'battery'), 'on')
    panel.panel.restoreBattery(cellar.id)
    panel.panel.measure(cellar.id, 'temperature', 9.5)
    await home.client.untilShown(zone('Cellar', 'temperature'), '9.5')

    panel.panel.bypass(2, true)
    await home.client.untilShown(zone('Kitchen window', 'bypass'), 'on')
    await home.client.untilShown(key('bypassed_zones'), 'on')
    panel.panel.bypass(2, false)
    await home.client.untilShown(key('bypassed_zones'), 'off')
  })

  it('shows a fire as an alarm, its zone, an event and who ended it', async () => {
    const smoke = panel.panel.devices.find(({ subtype }) => subtype === 'S_SMOKE_AND_HEAT') ?? assert.fail()
    panel.panel.open(smoke.device_number ?? 0)
    await home.client.untilShown(key('1'), 'triggered')
    await home.client.untilShown(zone('Landing', 'open'), 'on')
    const { attributes } = await home.client.untilShown(key('triggered'), 'on')
    assert.deepEqual(attributes.zones, ['Landing'])
    await home.client.until(
      async () => (await home.client.shown(key('event')))?.attributes.event_type === 'alarm',
      'the event of the alarm',
    )
    panel.panel.close(smoke.device_number ?? 0)
    panel.panel.disarm(1, { user: 'Anna' })
    await home.client.untilShown(key('1'), 'disarmed')
    await home.client.untilShown(key('disarmed_by'), 'Anna')
    await home.client.untilShown(key('triggered'), 'off')
  })

  it('is unavailable while the service does not reach it, except the connection, and shows each of its ways there', async () => {
    panel.panel.goOffline()
    await home.client.untilShown(key('1'), 'unavailable')
    await home.client.untilShown(zone('Front door', 'open'), 'unavailable')
    await home.client.untilShown(key('online'), 'off')
    panel.panel.goOnline()
    await home.client.untilShown(key('online'), 'on')
    panel.panel.setLines({ broadband: false, mobile: true })
    await home.client.untilShown(key('broadband'), 'off')
    await home.client.untilShown(key('mobile'), 'on')
    panel.panel.setLines({ broadband: true })
    await home.client.untilShown(key('broadband'), 'on')
    await home.client.untilShown(key('1'), 'disarmed')
  })

  it('has German names when the account is German; the ids of devices and entities stay', async () => {
    const before = await home.client.entities()
    await panel.close()
    await open('de_DE')
    await home.client.until(
      async () =>
        (await home.client.shown(key('ready_1')))?.attributes.friendly_name ===
        'House House Bereit zum Scharfschalten',
      'the German name',
    )
    await home.client.until(
      async () =>
        (await home.client.shown(zone('Front door', 'battery')))?.attributes.friendly_name ===
        'Front door Batterie',
      'the German name of a detector',
    )
    const after = await home.client.entities()
    const ids = (entities: typeof before) =>
      [...entities].map(([id, { entity_id }]) => [id, entity_id]).sort()
    assert.deepEqual(ids(after), ids(before))
  })

  it('leaves no warning and no error about it in the log of Home Assistant', () => {
    // An entry is a line that begins with a date, and the lines after it: what went wrong is in the last one.
    const entries = home.output.split(/\n(?=\d{4}-\d\d-\d\d )/)
    assert.deepEqual(
      entries.filter((entry) => /(WARNING|ERROR) .*mqtt/i.test(entry.split('\n')[0] ?? '')),
      [],
    )
  })
})
