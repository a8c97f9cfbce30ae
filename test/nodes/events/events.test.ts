import assert from 'node:assert/strict'
import { isoTime, messageShape } from '../../../harness/fixtures/message-shape.ts'
import { assertShape } from '../../../harness/fixtures/shape.ts'
import { createPart } from '../../../harness/flow/flow-part.ts'
import { useFlowHarness } from '../../../harness/flow.ts'
import type { FlowMessage } from '../../../harness/recorder.ts'
import { requestsTo } from '../../../harness/simulator.ts'

const type = 'keyholder-events'
const typeIds = (messages: readonly FlowMessage[]) => messages.map(({ payload }) => payload.typeId)

describe('The node keyholder-events', () => {
  const harness = useFlowHarness()

  // @spec 4.8
  it('skips the list that it finds on its very first run, and sends new events', async () => {
    const simulator = await harness.startSimulator()
    const home = simulator.world.panel('A1B2C3')
    home.addEvents(5)
    const flow = await harness.startParts([createPart(simulator, { nodes: { events: { type } } })])
    await flow.status('events').next(({ fill }) => fill === 'green')
    home.log({ type_id: 45 })
    home.log({ type_id: 46 })
    assert.deepEqual(typeIds(await flow.output('events').take(2)), [45, 46])
    assert.equal(flow.output('events').all.length, 2)
  })

  it('shows the last event that it sent as status: what, where, and when', async () => {
    const { home, flow } = await harness.start({ nodes: { events: { type, groups: ['alarm'] } } })
    const status = flow.status('events')
    assert.equal((await status.next(({ fill }) => fill === 'green')).text, 'no new events')
    home.log({ type_id: 1, zone: 2, zone_name: 'Kitchen window' })
    home.log({ type_id: 89, zone: 1, zone_name: 'Anna' })
    const { payload } = await flow.output('events').next()
    const time = new Date(payload.time).toTimeString().slice(0, 5)
    const { fill, shape, text } = await status.next()
    assert.deepEqual([fill, shape, text], ['green', 'dot', `Interior Alarm, Kitchen window, ${time}`])
  })

  it('delivers the first list, oldest first and not as late, if configured', async () => {
    const simulator = await harness.startSimulator()
    const home = simulator.world.panel('A1B2C3')
    for (const id of [89, 86, 97, 57]) home.log({ type_id: id })
    const flow = await harness.startParts([
      createPart(simulator, { nodes: { events: { type, first: 'deliver' } } }),
    ])
    const messages = await flow.output('events').take(4)
    assert.deepEqual(typeIds(messages), [89, 86, 97, 57])
    assert.ok(messages.every((message) => !('late' in message) && !('redelivered' in message)))
  })

  // @spec 6.1
  it('combines an event with the catalogue, in exactly the fields of the contract', async () => {
    const { home, flow } = await harness.start({
      account: { timeZone: 'Europe/Berlin' },
      nodes: { events: { type } },
    })
    await flow.status('events').next(({ fill }) => fill === 'green')
    home.log({
      type_id: 86,
      event: 4711,
      appointment: 'Ben',
      device_type: 'USER',
      zone: 2,
      zone_name: 'Ben',
      partitions: [1, 2],
      datetime: '2027-07-01 14:00:00',
      video: true,
    })
    const message = await flow.output('events').next()
    assertShape(message, { ...messageShape, eventKey: 'string', payload: () => {} })
    assert.equal(message.topic, 'Home/event/open_close')
    assert.deepEqual(message.payload, {
      id: 4711,
      typeId: 86,
      group: 'EP_OPEN_CLOSE',
      label: 'ARM',
      description: 'Arm Away',
      descriptionOriginal: 'Arm Away',
      contactId: '3401',
      restore: true,
      sia: 'NCL',
      vis: '82',
      actor: 'Ben',
      deviceType: 'USER',
      zone: 2,
      zoneName: 'Ben',
      partitions: [1, 2],
      video: true,
      time: '2027-07-01T12:00:00.000Z',
      timeRaw: '2027-07-01 14:00:00',
      known: true,
    })
  })

  // @spec 2.12, 6.2
  it('has the delivery counters of the installer service', async () => {
    const simulator = await harness.startSimulator()
    const flow = await harness.startAt(simulator, {
      account: { api: 'service' },
      credentials: { userCode: simulator.installerCode },
      nodes: { events: { type } },
    })
    await flow.status('events').next(({ fill }) => fill === 'green')
    simulator.world.panel(simulator.serials[0] ?? '').log({ type_id: 86 })
    const { delivery } = (await flow.output('events').next()).payload
    assertShape(delivery, {
      queue: 'number',
      success: 'number',
      failed: 'number',
      retry: 'number',
      processing: 'number',
    })
  })

  // @spec 4.11
  it('requests the catalogue in the language of the account', async () => {
    const { simulator, home, flow } = await harness.start({
      account: { locale: 'de_DE' },
      nodes: { events: { type } },
    })
    await flow.status('events').next(({ fill }) => fill === 'green')
    home.log({ type_id: 86, description: '' })
    const { description, descriptionOriginal } = (await flow.output('events').next()).payload
    assert.equal(requestsTo(simulator, 'event-profiles/de_DE'), 1)
    assert.notEqual(description, descriptionOriginal)
    assert.equal(descriptionOriginal, 'Arm Away')
  })

  it('describes the events of a demo in the language of its account', async () => {
    const simulator = await harness.startSimulator()
    const nodes = { events: { type, first: 'deliver' } }
    const credentials = { email: '', password: '', userCode: '' }
    const account = { source: 'demo', url: '', locale: 'de_DE' }
    const part = createPart(simulator, { account, credentials, panel: { serial: '' }, nodes })
    const flow = await harness.startParts([part])
    try {
      for (const { payload } of await flow.output('events').take(5)) {
        assert.ok(payload.known)
        assert.notEqual(payload.description, payload.descriptionOriginal)
      }
    } finally {
      // The demo runs until its account is deleted.
      await flow.deploy()
    }
  })

  // @spec further-event-types
  it('passes on an event that is not in the catalogue', async () => {
    const { home, flow } = await harness.start({ nodes: { events: { type } } })
    await flow.status('events').next(({ fill }) => fill === 'green')
    home.log({ type_id: 4711, label: 'EL_NEW', description: 'Something new' })
    const { topic, payload } = await flow.output('events').next()
    assert.equal(topic, 'Home/event/other')
    const { known, typeId, group, contactId, label, description } = payload
    assert.deepEqual(
      [known, typeId, group, contactId, label, description],
      [false, 4711, null, null, 'NEW', 'Something new'],
    )
  })

  for (const eventOrder of ['oldest-first', 'newest-first'] as const) {
    it(`sends each new event once, oldest first, from a list that is ${eventOrder}`, async () => {
      const { home, flow } = await harness.start({ nodes: { events: { type } } }, { eventOrder })
      await flow.status('events').next(({ fill }) => fill === 'green')
      for (let round = 1; round <= 4; round += 1) {
        for (let index = 1; index <= 5; index += 1) home.log({ type_id: 1000 * round + index })
        await flow.output('events').next(({ payload }) => payload.typeId === 1000 * round + 5)
      }
      const all = flow.output('events').all
      const expected = [1, 2, 3, 4].flatMap((round) => [1, 2, 3, 4, 5].map((index) => 1000 * round + index))
      assert.deepEqual(typeIds(all), expected)
      assert.equal(new Set(all.map(({ eventKey }) => eventKey)).size, 20)
    })
  }

  it('sends only the configured groups, type ids, labels and partitions', async () => {
    const { home, flow } = await harness.start({
      nodes: {
        group: { type, groups: ['EP_ALARM', 'open_close'] },
        other: { type, groups: ['other'] },
        id: { type, typeIds: [45, 4711] },
        idText: { type, typeIds: '45, 4711' },
        label: { type, labels: ['EL_BATTERY', 'BURGLER'] },
        partition: { type, partitions: [2] },
        all: { type },
      },
    })
    await flow.status('all').next(({ fill }) => fill === 'green')
    for (const [type_id, partition] of [
      [2, 1],
      [45, 2],
      [86, -1],
      [4711, 3],
      [20, 2],
    ] as const) {
      home.log({ type_id, partitions: [partition] })
    }
    assert.deepEqual(typeIds(await flow.output('all').take(5)), [2, 45, 86, 4711, 20])
    const sentTypeIds = (name: string) => typeIds(flow.output(name).all)
    assert.deepEqual(sentTypeIds('group'), [2, 86])
    assert.deepEqual(sentTypeIds('other'), [4711])
    assert.deepEqual(sentTypeIds('id'), [45, 4711])
    assert.deepEqual(sentTypeIds('idText'), [45, 4711])
    assert.deepEqual(sentTypeIds('label'), [2, 45, 20])
    assert.deepEqual(sentTypeIds('partition'), [45, 86, 20])
  })

  it('sends events of groups and devices that nobody has seen by their names, and chooses by them', async () => {
    const simulator = await harness.startSimulator()
    const home = simulator.world.panel('A1B2C3')
    const types = {
      EP_ZONE_OPEN_CLOSE: 2101,
      EP_TEMPERATURE: 2102,
      EP_HOME_DEVICES_ON_OFF: 2103,
      EP_BRAND_NEW: 2104,
    }
    const all = Object.values(types).map((type_id) => ({ type_id }))
    const body = [
      { profile: { id: 'EP_ALL' }, events: all },
      ...Object.entries(types).map(([id, type_id]) => ({ profile: { id }, events: [{ type_id }] })),
    ]
    simulator.respondOnce('had/rules/event-profiles', { status: 200, body, times: Number.POSITIVE_INFINITY })
    const flow = await harness.startAt(simulator, {
      nodes: { all: { type }, doors: { type, groups: ['EP_ZONE_OPEN_CLOSE', 'brand_new'] } },
    })
    await flow.status('all').next(({ fill }) => fill === 'green')
    for (const { type_id } of all) home.log({ type_id, device_type: 'PENDANT', zone: 3 })
    const messages = await flow.output('all').take(4)
    const groups = ['zone_open_close', 'temperature', 'home_devices_on_off', 'brand_new']
    assert.deepEqual(
      messages.map(({ topic, payload }) => [topic, payload.group, payload.deviceType, payload.known]),
      groups.map((group, at) => [`Home/event/${group}`, Object.keys(types)[at], 'PENDANT', true]),
    )
    assert.deepEqual(typeIds(flow.output('doors').all), [2101, 2104])
  })

  it('sends every event to each of two nodes of a panel, with the same key', async () => {
    const { home, flow } = await harness.start({ nodes: { one: { type }, two: { type } } })
    await Promise.all(['one', 'two'].map((name) => flow.status(name).next(({ fill }) => fill === 'green')))
    home.addEvents(6)
    const keys = (name: string) =>
      flow
        .output(name)
        .take(6)
        .then((all) => all.map(({ eventKey }) => eventKey))
    assert.deepEqual(await keys('one'), await keys('two'))
  })

  // @spec event-list-length
  it('sends one message for a gap in the list, followed by the events after the gap', async () => {
    const { home, flow } = await harness.start({ nodes: { events: { type, first: 'deliver' } } })
    home.log({ type_id: 89, event: 100, datetime: '2026-07-01 14:00:00' })
    await flow.output('events').next()
    for (let index = 0; index < 70; index += 1) home.log({ type_id: 57, event: 200 + index })
    const gap = await flow.output('events').next()
    assertShape(gap, { ...messageShape, payload: () => {} })
    assert.equal(gap.topic, 'Home/gap')
    const { lastKnown, oldestShown } = gap.payload
    const time = { time: '2026-07-01T14:00:00.000Z', timeRaw: '2026-07-01 14:00:00' }
    assert.deepEqual(lastKnown, { id: 100, typeId: 89, ...time })
    assertShape(oldestShown, { id: 'number', typeId: 'number', time: isoTime, timeRaw: 'string' })
    assert.equal(oldestShown.id, 210)
    const shown = await flow.output('events').take(60)
    assert.deepEqual([shown[0]?.payload.id, shown[59]?.payload.id], [210, 269])
    assert.equal(flow.output('events').all.length, 62)
  })

  it('polls at once for any input, and sends its events with the properties of the incoming message', async () => {
    const { simulator, home, flow } = await harness.start({
      panel: { eventsEvery: 600_000 },
      nodes: { events: { type } },
    })
    await flow.status('events').next(({ fill }) => fill === 'green')
    flow.input('events', { count: 1 })
    await flow.completed.next()
    assert.deepEqual(flow.output('events').all, [])
    home.log({ type_id: 45 })
    home.log({ type_id: 46 })
    flow.input('events', { _msgid: 'mine', topic: 'old', count: 7 })
    const messages = await flow.output('events').take(2)
    assert.deepEqual(typeIds(messages), [45, 46])
    for (const { count, _msgid, topic } of messages) {
      assert.deepEqual([count, _msgid, topic.split('/')[1]], [7, 'mine', 'event'])
    }
    await flow.completed.next()
    assert.equal(requestsTo(simulator, 'events'), 3)
  })
})
