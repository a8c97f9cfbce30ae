import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { open, seal } from '../../../src/cluster/redis/seal.ts'
import { packState, unpackState } from '../../../src/cluster/stores/packed-cursor.ts'
import { stateText } from '../../../src/panel/events/cursor/cursor-format.ts'
import { columnsOf } from '../../../src/panel/events/event-history.ts'

describe('Sealed data', () => {
  const key = randomBytes(32)
  const secret = Buffer.from('Canary-Token-7')

  it('can be opened with its key, at its place alone', () => {
    const sealed = seal(key, 'here', secret)
    assert.deepEqual(open(key, 'here', sealed), secret)
    assert.equal(open(key, 'elsewhere', sealed), undefined)
    assert.equal(open(randomBytes(32), 'here', sealed), undefined)
    assert.ok(!sealed.includes(secret))
    assert.notDeepEqual(seal(key, 'here', secret), sealed)
  })

  it('cannot be opened after a change, or if it is cut off', () => {
    const sealed = seal(key, 'here', secret)
    for (let place = 0; place < sealed.length; place += 1) {
      const changed = Buffer.from(sealed)
      changed[place] = (changed[place] ?? 0) ^ 1
      assert.equal(open(key, 'here', changed), undefined)
      assert.equal(open(key, 'here', sealed.subarray(0, place)), undefined)
    }
  })
})

describe('A packed cursor', () => {
  const hashes = Array.from({ length: 1000 }, (_, index) => {
    return randomBytes(6).readUIntBE(0, 6) * 32 + (index % 32)
  })
  const sequences = hashes.map((_, index) => 5001 + index + (index > 700 ? 3 : 0))
  const columns = columnsOf({ hashes, occurrences: hashes.map(() => 1), sequences }, 6100)
  const state = {
    serial: 'A1B2C3',
    memory: { ...columns, next: 6100, order: 'oldest first', newest: null, moved: null },
    positions: { node: 6003, other: 5900 },
  } as const

  it('of 1,000 events takes at most 0.4 of its JSON, and comes back as it was', () => {
    const packed = packState(state)
    assert.ok(packed.length <= 0.4 * stateText(state).length, `${packed.length}`)
    assert.deepEqual(unpackState(packed), state)
  })

  it('is nothing if it is damaged', () => {
    for (const damaged of [Buffer.alloc(0), randomBytes(100), packState(state).subarray(9)])
      assert.equal(unpackState(damaged), undefined)
  })
})
