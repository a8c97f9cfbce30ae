import assert from 'node:assert/strict'
import { processClock, processTime } from '../../../harness/clock/process-fake-clock.ts'
import { messageShape, panelShape } from '../../../harness/fixtures/message-shape.ts'
import { assertShape } from '../../../harness/fixtures/shape.ts'
import { useFlowHarness } from '../../../harness/flow.ts'
import { requestsTo } from '../../../harness/simulator.ts'
import { minute } from '../../../src/duration.ts'

const type = 'keyholder-state'
/** A node that sends the first partition at every poll, to count polls. */
const beat = { type, emit: 'poll', partitions: [1] }

describe('The node keyholder-state', () => {
  const harness = useFlowHarness()

  it('sends one message per partition, with exactly the fields of the contract', async () => {
    const { flow } = await harness.start({ nodes: { state: { type } } })
    const messages = await flow.output('state').take(3)
    assert.deepEqual(
      messages.map(({ topic, payload, partition }) => [topic, payload, partition]),
      [
        ['Home/partition/1', 'DISARM', { id: 1, name: 'House', active: true }],
        ['Home/partition/2', 'DISARM', { id: 2, name: 'Workshop', active: true }],
        ['Home/partition/3', 'DISARM', { id: 3, name: 'Garage', active: true }],
      ],
    )
    for (const message of messages) {
      assertShape(message, {
        ...messageShape,
        panel: panelShape,
        payload: 'string',
        state: {
          value: 'string',
          previous: 'string?',
          status: 'string',
          ready: 'boolean',
          options: ['string'],
          settable: ['string'],
          exitDelay: 'number',
          alarms: (alarms) => assert.deepEqual(alarms, []),
          inferred: 'boolean',
          changedBy: (changedBy) => assert.equal(changedBy, null),
        },
        partition: { id: 'number', name: 'string', active: 'boolean' },
      })
      const transports = { broadband: true, mobile: false }
      assert.deepEqual(message.panel, { serial: 'A1B2C3', alias: 'Home', online: true, transports })
      assert.deepEqual(message.state.settable, ['AWAY', 'HOME', 'DISARM'])
      assert.equal(message.state.exitDelay, 20)
      assert.equal(message.stale, false)
    }
  })

  it('has parts in an answer of several messages, so that a join node collects it, and keeps those of the input in them', async () => {
    const { flow } = await harness.start({
      nodes: { all: { type, initial: false }, one: { type, initial: false, partitions: [1] } },
    })
    const outer = { id: 'outer', index: 1, count: 2 }
    flow.input('all', { parts: outer })
    const answers = await flow.output('all').take(3)
    assert.deepEqual(
      answers.map(({ parts }) => parts),
      [0, 1, 2].map((index) => ({ id: answers[0]?.parts.id, index, count: 3, parts: outer })),
    )
    assert.ok(answers[0]?.parts.id)
    flow.input('one', { parts: outer })
    assert.deepEqual((await flow.output('one').next()).parts, outer)
  })

  it('names who changed the state within one poll of the events, and asks for no events itself', async () => {
    const state = { type, emit: 'poll', partitions: [1] }
    const { home, flow } = await harness.start({ nodes: { state, events: { type: 'keyholder-events' } } })
    home.arm(1, 'AWAY', { user: 'Anna' })
    const armed = await flow.output('state').next(({ state }) => state.changedBy !== null)
    assert.equal(armed.state.changedBy.name, 'Anna')
    assert.equal(new Date(armed.state.changedBy.at).toISOString(), armed.state.changedBy.at)
    home.disarm(1, { user: 'Ben' })
    const changed = await flow.output('state').next(({ payload }) => payload === 'DISARM')
    assert.notEqual(changed.state.changedBy?.name, 'Anna')
    const known = await flow.output('state').next(({ state }) => state.changedBy?.name === 'Ben')
    assert.equal(known.payload, 'DISARM')
  })

  it('tells that an arming was forced, as long as that event led to the state', async () => {
    const state = { type, emit: 'poll', partitions: [1] }
    const { home, flow } = await harness.start({ nodes: { state, events: { type: 'keyholder-events' } } })
    const told = (name: string, payload: string) =>
      flow.output('state').next((message) => {
        return message.state.changedBy?.name === name && message.payload === payload
      })
    home.arm(1, 'AWAY', { user: 'Anna', exitDelay: 0 })
    assert.equal('forced' in (await told('Anna', 'AWAY')).state, false)
    home.disarm(1, { user: 'Anna' })
    await told('Anna', 'DISARM')
    home.arm(1, 'AWAY', { user: 'Ben', exitDelay: 0 })
    home.log({ type_id: 93, appointment: 'Chris', partitions: [1] })
    assert.equal((await told('Chris', 'AWAY')).state.forced, true)
    home.disarm(1, { user: 'Ben' })
    assert.equal('forced' in (await told('Ben', 'DISARM')).state, false)
  })

  it('names nobody while no events are polled, and sends no request for them', async () => {
    const { home, simulator, flow } = await harness.start({
      nodes: { state: { type, emit: 'poll', partitions: [1] } },
    })
    await flow.output('state').next()
    home.arm(1, 'AWAY', { user: 'Anna' })
    const armed = await flow.output('state').next(({ payload }) => payload !== 'DISARM')
    assert.deepEqual([armed.state.changedBy, requestsTo(simulator, 'events')], [null, 0])
  })

  it('sends a panel without partitions as partition -1', async () => {
    const { flow } = await harness.start({ panel: { serial: '012345' }, nodes: { state: { type } } })
    assert.equal((await flow.output('state').next()).topic, 'Summer house/partition/-1')
  })

  it('sends ARMING during the exit delay, then the state, with the earlier value as previous', async () => {
    const { home, flow } = await harness.start({ nodes: { state: { type, partitions: [1] } } })
    const out = flow.output('state')
    assert.equal((await out.next()).state.previous, null)
    home.arm(1, 'AWAY', { exitDelay: 3, instant: true })
    const arming = await out.next()
    assert.equal(arming.payload, 'ARMING')
    assert.deepEqual(arming.state, {
      ...arming.state,
      value: 'ARMING',
      previous: 'DISARM',
      status: 'EXIT',
      options: ['NOENTRY'],
      settable: ['HOME', 'DISARM'],
    })
    const away = await out.next()
    assert.deepEqual([away.payload, away.state.status, away.state.previous], ['AWAY', '', 'ARMING'])
  })

  // @spec exit-mode
  it('tells that an arming away became one at home because nobody has left, after an answer that said AWAY, and blames nobody', async () => {
    const command = { type: 'keyholder-command', partition: 1, state: 'AWAY' }
    const nodes = { state: beat, command, events: { type: 'keyholder-events' } }
    const { home, flow } = await harness.start(
      { panel: { allowCommands: true }, nodes },
      { panelOptions: { exitMode: 'restart-or-home' } },
    )
    flow.input('command', {})
    assert.equal((await flow.output('command').next()).payload.state, 'AWAY')
    const out = flow.output('state')
    const arming = await out.next(({ state }) => state.changedBy !== null)
    assert.equal(arming.payload, 'ARMING')
    const stayed = await out.next(({ payload }) => payload !== 'ARMING')
    assert.deepEqual([stayed.payload, stayed.state.changedBy], ['HOME', null])
    await processTime.pass(minute)
    assert.ok(out.all.every(({ payload, state }) => payload !== 'HOME' || state.changedBy === null))
    home.disarm(1, { user: 'Ben' })
    const by = await out.next(({ payload, state }) => payload === 'DISARM' && state.changedBy !== null)
    assert.equal(by.state.changedBy.name, 'Ben')
  })

  it('sends ALARM while an alarm is active, and the state again when it is only in memory', async () => {
    const { home, flow } = await harness.start({ nodes: { state: { type } } })
    const out = flow.output('state')
    await out.take(3)
    home.arm(1, 'HOME', { exitDelay: 0 })
    await out.next(({ payload }) => payload === 'HOME')
    home.open(2)
    const alarm = await out.next()
    assert.deepEqual([alarm.topic, alarm.payload], ['Home/partition/1', 'ALARM'])
    const { type: kind, inMemory, zone, location, partitions, time } = alarm.state.alarms[0]
    assert.deepEqual(
      [kind, inMemory, zone, location, partitions],
      ['BURGLER', false, 2, 'Kitchen window', [1]],
    )
    assert.ok(Math.abs(Date.parse(time) - processClock.wall()) < 60_000)
    home.disarm(1)
    const after = await out.next()
    assert.deepEqual([after.payload, after.state.previous], ['DISARM', 'ALARM'])
    assert.equal(after.state.alarms[0].inMemory, true)
    assert.equal(after.state.ready, false)
  })

  it('sends each state in the words of its vocabulary', async () => {
    const only = { type, partitions: [1] }
    const { home, flow } = await harness.start({
      nodes: {
        native: only,
        assistant: { ...only, vocabulary: 'home-assistant' },
        homekit: { ...only, vocabulary: 'homekit' },
      },
    })
    const payloads: unknown[][] = []
    const nextPayloads = async () => {
      const nodes = ['native', 'assistant', 'homekit']
      const messages = await Promise.all(nodes.map((name) => flow.output(name).next()))
      payloads.push(messages.map(({ payload }) => payload))
      assert.equal(new Set(messages.map(({ state }) => state.value)).size, 1)
    }
    await nextPayloads()
    home.arm(1, 'AWAY', { exitDelay: 3 })
    await nextPayloads()
    await nextPayloads()
    home.open(1)
    await nextPayloads()
    home.open(2)
    await nextPayloads()
    home.close(1)
    home.close(2)
    home.disarm(1)
    await nextPayloads()
    home.arm(1, 'HOME', { exitDelay: 0 })
    await nextPayloads()
    home.openInstallerMenu()
    await nextPayloads()
    assert.deepEqual(payloads, [
      ['DISARM', 'disarmed', 3],
      ['ARMING', 'arming', 3],
      ['AWAY', 'armed_away', 1],
      ['ENTRY_DELAY', 'pending', 1],
      ['ALARM', 'triggered', 4],
      ['DISARM', 'disarmed', 3],
      ['HOME', 'armed_home', 0],
      ['PROGRAMMING', 'unknown', 0],
    ])
  })

  it('passes on an unknown state word of the service', async () => {
    const { simulator, flow } = await harness.start({ nodes: { state: { type, partitions: [1] } } })
    await flow.output('state').next()
    const partitions = [{ id: 1, state: 'NIGHT', status: '', ready: true, options: [] }]
    simulator.respondOnce('status', { status: 200, body: { connected: true, partitions }, times: 10 })
    assert.equal((await flow.output('state').next()).payload, 'NIGHT')
    assert.equal((await flow.status('state').next(({ text }) => text === 'NIGHT')).fill, 'green')
  })

  it('sends only changes with emit change, and everything at each poll with emit poll', async () => {
    const { simulator, home, flow } = await harness.start({
      nodes: { change: { type }, poll: { type, emit: 'poll' } },
    })
    await flow.output('change').take(3)
    await flow.output('poll').take(9)
    home.arm(2, 'AWAY', { exitDelay: 0 })
    await flow.output('poll').next(({ payload }) => payload === 'AWAY')
    await flow.output('poll').take(9)
    const sent = flow.output('change').skip()
    assert.deepEqual(
      sent.map(({ topic, payload }) => [topic, payload]),
      [['Home/partition/2', 'AWAY']],
    )
    const payloads = Math.ceil(flow.output('poll').all.length / 3)
    const polls = requestsTo(simulator, 'status')
    assert.ok(payloads === polls || payloads === polls - 1, `${payloads} rounds of messages, ${polls} polls`)
  })

  it('sends nothing at the start if initial is off, and then every change', async () => {
    const { home, flow } = await harness.start({
      nodes: { beat, change: { type, initial: false }, poll: { type, initial: false, emit: 'poll' } },
    })
    await flow.output('beat').next()
    assert.deepEqual([flow.output('change').all, flow.output('poll').all], [[], []])
    await flow.output('poll').take(6)
    assert.deepEqual(flow.output('change').all, [])
    home.arm(3, 'HOME', { exitDelay: 0 })
    const { topic, state } = await flow.output('change').next()
    assert.deepEqual([topic, state.value, state.previous], ['Home/partition/3', 'HOME', 'DISARM'])
  })

  it('sends only the selected partitions, also if they are configured as text', async () => {
    const { flow } = await harness.start({
      nodes: {
        list: { type, emit: 'poll', partitions: [1, 3] },
        text: { type, emit: 'poll', partitions: '2' },
      },
    })
    const topics = async (name: string) => (await flow.output(name).take(4)).map(({ topic }) => topic)
    const [first, third] = ['Home/partition/1', 'Home/partition/3']
    assert.deepEqual(await topics('list'), [first, third, first, third])
    assert.deepEqual([...new Set(await topics('text'))], ['Home/partition/2'])
  })
})
