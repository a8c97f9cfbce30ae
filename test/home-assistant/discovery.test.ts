import assert from 'node:assert/strict'
import { announcementFaults } from '../../harness/home-assistant/platform-schemas.ts'
import { everyDevice, setupOf, warningOf, zoneOf } from '../../harness/home-assistant/setups.ts'
import { renderCommand, renderValue } from '../../harness/home-assistant/templates.ts'
import { Entities, type PanelFacts } from '../../src/home-assistant/announced-entities.ts'
import { diagnosticState } from '../../src/home-assistant/entities/diagnostics.ts'
import type { Manifest } from '../../src/home-assistant/manifest/manifest.ts'
import type { Setup } from '../../src/home-assistant/setup.ts'
import type { PartitionState } from '../../src/panel/state/partition-state.ts'
import type { Device } from '../../src/service/responses/devices.ts'

const partition = (id: number, changes: Partial<PartitionState> = {}): PartitionState => ({
  id,
  name: `Part ${id}`,
  active: true,
  changedBy: null,
  value: 'DISARM',
  status: '',
  ready: true,
  options: [],
  settable: [],
  isArmed: false,
  night: null,
  exitDelay: 30,
  exitUntil: null,
  alarms: [],
  inferred: false,
  ...changes,
})

const unknownAccount = {
  apiVersion: undefined,
  heldUntil: undefined,
  license: undefined,
  budget: { limit: 30, usedLastMinute: 4, waiting: 0, wanted: 6, usedToday: 900 },
}

const facts = (changes: Partial<PanelFacts> = {}): PanelFacts => ({
  identity: { title: 'Our house', model: '', manufacturer: '' },
  state: { online: true, partitions: [partition(1), partition(2, { value: 'SOMETHING', ready: null })] },
  devices: everyDevice,
  available: true,
  areDevicesCurrent: true,
  diagnostics: diagnosticState(
    { online: true, age: undefined, validFor: 1, account: unknownAccount },
    undefined,
  ),
  now: 0,
  wall: 0,
  timeZone: 'UTC',
  ...changes,
})

const partitions = [
  { id: 1, name: 'Part 1' },
  { id: 2, name: '' },
]

/** Returns the announcements and the states of a panel with all kinds of devices. */
function published(setup: Setup, known = facts()) {
  const entities = new Entities(setup)
  const announced = entities.announced(known, partitions, {})
  return {
    announced,
    configs: announced.flatMap(({ publications }) => publications),
    states: entities.states(known, announced),
  }
}

const setups: Record<string, Setup> = {
  'as devices, with commands': setupOf(),
  'as devices, with a code': setupOf({ code: 'remote' }),
  'as devices, without commands': setupOf({ allowsCommands: false }),
  'one by one, with commands': setupOf({ form: 'single' }),
  'one by one, without commands': setupOf({ form: 'single', allowsCommands: false }),
}

