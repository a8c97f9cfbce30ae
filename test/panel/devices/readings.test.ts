import assert from 'node:assert/strict'
import fc from 'fast-check'
import { anyJson } from '../../../harness/fixtures/any-json.ts'
import { answerAt, device, panelDevices, parseValid } from '../../../harness/fixtures/samples.ts'
import { troubles } from '../../../src/panel/devices/device.ts'
import { KnownDevices } from '../../../src/panel/devices/known-devices.ts'
import { readingKinds, readings } from '../../../src/panel/devices/readings.ts'
import { type Device, devices } from '../../../src/service/responses/devices.ts'

const rssi = {
  current: 'strong',
  average: 'good',
  channel: 4,
  repeater: 2,
  last_updated: '2026-01-02 03:04:05',
}
const meteo_info = {
  temperature: { date: '2026-01-02T03:00:00', value: 20.5 },
  brightness: { date: '2026-01-02T01:00:00', value: 15 },
}

const readingsOf = (...listed: Device[]) => readings({ listed, gone: [] }, 'UTC')
const of = (fields: object) => readingsOf(device(fields))
const one = (kind: string, fields: object) => of(fields).find((reading) => reading.kind === kind)
const labelOf = (fields: object) => of(fields)[0]?.device.label

describe('The readings of the devices', () => {
  it('are sorted by device and kind', () => {
    const detector = device({
      traits: { rssi, meteo_info, bypass: { enabled: false }, soak: { enabled: false } },
    })
    const keyfob = device({ id: 12, device_type: 'KEYFOB' })
    assert.deepEqual(
      readingsOf(keyfob, detector).map(({ kind, device }) => [device.id, kind]),
      [[12, 'warnings'], [12, 'presence'], ...readingKinds.map((kind) => [11, kind])],
    )
  })

  // @spec 2.10
  it('leave out missing traits', () => {
    assert.deepEqual(
      of({ traits: { rssi: {}, meteo_info: { temperature: meteo_info.temperature } } }).map(
        ({ kind }) => kind,
      ),
      ['temperature', 'open', 'warnings', 'presence'],
    )
  })

  it('include devices with subtypes that we do not know', () => {
    assert.equal(one('rssi', { subtype: 'TELEPATH', traits: { rssi } })?.device.subtype, 'TELEPATH')
  })

  it('are returned for any JSON that parses as devices, and never throw', () => {
    const any = anyJson(['id', 'traits', 'rssi', 'current', 'meteo_info', 'temperature', 'value', 'warnings'])
    fc.assert(
      fc.property(fc.array(any), fc.array(any), (one, other) => {
        const known = new KnownDevices()
        for (const [at, answer] of [one, other, one].entries()) {
          const view = known.note(answerAt(at, parseValid(devices, answer)), true, 10)
          for (const { kind, device } of readings(view, 'UTC')) {
            assert.ok(readingKinds.includes(kind))
            assert.notEqual(device.label, '')
          }
        }
      }),
    )
  })
})

describe('The reading rssi', () => {
  // @spec signal-age
  it('is the word of the service, with level, channel, repeater, average and the time of the measurement', () => {
    const { device: _, ...reading } = one('rssi', { traits: { rssi } }) ?? assert.fail()
    assert.deepEqual(reading, {
      kind: 'rssi',
      value: 'strong',
      unit: null,
      measuredAt: '2026-01-02T03:04:05.000Z',
      measuredAtRaw: '2026-01-02 03:04:05',
      level: 3,
      channel: 4,
      repeater: 2,
      average: 'good',
    })
  })

  const levels = {
    strong: 3,
    Good: 2,
    POOR: 1,
    '1-way': 0,
    '1_WAY': 0,
    ' Strong ': 3,
    superb: null,
    constructor: null,
  }
  for (const [current, level] of Object.entries(levels)) {
    // @spec signal-words
    it(`has level ${level} for ${current}, and keeps the word`, () => {
      const reading = one('rssi', { traits: { rssi: { current } } })
      assert.deepEqual([reading?.value, reading?.level], [current, level])
    })
  }
})

describe('The reading rssi of a device without a current strength', () => {
  // @spec 2.10
  it('is the average, and missing only without both', () => {
    const reading = one('rssi', { traits: { rssi: { ...rssi, current: null } } })
    assert.deepEqual([reading?.value, reading?.level, reading?.average], ['good', 2, 'good'])
    assert.equal(one('rssi', { traits: { rssi: { ...rssi, current: '' } } })?.value, 'good')
    assert.equal(one('rssi', { traits: { rssi: { ...rssi, current: null, average: '' } } }), undefined)
  })
})

describe('The readings bypassed and soak', () => {
  // @spec 2.10
  it('are true or false, and missing for a device without the trait', () => {
    const traits = { bypass: { enabled: true }, soak: { enabled: false } }
    assert.deepEqual([one('bypassed', { traits })?.value, one('soak', { traits })?.value], [true, false])
    assert.deepEqual([one('bypassed', {}), one('soak', {})], [undefined, undefined])
  })
})

