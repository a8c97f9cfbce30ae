import assert from 'node:assert/strict'
import type { Node, NodeAPI, NodeDef } from 'node-red'
import { processTime } from '../../../harness/clock/process-fake-clock.ts'
import { createPart } from '../../../harness/flow/flow-part.ts'
import { useFlowHarness } from '../../../harness/flow.ts'
import { requestsTo } from '../../../harness/simulator.ts'
import { minute } from '../../../src/duration.ts'

/** Stands for the security system of a HomeKit palette, whose first output also sends what the flow itself has set. */
function registerHomeKit(RED: NodeAPI): void {
  RED.nodes.registerType('security-system', function (this: Node, def: NodeDef) {
    RED.nodes.createNode(this, def)
    this.on('input', ({ payload }, send, done) => {
      // What is triggered is no target.
      if (payload !== 4) send({ payload })
      done()
    })
  })
}

describe('A flow in which HomeKit sends each state back as a command', () => {
  const harness = useFlowHarness()

  async function start() {
    const simulator = await harness.startSimulator({ speed: 100 })
    const part = createPart(simulator, {
      panel: { allowCommands: true, stateEvery: '', eventsEvery: '', devicesEvery: '' },
      nodes: {
        state: { type: 'keyholder-state', partitions: [1], vocabulary: 'homekit' },
        homekit: { type: 'security-system' },
        command: { type: 'keyholder-command', partition: 1 },
        // So that the events tell who has disarmed.
        events: { type: 'keyholder-events' },
      },
    })
    const wire = (from: string, to: string) => {
      const node = part.nodes.find(({ id }) => id === part.ids.get(from))
      Object.assign(node ?? {}, { wires: [[`out ${part.ids.get(from)}`, part.ids.get(to)]] })
    }
    wire('state', 'homekit')
    wire('homekit', 'command')
    const flow = await harness.startParts([part], { types: [registerHomeKit] })
    const home = simulator.world.panel('A1B2C3')
    return { home, flow, sent: () => requestsTo(simulator, 'set_state') }
  }

  it('comes to rest after one request: the event of a disarm of what is disarmed is no news of the state', async () => {
    const { home, flow, sent } = await start()
    const told = () => flow.output('state').all.map(({ payload }) => payload)
    const disarms = () => flow.output('events').all.filter(({ payload }) => payload.typeId === 89).length
    assert.equal((await flow.output('command').next()).payload.already, true)
    await flow.output('events').until(() => disarms() === 1)
    await processTime.pass(10 * minute)
    assert.deepEqual([told(), sent()], [[3], 1])
    home.disarm(1, { user: 'Ben' })
    await flow.output('events').until(() => disarms() === 2)
    await processTime.pass(10 * minute)
    assert.deepEqual([told(), sent()], [[3], 1])
  })

  it('comes to rest after a disarm at the keypad, too', async () => {
    const { home, flow, sent } = await start()
    const out = flow.output('state')
    await flow.output('command').next()
    home.arm(1, 'AWAY', { exitDelay: 0 })
    await out.next(({ payload }) => payload === 1)
    assert.equal((await flow.output('command').next()).payload.already, true)
    const before = sent()
    home.disarm(1, { user: 'Ben' })
    await out.next(({ payload }) => payload === 3)
    await processTime.pass(10 * minute)
    assert.deepEqual(
      out.all.map(({ payload }) => payload),
      [3, 1, 3],
    )
    assert.equal(sent(), before + 1)
  })
})
