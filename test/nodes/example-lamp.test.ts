import assert from 'node:assert/strict'
import { until, useFlowHarness } from '../../harness/flow.ts'
import { ExampleHouse } from '../../harness/rehearsal/example-house.ts'

/** The node "lamp" of the example. */
const lamp = '0eca62980ea9553b'

describe('The lamp of the example "What is open or wrong"', () => {
  const harness = useFlowHarness()

  it('is red for an alarm and for what would hide one, yellow for all else in the list, green for an empty list', async () => {
    const { given, receive } = await ExampleHouse.start(harness, 'What is open or wrong')
    const colors = () => given.filter(({ to }) => to === 'color').map(({ message }) => message.payload)
    for (const [color, ...kinds] of [
      ['red', 'alarm'],
      ['yellow', 'open', 'battery'],
      ['red', 'chain', 'open'],
      ['green'],
      ['red', 'offline'],
    ]) {
      const begin = colors().length
      receive(lamp, { topic: 'House/conditions', payload: kinds.map((kind) => ({ kind, text: '…' })) })
      await until(() => colors().length > begin)
      assert.equal(colors().at(-1), color, kinds.join())
    }
  })
})
