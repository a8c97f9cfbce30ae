import assert from 'node:assert/strict'
import type { Node, NodeAPI, NodeDef } from 'node-red'
import { createPart } from '../../../harness/flow/flow-part.ts'
import { useFlowHarness } from '../../../harness/flow.ts'
import { type Behavior, bindToPanel } from '../../../nodes/binding/panel-binding.ts'
import { polledBehavior } from '../../../nodes/binding/polled-behavior.ts'
import { guard } from '../../../nodes/shared/guard.ts'

const state = { type: 'keyholder-state', emit: 'poll', partitions: [1] }
const idleBehavior: Behavior = { subscribe: () => () => {}, onInput: async () => {} }

/** A node type of the test, with a behavior that fails. */
function failingNode(behavior: (RED: NodeAPI, node: Node) => Behavior) {
  return (RED: NodeAPI) =>
    RED.nodes.registerType('wild', function (this: Node, def: NodeDef & { panel: string }) {
      RED.nodes.createNode(this, def)
      bindToPanel(RED, this, def, async () => ({ behavior }))
    })
}

/** Thrown values, and parts of the sentence that the flow receives. */
const thrown: [what: string, value: unknown, sentence: RegExp][] = [
  ['an error', new TypeError('out of luck'), /out of luck/],
  ['a text', 'out of luck', /out of luck/],
  ['nothing', undefined, /undefined/],
  ['null', null, /null/],
  ['an object', { out: 'of luck' }, /Object|luck/],
]

