import assert from 'node:assert/strict'
import fc from 'fast-check'
import { device, source } from '../../harness/fixtures/samples.ts'
import { type ReadingsChoice, ReadingsReport } from '../../src/messages/readings-messages.ts'
import { type Reading, readings } from '../../src/panel/devices/readings.ts'

const all: ReadingsChoice = { devices: [], kinds: [], temperatureDelta: 0, brightnessDelta: 0 }
const report = (choice: Partial<ReadingsChoice> = {}) => new ReadingsReport({ ...all, ...choice })

const rssi = {
  current: 'strong',
  average: 'good',
  channel: 4,
  repeater: null,
  last_updated: '2026-01-02 03:04:05',
}
const of = (fields: object) => readings([device(fields)], 'UTC')

/** The temperature or brightness of one device, and no other reading of it. */
function measured(kind: 'temperature' | 'brightness', value: number, date: string): Reading[] {
  return of({ traits: { meteo_info: { [kind]: { value, date } } } }).filter(
    (reading) => reading.kind === kind,
  )
}
const at = (minute: number) => `2026-01-02T03:${String(minute).padStart(2, '0')}:00`
const warnings = (...types: string[]) =>
  of({ warnings: types.map((type) => ({ type })) }).filter(({ kind }) => kind === 'warnings')

describe('A reading message', () => {
  it('has topic, payload and every field of the contract, and no more', () => {
    const detector = of({ traits: { rssi, location: { name: 'Hall' } } })
    assert.deepEqual(report({ kinds: ['rssi'] }).messages(detector, source, 'all'), [
      {
        topic: 'House/device/Hall/rssi',
        payload: 'strong',
        panel: { serial: '00C0DE', alias: 'Home', online: true },
        fetchedAt: '2026-01-02T03:04:06.000Z',
        stale: false,
        reading: {
          kind: 'rssi',
          value: 'strong',
          previous: null,
          unit: null,
          measuredAt: '2026-01-02T03:04:05.000Z',
          measuredAtRaw: '2026-01-02 03:04:05',
          level: 3,
          channel: 4,
          repeater: null,
          average: 'good',
        },
        device: {
          id: 11,
          number: 3,
          type: 'ZONE',
          subtype: 'CONTACT',
          zoneType: 'PERIMETER',
          label: 'Hall',
          name: '',
          location: 'Hall',
          partitions: [1],
          enrollmentId: '100-0003',
          bypassed: null,
          soak: null,
        },
      },
    ])
  })

  it('has level, channel, repeater and average only for rssi', () => {
    const [message] = report().messages(measured('temperature', 20.5, at(0)), source, 'all')
    assert.deepEqual(message?.reading, {
      kind: 'temperature',
      value: 20.5,
      previous: null,
      unit: '°C',
      measuredAt: '2026-01-02T03:00:00.000Z',
      measuredAtRaw: '2026-01-02T03:00:00',
    })
    assert.equal(message.payload, 20.5)
  })

  it('is one for each device and kind, the label in its topic', () => {
    const two = readings([device({ name: 'Door' }), device({ id: 12, device_type: 'PGM' })], 'UTC')
    assert.deepEqual(
      report()
        .messages(two, source, 'all')
        .map(({ topic, payload }) => [topic, payload]),
      [
        ['House/device/Door/open', false],
        ['House/device/Door/warnings', []],
        ['House/device/PGM 3/warnings', []],
      ],
    )
  })

  it('is about the chosen devices and kinds only', () => {
    const two = readings([device(), device({ id: 12 })], 'UTC')
    const told = report({ devices: [12], kinds: ['open', 'rssi'] }).messages(two, source, 'all')
    assert.deepEqual(
      told.map(({ device, reading }) => [device.id, reading.kind]),
      [[12, 'open']],
    )
  })

  it('may be edited without a change to the next one', () => {
    const state = report()
    const same = warnings('TAMPER')
    const untouched = structuredClone(state.messages(same, source, 'all'))
    const [message] = state.messages(same, source, 'all')
    if (!Array.isArray(message?.payload) || !Array.isArray(message.reading.value)) assert.fail()
    message.payload.push('MINE')
    assert.deepEqual(message.reading.value, ['TAMPER'])
    message.reading.value.length = 0
    message.device.partitions.push(9)
    message.panel.alias = 'mine'
    assert.deepEqual(state.messages(same, source, 'all'), untouched)
    assert.deepEqual(state.messages(same, source, 'changed'), [])
  })
})

