import assert from 'node:assert/strict'
import { deliveringNode } from '../../../nodes/shared/node-options.ts'

describe('The instances that send for a node', () => {
  it('are one or every, and one in a flow of before there were clusters', () => {
    for (const instances of [undefined, '', 'one'] as const) {
      assert.deepEqual(deliveringNode({ id: 'a' }, { instances }), { id: 'a', instances: 'one' })
    }
    assert.deepEqual(deliveringNode({ id: 'a' }, { instances: 'every' }), { id: 'a', instances: 'every' })
  })

  it('cannot be anything else', () => {
    for (const instances of ['all', 2, null, []]) {
      assert.throws(() => deliveringNode({ id: 'a' }, { instances }), {
        code: 'BAD_SETTING',
        message: /^With several instances: /,
      })
    }
  })
})
