import assert from 'node:assert/strict'
import fc from 'fast-check'
import { device, source } from '../../harness/fixtures/samples.ts'
import {
  type ReadingMessage,
  type ReadingsChoice,
  ReadingsReport,
} from '../../src/messages/readings-messages.ts'
import { type Reading, readings } from '../../src/panel/devices/readings.ts'
import type { Device } from '../../src/service/responses/devices.ts'

const all: ReadingsChoice = { devices: [], kinds: [], deltas: {} }
const report = (choice: Partial<ReadingsChoice> = {}) => new ReadingsReport({ ...all, ...choice })

const rssi = {
  current: 'strong',
  average: 'good',
  channel: 4,
  repeater: null,
  last_updated: '2026-01-02 03:04:05',
}
const readingsOf = (...listed: Device[]) => readings({ listed, gone: [] }, 'UTC')
const of = (fields: object) => readingsOf(device(fields))

/** Returns only the temperature or the brightness of a device. */
function measured(kind: 'temperature' | 'brightness', value: number, date: string): Reading[] {
  return of({ traits: { meteo_info: { [kind]: { value, date } } } }).filter(
    (reading) => reading.kind === kind,
  )
}
const at = (minute: number) => `2026-01-02T03:${String(minute).padStart(2, '0')}:00`
const warnings = (...types: string[]) =>
  of({ warnings: types.map((type) => ({ type })) }).filter(({ kind }) => kind === 'warnings')

describe('A reading message', () => {
  it('exists for each device and kind, with the label of the device in its topic', () => {
    const two = readingsOf(device({ name: 'Door' }), device({ id: 12, device_type: 'PGM' }))
    const kinds = ['open', 'warnings', 'presence'] as const
    assert.deepEqual(
      report({ kinds })
        .messages(two, source, 'all')
        .map(({ topic, payload }) => [topic, payload]),
      [
        ['House/device/Door/open', false],
        ['House/device/Door/warnings', []],
        ['House/device/Door/presence', true],
        ['House/device/PGM 3/warnings', []],
        ['House/device/PGM 3/presence', true],
      ],
    )
  })

  it('is sent only for the selected devices and kinds', () => {
    const two = readingsOf(device(), device({ id: 12 }))
    const selected = report({ devices: [12], kinds: ['open', 'rssi'] }).messages(two, source, 'all')
    assert.deepEqual(
      selected.map(({ device, reading }) => [device.id, reading.kind]),
      [[12, 'open']],
    )
  })

  it('about the presence has the same topic whether the device is listed or gone', () => {
    const state = report({ kinds: ['presence'] })
    const told = ({ topic, payload, reading }: ReadingMessage) => [topic, payload, reading.previous]
    const [here, gone] = [readingsOf(device()), readings({ listed: [], gone: [device()] }, 'UTC')]
    assert.deepEqual(state.messages([], source, 'all').map(told), [])
    const topic = 'House/device/ZONE 3/presence'
    assert.deepEqual(state.messages(here, source, 'changed').map(told), [[topic, true, null]])
    assert.deepEqual(state.messages([], source, 'changed').map(told), [])
    assert.deepEqual(state.messages(gone, source, 'changed').map(told), [[topic, false, true]])
    assert.deepEqual(state.messages(gone, source, 'changed').map(told), [])
    assert.deepEqual(state.messages(here, source, 'changed').map(told), [[topic, true, false]])
  })

  it('can be edited without changing the next one', () => {
    const state = report()
    const traits = { owner: { id: 1, name: 'Anna' }, parent: { id: 2, port: 1 } }
    const same = of({ warnings: [{ type: 'TAMPER' }], traits }).filter(({ kind }) => kind === 'warnings')
    const untouched = structuredClone(state.messages(same, source, 'all'))
    const [message] = state.messages(same, source, 'all')
    if (!Array.isArray(message?.payload) || !Array.isArray(message.reading.value)) assert.fail()
    message.payload.push('MINE')
    assert.deepEqual(message.reading.value, ['TAMPER'])
    message.reading.value.length = 0
    message.device.partitions.push(9)
    Object.assign(message.device.owner ?? assert.fail(), { name: 'mine' })
    Object.assign(message.device.parent ?? assert.fail(), { port: 9 })
    message.panel.alias = 'mine'
    assert.deepEqual(state.messages(same, source, 'all'), untouched)
    assert.deepEqual(state.messages(same, source, 'changed'), [])
  })
})