describe('The reading presence', () => {
  // @spec 2.10
  it('is true for a device of the list, and false and the only reading for one that is gone', () => {
    assert.equal(one('presence', {})?.value, true)
    const gone = readings({ listed: [], gone: [device({ name: 'Door', traits: { rssi } })] }, 'UTC')
    assert.deepEqual(
      gone.map(({ kind, value, device }) => [device.label, kind, value]),
      [['Door', 'presence', false]],
    )
  })
})

describe('The readings temperature and brightness', () => {
  // @spec units
  it('are numbers in °C and lx, each with its own date', () => {
    const actual = of({ traits: { meteo_info } })
      .slice(0, 2)
      .map(({ kind, value, unit, measuredAt, measuredAtRaw }) => [
        kind,
        value,
        unit,
        measuredAt,
        measuredAtRaw,
      ])
    assert.deepEqual(actual, [
      ['temperature', 20.5, '°C', '2026-01-02T03:00:00.000Z', '2026-01-02T03:00:00'],
      ['brightness', 15, 'lx', '2026-01-02T01:00:00.000Z', '2026-01-02T01:00:00'],
    ])
  })

  it('convert their dates from the configured time zone', () => {
    const listed = [device({ traits: { meteo_info } })]
    const [temperature] = readings({ listed, gone: [] }, 'Europe/Berlin')
    assert.equal(temperature?.measuredAt, '2026-01-02T02:00:00.000Z')
  })

  it('have a null time without a valid date', () => {
    const undated = one('temperature', { traits: { meteo_info: { temperature: { value: 1 } } } })
    assert.deepEqual([undated?.measuredAt, undated?.measuredAtRaw], [null, ''])
  })
})

describe('The reading open', () => {
  const opened = { type: 'OPENED', severity: 'TROUBLE', in_memory: false }

  // @spec open-doors
  it('is true while the device has a warning OPENED, and false without one', () => {
    assert.equal(one('open', { warnings: [{ type: 'TAMPER' }, opened] })?.value, true)
    assert.equal(one('open', { warnings: [{ type: 'TAMPER' }] })?.value, false)
    assert.equal(one('open', { warnings: null })?.value, false)
  })

  // @spec open-doors
  it('is false if OPENED is only in memory', () => {
    assert.equal(one('open', { warnings: [{ ...opened, in_memory: true }] })?.value, false)
  })

  it('exists only for ZONE devices', () => {
    assert.equal(one('open', { device_type: 'WL_SIREN', warnings: [opened] }), undefined)
  })
})

describe('The reading warnings', () => {
  it('is the list of warning types without duplicates, including types that we do not know', () => {
    const warnings = [{ type: 'LOW_BATTERY' }, { type: 'BORED' }, { type: 'BORED', in_memory: true }]
    assert.deepEqual(one('warnings', { warnings })?.value, ['LOW_BATTERY', 'BORED'])
  })

  it('has what the device detects or only remembers, which is no trouble', () => {
    const detected = ['OPENED', 'BYPASS', 'FIRE', 'PANIC', 'EMERGENCY', 'SMOKE_OPEN', 'HEAT_OPEN']
    const alerts = ['COLD_ALERT', 'HOT_ALERT', 'FREEZER_ALERT', 'FREEZING_ALERT', 'ALARM_IN_MEMORY']
    const types = [...detected, ...alerts, 'LOW_BATTERY', 'BORED']
    const warnings = types.map((type) => ({ type }))
    assert.deepEqual(one('warnings', { warnings })?.value, types)
    assert.deepEqual(troubles(device({ warnings })), ['BORED', 'LOW_BATTERY'])
  })

  it('is empty if there are no warnings', () =>
    assert.deepEqual(one('warnings', { warnings: null })?.value, []))

  // @spec 2.5, 2.7
  it('has the faults that the panel reports of itself, those with a time since when, and no other device has them', () => {
    const present = [
      { type: 'LOW_BATTERY', since: '2026-01-02T03:04:05.000Z' },
      { type: 'AC_FAILURE', since: null },
    ]
    const panel = device({ device_type: 'CONTROL_PANEL', warnings: [{ type: 'LOW_BATTERY' }] })
    const listed = [panel, device({ id: 12 })]
    const told = readings({ listed, gone: [], faults: { present, areAll: true } }, 'UTC')
    const [own, other] = told.filter(({ kind }) => kind === 'warnings')
    assert.deepEqual([own?.value, other?.value], [['LOW_BATTERY', 'AC_FAILURE'], []])
    assert.deepEqual(own?.since, { LOW_BATTERY: '2026-01-02T03:04:05.000Z' })
    assert.ok(!('since' in (other ?? {})))
  })

  it('has neither unit nor date, like the reading open', () => {
    for (const kind of ['open', 'warnings']) {
      const { unit, measuredAt, measuredAtRaw } = one(kind, {}) ?? assert.fail()
      assert.deepEqual([unit, measuredAt, measuredAtRaw], [null, null, ''])
    }
  })
})

