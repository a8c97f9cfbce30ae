import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import type { Node, NodeAPI } from 'node-red'
import { processTime } from '../../harness/clock/process-fake-clock.ts'
import { createPart, withoutNodes } from '../../harness/flow/flow-part.ts'
import { useFlowHarness } from '../../harness/flow.ts'
import type { FlowMessage } from '../../harness/recorder.ts'
import { requestsTo } from '../../harness/simulator.ts'
import type { AttachedDef } from '../../nodes/binding/panel-binding.ts'
import { behavior } from '../../nodes/home-assistant/behavior.ts'
import { hour, minute, second } from '../../src/duration.ts'
import { Announcer } from '../../src/home-assistant/announcer.ts'
import { latency } from '../../src/simulator/faults/network-faults.ts'
import { scriptedResponse, status } from '../../src/simulator/faults/response-faults.ts'

const type = 'keyholder-home-assistant'
const serial = 'keyholder/A1B2C3'

/** Seconds between the polls of a panel in tests that let a minute pass. */
const seldom = { stateEvery: 10, eventsEvery: 10, devicesEvery: 10 }

/** Returns what was told about the panel, in its order. */
const availabilityOf = (messages: readonly FlowMessage[], base = 'keyholder') =>
  messages.flatMap(({ topic, payload }) => (topic === `${base}/A1B2C3/availability` ? [payload] : []))

