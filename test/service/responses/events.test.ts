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

/** The one event in a list of one. */
function one(sent: object): PanelEvent {
  const [checked] = parseValid(panelEvents, [sent])
  return checked ?? assert.fail('no event')
}

describe('The list of events', () => {
  // @spec 2.12, event-shape
  it('keeps what the interface specification shows of shape A', () => {
    assert.deepEqual(one({ ...event(), secret: 'no' }), event())
  })

  // @spec 2.12, event-shape, event-name-field
  it('keeps what the interface specification shows of shape B, its name as the name of the zone', () => {
    const { zone_name, ...rest } = event()
    assert.deepEqual(one({ ...rest, name: zone_name, delivery }), { ...event(), delivery })
  })

  // @spec event-name-field
  it('takes the name of the zone before the name where both are given', () => {
    assert.equal(one({ zone_name: 'Front door', name: 'x' }).zone_name, 'Front door')
    assert.equal(one({ zone_name: '', name: 'Front door' }).zone_name, 'Front door')
    assert.equal(one({ zone_name: null, name: null }).zone_name, '')
  })

  // @spec 6.2
  it('has no delivery where the service gives none, and counters of 0 where it gives no number', () => {
    for (const none of [{}, { delivery: null }, { delivery: 'sent' }]) assert.ok(!('delivery' in one(none)))
    const none = { queue: 0, success: 0, failed: 0, retry: 0, processing: 0 }
    assert.deepEqual(one({ delivery: {} }).delivery, none)
    assert.deepEqual(one({ delivery: { failed: 3, queue: 'x' } }).delivery, { ...none, failed: 3 })
  })

  it('keeps an event of which nothing is known', () => {
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

  it('takes an id that is not exact as none, and 0 as it is', () => {
    assert.equal(one({ event: 2 ** 53 }).event, null)
    assert.equal(one({ event: 0 }).event, 0)
  })

  it('drops and counts what is no event, and is refused when it is no list', () => {
    assert.deepEqual(parse(panelEvents, [null, 7, 'x', []]), { value: [], dropped: 4 })
    for (const answer of [null, {}, 'x']) assert.equal(parse(panelEvents, answer), undefined)
  })

  it('has its shape whatever JSON comes, and never throws', () => {
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