describe('The device of a reading', () => {
  it('has all fields of the contract', () => {
    const traits = { location: { name: 'Hall' }, bypass: { enabled: true }, soak: { enabled: false } }
    assert.deepEqual(of({ name: 'Door', traits })[0]?.device, {
      id: 11,
      number: 3,
      type: 'ZONE',
      subtype: 'CONTACT',
      zoneType: 'PERIMETER',
      label: 'Door',
      name: 'Door',
      location: 'Hall',
      partitions: [1],
      enrollmentId: '100-0003',
      bypassed: true,
      soak: false,
      preenroll: false,
      owner: null,
      parent: null,
    })
  })

  // @spec 2.10
  it('has its owner and its parent', () => {
    const traits = { owner: { id: 2, name: 'Anna' }, parent: { id: 11, port: 1 } }
    const { owner, parent } = of({ device_type: 'KEYFOB', traits })[0]?.device ?? assert.fail()
    assert.deepEqual({ owner, parent }, traits)
  })

  it('has null for bypass and soak if the service does not report them', () => {
    const { bypassed, soak } = of({})[0]?.device ?? assert.fail()
    assert.deepEqual([bypassed, soak], [null, null])
  })

  it('is labeled with its name, or else its location, or else its type and number', () => {
    const traits = { location: { name: 'Hall' } }
    assert.equal(labelOf({ name: 'Door', traits }), 'Door')
    assert.equal(labelOf({ name: ' ', traits }), 'Hall')
    assert.equal(labelOf({ traits: { location: { name: ' ' } } }), 'ZONE 3')
    assert.equal(labelOf({ traits: { location: { name: '' } } }), 'ZONE 3')
  })

  it('is labeled with its id if it has no number', () => {
    assert.equal(labelOf({ device_number: null }), 'ZONE id 11')
    assert.equal(labelOf({ device_number: null, device_type: null }), 'id 11')
  })
})

describe('While a panel is offline', () => {
  const traits = {
    rssi,
    meteo_info,
    location: { name: 'Hall' },
    bypass: { enabled: true },
    soak: { enabled: true },
  }
  const online = device({ traits })
  const offline = device({ traits: {} })

  function recalledAfter(...answers: ReturnType<typeof device>[]) {
    const known = new KnownDevices()
    return answers.map((answer, at) => readings(known.note(answerAt(at, [answer]), true, 10), 'UTC'))
  }

  it('its devices keep label, location, bypass and soak', () => {
    const [before, during] = recalledAfter(online, offline)
    assert.deepEqual(during?.[0]?.device, before?.[0]?.device)
    assert.equal(during?.[0]?.device.label, 'Hall')
  })

  it('its devices keep the last known signal, temperature and brightness, with their dates', () => {
    const [before, during] = recalledAfter(online, offline)
    assert.deepEqual(during, before)
    assert.ok(during?.some(({ kind, measuredAt }) => kind === 'temperature' && measuredAt !== null))
  })

  it('its devices keep their values however long it is offline', () => {
    const [, , third] = recalledAfter(online, offline, offline)
    assert.equal(third?.[0]?.device.location, 'Hall')
  })

  it('a device keeps its location even if a list did not contain it', () => {
    const known = new KnownDevices()
    for (const [at, answer] of [[online], [], [device({ id: 12 })]].entries())
      known.note(answerAt(at, answer), true, 10)
    assert.deepEqual(known.note(answerAt(3, [offline]), true, 10).listed, [online])
  })

  it('a device never gets values of another device', () => {
    const [, other] = recalledAfter(online, device({ id: 12, traits: {} }))
    assert.equal(other?.[0]?.device.location, '')
  })

  it('a location that was removed while online does not come back', () => {
    const [, moved, during] = recalledAfter(
      online,
      device({ traits: { bypass: { enabled: false } } }),
      offline,
    )
    assert.deepEqual([moved?.[0]?.device.location, moved?.[0]?.device.bypassed], ['', false])
    assert.equal(during?.[0]?.device.location, '')
  })
})

describe('A device that was entered in the panel and has not joined yet', () => {
  // @spec 2.10
  it('has no reading and no presence until it joins', () => {
    const entered = device({ preenroll: true, traits: { soak: { enabled: false } } })
    assert.deepEqual(readings(panelDevices([entered]), 'UTC'), [])
    const kinds = readings(panelDevices([{ ...entered, preenroll: false }]), 'UTC').map(({ kind }) => kind)
    assert.ok(kinds.includes('presence'))
  })
})