describe('A change of a reading', () => {
  /** How many messages the second answer gives after the first. */
  function between(first: Reading[], second: Reading[], choice: Partial<ReadingsChoice> = {}) {
    const state = report(choice)
    state.messages(first, source, 'none')
    return state.messages(second, source, 'changed').length
  }

  it('is another value', () => {
    assert.equal(between(measured('temperature', 20, at(0)), measured('temperature', 20.5, at(0))), 1)
  })

  it('is another date of its own', () => {
    assert.equal(between(measured('temperature', 20, at(0)), measured('temperature', 20, at(1))), 1)
  })

  it('is not an equal value with an equal date', () => {
    assert.equal(between(measured('temperature', 20, at(0)), measured('temperature', 20, at(0))), 0)
  })

  it('is not another reading of the same device', () => {
    const both = (value: number) => [
      ...measured('temperature', 20, at(0)),
      ...measured('brightness', value, at(0)),
    ]
    const state = report()
    state.messages(both(1), source, 'none')
    assert.deepEqual(
      state.messages(both(2), source, 'changed').map(({ reading }) => reading.kind),
      ['brightness'],
    )
  })

  it('is not the level, channel, repeater or average of rssi, nor anything of the device', () => {
    const first = of({ traits: { rssi } }).slice(0, 1)
    const second = of({
      name: 'Door',
      traits: { rssi: { ...rssi, channel: 9, average: 'poor', repeater: 1 } },
    })
    assert.equal(between(first, second.slice(0, 1)), 0)
  })

  it('is another set of warnings, and not their order', () => {
    assert.equal(between(warnings('A', 'B'), warnings('A', 'C')), 1)
    assert.equal(between(warnings('A', 'B'), warnings('A')), 1)
    assert.equal(between(warnings(), warnings('A')), 1)
    assert.equal(between(warnings('A', 'B'), warnings('B', 'A')), 0)
  })

  it('is nothing in the first answer, which is what changes are measured from', () => {
    const state = report()
    assert.deepEqual(state.messages(warnings('A'), source, 'changed'), [])
    assert.equal(state.messages(warnings('B'), source, 'changed').length, 1)
  })

  it('is a reading first seen in a later answer', () => {
    const first = measured('temperature', 20, at(0))
    const second = [...first, ...measured('brightness', 1, at(0))]
    assert.equal(between(first, second), 1)
    assert.equal(between([], first), 1)
  })

  it('is not that readings vanish, nor that they come back as they were', () => {
    const state = report()
    const shown = measured('temperature', 20, at(0))
    state.messages(shown, source, 'none')
    assert.deepEqual(state.messages([], source, 'changed'), [])
    assert.deepEqual(state.messages(shown, source, 'changed'), [])
    state.messages([], source, 'changed')
    assert.equal(state.messages(measured('temperature', 21, at(9)), source, 'changed').length, 1)
  })

  it('is told once, and with none not at all', () => {
    const state = report()
    state.messages(warnings(), source, 'none')
    assert.deepEqual(state.messages(warnings('A'), source, 'none'), [])
    assert.deepEqual(state.messages(warnings('A'), source, 'changed'), [])
    assert.equal(state.messages(warnings('A', 'B'), source, 'changed').length, 1)
    assert.deepEqual(state.messages(warnings('A', 'B'), source, 'changed'), [])
  })
})

describe('The smallest change that counts', () => {
  const deltas = { temperature: { temperatureDelta: 1 }, brightness: { brightnessDelta: 1 } } as const

  for (const kind of ['temperature', 'brightness'] as const) {
    it(`of ${kind} is measured from the value last told, up and down`, () => {
      const state = report(deltas[kind])
      const told = (value: number, minute: number) =>
        state.messages(measured(kind, value, at(minute)), source, 'changed').length
      assert.deepEqual([told(20, 0), told(20.5, 1), told(20.9, 2), told(21, 3)], [0, 0, 0, 1])
      assert.deepEqual([told(20.5, 4), told(20, 5), told(20, 6)], [0, 1, 0])
    })
  }

  it('leaves out a new date alone', () => {
    const state = report({ temperatureDelta: 0.5 })
    state.messages(measured('temperature', 20, at(0)), source, 'all')
    assert.deepEqual(state.messages(measured('temperature', 20, at(1)), source, 'changed'), [])
  })

  it('is reached in spite of binary fractions', () => {
    const state = report({ temperatureDelta: 0.3 })
    state.messages(measured('temperature', 18.1, at(0)), source, 'all')
    assert.equal(state.messages(measured('temperature', 18.4, at(1)), source, 'changed').length, 1)
  })

  it('starts anew from every value told, also one that was asked for', () => {
    const state = report({ temperatureDelta: 1 })
    state.messages(measured('temperature', 20, at(0)), source, 'all')
    state.messages(measured('temperature', 20.5, at(1)), source, 'all')
    assert.deepEqual(state.messages(measured('temperature', 21, at(2)), source, 'changed'), [])
    assert.equal(state.messages(measured('temperature', 21.5, at(3)), source, 'changed').length, 1)
  })

  it('does not start anew from a value that was only remembered', () => {
    const state = report({ temperatureDelta: 1 })
    state.messages(measured('temperature', 20, at(0)), source, 'all')
    state.messages(measured('temperature', 20.5, at(1)), source, 'none')
    assert.equal(state.messages(measured('temperature', 21, at(2)), source, 'changed').length, 1)
  })

  it('is of its own kind only', () => {
    const state = report({ temperatureDelta: 5 })
    state.messages(measured('brightness', 1, at(0)), source, 'all')
    assert.equal(state.messages(measured('brightness', 2, at(0)), source, 'changed').length, 1)
  })

  it('never lets the value told drift further away than itself', () => {
    const delta = 1
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -40, max: 40 }), { minLength: 1 }), (halfDegrees) => {
        const state = report({ temperatureDelta: delta })
        let told: number | undefined
        for (const half of halfDegrees) {
          const which = told === undefined ? 'all' : 'changed'
          const [message] = state.messages(measured('temperature', half / 2, at(0)), source, which)
          if (message !== undefined) told = Number(message.payload)
          assert.ok(told !== undefined && Math.abs(told - half / 2) < delta)
        }
      }),
    )
  })
})

describe('The previous value of a reading', () => {
  it('is null at first, then the last one that was not the present one', () => {
    const state = report()
    const previous = (...types: string[]) =>
      state.messages(warnings(...types), source, 'all')[0]?.reading.previous
    assert.equal(previous('A'), null)
    assert.equal(previous('A'), null)
    assert.deepEqual(previous('B'), ['A'])
    assert.deepEqual(previous('B'), ['A'])
    assert.deepEqual(previous(), ['B'])
  })

  it('holds on when only the date moves', () => {
    const state = report()
    state.messages(measured('temperature', 20, at(0)), source, 'none')
    state.messages(measured('temperature', 21, at(1)), source, 'none')
    const [message] = state.messages(measured('temperature', 21, at(2)), source, 'changed')
    assert.equal(message?.reading.previous, 20)
  })
})
