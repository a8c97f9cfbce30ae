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
  it('keeps what is known of a trouble', () => {
    assert.deepEqual(parseValid(troubles, [{ ...lowBattery, secret: 'no' }]), [lowBattery])
  })

  it('keeps the nulls of the control panel', () => {
    const nowhere = { zone_type: null, zone: null, location: null, zone_name: null, partitions: [-1] }
    const acFailure = { trouble_type: 'AC_FAILURE', device_type: 'CONTROL_PANEL', ...nowhere }
    assert.deepEqual(parseValid(troubles, [acFailure]), [acFailure])
  })

  it('keeps a trouble of which nothing is known, and kinds it has never seen', () => {
    assert.deepEqual(
      parseValid(troubles, [{}, { trouble_type: 'BORED' }]).map(({ trouble_type }) => trouble_type),
      ['', 'BORED'],
    )
  })

  it('drops and counts what is no trouble, and is refused when it is no list', () => {
    assert.deepEqual(parse(troubles, [null, 'x']), { value: [], dropped: 2 })
    for (const answer of [null, {}, 'x']) assert.equal(parse(troubles, answer), undefined)
  })

  it('has its shape whatever JSON comes, and never throws', () => {
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