describe('A change of a reading', () => {
  /** Returns the number of messages that the second answer causes after the first. */
  function countMessages(first: Reading[], second: Reading[], choice: Partial<ReadingsChoice> = {}) {
    const state = report(choice)
    state.messages(first, source, 'none')
    return state.messages(second, source, 'changed').length
  }

  it('is reported if the value differs', () => {
    assert.equal(countMessages(measured('temperature', 20, at(0)), measured('temperature', 20.5, at(0))), 1)
  })

  it('is reported if the measurement time differs', () => {
    assert.equal(countMessages(measured('temperature', 20, at(0)), measured('temperature', 20, at(1))), 1)
  })

  it('is not reported if value and measurement time are equal', () => {
    assert.equal(countMessages(measured('temperature', 20, at(0)), measured('temperature', 20, at(0))), 0)
  })

  it('does not report other readings of the same device', () => {
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

  it('is not reported for level, channel, repeater or average of rssi, or for other fields of the device', () => {
    const first = of({ traits: { rssi } }).slice(0, 1)
    const second = of({
      name: 'Door',
      traits: { rssi: { ...rssi, channel: 9, average: 'poor', repeater: 1 } },
    })
    assert.equal(countMessages(first, second.slice(0, 1)), 0)
  })

  it('is reported if the set of warnings differs, regardless of their order', () => {
    assert.equal(countMessages(warnings('A', 'B'), warnings('A', 'C')), 1)
    assert.equal(countMessages(warnings('A', 'B'), warnings('A')), 1)
    assert.equal(countMessages(warnings(), warnings('A')), 1)
    assert.equal(countMessages(warnings('A', 'B'), warnings('B', 'A')), 0)
  })

  it('is not reported in the first answer, with which later ones are compared', () => {
    const state = report()
    assert.deepEqual(state.messages(warnings('A'), source, 'changed'), [])
    assert.equal(state.messages(warnings('B'), source, 'changed').length, 1)
  })

  it('is reported for a reading that first appears in a later answer', () => {
    const first = measured('temperature', 20, at(0))
    const second = [...first, ...measured('brightness', 1, at(0))]
    assert.equal(countMessages(first, second), 1)
    assert.equal(countMessages([], first), 1)
  })

  it('is not reported if a reading disappears, or returns with the same value', () => {
    const state = report()
    const shown = measured('temperature', 20, at(0))
    state.messages(shown, source, 'none')
    assert.deepEqual(state.messages([], source, 'changed'), [])
    assert.deepEqual(state.messages(shown, source, 'changed'), [])
    state.messages([], source, 'changed')
    assert.equal(state.messages(measured('temperature', 21, at(9)), source, 'changed').length, 1)
  })

  it('is reported once, and not at all while messages are off', () => {
    const state = report()
    state.messages(warnings(), source, 'none')
    assert.deepEqual(state.messages(warnings('A'), source, 'none'), [])
    assert.deepEqual(state.messages(warnings('A'), source, 'changed'), [])
    assert.equal(state.messages(warnings('A', 'B'), source, 'changed').length, 1)
    assert.deepEqual(state.messages(warnings('A', 'B'), source, 'changed'), [])
  })
})

describe('The smallest reported change', () => {
  for (const kind of ['temperature', 'brightness'] as const) {
    it(`of ${kind} is measured from the last reported value, up and down`, () => {
      const state = report({ deltas: { [kind]: 1 } })
      const count = (value: number, minute: number) =>
        state.messages(measured(kind, value, at(minute)), source, 'changed').length
      assert.deepEqual([count(20, 0), count(20.5, 1), count(20.9, 2), count(21, 3)], [0, 0, 0, 1])
      assert.deepEqual([count(20.5, 4), count(20, 5), count(20, 6)], [0, 1, 0])
    })
  }

  it('suppresses a change of the measurement time alone', () => {
    const state = report({ deltas: { temperature: 0.5 } })
    state.messages(measured('temperature', 20, at(0)), source, 'all')
    assert.deepEqual(state.messages(measured('temperature', 20, at(1)), source, 'changed'), [])
  })

  it('tolerates the rounding errors of binary fractions', () => {
    const state = report({ deltas: { temperature: 0.3 } })
    state.messages(measured('temperature', 18.1, at(0)), source, 'all')
    assert.equal(state.messages(measured('temperature', 18.4, at(1)), source, 'changed').length, 1)
  })

  it('is measured from any sent value, including one that the flow requested', () => {
    const state = report({ deltas: { temperature: 1 } })
    state.messages(measured('temperature', 20, at(0)), source, 'all')
    state.messages(measured('temperature', 20.5, at(1)), source, 'all')
    assert.deepEqual(state.messages(measured('temperature', 21, at(2)), source, 'changed'), [])
    assert.equal(state.messages(measured('temperature', 21.5, at(3)), source, 'changed').length, 1)
  })

  it('is not measured from a value that was not sent', () => {
    const state = report({ deltas: { temperature: 1 } })
    state.messages(measured('temperature', 20, at(0)), source, 'all')
    state.messages(measured('temperature', 20.5, at(1)), source, 'none')
    assert.equal(state.messages(measured('temperature', 21, at(2)), source, 'changed').length, 1)
  })

  it('applies only to its own kind of reading', () => {
    const state = report({ deltas: { temperature: 5 } })
    state.messages(measured('brightness', 1, at(0)), source, 'all')
    assert.equal(state.messages(measured('brightness', 2, at(0)), source, 'changed').length, 1)
  })

  it('keeps the difference between the reported and the current value below the configured delta', () => {
    const delta = 1
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -40, max: 40 }), { minLength: 1 }), (halfDegrees) => {
        const state = report({ deltas: { temperature: delta } })
        let reported: number | undefined
        for (const half of halfDegrees) {
          const which = reported === undefined ? 'all' : 'changed'
          const [message] = state.messages(measured('temperature', half / 2, at(0)), source, which)
          if (message !== undefined) reported = Number(message.payload)
          assert.ok(reported !== undefined && Math.abs(reported - half / 2) < delta)
        }
      }),
    )
  })
})

describe('The previous value of a reading', () => {
  it('is null at first, and then the last different value', () => {
    const state = report()
    const previous = (...types: string[]) =>
      state.messages(warnings(...types), source, 'all')[0]?.reading.previous
    assert.equal(previous('A'), null)
    assert.equal(previous('A'), null)
    assert.deepEqual(previous('B'), ['A'])
    assert.deepEqual(previous('B'), ['A'])
    assert.deepEqual(previous(), ['B'])
  })

  it('stays the same if only the measurement time changes', () => {
    const state = report()
    state.messages(measured('temperature', 20, at(0)), source, 'none')
    state.messages(measured('temperature', 21, at(1)), source, 'none')
    const [message] = state.messages(measured('temperature', 21, at(2)), source, 'changed')
    assert.equal(message?.reading.previous, 20)
  })
})
