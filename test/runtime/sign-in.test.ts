import assert from 'node:assert/strict'
import { NodeRedHarness } from '../../harness/node-red.ts'

describe('A wrong password in a real Node-RED', () => {
  it('is tried once, over three restarts too, and every start says what is wrong', async () => {
    const harness = await NodeRedHarness.open()
    try {
      await harness.writeFlows([{ id: 'state', type: 'keyholder-state' }], { password: 'not-the-password' })
      for (let start = 1; start <= 3; start += 1) {
        const nodeRed = harness.startNodeRed()
        const { messages: sink } = harness
        const refusals = () => sink.from('tab catch').filter(({ error }) => error.code === 'BAD_CREDENTIALS')
        await sink.until(`refusal ${start}`, () => refusals().length >= start)
        const words = () => sink.from('tab status').map(({ status }) => `${status.fill} ${status.text}`)
        await sink.until(
          `the status of start ${start}`,
          () => words().filter((word) => word === 'red wrong password').length >= start,
        )
        assert.doesNotMatch(nodeRed.output, /not-the-password/)
        await nodeRed.stop()
      }
      assert.equal(harness.requestsTo('auth'), 1)
    } finally {
      await harness.close()
    }
  })
})
