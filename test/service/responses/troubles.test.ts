import assert from 'node:assert/strict'
import fc from 'fast-check'
import { anyJson } from '../../../harness/fixtures/any-json.ts'
import { parseValid } from '../../../harness/fixtures/samples.ts'
import { assertShape } from '../../../harness/fixtures/shape.ts'
import { troubles } from '../../../src/service/responses/troubles.ts'
import { parse } from '../../../src/service/schema.ts'

const lowBattery = {
  trouble_type: 'LOW_BATTERY',
  device_type: 'ZONE',
  zone_type: 'PERIMETER',
  zone: 3,
  location: 'Hall',
  zone_name: 'Front door',
  partitions: [1],
}

describe('The list of troubles', () => {
  it('keeps the known fields of a trouble', () => {
    assert.deepEqual(parseValid(troubles, [{ ...lowBattery, secret: 'no' }]), [lowBattery])
  })

  it('keeps the null fields of a trouble of the control panel', () => {
    const nowhere = { zone_type: null, zone: null, location: null, zone_name: null, partitions: [-1] }
    const acFailure = { trouble_type: 'AC_FAILURE', device_type: 'CONTROL_PANEL', ...nowhere }
    assert.deepEqual(parseValid(troubles, [acFailure]), [acFailure])
  })

  it('keeps a trouble whose fields are all missing, and trouble types that we do not know', () => {
    assert.deepEqual(
      parseValid(troubles, [{}, { trouble_type: 'BORED' }]).map(({ trouble_type }) => trouble_type),
      ['', 'BORED'],
    )
  })

  it('drops and counts entries that are not troubles, and is rejected if it is not a list', () => {
    assert.deepEqual(parse(troubles, [null, 'x']), { value: [], dropped: 2 })
    for (const answer of [null, {}, 'x']) assert.equal(parse(troubles, answer), undefined)
  })

  it('has its declared shape for any JSON, and parsing never throws', () => {
    fc.assert(
      fc.property(fc.array(anyJson(Object.keys(lowBattery))), (answer) => {
        assertShape(parseValid(troubles, answer), [
          {
            trouble_type: 'string',
            device_type: 'string',
            zone_type: 'string?',
            zone: 'number?',
            location: 'string?',
            zone_name: 'string?',
            partitions: ['number'],
          },
        ])
      }),
    )
  })
})
