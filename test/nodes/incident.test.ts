import assert from 'node:assert/strict'
import { processTime } from '../../harness/clock/process-fake-clock.ts'
import { messageShape } from '../../harness/fixtures/message-shape.ts'
import { assertShape } from '../../harness/fixtures/shape.ts'
import type { RunningFlow } from '../../harness/flow/running-flow.ts'
import { until, useFlowHarness } from '../../harness/flow.ts'
import type { FlowMessage } from '../../harness/recorder.ts'
import { requestsTo } from '../../harness/simulator.ts'
import { minute } from '../../src/duration.ts'
import { status as statusCode } from '../../src/simulator/faults/response-faults.ts'

const type = 'keyholder-incident'
const isListening = (flow: RunningFlow) => flow.status('incident').next(({ fill }) => fill === 'green')
const status =
  (word: string) =>
  ({ payload }: FlowMessage) =>
    payload.status === word
const zones = ({ payload }: FlowMessage) =>
  payload.zones.map(({ zone, restored }: { zone: number; restored: string | null }) => [
    zone,
    restored !== null,
  ])
const what = ({ payload }: FlowMessage) => payload.timeline.map(({ what }: { what: string }) => what)

describe('The node keyholder-incident', () => {
  const harness = useFlowHarness()

  it('tells a burglary in one message that grows, with exactly the fields of the contract', async () => {
    const { home, flow } = await harness.start({ nodes: { incident: { type } } })
    await isListening(flow)
    home.arm(1, 'AWAY', { exitDelay: 0, user: 'Alex' })
    home.open(2)
    const out = flow.output('incident')
    const opened = await out.next()
    home.open(3)
    const grown = await out.next()
    home.close(2)
    home.close(3)
    const restored = await out.next(status('restored'))
    home.disarm(1, { user: 'Robin' })
    const closed = await out.next(status('closed'))
    for (const message of [opened, grown, restored, closed]) {
      assertShape(message, {
        ...messageShape,
        payload: {
          id: 'string',
          kind: 'string',
          status: 'string',
          confirmed: 'boolean',
          since: 'string',
          until: 'string?',
          partitions: ['number'],
          zones: [{ zone: 'number', name: 'string', first: 'string', restored: 'string?' }],
          armedBy: { name: 'string', at: 'string' },
          disarmedBy: (by) => assert.ok(by === null || typeof by === 'object'),
          duress: 'boolean',
          timeline: [{ time: 'string', eventKey: 'string', what: 'string', zone: 'number', actor: 'string' }],
          title: 'string',
          summary: 'string',
          news: 'string',
        },
      })
      assert.deepEqual(
        [message.topic, message.payload.id, message.payload.kind],
        ['Home/incident', opened.payload.id, 'burglary'],
      )
    }
    assert.deepEqual(
      [opened, grown, restored, closed].map(({ payload }) => payload.status),
      ['open', 'open', 'restored', 'closed'],
    )
    assert.deepEqual(zones(grown), [
      [2, false],
      [3, false],
    ])
    assert.deepEqual(closed.payload.partitions, [1])
    assert.deepEqual([closed.payload.armedBy.name, closed.payload.disarmedBy.name], ['Alex', 'Robin'])
    assert.deepEqual(what(closed).slice(0, 2), what(grown))
    const keys = closed.payload.timeline.map(({ eventKey }: { eventKey: string }) => eventKey)
    assert.equal(new Set(keys).size, keys.length)
    assert.deepEqual(
      [opened, grown, restored, closed].map(({ payload }) => payload.news),
      ['alarm', 'zone', 'restore', 'over'],
    )
    const [first] = opened.payload.zones
    assert.equal(opened.payload.title, `Burglary: ${first.name}`)
    const time = String.raw`\d+:\d\d\s[AP]M`
    assert.equal(closed.payload.title, `Over: Burglary, ${first.name}`)
    assert.match(opened.payload.summary, new RegExp(`^${time}\\. Not over\\. Armed by Alex ${time}\\.$`))
    assert.match(
      closed.payload.summary,
      new RegExp(`^${time}, then .* ${time}\\. Over ${time}, disarmed by Robin\\. Armed by Alex ${time}\\.$`),
    )
  })

  // @spec swinger-stop
  it('says quietly that the panel has left a zone out until the disarm, if another node has the devices read', async () => {
    for (const isRead of [true, false]) {
      const readings = { readings: { type: 'keyholder-readings', kinds: ['open'] } }
      const nodes = { incident: { type }, ...(isRead && readings) }
      const { home, flow, simulator } = await harness.start({ nodes }, { panelOptions: { swingerStop: 1 } })
      await isListening(flow)
      home.arm(1, 'AWAY', { exitDelay: 0 })
      home.open(2)
      const out = flow.output('incident')
      const opened = await out.next()
      await processTime.pass(minute)
      const [told, ...others] = out.all.slice(1)
      const leftOut = / Left out by the panel until the disarm: Kitchen window\./
      if (isRead) {
        assert.equal(told?.payload.news, 'detail')
        assert.match(told?.payload.summary, leftOut)
        assert.doesNotMatch(opened.payload.summary, leftOut)
      } else assert.equal(told, undefined)
      assert.equal(others.length, 0)
      assert.equal(requestsTo(simulator, 'devices') > 0, isRead)
      home.disarm(1)
      assert.doesNotMatch((await out.next(status('closed'))).payload.summary, leftOut)
      await harness.close()
    }
  })

  it('closes a fire in a disarmed partition by its restore, and is in the language of the account', async () => {
    const { home, flow } = await harness.start({
      account: { locale: 'de_AT' },
      nodes: { incident: { type } },
    })
    await isListening(flow)
    const fire = home.devices.find(({ zone_type }) => zone_type === 'FIRE') ?? assert.fail()
    home.open(fire.device_number)
    const opened = await flow.output('incident').next()
    assert.deepEqual([opened.payload.kind, opened.payload.status], ['fire', 'open'])
    assert.equal(opened.payload.title, `Feuer: ${opened.payload.zones[0].name}`)
    assert.match(opened.payload.summary, /^\d\d:\d\d\. Noch nicht vorbei\.$/)
    home.close(fire.device_number)
    const closed = await flow.output('incident').next()
    assert.deepEqual([closed.payload.id, closed.payload.status], [opened.payload.id, 'closed'])
    // Its restore, which no partition that is armed hides, is part of the same message or of none.
    await processTime.pass(2 * minute)
    assert.equal(flow.output('incident').all.length, 2)
  })

  it('goes on with the same incident after a restart, and repeats nothing unflagged', async () => {
    const { home, flow, part } = await harness.start({ nodes: { incident: { type } } })
    await isListening(flow)
    home.arm(1, 'AWAY', { exitDelay: 0 })
    home.open(2)
    const opened = await flow.output('incident').next()
    await harness.stopFlow()
    home.open(3)
    const again = await harness.startParts([part])
    const grown = await again.output('incident').next(({ payload }) => payload.zones.length === 2)
    assert.equal(grown.payload.id, opened.payload.id)
    home.disarm(1)
    const closed = await again.output('incident').next(status('closed'))
    assert.equal(closed.payload.id, opened.payload.id)
    await harness.stopFlow()
    const last = await harness.startParts([part])
    await isListening(last)
    home.log({ type_id: 57 })
    last.input('incident', { payload: 1, kept: true })
    const answer = await last.output('incident').next(({ kept }) => kept === true)
    assert.deepEqual(answer.payload, { ...closed.payload, news: 'detail' })
    assert.ok(last.output('incident').all.every((message) => message.redelivered || message.kept))
  })

  it('closes an incident that ended while the flow was stopped, also if no event tells so', async () => {
    const { simulator, home, flow, part } = await harness.start({ nodes: { incident: { type } } })
    await isListening(flow)
    home.arm(1, 'AWAY', { exitDelay: 0 })
    home.open(2)
    const opened = await flow.output('incident').next()
    await flow.status('incident').next(({ text }) => text.startsWith('alarm'))
    // The list of alarms has shown it.
    const known = requestsTo(simulator, 'alarms')
    await until(() => requestsTo(simulator, 'alarms') > known + 1)
    await harness.stopFlow()
    home.disarm(1)
    home.clearEvents()
    const again = await harness.startParts([part])
    const closed = await again.output('incident').next(status('closed'))
    assert.deepEqual([closed.payload.id, closed.payload.disarmedBy], [opened.payload.id, null])
  })

  it('closes nothing while the list of alarms, which has shown it as active, cannot be read', async () => {
    const { simulator, home, flow } = await harness.start({ nodes: { incident: { type } } })
    await isListening(flow)
    home.arm(1, 'AWAY', { exitDelay: 0 })
    home.open(2)
    const out = flow.output('incident')
    await out.next()
    const known = requestsTo(simulator, 'alarms')
    await until(() => requestsTo(simulator, 'alarms') > known + 1)
    const recover = simulator.faults.start(statusCode(500), { operation: 'alarms' })
    const failed = requestsTo(simulator, 'alarms')
    await until(() => requestsTo(simulator, 'alarms') > failed + 1)
    home.disarm(1)
    const disarmed = await out.next(({ payload }) => payload.disarmedBy !== null)
    assert.equal(disarmed.payload.status, 'open')
    const more = requestsTo(simulator, 'events')
    await until(() => requestsTo(simulator, 'events') > more + 2)
    assert.notEqual(out.all.at(-1)?.payload.status, 'closed')
    recover()
    await out.next(status('closed'))
  })

  it('sends nothing of an alarm that was over before its first run', async () => {
    const simulator = await harness.startSimulator()
    const home = simulator.world.panel('A1B2C3')
    home.arm(1, 'AWAY', { exitDelay: 0 })
    home.open(2)
    home.disarm(1)
    const flow = await harness.startAt(simulator, { nodes: { incident: { type } } })
    await isListening(flow)
    home.arm(1, 'AWAY', { exitDelay: 0 })
    home.panic(home.devices.find(({ device_type }) => device_type === 'KEYFOB')?.id ?? assert.fail())
    const opened = await flow.output('incident').next()
    assert.equal(opened.payload.kind, 'panic')
    assert.equal(flow.output('incident').all.length, 1)
  })

  it('tells at once that the contact is lost while the panel is armed, and quietly that it is back', async () => {
    const { home, flow, part, simulator } = await harness.start({ nodes: { incident: { type } } })
    await isListening(flow)
    home.arm(1, 'AWAY', { exitDelay: 0, user: 'Alex' })
    const known = requestsTo(simulator, 'status')
    await until(() => requestsTo(simulator, 'status') > known + 1)
    home.goOffline()
    const out = flow.output('incident')
    const lost = await out.next()
    const { kind, status: stands, news, title, summary, zones: none, armedBy } = lost.payload
    assert.deepEqual(
      [kind, stands, news, title, none, lost.panel.online],
      ['contact', 'open', 'contact', 'Contact lost: Home', [], false],
    )
    assert.match(summary, /^No contact with the panel since .* Armed by Alex /)
    assert.equal(armedBy.name, 'Alex')
    await harness.stopFlow()
    const again = await harness.startParts([part])
    await again.status('incident').next(({ text }) => text === 'panel offline')
    home.goOnline()
    const back = await again.output('incident').next()
    assert.deepEqual(
      [back.payload.id, back.payload.status, back.payload.news, back.redelivered],
      [lost.payload.id, 'closed', 'over', undefined],
    )
    await again.status('incident').next(({ text }) => text === 'no incident')
  })

  it('tells a loss of the contact in an alarm as a part of it', async () => {
    const { home, flow } = await harness.start({ nodes: { incident: { type } } })
    await isListening(flow)
    home.arm(1, 'AWAY', { exitDelay: 0 })
    home.open(2)
    const out = flow.output('incident')
    const opened = await out.next()
    await flow.status('incident').next(({ text }) => text.startsWith('alarm'))
    home.goOffline()
    const lost = await out.next(({ payload }) => payload.news === 'contact')
    assert.deepEqual([lost.payload.id, lost.payload.title], [opened.payload.id, opened.payload.title])
    assert.match(lost.payload.summary, / No contact with the panel since /)
  })

  it('tells no loss of the contact while nothing is armed', async () => {
    const { home, flow, simulator } = await harness.start({ nodes: { incident: { type } } })
    await isListening(flow)
    home.goOffline()
    await flow.status('incident').next(({ text }) => text === 'panel offline')
    const known = requestsTo(simulator, 'status')
    await until(() => requestsTo(simulator, 'status') > known + 2)
    assert.deepEqual(flow.output('incident').all, [])
  })

  it('believes a service that has just signed in only the second time that the contact is lost', async () => {
    const simulator = await harness.startSimulator()
    const home = simulator.world.panel('A1B2C3')
    home.arm(1, 'AWAY', { exitDelay: 0 })
    home.goOffline()
    const flow = await harness.startAt(simulator, { nodes: { incident: { type } } })
    await until(() => requestsTo(simulator, 'status') === 1)
    home.goOnline()
    await isListening(flow)
    assert.deepEqual(flow.output('incident').all, [])
    home.goOffline()
    const lost = await flow.output('incident').next()
    assert.equal(lost.payload.news, 'contact')
  })
})