// Each time a test stops a flow, it also checks that there was no unhandled rejection.
describe('A failure inside a node', () => {
  const harness = useFlowHarness()
  const run = async (behavior: Parameters<typeof failingNode>[0]) => {
    const simulator = await harness.startSimulator()
    const nodes = { wild: { type: 'wild' }, state }
    return harness.startParts([createPart(simulator, { nodes })], { types: [failingNode(behavior)] })
  }

  for (const [what, value, sentence] of thrown) {
    for (const [how, answer] of [
      [
        'throws',
        () => {
          throw value
        },
      ],
      ['rejects with', () => Promise.reject(value)],
    ] as const) {
      it(`reaches Catch if an input handler ${how} ${what}, with name, code and the incoming message`, async () => {
        const flow = await run(() => ({ ...idleBehavior, onInput: answer }))
        flow.input('wild', { _msgid: 'mine', count: 7 })
        const { error, count, _msgid } = await flow.caught.next()
        assert.match(error.message, /^KeyholderError: /)
        assert.match(error.message, sentence)
        assert.deepEqual([error.code, count, _msgid], ['INTERNAL_ERROR', 7, 'mine'])
        assert.equal((await flow.status('wild').next(({ fill }) => fill === 'red')).text, 'internal error')
        await flow.output('state').take(2)
        assert.equal(flow.caught.all.length, 1)
      })
    }
  }

  it('is logged with its stack at level debug, once', async () => {
    const flow = await run(() => ({
      ...idleBehavior,
      onInput: () => {
        throw new TypeError('out of luck')
      },
    }))
    flow.input('wild')
    await flow.caught.next()
    const debug = flow.logged.filter((line) => (line as { level: number }).level === 50)
    const lines = debug.map((line) => String((line as { msg: unknown }).msg))
    const stacks = lines.filter((line) => line.startsWith('Unexpected'))
    assert.equal(stacks.length, 1)
    assert.match(stacks[0] ?? '', /^Unexpected TypeError in the alarm panel nodes:\n +at .*guard\.test/)
    assert.doesNotMatch(stacks[0] ?? '', /out of luck/)
  })

  it('is shown if subscribing fails, and the node still answers inputs', async () => {
    const subscribe = () => {
      throw new TypeError('out of luck')
    }
    const answer: Behavior['onInput'] = async (_panel, message, send) =>
      send([{ ...message, payload: 'answer' }])
    const flow = await run(() => ({ subscribe, onInput: answer }))
    assert.equal((await flow.status('wild').next(({ fill }) => fill === 'red')).text, 'internal error')
    flow.input('wild')
    assert.equal((await flow.output('wild').next()).payload, 'answer')
  })

  it('reaches Catch if the behavior cannot be loaded, and ends when it can', async () => {
    const simulator = await harness.startSimulator()
    let isThere = false
    const load = async () => {
      if (!isThere) throw new TypeError('out of luck')
      return {
        behavior: () =>
          ({ ...idleBehavior, onInput: async (_panel, message, send) => send([message]) }) as Behavior,
      }
    }
    const type = (RED: NodeAPI) =>
      RED.nodes.registerType('wild', function (this: Node, def: NodeDef & { panel: string }) {
        RED.nodes.createNode(this, def)
        bindToPanel(RED, this, def, load)
      })
    const flow = await harness.startParts([createPart(simulator, { nodes: { wild: { type: 'wild' } } })], {
      types: [type],
    })
    assert.match((await flow.caught.next()).error.message, /^KeyholderError: .*out of luck/)
    assert.equal((await flow.status('wild').next(({ fill }) => fill === 'red')).text, 'internal error')
    isThere = true
    flow.input('wild', { count: 7 })
    assert.equal((await flow.output('wild').next()).count, 7)
    assert.equal(flow.caught.all.length, 1)
  })

  it('reaches Catch if a subscriber throws at a poll, and other nodes continue', async () => {
    const messages = () => {
      throw new TypeError('out of luck')
    }
    const flow = await run((RED, node) =>
      polledBehavior(RED, node, {
        emit: 'poll',
        initial: true,
        deliveredTo: { id: node.id, instances: 'one' },
        nothingChosen: 'Nothing is there.',
        operation: 'status',
        work: 'state',
        report: { told: [], continueFrom: () => {} },
        watch: (panel) => panel.state,
        messages,
        texts: () => ({}),
      }),
    )
    await flow.output('state').take(4)
    const errors = flow.caught.all.map(({ error }) => [error.source.type, error.code])
    assert.deepEqual(errors, Array(4).fill(['wild', 'INTERNAL_ERROR']))
    flow.input('wild', { count: 7 })
    assert.equal((await flow.caught.next(({ count }) => count === 7)).error.code, 'INTERNAL_ERROR')
  })

  it('does not prevent the node from closing', async () => {
    const flow = await run(() => ({
      ...idleBehavior,
      subscribe: () => () => {
        throw new TypeError('out of luck')
      },
    }))
    await flow.output('state').next()
    await harness.stopFlow()
  })

  it('reaches Catch as a KeyholderError even if it is unforeseen and happens while the panel is opened', async () => {
    const simulator = await harness.startSimulator()
    const unforeseen = (RED: NodeAPI) =>
      Object.assign(RED, {
        settings: Object.create(RED.settings, {
          keyholderPanelPollFloor: {
            get() {
              throw new TypeError('out of luck')
            },
          },
        }),
      })
    const flow = await harness.startParts([createPart(simulator, { nodes: { state } })], {
      types: [unforeseen],
    })
    flow.input('state', { count: 7 })
    const errors = await flow.caught.take(2)
    for (const { error } of errors)
      assert.deepEqual([error.message.split(':')[0], error.code], ['KeyholderError', 'INTERNAL_ERROR'])
  })

  it('is handled even if its error handler fails too', async () => {
    const simulator = await harness.startSimulator()
    const fails = () => {
      throw new TypeError('out of luck')
    }
    const type = (RED: NodeAPI) =>
      RED.nodes.registerType('wild', function (this: Node, def: NodeDef) {
        RED.nodes.createNode(this, def)
        this.on('input', () => {
          guard(this, fails, fails)
          guard(this, async () => fails(), fails)
          guard(this, fails)
          guard(this, async () => fails())
        })
      })
    const flow = await harness.startParts([createPart(simulator, { nodes: { wild: { type: 'wild' } } })], {
      types: [type],
    })
    flow.input('wild')
    const caught = await flow.caught.take(2)
    for (const { error } of caught)
      assert.deepEqual([error.code, error.source.type], ['INTERNAL_ERROR', 'wild'])
    assert.equal(flow.loggedErrors.length, 2)
  })

  it('causes no warning of the process if many inputs wait at the same time', async () => {
    const simulator = await harness.startSimulator()
    const warnings: Error[] = []
    const note = (warning: Error) => warnings.push(warning)
    process.on('warning', note)
    try {
      const flow = await harness.startParts([createPart(simulator, { nodes: { state } })])
      for (let number = 0; number < 50; number += 1) flow.input('state', { number })
      await flow.output('state').take(50, ({ number }) => number !== undefined)
    } finally {
      process.off('warning', note)
    }
    assert.deepEqual(warnings.map(String), [])
  })
})
