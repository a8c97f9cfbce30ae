import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { processClock, processTime } from '../../../harness/clock/process-fake-clock.ts'
import { createPart, type FlowPart } from '../../../harness/flow/flow-part.ts'
import type { RunningFlow } from '../../../harness/flow/running-flow.ts'
import { useFlowHarness } from '../../../harness/flow.ts'
import { SimulatedFlow } from '../../../harness/simulation/node-red/simulated-flow.ts'
import { registrations } from '../../../nodes/keyholder.ts'
import { minute, second } from '../../../src/duration.ts'
import type { Simulator } from '../../../src/simulator/simulator.ts'

const startsAt = Date.parse('2026-03-02T10:00:00Z')

/** What both kinds of flows have. */
type Flow = Pick<
  RunningFlow,
  'output' | 'status' | 'input' | 'deploy' | 'has' | 'stop' | 'caught' | 'completed'
>

/** Milliseconds of which each polling interval is a part. */
const phase = 5 * minute

const nodes = {
  state: { type: 'keyholder-state' },
  events: { type: 'keyholder-events' },
  readings: { type: 'keyholder-readings' },
  incident: { type: 'keyholder-incident' },
  conditions: { type: 'keyholder-conditions' },
  command: { type: 'keyholder-command', partition: 1 },
  home: { type: 'keyholder-home-assistant' },
  health: { type: 'keyholder-health' },
}

describe('The nodes of the package in the simulated Node-RED', () => {
  const harness = useFlowHarness()
  const userDir = mkdtempSync(join(tmpdir(), 'keyholder-simulated-'))
  after(() => rmSync(userDir, { recursive: true, force: true }))

  /** Returns all that the nodes tell while something happens, in the real or in the simulated Node-RED. */
  async function told(kind: 'real' | 'simulated'): Promise<object> {
    await processTime.advanceTo(Math.ceil(processClock.monotonic() / phase) * phase)
    processClock.stepWall(startsAt - processClock.wall())
    const simulator = await harness.startSimulator()
    const part = createPart(simulator, {
      panel: { allowCommands: true, allowRehearsal: true, stateEvery: 10, eventsEvery: 10, devicesEvery: 30 },
      nodes,
    })
    const flow = kind === 'real' ? await harness.startParts([part]) : await startSimulated(part)
    await happen(flow, part, simulator)
    if (kind === 'simulated') await flow.stop()
    const names = [...part.ids.keys()]
    assert.ok(flow.output('command').all.some(({ payload }) => payload.ended === 'scene'))
    const recorded = {
      outputs: names.map((name) => [name, flow.output(name).all]),
      statuses: names.map((name) => [name, flow.status(name).all]),
      caught: flow.caught.all,
      completed: flow.completed.all,
    }
    await harness.close()
    return withoutIds(recorded)
  }

  async function startSimulated(part: FlowPart): Promise<SimulatedFlow> {
    const flow = new SimulatedFlow([part], {
      userDir,
      settings: { keyholderPanelPollFloor: 0.05, nodeCloseTimeout: 2 ** 31 - 1 },
      queue: setImmediate,
      types: Object.values(registrations),
    })
    await flow.start()
    return flow
  }

  /** Lets something happen at the house and to the flow: an arming, commands, deploys and a rehearsal. */
  async function happen(flow: Flow, part: FlowPart, simulator: Simulator): Promise<void> {
    const panel = simulator.world.panel('A1B2C3')
    await processTime.pass(30 * second)
    panel.arm(1, 'AWAY', { user: 'Ben', exitDelay: 0 })
    await processTime.pass(30 * second)
    flow.input('command', { payload: 'disarm' })
    await processTime.pass(30 * second)
    flow.input('command', { payload: 'no such command' })
    flow.input('state', { topic: 'asked' })
    await processTime.pass(30 * second)
    const disabled = part.nodes.map((node) =>
      node.id === part.ids.get('state') ? { ...node, d: true } : node,
    )
    await flow.deploy({ ...part, nodes: disabled })
    assert.equal(flow.has('state'), false)
    await processTime.pass(30 * second)
    await flow.deploy(part)
    await processTime.pass(30 * second)
    panel.goOffline()
    await processTime.pass(2 * minute)
    panel.goOnline()
    await processTime.pass(2 * minute)
    flow.input('command', { rehearse: { scene: 'burglary-entry', faster: true } })
    await processTime.pass(3 * minute)
    const credentials = { ...part.credentials, [part.panel]: {} }
    const changed = part.nodes.map((node) => (node.id === part.panel ? { ...node, info: 'changed' } : node))
    await flow.deploy({ ...part, credentials, nodes: changed })
    await processTime.pass(30 * second)
  }

  it('tell the same messages and statuses as in the real Node-RED', async () => {
    const real = await told('real')
    assert.deepEqual(await told('simulated'), real)
  })
})

/** Returns what was recorded without what is new in each run: the ids of parts and of messages. */
function withoutIds(recorded: object): object {
  const text = JSON.stringify(recorded, (field, value) =>
    ['_msgid', 'stack'].includes(field) ? undefined : field === 'parts' ? { ...value, id: '' } : value,
  )
  return JSON.parse(text.replaceAll(/\.\d+(\\?")/g, '.N$1'))
}