describe('The announcements for Home Assistant', () => {
  for (const [title, setup] of Object.entries(setups)) {
    it(`have the keys, device classes and units that Home Assistant documents, ${title}`, () => {
      const { configs } = published(setup)
      assert.ok(configs.length > 50)
      for (const { topic, payload } of configs)
        assert.deepEqual(announcementFaults(topic, payload), [], topic)
    })

    it(`lack no value that Home Assistant adds only after it has loaded a platform, ${title}`, () => {
      for (const { topic, payload } of published(setup).configs) {
        const { device, components = {}, ...shared } = JSON.parse(payload)
        assert.deepEqual(device.connections, [], topic)
        const places = [shared, ...(Object.values(components) as (typeof shared)[])]
        for (const place of places.flatMap(({ availability = [] }) => availability))
          assert.deepEqual(
            [place.payload_available, place.payload_not_available],
            ['online', 'offline'],
            topic,
          )
      }
    })

    it(`have templates that find their value in the states, ${title}`, () => {
      const { announced, states } = published(setup)
      let count = 0
      for (const { config, platform } of announced.flatMap((one) => one.announced.components)) {
        const { state_topic: topic, value_template: template } = config as Record<string, string>
        const payload = topic === undefined ? undefined : states.get(topic)
        if (template === undefined || payload === undefined) continue
        count += 1
        const value = renderValue(template, payload)
        if (platform === 'binary_sensor' || platform === 'switch') assert.match(value, /^(ON|OFF|None)$/)
        if (config.state_class !== undefined) assert.match(value, /^(-?\d+(\.\d+)?|None)$/)
        const attributes = config.json_attributes_template as string | undefined
        if (attributes !== undefined)
          assert.equal(typeof JSON.parse(renderValue(attributes, payload)), 'object', attributes)
      }
      assert.ok(count > 200, `${count}`)
    })
  }

  it('name no topic for commands where flows may send none, and then a sensor in the place of each alarm panel', () => {
    const { configs } = published(setupOf({ allowsCommands: false }))
    for (const { payload } of configs) assert.doesNotMatch(payload, /command_topic|alarm_control_panel/)
    const panel = JSON.parse(configs[0]?.payload ?? '')
    assert.equal(panel.components.state_1.device_class, 'enum')
    assert.equal(panel.components.state_1.unique_id, 'keyholder_A1B2C3_1')
  })

  it('offer the night where the panel has it, and HOME without entry delay as night only if the node is set so', () => {
    const featuresOf = (instantNight: boolean, night: PartitionState['night']) => {
      const state = { online: true, partitions: [partition(1, { night })] }
      const known = facts({ state })
      const named = [{ id: 1, name: '', night }]
      const [panel] = new Entities(setupOf({ instantNight })).announced(known, named, {})
      const { config } = panel?.announced.components.find(({ key }) => key === 'partition_1') ?? assert.fail()
      return config.supported_features
    }
    for (const instantNight of [true, false]) {
      assert.deepEqual(featuresOf(instantNight, 'NIGHT'), ['arm_away', 'arm_home', 'arm_night'])
      assert.deepEqual(featuresOf(instantNight, null), ['arm_away', 'arm_home'])
    }
    assert.deepEqual(featuresOf(true, 'HOME'), ['arm_away', 'arm_home', 'arm_night'])
    assert.deepEqual(featuresOf(false, 'HOME'), ['arm_away', 'arm_home'])
    assert.ok(
      JSON.stringify(published(setupOf({ openZones: 'bypass' })).configs).includes('arm_custom_bypass'),
    )
    assert.ok(!JSON.stringify(published(setupOf()).configs).includes('arm_custom_bypass'))
  })

  it('let no voice, area or scene bypass a zone or sound the siren', () => {
    const { announced } = published(setupOf())
    const controls = announced.flatMap(({ announced: { components } }) =>
      components.filter(({ platform, key }) => platform === 'switch' || key.startsWith('siren')),
    )
    assert.ok(controls.length > 50)
    for (const { config } of controls) assert.equal(config.entity_category, 'config')
  })

  it('tell the room, the maker and a readable model of each device, and a word for one without a name', () => {
    const identity = { title: 'Home', model: 'PowerMaster', manufacturer: 'Visonic' }
    const nameless = { name: '', traits: { ...zoneOf(1).traits, location: null } }
    const devices = [
      zoneOf(1, { subtype: 'FLAT_PIR_SMART' }),
      zoneOf(2, { subtype: 'S_CO_SENSOR', device_type: 'WL_SIREN', device_number: 7, ...nameless }),
    ]
    const nameOf: Setup['nameOf'] = (text, values) => [text, values?.id].join(' ').trim()
    const [, motion, siren] = published(setupOf({ nameOf }), facts({ identity, devices })).announced
    const { device } = motion?.announced ?? assert.fail()
    assert.deepEqual(
      [device.name, device.suggested_area, device.manufacturer, device.model, device.model_id],
      ['Zone 1', 'Hall', 'Visonic', 'Flat PIR smart', 'FLAT_PIR_SMART'],
    )
    const other = siren?.announced.device ?? assert.fail()
    assert.deepEqual([other.name, other.model, other.suggested_area], ['siren 7', 'CO sensor', undefined])
  })

  it('have no entity of a device that has not joined the panel, and count none of its problems', () => {
    const entered = zoneOf(1, { preenroll: true, warnings: [warningOf('INACTIVE')] })
    const { announced, states } = published(setupOf(), facts({ devices: [entered] }))
    assert.deepEqual(
      announced.map(({ announced: { object } }) => object),
      ['panel'],
    )
    assert.equal(JSON.parse(states.get('keyholder/A1B2C3/panel/state') ?? '').troubles, 0)
  })

  it('propose entity ids with the name of the panel, so that two panels can have a front door each', () => {
    const of = (title: string) => {
      const identity = { title, model: '', manufacturer: '' }
      const [, door] = published(
        setupOf(),
        facts({ identity, devices: [zoneOf(1, { name: 'Front door' })] }),
      ).announced
      return door?.announced.components[0]?.config.default_entity_id
    }
    assert.equal(of('Home'), 'binary_sensor.home_front_door_open')
    assert.equal(of('Shop'), 'binary_sensor.shop_front_door_open')
  })

  it('make what is read from the devices unavailable by a topic of its own', () => {
    const topic = 'keyholder/A1B2C3/devices/availability'
    for (const setup of Object.values(setups)) {
      const { configs, states, announced } = published(setup, facts({ areDevicesCurrent: false }))
      assert.equal(states.get(topic), 'offline')
      assert.equal(states.get('keyholder/A1B2C3/availability'), 'online')
      const ofPanel = configs.filter(({ payload }) => !payload.includes('via_device'))
      const ofDetectors = configs.filter(({ payload }) => payload.includes('via_device'))
      for (const { payload } of ofDetectors)
        assert.ok(
          JSON.parse(payload).availability.some((one: { topic: string }) => one.topic === topic),
          payload,
        )
      const panel = announced[0]?.announced ?? assert.fail()
      const needing = panel.components.filter(({ config }) => JSON.stringify(config).includes(topic))
      assert.deepEqual(
        needing.map(({ key }) => key),
        ['problem', 'troubles', 'bypassed_zones'],
      )
      assert.ok(ofPanel.length > 0)
    }
    const { states } = published(setupOf({ groups: new Set(['alarm_panel', 'events'] as const) }))
    assert.equal(states.get(topic), undefined)
  })

  it('hand the typed code over if the user code is asked for', () => {
    const { configs } = published(setupOf({ code: 'remote' }))
    const { code, command_template } = JSON.parse(configs[0]?.payload ?? '').components.partition_1
    assert.equal(code, 'REMOTE_CODE')
    const sent = renderCommand(command_template, { action: 'ARM_AWAY', code: '0123' })
    assert.deepEqual(JSON.parse(sent), { action: 'ARM_AWAY', code: '0123' })
  })

  it('have unique ids that begin with the serial, all different', () => {
    const { announced } = published(setupOf())
    const ids = announced.flatMap((one) => one.announced.components.map(({ id }) => id))
    assert.ok(ids.every((id) => id.startsWith('keyholder_A1B2C3_')))
    assert.equal(new Set(ids).size, ids.length)
  })

  it('join each device to the panel, and the panel to nothing', () => {
    const [panel, ...others] = published(setupOf()).announced.map((one) => one.announced.device)
    assert.deepEqual(panel?.identifiers, ['keyholder_A1B2C3'])
    assert.ok(!('via_device' in (panel ?? {})))
    assert.ok(others.length > 0 && others.every(({ via_device }) => via_device === 'keyholder_A1B2C3'))
  })

  it('are built again only for a device that has changed', () => {
    const entities = new Entities(setupOf())
    const first = entities.announced(facts(), partitions, {})
    const renamed = everyDevice.map((device, index) =>
      index === 0 ? { ...device, name: 'New' } : { ...device },
    )
    const second = entities.announced(facts({ devices: renamed }), partitions, {})
    assert.equal(second.filter((one, index) => one !== first[index]).length, 1)
  })

  it('are not built again for a warning that an announced entity tells', () => {
    const entities = new Entities(setupOf())
    const known = { d3: { problem: { platform: 'binary_sensor', id: 'x' } } }
    const of = (...warnings: Device['warnings']) =>
      entities.announced(facts({ devices: [zoneOf(3, { warnings })] }), partitions, known)
    const [calm, warning] = [of(), of(warningOf('JAMMED'))]
    assert.equal(warning[1], calm[1])
  })

  it('keep an entity whose reading is missing for a while', () => {
    const entities = new Entities(setupOf())
    const bare = zoneOf(7, { traits: { ...zoneOf(7).traits, meteo_info: null } })
    const known = { d7: { temperature: { platform: 'sensor', id: 'x' } } }
    const [, zone] = entities.announced(facts({ devices: [bare] }), partitions, known)
    assert.ok(zone?.announced.components.some(({ key }) => key === 'temperature'))
    const states = entities.states(facts({ devices: [bare] }), zone === undefined ? [] : [zone])
    assert.equal(JSON.parse(states.get('keyholder/A1B2C3/d7/state') ?? '').temperature, null)
  })
})

