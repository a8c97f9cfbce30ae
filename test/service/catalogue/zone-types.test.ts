import assert from 'node:assert/strict'
import { outputZoneType, zoneTypes } from '../../../src/service/catalogue/zone-types.ts'

describe('The zone types', () => {
  // @spec 2.9
  it('are the 25 of the interface specification, without duplicates', () => {
    assert.equal(zoneTypes.length, 25)
    assert.equal(new Set(zoneTypes).size, 25)
    assert.deepEqual([zoneTypes[0], zoneTypes[24]], ['NON_ALARM', 'CUSTOM_2'])
  })

  // @spec 2.9
  it('do not include the zone type that only outputs have', () =>
    assert.ok(!zoneTypes.includes(outputZoneType)))
})
