import assert from 'node:assert/strict'
import { devices } from '../../src/service/responses/devices.ts'
import { panelLimits } from '../../src/service/responses/feature-set.ts'
import { parse } from '../../src/service/schema.ts'

describe('The values that devices and panels share', () => {
  const read = (partitions: unknown, location = 'Hall') => {
    const wire = { id: 1, name: 'Front door', partitions, traits: { location: { name: location } } }
    return parse(devices, [structuredClone(wire)])?.value[0] ?? assert.fail()
  }

  it('are one frozen list for equal partitions, also of different panels, and none for others', () => {
    const [one, same, other, none] = [read([1, 2]), read([1, 2]), read([1]), read(null)]
    assert.equal(one.partitions, same.partitions)
    assert.ok(Object.isFrozen(one.partitions))
    assert.deepEqual([one.partitions, other.partitions, none.partitions], [[1, 2], [1], []])
  })

  it('are one frozen object for equal locations, and for panels with equal limits', () => {
    const [one, same] = [read(null), read(null)]
    assert.ok(one.traits.location !== null && Object.isFrozen(one.traits.location))
    assert.equal(one.traits.location, same.traits.location)
    const limits = (max_partitions: number) => parse(panelLimits, { partitions: { max_partitions } })?.value
    assert.equal(limits(3), limits(3))
    assert.deepEqual([limits(3)?.maxPartitions, limits(8)?.maxPartitions], [3, 8])
  })

  it('never mix up what services send', () => {
    for (let nth = 0; nth < 12_000; nth += 1) {
      const { partitions, name, traits } = read([nth], `Room ${nth}`)
      assert.deepEqual([partitions, name, traits.location], [[nth], 'Front door', { name: `Room ${nth}` }])
    }
  })
})
