import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import type { Node, NodeAPI } from 'node-red'
import { processTime } from '../../harness/clock/process-fake-clock.ts'
import { createPart, withoutNodes } from '../../harness/flow/flow-part.ts'
import { useFlowHarness } from '../../harness/flow.ts'
import { requestsTo } from '../../harness/simulator.ts'
import { behavior, type HomeAssistantDef } from '../../nodes/home-assistant-behavior.ts'
import { latency } from '../../src/simulator/faults/network-faults.ts'
import { status } from '../../src/simulator/faults/response-faults.ts'

const type = 'keyholder-home-assistant'
const serial = 'keyholder/A1B2C3'

describe('The node keyholder-home-assistant', () => {
  const harness = useFlowHarness()

  it('tells that the detectors are not read, while the panel is', async () => {
    const { simulator, flow } = await harness.start({ nodes: { bridge: { type } } })
    const out = flow.output('bridge')
    const told = (payload: string) =>
      out.next((message) => message.topic === `${serial}/devices/availability` && message.payload === payload)
    await told('online')
    const end = simulator.faults.start(status(500), { operation: 'devices' })
    await told('offline')
    const ofPanel = out.all.filter(({ topic }) => topic === `${serial}/availability`)
    assert.deepEqual(
      ofPanel.map(({ payload }) => payload),
      ['online'],
    )
    end()
    await told('online')
  })

  it('tells after a start that the detectors were not read, whatever the broker keeps of them', async () => {
    const simulator = await harness.startSimulator()
    simulator.faults.start(status(500), { operation: 'devices' })
    const flow = await harness.startAt(simulator, { nodes: { bridge: { type } } })
    const out = flow.output('bridge')
    const { payload } = await out.next(({ topic }) => topic === `${serial}/devices/availability`)
    assert.equal(payload, 'offline')
  })

  it('announces the panel once, with its names and model, also if the service is slow', async () => {
    for (const operation of ['status', 'panel_info', 'devices']) {
      const simulator = await harness.startSimulator()
      simulator.faults.start(latency(5000), { operation })
      const flow = await harness.startAt(simulator, { nodes: { bridge: { type } } })
      const out = flow.output('bridge')
      flow.input('bridge', { topic: 'keyholder/bridge', payload: 'online' })
      await out.next(({ topic }) => topic === `${serial}/announced`)
      await processTime.pass(60_000)
      const panels = out.all.filter(({ topic }) => topic === 'homeassistant/device/keyholder_A1B2C3/config')
      assert.equal(panels.length, 1, operation)
      const { device, components } = JSON.parse(panels[0]?.payload ?? '')
      assert.ok(device.model && device.manufacturer)
      assert.match(components.ready_1.name, /^House /)
      await harness.close()
    }
  })

  it('announces the panel without its model if the service does not tell it', async () => {
    const simulator = await harness.startSimulator()
    simulator.faults.start(status(500), { operation: 'panel_info' })
    const flow = await harness.startAt(simulator, { nodes: { bridge: { type } } })
    const { payload } = await flow
      .output('bridge')
      .next(({ topic }) => topic === 'homeassistant/device/keyholder_A1B2C3/config')
    assert.equal(JSON.parse(payload).device.model, undefined)
  })

  it('refreshes once in ten seconds, and not at all without permission', async () => {
    const refresh = { topic: `${serial}/refresh/set`, payload: 'PRESS' }
    const { simulator, flow } = await harness.start({
      panel: { stateEvery: 600_000, allowCommands: true },
      nodes: { bridge: { type } },
    })
    await flow.output('bridge').next(({ topic }) => topic === `${serial}/devices/availability`)
    const before = requestsTo(simulator, 'status')
    for (let time = 0; time < 5; time += 1) {
      flow.input('bridge', refresh)
      await flow.completed.next()
    }
    assert.equal(requestsTo(simulator, 'status'), before + 1)
    await processTime.pass(10_000)
    flow.input('bridge', refresh)
    await flow.completed.next()
    assert.equal(requestsTo(simulator, 'status'), before + 2)
    await harness.close()
    const other = await harness.start({ panel: { allowCommands: false }, nodes: { bridge: { type } } })
    await other.flow.output('bridge').next(({ topic }) => topic === `${serial}/devices/availability`)
    other.flow.input('bridge', refresh)
    const { error } = await other.flow.caught.next()
    assert.equal(error.code, 'COMMANDS_DISABLED')
  })

  it('counts the wrong codes of a panel for all of its nodes, also after one is deleted', async () => {
    const command = (base: string, code: string) => ({
      topic: `${base}/A1B2C3/partition_1/set`,
      payload: JSON.stringify({ action: 'ARM_HOME', code }),
    })
    const { part, flow } = await harness.start({
      panel: { allowCommands: true },
      nodes: {
        first: { type, code: 'remote', base: 'first' },
        second: { type, code: 'remote', base: 'second' },
      },
    })
    for (const code of ['1', '2', '3']) flow.input('first', command('first', code))
    await flow.caught.take(3)
    await flow.deploy(withoutNodes(part, 'first'))
    flow.input('second', command('second', '4'))
    const { error } = await flow.caught.next()
    assert.match(error.message, /After several wrong codes/)
  })

  it('tells a Catch node that another node has its topics, also while a large flow starts', async () => {
    const states = Array.from({ length: 300 }, (_, index) => [`node${index}`, { type: 'keyholder-state' }])
    const nodes = { first: { type }, second: { type }, ...Object.fromEntries(states) }
    const only = createPart(await harness.startSimulator(), { nodes })
    for (let start = 0; start < 2; start += 1) {
      const flow = await harness.startParts([only])
      const { error } = await flow.caught.next()
      assert.equal(error.code, 'BAD_SETTING')
      assert.match(error.message, /Base topic: another Home Assistant node uses/)
      await harness.stopFlow()
    }
  })

  it('listens for its end once, however often its panel is opened again', () => {
    const node = new EventEmitter() as unknown as Node
    const def = { id: 'one', type, name: '', z: '' } as unknown as HomeAssistantDef
    for (let time = 0; time < 3; time += 1) behavior({} as NodeAPI, node, def)
    assert.equal((node as unknown as EventEmitter).listenerCount('close'), 1)
  })

  it('shows no code to a Catch node, also if it cannot be opened, and is silent about foreign topics then', async () => {
    for (const changes of [{ code: 'remote' }, { code: 'none' }]) {
      const { flow } = await harness.start({
        nodes: { bridge: { type, ...changes, base: `\${KEYHOLDER_TEST_UNSET}` } },
      })
      const codes = '{"action":"DISARM","code":"918273"}'
      const payloads = [codes, JSON.parse(codes), Buffer.from(codes), "{'action': 'DISARM', 'code': 918273}"]
      flow.input('bridge', { topic: 'keyholder/bridge', payload: 'online' })
      flow.input('bridge', { topic: `${serial}/partition_1/set`, payload: codes, retain: true })
      for (const payload of payloads) flow.input('bridge', { topic: `${serial}/partition_1/set`, payload })
      const ofCommands = await flow.caught.take(payloads.length + 1)
      const told = ofCommands.filter(({ topic }) => topic !== undefined)
      assert.equal(told.length, payloads.length)
      for (const { topic, payload } of told)
        assert.ok(topic?.endsWith('/set') && !String(payload).includes('918273'), String(payload))
      await flow.completed.take(2)
      await harness.close()
    }
  })
})