describe('The node keyholder-home-assistant', () => {
  const harness = useFlowHarness()

  it('tells that the detectors are not read, while the panel is', async () => {
    const { simulator, flow } = await harness.start({ panel: seldom, nodes: { bridge: { type } } })
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

  // @spec 2.5, 2.7
  it('shows what the panel reports of itself as its problem, since when it does', async () => {
    const simulator = await harness.startSimulator()
    const entry = {
      device_type: 'CONTROL_PANEL',
      zone: null,
      partitions: [],
      datetime: '2026-01-02 03:04:05',
    }
    const body = [{ ...entry, alert_type: 'LINE_FAILURE' }]
    simulator.faults.start(scriptedResponse({ status: 200, body }), { operation: 'alerts' })
    const flow = await harness.startAt(simulator, { nodes: { bridge: { type } } })
    const { payload } = await flow
      .output('bridge')
      .next(({ topic, payload }) => topic === `${serial}/panel/state` && JSON.parse(payload).problem === 'ON')
    const { troubles, problem_attributes: attributes } = JSON.parse(payload)
    const since = '2026-01-02T03:04:05.000Z'
    assert.deepEqual(attributes.devices, [{ device: 'Home', warnings: ['LINE_FAILURE'], since }])
    assert.equal(troubles, 1)
  })

  it('announces the panel once, with its names and model, also if the service is slow', async () => {
    for (const operation of ['status', 'panel_info', 'devices']) {
      const simulator = await harness.startSimulator()
      simulator.faults.start(latency(5000), { operation })
      const flow = await harness.startAt(simulator, { panel: seldom, nodes: { bridge: { type } } })
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

  it('looks at what has changed once for each poll, and every ten seconds', async () => {
    const { simulator, flow } = await harness.start({ panel: seldom, nodes: { bridge: { type } } })
    await flow.output('bridge').next(({ topic }) => topic === `${serial}/announced`)
    await processTime.pass(second)
    const { update } = Announcer.prototype
    let updates = 0
    Announcer.prototype.update = function (facts) {
      updates += 1
      update.call(this, facts)
    }
    const polls = () => requestsTo(simulator, 'status') + requestsTo(simulator, 'devices')
    const before = polls()
    await processTime.pass(minute)
    Announcer.prototype.update = update
    const made = polls() - before
    assert.ok(made >= 10 && updates >= made && updates <= made + 7, `${updates} for ${made} polls`)
  })

  it('names the entities in the language of the account, in English what it lacks', async () => {
    for (const [locale, expected] of [
      ['de_AT', 'House Bereit zum Scharfschalten'],
      ['sv_SE', 'House Ready to arm'],
    ] as const) {
      const { flow } = await harness.start({ account: { locale }, nodes: { bridge: { type } } })
      const { payload } = await flow
        .output('bridge')
        .next(({ topic }) => topic === 'homeassistant/device/keyholder_A1B2C3/config')
      assert.equal(JSON.parse(payload).components.ready_1.name, expected)
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

  it('tells that its panel is offline before it ends, but not before a deploy that replaces it', async () => {
    const { part, flow } = await harness.start({
      panel: { stateEvery: 5, eventsEvery: 5, devicesEvery: 5 },
      nodes: { bridge: { type }, other: { type, base: 'other' } },
    })
    const told = (name: string) =>
      availabilityOf(flow.output(name).all, name === 'bridge' ? 'keyholder' : name)
    for (const name of ['bridge', 'other'])
      await flow
        .output(name)
        .next(({ topic, payload }) => topic?.endsWith('3/availability') && payload === 'online')
    const renamed = part.nodes.map((node) =>
      node.id === part.ids.get('bridge') ? { ...node, name: 'x' } : node,
    )
    await flow.deploy({ ...part, nodes: renamed })
    await processTime.pass(25_000)
    assert.deepEqual([told('bridge'), told('other')], [['online'], ['online']])
    await flow.deploy({
      ...withoutNodes(part, 'other'),
      nodes: renamed.filter(({ id }) => id !== part.ids.get('other')),
    })
    assert.deepEqual([told('bridge'), told('other')], [['online'], ['online', 'offline']])
    await harness.stopFlow()
    assert.deepEqual(told('bridge'), ['online', 'offline'])
  })

  it('removes from Home Assistant what it has announced when it is deleted, but not when it is disabled', async () => {
    const { part, flow } = await harness.start({ nodes: { bridge: { type } } })
    const id = part.ids.get('bridge')
    const out = flow.output('bridge')
    await out.next(({ topic }) => topic === `${serial}/announced`)
    const announced = () =>
      new Set(
        out.all.flatMap(({ topic, payload }) =>
          topic?.endsWith('/config') && payload !== '' ? [topic] : [],
        ),
      )
    const began = out.all.length
    const removed = () =>
      out.all
        .slice(began)
        .flatMap(({ topic, payload }) => (payload === '' && topic !== undefined ? [topic] : []))
    await flow.deploy({
      ...part,
      nodes: part.nodes.map((node) => (node.id === id ? { ...node, d: true } : node)),
    })
    assert.deepEqual(removed(), [])
    assert.equal(availabilityOf(out.all).at(-1), 'offline')
    await flow.deploy(part)
    await out.next(({ topic }) => topic === `${serial}/announced`)
    await flow.deploy(withoutNodes(part, 'bridge'))
    assert.ok(announced().size > 10)
    for (const topic of [...announced(), `${serial}/announced`, `${serial}/panel/state`])
      assert.ok(removed().includes(topic), topic)
    assert.equal(availabilityOf(out.all).at(-1), 'offline')
  })

  it('removes on demand a panel that no node serves, and no other one', async () => {
    const { flow } = await harness.start({ nodes: { bridge: { type } } })
    const out = flow.output('bridge')
    const { payload: manifest } = await out.next(({ topic }) => topic === `${serial}/announced`)
    const foreign = manifest.replaceAll('A1B2C3', 'F0')
    flow.input('bridge', { topic: 'keyholder/F0/announced', payload: foreign, retain: true })
    flow.input('bridge', { topic: 'remove', payload: 'F0' })
    await out.next(({ topic, payload }) => topic === 'keyholder/F0/announced' && payload === '')
    const cleared = out.all.flatMap(({ topic, payload }) =>
      payload === '' && topic?.includes('F0') ? [topic] : [],
    )
    const expected = new Set(
      out.all.flatMap(({ topic, payload }) => (topic?.endsWith('/config') && payload !== '' ? [topic] : [])),
    )
    for (const topic of expected) assert.ok(cleared.includes(topic.replace('A1B2C3', 'F0')), topic)
    assert.ok(cleared.includes('keyholder/F0/availability'))
    assert.ok(cleared.length > expected.size)
    flow.input('bridge', { topic: 'remove', payload: 'A1B2C3' })
    assert.equal((await flow.caught.next()).error.code, 'BAD_SETTING')
    flow.input('bridge', { topic: 'remove', payload: 'E5' })
    assert.equal((await flow.caught.next()).error.code, 'NOT_FOUND')
  })

  it('tells after a start that a panel which the broker keeps as online is offline until it is read', async () => {
    const simulator = await harness.startSimulator()
    const end = simulator.faults.start(latency(60_000), { operation: 'status' })
    const flow = await harness.startAt(simulator, { nodes: { bridge: { type } } })
    const out = flow.output('bridge')
    flow.input('bridge', { topic: 'keyholder/bridge', payload: 'online', retain: true })
    flow.input('bridge', { topic: `${serial}/availability`, payload: 'online', retain: true })
    await out.next(({ topic, payload }) => topic === `${serial}/availability` && payload === 'offline')
    assert.ok(availabilityOf(out.all).every((word) => word === 'offline'))
    const diagnostics = out.all.find(({ topic }) => topic === `${serial}/diagnostics/state`)
    assert.equal(JSON.parse(diagnostics?.payload ?? '').online, null)
    end()
    await out.next(({ topic, payload }) => topic === `${serial}/availability` && payload === 'online')
  })

  it('tells within a minute that panels are offline which it has announced before and no node can open or serves', async () => {
    const { part, flow } = await harness.start({
      account: { url: `\${KEYHOLDER_TEST_UNSET}` },
      nodes: { bridge: { type } },
    })
    const hear = (path: string, payload: string) =>
      flow.input('bridge', { topic: `keyholder/${path}`, payload, retain: true })
    const keeper = (one: string) => JSON.stringify({ keeper: one, prefix: 'homeassistant' })
    hear('A1B2C3/announced', keeper(`elsewhere/${part.ids.get('bridge')}`))
    hear('D4/announced', keeper(`elsewhere/${part.ids.get('bridge')}`))
    hear('F0/announced', keeper('elsewhere/another'))
    for (const one of ['A1B2C3', 'D4', 'F0']) hear(`${one}/availability`, 'online')
    await processTime.pass(30_000)
    const told = flow.output('bridge').all.filter(({ payload }) => payload === 'offline')
    const topics = new Set(told.map(({ topic }) => topic))
    assert.deepEqual(topics, new Set([`${serial}/availability`, 'keyholder/D4/availability']))
    assert.ok(told.every(({ retain, qos }) => retain === true && qos === 1))
  })

  it('fires the triggers of an alarm during a restart, also of a panel that is an hour behind', async () => {
    const { home, flow, part } = await harness.start({ panel: seldom, nodes: { bridge: { type } } })
    const ofTrigger = ({ topic }: FlowMessage) => topic === `${serial}/trigger`
    await flow.output('bridge').next(({ topic }) => topic === `${serial}/availability`)
    flow.input('bridge', { topic: 'keyholder/bridge', payload: 'online' })
    home.clock.offset -= hour
    home.log({ type_id: 60, zone: 1 })
    // The first list of events, of which nothing is told.
    await flow.output('bridge').next(({ topic }) => topic === `${serial}/announced`)
    await processTime.pass(60_000)
    home.log({ type_id: 60, zone: 2 })
    await flow.output('bridge').next(({ topic }) => topic === `${serial}/event`)
    await harness.stopFlow()
    home.log({ type_id: 2, zone: 2 })
    const again = await harness.startParts([part])
    again.input('bridge', { topic: 'keyholder/bridge', payload: 'online' })
    const { payload } = await again.output('bridge').next(ofTrigger)
    assert.equal(payload, 'alarm')
  })

  it('tells that its panel is online again once it can be opened again', async () => {
    const { part, flow } = await harness.start({ nodes: { bridge: { type } } })
    const hear = async (payload: string) => {
      const message = await flow
        .output('bridge')
        .next(({ topic, payload: told }) => topic === `${serial}/availability` && told === payload)
      flow.input('bridge', { ...message, retain: false })
    }
    const keeper = JSON.stringify({ keeper: `/${part.ids.get('bridge')}`, prefix: 'homeassistant' })
    flow.input('bridge', { topic: `${serial}/announced`, payload: keeper, retain: true })
    await hear('online')
    const nodes = part.nodes.map((node) => (node.id === part.panel ? { ...node, serial: '' } : node))
    await flow.deploy({ ...part, nodes })
    await hear('offline')
    await flow.deploy(part)
    await hear('online')
  })

  it('refuses a bypass before it knows the devices, with the reason as an event and for a Catch node', async () => {
    const simulator = await harness.startSimulator()
    simulator.faults.start(latency(60_000), { operation: 'devices' })
    const flow = await harness.startAt(simulator, {
      panel: { allowCommands: true },
      nodes: { bridge: { type, entities: ['zones', 'bypass'] } },
    })
    flow.input('bridge', { topic: `${serial}/d5/bypass/set`, payload: 'ON' })
    const { payload } = await flow.output('bridge').next(({ topic }) => topic === `${serial}/command`)
    const { event_type: type_, code } = JSON.parse(payload)
    assert.deepEqual([type_, code], ['refused', 'COMMAND_FAILED'])
    assert.match((await flow.caught.next()).error.message, /not in a list of devices that was read/)
  })

  it('listens for its end once, however often its panel is opened again', () => {
    const node = new EventEmitter() as unknown as Node
    const def = { id: 'one', type, name: '', z: '' } as unknown as AttachedDef
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
