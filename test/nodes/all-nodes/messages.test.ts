import assert from 'node:assert/strict'
import { processClock, processTime } from '../../../harness/clock/process-fake-clock.ts'
import { createPart } from '../../../harness/flow/flow-part.ts'
import { until, useFlowHarness } from '../../../harness/flow.ts'
import type { FlowMessage } from '../../../harness/recorder.ts'
import { requestsTo } from '../../../harness/simulator.ts'

const nodes = {
  state: { type: 'keyholder-state', partitions: [1] },
  readings: { type: 'keyholder-readings', devices: [828_778] },
  events: { type: 'keyholder-events' },
}
const names = Object.keys(nodes)

/** Overwrites all members of a message, as a flow can. */
function overwrite(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  for (const member of Object.values(value)) overwrite(member)
  if (Array.isArray(value)) value.length = 0
  else for (const name of Object.keys(value)) Reflect.set(value, name, 'spoilt')
}

/** Returns all objects and lists within a message. */
function objectsIn(value: unknown): object[] {
  if (typeof value !== 'object' || value === null) return []
  return [value, ...Object.values(value).flatMap(objectsIn)]
}

describe('Every message to a flow', () => {
  const harness = useFlowHarness()

  it('names its panel and the time of its answer, and is not stale', async () => {
    const { home, flow } = await harness.start({ panel: { name: 'Own name' }, nodes })
    await flow.status('events').next(({ fill }) => fill === 'green')
    const start = processClock.wall()
    home.arm(1, 'AWAY')
    home.open(1)
    const fresh = ({ fetchedAt }: FlowMessage) => Date.parse(fetchedAt) >= start
    for (const name of names) {
      const { topic, panel, fetchedAt, stale } = await flow.output(name).next(fresh)
      assert.ok(topic.startsWith('Own name/'), topic)
      const { transports: _ofSome, ...rest } = panel
      assert.deepEqual(rest, { serial: 'A1B2C3', alias: 'Home', online: true })
      assert.match(fetchedAt, /^\d{4}-\d\d-\d\dT[\d:.]{12}Z$/)
      assert.ok(Date.parse(fetchedAt) <= processClock.wall())
      assert.equal(stale, false)
    }
  })

  it('can be changed by the flow without affecting the next one or another node', async () => {
    const others = { otherState: nodes.state, otherReadings: nodes.readings, otherEvents: nodes.events }
    const { home, flow } = await harness.start({ nodes: { ...nodes, ...others } })
    await flow.status('otherEvents').next(({ fill }) => fill === 'green')
    home.arm(1, 'HOME', { exitDelay: 0 })
    home.open(2)
    home.open(1)
    await flow.output('state').next(({ payload }) => payload === 'ALARM')
    await flow.output('readings').next(({ payload }) => payload === true)
    for (const name of ['events', 'otherEvents']) await flow.output(name).take(2)
    const objects = Object.keys({ ...nodes, ...others }).flatMap((name) => objectsIn(flow.output(name).all))
    assert.equal(new Set(objects).size, objects.length, 'two messages share an object')
    for (const name of names) for (const message of flow.output(name).all) overwrite(message)
    for (const name of names) flow.input(name)
    home.tamper(1)
    const state = await flow.output('state').next()
    assert.deepEqual(
      [state.payload, state.state.alarms[0].partitions, state.panel.alias],
      ['ALARM', [1], 'Home'],
    )
    const warnings = await flow.output('readings').next(({ payload }) => payload.includes?.('TAMPER'))
    assert.deepEqual(
      [warnings.device.partitions, warnings.device.label],
      [[1, 2, 3].slice(0, 1), 'Front door'],
    )
    const tamper = await flow.output('events').next()
    assert.deepEqual(
      [tamper.payload.typeId, tamper.payload.partitions, tamper.panel.serial],
      [8, [1], 'A1B2C3'],
    )
    for (const name of ['otherState', 'otherReadings', 'otherEvents']) {
      for (const message of flow.output(name).all) assert.ok(!JSON.stringify(message).includes('spoilt'))
    }
  })

  it('contains none of our fields of the incoming message', async () => {
    const { home, flow } = await harness.start({
      panel: { eventsEvery: 600_000 },
      nodes: { events: nodes.events },
    })
    await flow.status('events').next(({ fill }) => fill === 'green')
    home.log({ type_id: 57 })
    flow.input('events', { late: true, redelivered: true, eventKey: 'of another event', count: 7 })
    const message = await flow.output('events').next()
    assert.deepEqual([message.count, 'late' in message, 'redelivered' in message], [7, false, false])
    assert.notEqual(message.eventKey, 'of another event')
  })

  it('is stale if its answer is older than three polls and than 90 seconds', async () => {
    const simulator = await harness.startSimulator()
    const late = { ...nodes.state, panel: '' }
    const home = createPart(simulator, { nodes: { state: nodes.state, late } })
    const flow = await harness.startParts([home])
    await flow.output('state').next()
    const requestCount = requestsTo(simulator, 'status')
    simulator.hang('status', Number.POSITIVE_INFINITY)
    await until(() => requestsTo(simulator, 'status') > requestCount)
    await processTime.pass(90_000)
    const nodesNow = home.nodes.map((node) => (node.panel === '' ? { ...node, panel: home.panel } : node))
    await flow.deploy({ ...home, nodes: nodesNow })
    const { payload, stale, panel } = await flow.output('late').next()
    assert.deepEqual([payload, stale, panel.online], ['DISARM', true, true])
  })
})