describe('The states for Home Assistant', () => {
  const stateOf = (known: PanelFacts, path: string) =>
    JSON.parse(published(setupOf(), known).states.get(`keyholder/A1B2C3/${path}/state`) ?? 'null')

  it('tell what stands, and not what is only remembered', () => {
    const zone = zoneOf(3, {
      warnings: [warningOf('TAMPER', true), warningOf('OPENED'), warningOf('LOW_BATTERY')],
    })
    const { open, tamper, battery, problem } = stateOf(facts({ devices: [zone] }), 'd3')
    assert.deepEqual([open, tamper, battery, problem], ['ON', 'OFF', 'ON', 'OFF'])
    const panel = stateOf(facts({ devices: [zone] }), 'panel')
    assert.deepEqual([panel.problem, panel.troubles], ['ON', 1])
    assert.deepEqual(panel.problem_attributes.devices, [{ device: 'Zone 3', warnings: ['LOW_BATTERY'] }])
  })

  it('are not built again from the same answers, and neither are the announcements', () => {
    let looks = 0
    const watched = everyDevice.map(({ warnings, ...device }) => ({
      ...device,
      get warnings() {
        looks += 1
        return warnings
      },
    }))
    const entities = new Entities(setupOf())
    const known = facts({ devices: watched })
    const update = (now: number) => {
      looks = 0
      return [...entities.states({ ...known, now, wall: now }, entities.announced(known, partitions, {}))]
    }
    const first = update(0)
    assert.ok(looks >= watched.length)
    assert.deepEqual(update(10_000), first)
    assert.equal(looks, 0)
  })

  it('tell each change at once, whatever of their facts is as before', () => {
    const entities = new Entities(setupOf())
    const zone = zoneOf(4, { subtype: 'SMOKE' })
    const bare = { ...zone.traits, meteo_info: null }
    const devices = [zone, zoneOf(5, { warnings: [warningOf('OPENED')], traits: bare })]
    const alarm = { type: 'FIRE', inMemory: false, deviceType: 'ZONE', zone: 4, zoneName: '', location: '' }
    const alarms = [{ ...alarm, partitions: [], time: null, timeRaw: '' }]
    const { state } = facts()
    const arming = { online: true, partitions: [partition(1, { value: 'ARMING', exitUntil: 30_000 })] }
    const unready = { online: true, partitions: [partition(1, { ready: false })] }
    const faults = [{ type: 'AC_FAILURE', since: null }]
    const traits = Object.fromEntries(Object.keys(zone.traits).map((name) => [name, null]))
    const untold = { ...zone, traits: traits as unknown as Device['traits'] }
    const objects = { d5: { temperature: { platform: 'sensor', id: 'x' } } }
    const changes: (Partial<PanelFacts> & { known?: Manifest['objects'] })[] = [
      {},
      { state: arming },
      { state: arming, wall: 60_000 },
      { state: arming, now: 30_000, wall: 90_000 },
      { state: unready },
      { state: unready, devices: [zoneOf(4), zoneOf(5)] },
      {},
      { state: { online: true, partitions: [partition(1, { value: 'ALARM', alarms })] } },
      {},
      { faults: null },
      { faults },
      { faults, identity: { title: 'New', model: 'M', manufacturer: 'Maker' } },
      { isListCurrent: false, devices: [untold] },
      { devices: [untold] },
      { devices: undefined },
      { devices: [] },
      { timeZone: 'Asia/Tokyo' },
      { known: objects },
      { available: undefined, areDevicesCurrent: false },
      {},
    ]
    const tell = (from: Entities, { known = {}, ...change }: (typeof changes)[number], areAll: boolean) => {
      const now = facts({ devices, state, ...change })
      const announced = from.announced(now, partitions, known)
      return { announced, states: [...from.states(now, announced, areAll)] }
    }
    let before: unknown
    for (const change of changes) {
      for (const areAll of [true, false, true])
        assert.deepEqual(tell(entities, change, areAll), tell(new Entities(setupOf()), change, areAll))
      const { states } = tell(entities, change, true)
      assert.notDeepEqual(states, before, JSON.stringify(change))
      before = states
    }
  })

  it('tell that a detector of a hazard is on while its zone is in alarm', () => {
    const smoke = zoneOf(4, { subtype: 'SMOKE' })
    const alarm = {
      type: 'FIRE',
      inMemory: false,
      deviceType: 'ZONE',
      zone: 4,
      zoneName: 'Hall',
      location: '',
    }
    const alarms = [{ ...alarm, partitions: [], time: null, timeRaw: '' }]
    const state = { online: true, partitions: [partition(1, { value: 'ALARM', alarms })] }
    assert.equal(stateOf(facts({ devices: [smoke], state }), 'd4').open, 'ON')
    assert.equal(stateOf(facts({ devices: [smoke] }), 'd4').open, 'OFF')
    assert.equal(stateOf(facts({ devices: [smoke], state }), 'partition_1').state, 'triggered')
    assert.deepEqual(stateOf(facts({ devices: [smoke], state }), 'panel').alarms_attributes, {
      zones: ['Hall'],
    })
  })

  it('tell no threat, not even in their attributes', () => {
    const threat = {
      type: 'DURESS',
      inMemory: false,
      deviceType: 'USER',
      zone: 4,
      zoneName: 'Mira',
      location: '',
    }
    const alarms = [{ ...threat, partitions: [], time: null, timeRaw: '' }]
    const state = { online: true, hasAllAlarms: true, partitions: [partition(1, { alarms })] }
    const smoke = zoneOf(4, { subtype: 'SMOKE' })
    const { triggered, memory, alarms_attributes: attributes } = stateOf(facts({ state }), 'panel')
    assert.deepEqual([triggered, memory, attributes], ['OFF', 'OFF', { zones: [] }])
    assert.deepEqual(stateOf(facts({ state }), 'partition_1').attributes.alarms, [])
    assert.equal(stateOf(facts({ devices: [smoke], state }), 'd4').open, 'OFF')
  })

  it('leave open if an alarm is in memory where the service has no list of alarms', () => {
    const state = { online: true, partitions: [partition(1)] }
    assert.equal(stateOf(facts({ state }), 'panel').memory, null)
    assert.equal(stateOf(facts({ state: { ...state, hasAllAlarms: false } }), 'panel').memory, 'OFF')
  })

  it('count what the panel reports of itself, each since its own time, but not twice what its device warns of', () => {
    const panel = zoneOf(9, { device_type: 'CONTROL_PANEL', warnings: [warningOf('AC_FAILURE')] })
    const since = '2026-03-14T09:26:53.000Z'
    const faults = [
      ...['AC_FAILURE', 'OPENED'].map((type) => ({ type, since })),
      { type: 'LINE_FAILURE', since: null },
    ]
    const {
      problem,
      troubles,
      problem_attributes: attributes,
    } = stateOf(facts({ devices: [panel], faults }), 'panel')
    assert.deepEqual([problem, troubles], ['ON', 2])
    assert.deepEqual(attributes.devices, [
      { device: 'Our house', warnings: ['AC_FAILURE'], since },
      { device: 'Our house', warnings: ['LINE_FAILURE'], since: null },
    ])
  })

  it('tell when the exit delay ends, the same while it runs', () => {
    const leaving = partition(1, { value: 'ARMING', exitUntil: 42_300 })
    const state = { online: true, partitions: [leaving, partition(2)] }
    const end = (now: number) => stateOf(facts({ state, now, wall: 1_000_000 + now }), 'panel').exit_until
    for (const now of [300, 12_000, 42_000]) assert.equal(end(now), '1970-01-01T00:17:22.000Z')
    assert.equal(end(42_300), null)
    assert.equal(stateOf(facts(), 'panel').exit_until, null)
  })

  it('name the open zones of a partition that is not ready to arm, except the bypassed ones', () => {
    const open = { warnings: [warningOf('OPENED')] }
    const bypassed = { ...zoneOf(3).traits, bypass: { enabled: true } }
    const devices = [
      zoneOf(1, open),
      zoneOf(2, { ...open, partitions: [2] }),
      zoneOf(3, { ...open, traits: bypassed }),
      zoneOf(4),
    ]
    const state = { online: true, partitions: [1, 2].map((id) => partition(id, { ready: false })) }
    const zones = (known: PanelFacts, id: number) =>
      stateOf(known, `partition_${id}`).ready_attributes.open_zones
    assert.deepEqual(zones(facts({ devices, state }), 1), ['Zone 1'])
    assert.deepEqual(zones(facts({ devices, state }), 2), ['Zone 2'])
    assert.deepEqual(zones(facts({ devices }), 1), [])
    assert.equal(zones(facts({ devices: undefined }), 1), null)
  })

  it('do not say that no zone is bypassed by the list of an offline panel, which shows no traits', () => {
    const { traits } = zoneOf(1)
    const bypass = (enabled: boolean) => ({ traits: { ...traits, bypass: { enabled } } })
    const names = Object.keys(traits) as (keyof typeof traits)[]
    const none = { traits: { ...traits, ...Object.fromEntries(names.map((name) => [name, null])) } }
    const bypassed = (isListCurrent: boolean, ...zones: Pick<Device, 'traits'>[]) => {
      const devices = zones.map((one, nth) => zoneOf(nth + 1, one))
      return stateOf(facts({ devices, isListCurrent }), 'panel').bypassed_zones
    }
    assert.equal(bypassed(false, none, none), null)
    assert.equal(bypassed(false, none, bypass(true)), 'ON')
    assert.equal(bypassed(false, bypass(false), bypass(false)), 'OFF')
    // A service that shows none at all.
    assert.equal(bypassed(true, none, none), 'OFF')
  })

  it('do not say that the panel has no problem before its own faults were read', () => {
    const shown = (faults: PanelFacts['faults']) => {
      const { problem, troubles } = stateOf(facts({ devices: [zoneOf(1)], faults }), 'panel')
      return [problem, troubles]
    }
    assert.deepEqual(shown(null), [null, null])
    assert.deepEqual(shown([]), ['OFF', 0])
    assert.deepEqual(shown(undefined), ['OFF', 0])
  })

  it('are unknown while the devices are', () => {
    const { problem, troubles, bypassed_zones } = stateOf(facts({ devices: undefined }), 'panel')
    assert.deepEqual([problem, troubles, bypassed_zones], [null, null, null])
  })
})
