import assert from 'node:assert/strict'
import type { Node, NodeAPI } from 'node-red'
import { createPart } from '../../../harness/flow/flow-part.ts'
import { until, useFlowHarness } from '../../../harness/flow.ts'
import { requestsTo } from '../../../harness/simulator.ts'
import { type AttachedDef, type Behavior, bindToPanel } from '../../../nodes/binding/panel-binding.ts'
import { WaitingInputs } from '../../../nodes/binding/waiting-inputs.ts'
import { hang } from '../../../src/simulator/faults/network-faults.ts'

describe('Messages that a node refuses', () => {
  it('take fifty at a time, so that other nodes get their turns in between', async () => {
    const waiting = new WaitingInputs()
    let refused = 0
    const add = (messages: number) => {
      for (let n = 0; n < messages; n += 1)
        void waiting.refusalTurn().then(() => {
          refused += 1
        })
    }
    const counts: number[] = []
    add(120)
    for (let turn = 0; turn < 4; turn += 1) {
      await new Promise((resolve) => setImmediate(resolve))
      counts.push(refused)
    }
    add(1)
    await new Promise((resolve) => setImmediate(resolve))
    assert.deepEqual([...counts, refused], [50, 100, 120, 120, 121])
  })
})

describe('Above a thousand messages that wait at a node', () => {
  const harness = useFlowHarness()

  it('the next one fails with RATE_LIMITED, until one has been answered', async () => {
    const answers: (() => void)[] = []
    const behavior: Behavior = {
      subscribe: () => () => {},
      onInput: (_panel, message, send) =>
        new Promise((resolve) => {
          answers.push(() => {
            send([message])
            resolve()
          })
        }),
    }
    const register = (RED: NodeAPI) =>
      RED.nodes.registerType('witness', function (this: Node, def: AttachedDef) {
        RED.nodes.createNode(this, def)
        bindToPanel(RED, this, def, async () => ({ behavior: () => behavior }))
      })
    const simulator = await harness.startSimulator()
    const part = createPart(simulator, { nodes: { witness: { type: 'witness' } } })
    const flow = await harness.startParts([part], { types: [register] })
    for (let n = 1; n <= 1001; n += 1) flow.input('witness', { n })
    const refused = await flow.caught.next()
    assert.deepEqual([refused.n, refused.error.code], [1001, 'RATE_LIMITED'])
    assert.match(refused.error.message, /1,000 messages wait at this node already, so this one was not taken/)
    answers[0]?.()
    await flow.output('witness').next()
    flow.input('witness', { n: 1002 })
    await until(() => answers.length === 1001)
    assert.equal(flow.caught.all.length, 1)
  })

  for (const [title, node, disarm, other] of [
    ['of a command node', { state: 'AWAY' }, { payload: 'disarmed' }, { payload: 'armed_away' }],
    [
      'whose state comes from the message',
      { state: 'wish', stateType: 'msg' },
      { wish: 'DISARM' },
      { wish: 'HOME' },
    ],
    [
      'of Home Assistant',
      { type: 'keyholder-home-assistant' },
      { topic: 'keyholder/A1B2C3/partition_1/set', payload: 'DISARM' },
      { topic: 'keyholder/A1B2C3/partition_1/set', payload: 'ARM_AWAY' },
    ],
  ] as const)
    it(`a disarm ${title} is taken`, async () => {
      const simulator = await harness.startSimulator()
      const flow = await harness.startAt(simulator, {
        panel: { allowCommands: true },
        nodes: { node: { type: 'keyholder-command', ...node } },
      })
      await flow.status('node').next(({ fill }) => fill !== 'yellow')
      const before = requestsTo(simulator, 'status')
      simulator.faults.start(hang(), { operation: 'status' })
      for (let n = 0; n < 1000; n += 1) flow.input('node', { ...other })
      await until(() => requestsTo(simulator, 'status') > before)
      flow.input('node', { ...other, isLast: true })
      const refused = await flow.caught.next(({ isLast }) => isLast)
      assert.match(refused.error.message, /1,000 messages wait/)
      flow.input('node', { ...disarm })
      await until(() => requestsTo(simulator, 'set_state') > 0)
    })
})
