import assert from 'node:assert/strict'
import fc from 'fast-check'
import { anyJson } from '../../../harness/fixtures/any-json.ts'
import { alarm, parseValid } from '../../../harness/fixtures/samples.ts'
import { assertShape } from '../../../harness/fixtures/shape.ts'
import { alerts } from '../../../src/service/responses/alerts.ts'
import { parse } from '../../../src/service/schema.ts'

const { alarm_type, ...rest } = alarm()
const shown = { ...rest, alert_type: 'FLOOD' }

describe('The list of alerts', () => {
  it('keeps the known fields of an alert', () => {
    assert.deepEqual(parseValid(alerts, [{ ...shown, secret: 'no' }]), [shown])
  })

  it('keeps an alert of which only the type is known', () => {
    assert.deepEqual(parseValid(alerts, [{ alert_type: 'BORED' }]), [
      {
        alert_type: 'BORED',
        device_type: '',
        datetime: '',
        has_video: false,
        evt_id: null,
        location: '',
        partitions: [],
        zone: null,
        zone_name: '',
        zone_type: '',
      },
    ])
  })

  it('drops and counts entries that are not alerts, and is rejected if it is not a list', () => {
    assert.deepEqual(parse(alerts, [null, 'x']), { value: [], dropped: 2 })
    for (const answer of [null, {}, 'x']) assert.equal(parse(alerts, answer), undefined)
  })

  it('has its declared shape for any JSON, and parsing never throws', () => {
    fc.assert(
      fc.property(fc.array(anyJson(Object.keys(shown))), (answer) => {
        assertShape(parseValid(alerts, answer), [
          {
            alert_type: 'string',
            device_type: 'string',
            datetime: 'string',
            has_video: 'boolean',
            evt_id: 'number?',
            location: 'string',
            partitions: ['number'],
            zone: 'number?',
            zone_name: 'string',
            zone_type: 'string',
          },
        ])
      }),
    )
  })
})
