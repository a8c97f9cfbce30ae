import assert from 'node:assert/strict'
import { startNodeRedHarness } from '../../../harness/node-red.ts'
import { requestsTo } from '../../../harness/simulator.ts'

describe('A wrong password in a real Node-RED', () => {
  it('is sent once, even over three restarts, and every start reports the reason', async () => {
    const harness = await startNodeRedHarness()
    try {
      await harness.writeFlows([{ id: 'state', type: 'keyholder-state' }], { password: 'not-the-password' })
      for (let start = 1; start <= 3; start += 1) {
        const nodeRed = harness.startNodeRed()
        const { messages } = harness
        const refusals = () =>
          messages.from('tab catch').all.filter(({ error }) => error.code === 'BAD_CREDENTIALS')
        await messages.until(() => refusals().length >= start, `refusal ${start}`)
        const words = () =>
          messages.from('tab status').all.map(({ status }) => `${status.fill} ${status.text}`)
        await messages.until(
          () => words().filter((word) => word === 'red sign-in rejected').length >= start,
          `the status of start ${start}`,
        )
        assert.doesNotMatch(nodeRed.output, /not-the-password/)
        await nodeRed.stop()
      }
      assert.equal(requestsTo(harness.simulator, 'auth'), 1)
    } finally {
      await harness.close()
    }
  })
})
