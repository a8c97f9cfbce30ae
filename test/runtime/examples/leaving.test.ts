import assert from 'node:assert/strict'
import {
  ImportedExamples,
  kitchenOpen,
  kitchenWindow,
  silent,
} from '../../../harness/node-red/imported-examples.ts'
import type { FlowNode } from '../../../harness/node-red/recorded-flow.ts'
import { requestsTo } from '../../../harness/simulator.ts'

const leaving = 'Arm when the last phone leaves'

const bothLeaveAndOneIsBack = 'Both leave, and Anna is back'

/** A button that sends all three messages at once: the phone is back in time however long this machine stands still. */
function bothLeave(flows: readonly FlowNode[]): FlowNode[] {
  const { id = '', z = '' } = flows.find(({ name }) => name === 'who is at home?') ?? {}
  const phones = [
    { topic: 'Anna', payload: false },
    { topic: 'Ben', payload: false },
    { topic: 'Anna', payload: true },
  ]
  const func = `return [${JSON.stringify(phones)}]`
  return [
    { id: 'both leave', type: 'inject', z, name: bothLeaveAndOneIsBack, props: [], wires: [['phones']] },
    { id: 'phones', type: 'function', z, func, outputs: 1, wires: [[id]] },
  ]
}

describe('The example that arms when the last phone leaves, in a real Node-RED', () => {
  let examples: ImportedExamples

  before(async () => {
    examples = await ImportedExamples.open([leaving, silent], { [leaving]: bothLeave })
  })
  after(() => examples?.close())
  afterEach('the house is at rest again and no error was caught', () => examples.reset())

  it('does not arm if both phones report after a start that they are away', async () => {
    await examples.press(leaving, 'Anna leaves')
    await examples.press(leaving, 'Ben leaves')
    // Twice as long as it waits here.
    await examples.waitForHeartbeats(3)
    assert.equal(requestsTo(examples.harness.simulator, 'set_state'), 0)
    assert.deepEqual(examples.notifications(leaving), [])
    await examples.press(leaving, 'Anna is back')
  })

  it('arms when the last phone has left, unless it comes back, and never disarms', async () => {
    const commands = () => requestsTo(examples.harness.simulator, 'set_state')
    const before = commands()
    await examples.press(leaving, bothLeaveAndOneIsBack)
    // Twice as long as it waits here.
    await examples.waitForHeartbeats(3)
    assert.equal(commands(), before)
    assert.deepEqual(examples.notifications(leaving), [])
    await examples.press(leaving, 'Anna leaves')
    assert.equal(
      await examples.waitForNotification(leaving, /Nobody/),
      'Nobody is at home: the panel is arming',
    )
    await examples.press(leaving, 'Ben is back')
    await examples.waitForHeartbeats(2)
    assert.equal(commands(), before + 1)
    assert.deepEqual(examples.states, ['AWAY', 'AWAY', 'AWAY'])
  })

  it('reports the reason if it does not arm after everybody has left', async () => {
    examples.panel.open(kitchenWindow)
    await examples.press(leaving, 'Ben leaves')
    assert.equal(
      await examples.waitForNotification(leaving, /not armed/),
      `Nobody is at home, but the panel is not armed. ${kitchenOpen}`,
    )
    assert.deepEqual(examples.states, ['DISARM', 'DISARM', 'DISARM'])
  })
})
