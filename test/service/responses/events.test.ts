import assert from 'node:assert/strict'
import fc from 'fast-check'
import { anyJson } from '../../../harness/fixtures/any-json.ts'
import { event, parseValid } from '../../../harness/fixtures/samples.ts'
import { assertShape } from '../../../harness/fixtures/shape.ts'
import { type PanelEvent, panelEvents } from '../../../src/service/responses/events.ts'
import { parse } from '../../../src/service/schema.ts'

const delivery = { queue: 1, success: 2, failed: 3, retry: 4, processing: 5 }
const fields = {
  event: 'number?',
  type_id: 'number?',
  label: 'string',
  description: 'string',
  appointment: 'string',
  datetime: 'string',
  video: 'boolean',
  device_type: 'string',
  zone: 'number?',
  zone_name: 'string',
  partitions: ['number'],
} as const

/** Returns the only event of a list of one. */
function one(sent: object): PanelEvent {
  const [checked] = parseValid(panelEvents, [sent])
  return checked ?? assert.fail('no event')
}

describe('The list of events', () => {
  // @spec 2.12, event-shape
  it('keeps the fields of shape A of the interface specification', () => {
    assert.deepEqual(one({ ...event(), secret: 'no' }), event())
  })

  // @spec 2.12, event-shape, event-name-field
  it('keeps the fields of shape B of the interface specification, with name as zone_name', () => {
    const { zone_name, ...rest } = event()
    assert.deepEqual(one({ ...rest, name: zone_name, delivery }), { ...event(), delivery })
  })

  // @spec event-name-field
  it('prefers zone_name to name if both are given', () => {
    assert.equal(one({ zone_name: 'Front door', name: 'x' }).zone_name, 'Front door')
    assert.equal(one({ zone_name: '', name: 'Front door' }).zone_name, 'Front door')
    assert.equal(one({ zone_name: null, name: null }).zone_name, '')
  })

  // @spec 6.2
  it('has no delivery if the service sends none, and counters of 0 for values that are not numbers', () => {
    for (const none of [{}, { delivery: null }, { delivery: 'sent' }]) assert.ok(!('delivery' in one(none)))
    const none = { queue: 0, success: 0, failed: 0, retry: 0, processing: 0 }
    assert.deepEqual(one({ delivery: {} }).delivery, none)
    assert.deepEqual(one({ delivery: { failed: 3, queue: 'x' } }).delivery, { ...none, failed: 3 })
  })

  it('keeps an event whose fields are all missing', () => {
    assert.deepEqual(one({}), {
      event: null,
      type_id: null,
      label: '',
      description: '',
      appointment: '',
      datetime: '',
      video: false,
      device_type: '',
      zone: null,
      zone_name: '',
      partitions: [],
    })
  })

  it('reads an id that is not a safe integer as null, and keeps the id 0', () => {
    assert.equal(one({ event: 2 ** 53 }).event, null)
    assert.equal(one({ event: 0 }).event, 0)
  })

  it('drops and counts entries that are not events, and is rejected if it is not a list', () => {
    assert.deepEqual(parse(panelEvents, [null, 7, 'x', []]), { value: [], dropped: 4 })
    for (const answer of [null, {}, 'x']) assert.equal(parse(panelEvents, answer), undefined)
  })

  it('has its declared shape for any JSON, and parsing never throws', () => {
    const any = anyJson([...Object.keys(fields), 'name', 'delivery', ...Object.keys(delivery)])
    fc.assert(
      fc.property(fc.array(any), (answer) => {
        for (const checked of parseValid(panelEvents, answer)) {
          const { delivery: counters, ...rest } = checked
          assertShape(rest, fields)
          if (counters) {
            assertShape(
              counters,
              Object.fromEntries(Object.keys(delivery).map((name) => [name, 'number'] as const)),
            )
          }
        }
      }),
    )
  })
})
