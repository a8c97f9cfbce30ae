import assert from 'node:assert/strict'
import fc from 'fast-check'
import { anyJson } from '../../../harness/fixtures/any-json.ts'
import { alarm, parseValid } from '../../../harness/fixtures/samples.ts'
import { assertShape } from '../../../harness/fixtures/shape.ts'
import { alarms } from '../../../src/service/responses/alarms.ts'
import { parse } from '../../../src/service/schema.ts'

const shape = {
  device_type: 'string',
  alarm_type: 'string',
  datetime: 'string',
  has_video: 'boolean',
  evt_id: 'number?',
  location: 'string',
  partitions: ['number'],
  zone: 'number?',
  zone_name: 'string',
  zone_type: 'string',
} as const

describe('The list of alarms', () => {
  it('keeps the known fields of an alarm, and alarm types that we do not know', () => {
    const known = alarm({ alarm_type: 'MONSTER', partitions: [1, 2] })
    assert.deepEqual(parseValid(alarms, [{ ...known, more: 1 }]), [known])
  })

  it('keeps an alarm whose fields are all missing', () => {
    const bare = {
      device_type: '',
      alarm_type: '',
      datetime: '',
      has_video: false,
      evt_id: null,
      location: '',
      partitions: [],
      zone: null,
      zone_name: '',
      zone_type: '',
    }
    const nulls = Object.fromEntries(Object.keys(bare).map((name) => [name, null]))
    assert.deepEqual(parseValid(alarms, [{}, nulls]), [bare, bare])
  })

  it('drops and counts entries that are not alarms, and partitions that are not numbers', () => {
    assert.deepEqual(parse(alarms, ['ALARM', null]), { value: [], dropped: 2 })
    const parsed = parse(alarms, [{ partitions: [1, 'P2', 3] }])
    assert.deepEqual(parsed?.value[0]?.partitions, [1, 3])
    assert.equal(parsed.dropped, 1)
  })

  it('is rejected if it is not a list', () => {
    for (const answer of [null, {}, 'x']) assert.equal(parse(alarms, answer), undefined)
  })

  it('has its declared shape for any JSON, and parsing never throws', () => {
    fc.assert(
      fc.property(fc.array(anyJson(Object.keys(shape))), (answer) => {
        assertShape(parse(alarms, answer)?.value, [shape])
      }),
    )
  })
})
