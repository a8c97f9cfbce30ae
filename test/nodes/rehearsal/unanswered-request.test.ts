import assert from 'node:assert/strict'
import { burglary, changed, houseFlow, houseNode } from '../../../harness/rehearsal/house-flow.ts'
import { RehearsedFlow } from '../../../harness/rehearsal/rehearsed-flow.ts'
import { systemClock } from '../../../src/clock.ts'

// A file of its own: it opens a socket, and has no fake clock.
describe('The report of a rehearsal', () => {
  it('finds a request of a notification that nobody answers', async () => {
    const toNobody = {
      type: 'http request',
      method: 'POST',
      ret: 'txt',
      url: 'http://127.0.0.1:1/',
      wires: [[]],
    }
    const house = await RehearsedFlow.start(changed(houseFlow, houseNode('phone', toNobody)))
    try {
      const { findings, ways } = await house.rehearse(burglary, () => house.done('phone'), systemClock)
      assert.deepEqual(
        findings.map(({ kind, node }) => [kind, node.id]),
        [['failed', 'phone']],
      )
      assert.equal(ways.find(({ id }) => id === 'phone')?.state, 'failed')
    } finally {
      await house.stop()
    }
  })
})
