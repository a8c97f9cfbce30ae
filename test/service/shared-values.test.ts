import assert from 'node:assert/strict'
import { devices } from '../../src/service/responses/devices.ts'
import { parse } from '../../src/service/schema.ts'

describe('The values that devices share', () => {
  const read = (partitions: unknown) => {
    const wire = { id: 1, name: 'Front door', partitions, traits: { location: { name: 'Hall' } } }
    return parse(devices, [structuredClone(wire)])?.value[0] ?? assert.fail()
  }

  it('are one frozen list for equal partitions, also of different panels, and none for others', () => {
    const [one, same, other, none] = [read([1, 2]), read([1, 2]), read([1]), read(null)]
    assert.equal(one.partitions, same.partitions)
    assert.ok(Object.isFrozen(one.partitions))
    assert.deepEqual([one.partitions, other.partitions, none.partitions], [[1, 2], [1], []])
  })

  it('never mix up what services send', () => {
    for (let nth = 0; nth < 12_000; nth += 1) {
      assert.deepEqual([read([nth]).partitions, read([nth]).name], [[nth], 'Front door'])
    }
  })
})
