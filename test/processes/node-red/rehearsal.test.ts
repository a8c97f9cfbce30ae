import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { until } from '../../../harness/clock/until.ts'
import type { FlowNode } from '../../../harness/node-red/recorded-flow.ts'
import { type NodeRedHarness, panelId, startNodeRedHarness } from '../../../harness/node-red.ts'
import { requestsTo } from '../../../harness/simulator.ts'

const nodes: FlowNode[] = [
  { id: 'button', type: 'inject', props: [{ p: 'payload' }], wires: [['command']] },
  { id: 'command', type: 'keyholder-command', partition: 1 },
  { id: 'incident', type: 'keyholder-incident' },
  { id: 'events', type: 'keyholder-events' },
  { id: 'state', type: 'keyholder-state', partitions: [1] },
]
const scene = { rehearse: { scene: 'burglary-entry', faster: true } }

describe('A rehearsal in a real Node-RED', () => {
  let harness: NodeRedHarness
  beforeEach(async () => {
    harness = await startNodeRedHarness()
  })
  afterEach(() => harness.close())

  async function start() {
    const flows = await harness.writeFlows(nodes, { allowCommands: true })
    const { email, password, userCode } = harness.simulator
    const allowed = flows.map((node) => (node.id === panelId ? { ...node, allowRehearsal: true } : node))
    await harness.writeFlowFile(allowed, { account: { email, password }, [panelId]: { userCode } })
    // An empty list tells no position.
    harness.simulator.world.panel(harness.simulator.serials[0] ?? '').addEvents(3)
    const nodeRed = harness.startNodeRed()
    await harness.messages.from('state').first()
    return nodeRed
  }

  it('plays a burglary through the flow, and is ended by a command without the mark', async () => {
    const nodeRed = await start()
    const { simulator, messages } = harness
    await nodeRed.press('button', scene)
    const alarm = await messages.from('incident').first()
    assert.equal(alarm.rehearsal, true)
    assert.match(alarm.payload.title, /^Rehearsal: Burglary: Front door$/)
    await messages.from('state').first(({ payload, rehearsal }) => rehearsal && payload === 'ALARM')
    const states = messages.from('state').all.filter(({ rehearsal }) => rehearsal)
    // Polls of a busy machine miss what lasts for a moment.
    const told = states.map(({ payload }) => payload)
    const order = ['DISARM', 'ARMING', 'AWAY', 'ENTRY_DELAY', 'ALARM'].filter((state) => told.includes(state))
    assert.deepEqual([...new Set(told)], order)
    await nodeRed.press('button', { payload: 'DISARM', rehearsal: true })
    const answer = await messages.from('command').first()
    assert.deepEqual([answer.payload.state, answer.rehearsal], ['DISARM', true])
    await messages.from('incident').first(({ payload }) => payload.status === 'closed')
    assert.equal(requestsTo(simulator, 'set_state'), 0)
    await nodeRed.press('button', { payload: 'HOME' })
    const report = await messages.from('command').first(({ topic }) => topic === 'House/rehearsal')
    assert.deepEqual([report.payload.ended, report.rehearsal], ['command', true])
    const real = await messages.from('command').first(({ rehearsal }) => rehearsal === undefined)
    assert.deepEqual([real.payload.ok, real.payload.state], [true, 'HOME'])
    assert.equal(requestsTo(simulator, 'set_state'), 1)
    assert.match(
      nodeRed.output,
      /A rehearsal begins: burglary-entry[\s\S]*The rehearsal has ended: a command/,
    )
  })

  it('leaves nothing behind when Node-RED is killed in it, and the flow hears the truth then', async () => {
    const nodeRed = await start()
    const { simulator, messages, userDir } = harness
    const folder = join(userDir, 'keyholder')
    const files = async () => {
      const names = (await readdir(folder)).filter((name) => /events|bypasses/.test(name)).sort()
      return Promise.all(names.map(async (name) => [name, await readFile(join(folder, name), 'utf8')]))
    }
    await until(() => requestsTo(simulator, 'events') > 3)
    const before = await files()
    await nodeRed.press('button', scene)
    await messages.from('incident').first()
    await nodeRed.kill()
    assert.deepEqual(await files(), before)
    const told = messages.from('events').all.length
    harness.startNodeRed()
    const home = simulator.world.panel(simulator.serials[0] ?? '')
    await messages.from('state').next(({ rehearsal }) => rehearsal === undefined)
    home.log({ type_id: 1, zone: 3, partitions: [1] })
    await messages.from('events').first(({ payload }) => payload.typeId === 1)
    const later = messages.from('events').all.slice(told)
    const closed = await messages.from('incident').first(({ payload }) => payload.status === 'closed')
    assert.deepEqual([closed.rehearsal, closed.payload.news], [true, undefined])
    await messages.from('state').first(({ rehearsal, state }) => !rehearsal && state.previous === state.value)
    await until(() => !readdirSync(folder).some((name) => name.startsWith('rehearsal-')))
    assert.deepEqual(
      later.map(({ rehearsal, redelivered }) => [rehearsal, redelivered]),
      [[undefined, undefined]],
    )
  })
})
