import assert from 'node:assert/strict'
import { processClock, processTime } from '../../harness/clock/process-fake-clock.ts'
import { messageShape } from '../../harness/fixtures/message-shape.ts'
import { assertShape } from '../../harness/fixtures/shape.ts'
import type { RunningFlow } from '../../harness/flow/running-flow.ts'
import { until, useFlowHarness } from '../../harness/flow.ts'
import type { FlowMessage } from '../../harness/recorder.ts'
import { signedInAsInstaller } from '../../harness/simulator/api-client.ts'
import { requestsTo } from '../../harness/simulator.ts'
import { minute } from '../../src/duration.ts'
import { scriptedResponse } from '../../src/simulator/faults/response-faults.ts'

const type = 'keyholder-conditions'
const isListening = (flow: RunningFlow) => flow.status('conditions').next(({ fill }) => fill === 'green')
const kinds = ({ payload }: FlowMessage) => payload.map(({ kind }: { kind: string }) => kind)

describe('The node keyholder-conditions', () => {
  const harness = useFlowHarness()

  it('tells an open window and that it is closed, with exactly the fields of the contract', async () => {
    const { home, flow } = await harness.start({ nodes: { conditions: { type } } })
    await isListening(flow)
    home.open(1)
    const out = flow.output('conditions')
    const opened = await out.next()
    assertShape(opened, {
      ...messageShape,
      payload: [
        {
          kind: 'string',
          zone: 'number?',
          name: 'string',
          since: 'string',
          eventKey: 'string?',
          text: 'string',
        },
      ],
    })
    assert.equal(opened.topic, 'Home/conditions')
    const [{ kind, zone, name, text }] = opened.payload
    assert.deepEqual([kind, zone], ['open', 1])
    assert.match(text, RegExp(`^${name} has been open since .*\\.$`))
    const status = await flow.status('conditions').next(({ fill }) => fill === 'yellow')
    assert.equal(status.text, `1 to check: ${name}`)
    home.close(1)
    assert.deepEqual((await out.next()).payload, [])
    await flow.status('conditions').next(({ fill }) => fill === 'green')
  })

  it('does not say that all is fine if it lists only tests of the alarm chain', async () => {
    const { home, flow } = await harness.start({ nodes: { conditions: { type, conditions: ['chain'] } } })
    home.open(1)
    const { fill, text } = await flow.status('conditions').next(({ fill }) => fill === 'green')
    assert.deepEqual([fill, text], ['green', 'nothing in its list'])
  })

  it('tells what lasts long enough only, answers each message, reminds, and goes on after a restart', async () => {
    // In minutes: 3 seconds, then 6, 12, 24.
    const fields = { openAfter: '0.05', remindAfter: 0.1 }
    const { home, flow, part } = await harness.start({ nodes: { conditions: { type, ...fields } } })
    await isListening(flow)
    home.open(1)
    flow.input('conditions', { kept: 1, redelivered: true, reminder: true })
    const early = await flow.output('conditions').next()
    assert.deepEqual(
      [early.payload, early.kept, 'redelivered' in early, 'reminder' in early],
      [[], 1, false, false],
    )
    const opened = await flow.output('conditions').next()
    const [condition] = opened.payload
    const lasted = (message: FlowMessage) => Date.parse(message.fetchedAt) - Date.parse(condition.since)
    assert.ok(lasted(opened) >= 3000 && lasted(opened) < 4500, `${lasted(opened)}`)
    const first = await flow.output('conditions').next()
    assert.deepEqual([first.reminder, first.payload], [true, opened.payload])
    assert.ok(lasted(first) >= 9000 && lasted(first) < 11_000, `${lasted(first)}`)
    await harness.stopFlow()
    const again = await harness.startParts([part])
    const second = await again.output('conditions').next()
    assert.deepEqual([second.reminder, second.redelivered, second.payload], [true, undefined, opened.payload])
    assert.ok(lasted(second) >= 21_000 && lasted(second) < 24_000, `${lasted(second)}`)
    home.close(1)
    assert.deepEqual((await again.output('conditions').next()).payload, [])
  })

  it('lists tamper, battery, bypass, an offline panel and alarms in memory, the deaf ones first', async () => {
    const panel = { stateEvery: 10, eventsEvery: 10, devicesEvery: 10 }
    const { home, flow } = await harness.start({ panel, nodes: { conditions: { type } } })
    await isListening(flow)
    home.lowBattery(home.zone(2).id)
    home.tamper(3)
    home.arm(1, 'AWAY', { exitDelay: 0 })
    home.open(2)
    home.close(2)
    home.disarm(1)
    // The disarm would have ended a bypass of before the arming.
    home.bypass(1, true)
    const out = flow.output('conditions')
    const all = await out.next((message) => message.payload.length === 4)
    assert.deepEqual(kinds(all), ['tamper', 'battery', 'memory', 'bypassed'])
    home.goOffline()
    const offline = await out.next((message) => kinds(message).includes('offline'))
    assert.deepEqual(kinds(offline), ['offline', 'tamper', 'battery', 'memory', 'bypassed'])
    assert.ok(offline.payload[2].eventKey, 'the event of the battery is not told')
    home.goOnline()
    home.restoreTamper(3)
    home.restoreBattery(home.zone(2).id)
    await out.next((message) => kinds(message).join() === 'memory,memory,bypassed')
  })

  it('tells once that a disarm did not end a bypass, if the panel shows it a minute later', async () => {
    const panel = { stateEvery: 10, eventsEvery: 10, devicesEvery: 10 }
    const flowNodes = { conditions: { type, remindAfter: 0 } }
    for (const keepsBypass of [true, false]) {
      const { home, flow } = await harness.start(
        { panel, nodes: flowNodes },
        { panelOptions: { keepsBypass } },
      )
      await isListening(flow)
      const out = flow.output('conditions')
      home.bypass(2, true)
      const [{ since }] = (await out.next()).payload
      home.arm(1, 'AWAY', { exitDelay: 0 })
      await processTime.pass(minute)
      home.disarm(1)
      await processTime.pass(5 * minute)
      const texts = out.all.map(({ payload }) => payload.map(({ text }: { text: string }) => text).join())
      const [first = '', ...others] = texts
      assert.match(first, /^Kitchen window has been bypassed since .* [AP]M\.$/)
      if (keepsBypass) {
        assert.equal(others.length, 1)
        assert.match(
          others[0] ?? '',
          /^Kitchen window has been bypassed since .*: the disarm did not end it\.$/,
        )
        assert.equal(out.all.at(-1)?.payload[0].since, since)
      } else assert.deepEqual(others, [''])
      await harness.close()
    }
  })

  // @spec swinger-stop
  it('tells that the panel has left a zone out after its alarm, until the disarm, and not so of a zone that a user bypassed', async () => {
    const panel = { stateEvery: 10, eventsEvery: 10, devicesEvery: 10 }
    const nodes = { conditions: { type, conditions: ['bypassed'] } }
    const { home, flow } = await harness.start({ panel, nodes }, { panelOptions: { swingerStop: 1 } })
    await isListening(flow)
    home.bypass(3, true)
    const out = flow.output('conditions')
    await out.next()
    home.arm(1, 'AWAY', { exitDelay: 0 })
    home.open(2)
    home.close(2)
    await processTime.pass(minute)
    home.disarm(1)
    await processTime.pass(minute)
    const texts = out.all.map(({ payload }) =>
      payload.map(({ text }: { text: string }) => text.replace(/since .*[AP]M/, '…')).toSorted(),
    )
    const bedroom = 'Bedroom window has been bypassed ….'
    assert.deepEqual(texts, [
      [bedroom],
      [bedroom, 'The panel has left Kitchen window out …, after its alarm, until the disarm.'],
      [],
    ])
  })

  it('tells a zone in a soak test, also if the node was saved without a choice of kinds, until the test is over', async () => {
    const { home, flow } = await harness.start({ nodes: { conditions: { type, conditions: [] } } })
    await isListening(flow)
    home.bypass(3, true)
    home.soak(2, true)
    const out = flow.output('conditions')
    const [, { zone, text }] = (await out.next((message) => kinds(message).join() === 'bypassed,soak'))
      .payload
    assert.equal(zone, 2)
    assert.match(text, /^Kitchen window has been in test mode since .*: it raises no alarm\.$/)
    home.soak(2, false)
    await out.next((message) => kinds(message).join() === 'bypassed')
  })

  it('tells a shared zone that guards nothing, also after a restart and in an answer, only if that is chosen', async () => {
    const nodes = { conditions: { type, conditions: ['unguarded'] }, usual: { type } }
    const { home, flow, part } = await harness.start({ nodes })
    Object.assign(home.zone(4), { partitions: [1, 2] })
    await isListening(flow)
    home.arm(1, 'AWAY', { exitDelay: 0 })
    const out = flow.output('conditions')
    const [{ kind, zone, name, text }] = (await out.next()).payload
    assert.deepEqual([kind, zone, name], ['unguarded', 4, 'Living room'])
    assert.match(
      text,
      /^Living room has guarded nothing since .*: not all its partitions are armed away\. Not away: Workshop\.$/,
    )
    await harness.stopFlow()
    const again = await harness.startParts([part])
    again.input('conditions', {})
    assert.equal((await again.output('conditions').next()).payload[0].text, text)
    home.arm(2, 'AWAY', { exitDelay: 0 })
    assert.deepEqual((await again.output('conditions').next()).payload, [])
    assert.deepEqual([...flow.output('usual').all, ...again.output('usual').all], [])
  })

  // @spec 2.7
  it('tells what the panel reports of itself, which is read only where it is wanted and the panel has such a list', async () => {
    const simulator = await harness.startSimulator()
    const entry = { device_type: 'CONTROL_PANEL', zone: null, partitions: [] }
    const body = [{ ...entry, trouble_type: 'LINE_FAILURE' }]
    const end = simulator.faults.start(scriptedResponse({ status: 200, body }), { operation: 'troubles' })
    const flow = await harness.startAt(simulator, {
      panel: { stateEvery: 60, eventsEvery: 60, devicesEvery: 60 },
      nodes: { conditions: { type }, readings: { type: 'keyholder-readings', kinds: ['warnings'] } },
    })
    const told = await flow.output('conditions').next((message) => kinds(message).includes('trouble'))
    assert.match(told.payload[0].text, /^control panel: line failure, since /)
    const isOfPanel = ({ device, payload }: FlowMessage) =>
      device.type === 'CONTROL_PANEL' && payload.length > 0
    assert.deepEqual((await flow.output('readings').next(isOfPanel)).payload, ['LINE_FAILURE'])
    end()
    // Two lists that lack it, ten minutes apart.
    for (let read = 0; read < 3; read += 1) await processTime.pass(15 * minute)
    await flow.output('conditions').next((message) => !kinds(message).includes('trouble'))
    assert.ok(requestsTo(simulator, 'troubles') <= 7, 'at most every ten minutes')
    await harness.close()
    const other = await harness.start({ nodes: { state: { type: 'keyholder-state' } } })
    await other.flow.output('state').next()
    assert.equal(requestsTo(other.simulator, 'troubles'), 0)
  })

  it('tells the end of a fault of the panel within three polls of the devices after its event', async () => {
    const { home, flow } = await harness.start({
      panel: { stateEvery: 60, eventsEvery: 60, devicesEvery: 60 },
      nodes: { conditions: { type } },
    })
    await isListening(flow)
    home.jam()
    // The list of the faults has it, too.
    await processTime.pass(15 * minute)
    await flow.output('conditions').next((message) => kinds(message).includes('trouble'))
    home.endJam()
    await processTime.pass(3 * minute)
    await flow.output('conditions').next((message) => !kinds(message).includes('trouble'))
  })

  it('tells that the panel has lost its broadband while its mobile network works, and the state node too', async () => {
    const { home, flow } = await harness.start({
      nodes: { conditions: { type }, state: { type: 'keyholder-state', partitions: [1] } },
    })
    home.setLines({ mobile: true })
    await isListening(flow)
    flow.input('state', {})
    assert.deepEqual(
      (await flow.output('state').next(({ panel }) => panel.transports.mobile)).panel.transports,
      {
        broadband: true,
        mobile: true,
      },
    )
    home.setLines({ broadband: false })
    const lost = await flow.output('conditions').next((message) => kinds(message).includes('line'))
    assert.match(
      lost.payload[0].text,
      /^The panel has had no broadband connection since .* Another one works\.$/,
    )
    assert.equal(lost.panel.online, true)
    home.setLines({ broadband: true })
    await flow.output('conditions').next((message) => !kinds(message).includes('line'))
  })

  it('lists a running alarm first, until it is over', async () => {
    const { home, flow } = await harness.start({ nodes: { conditions: { type } } })
    await isListening(flow)
    home.lowBattery(home.zone(3).id)
    home.arm(1, 'AWAY', { exitDelay: 0 })
    home.open(2)
    const out = flow.output('conditions')
    const [alarm, ...others] = (await out.next((message) => kinds(message).length === 3)).payload
    assert.deepEqual(
      others.map(({ kind }: { kind: string }) => kind),
      ['battery', 'open'],
    )
    const { kind, zone, name, text } = alarm
    assert.deepEqual([kind, zone, name], ['alarm', 2, 'Kitchen window'])
    assert.match(text, /^Burglary: Kitchen window, since .*\.$/)
    // Restored and armed, it is not over.
    home.close(2)
    home.restoreBattery(home.zone(3).id)
    const restored = await out.next((message) => kinds(message).join() === 'alarm')
    assert.equal(restored.payload[0].since, alarm.since)
    flow.input('conditions')
    assert.deepEqual(kinds(await out.next()), ['alarm'])
    home.disarm(1)
    // The devices may remember it before the state tells the disarming.
    await out.next((message) => kinds(message).join() === 'memory')
  })

  it('lists a running alarm until it is over where the service has no list of alarms', async () => {
    const { home, flow } = await harness.start(
      { nodes: { conditions: { type } } },
      { missingOperations: ['alarms'] },
    )
    await isListening(flow)
    home.arm(1, 'AWAY', { exitDelay: 0 })
    home.open(2)
    const out = flow.output('conditions')
    await out.next((message) => kinds(message).join() === 'alarm,open')
    home.close(2)
    home.disarm(1)
    await out.next((message) => kinds(message).join() === 'memory')
  })

  it('lists an incident that the state does not show, also after a restart, and no duress', async () => {
    const { home, flow, part } = await harness.start({ nodes: { conditions: { type } } })
    await isListening(flow)
    home.log({ type_id: 15, device_type: 'USER', zone: 1, appointment: 'Anna' })
    home.log({ type_id: 5, device_type: 'KEYFOB', zone: 4, zone_name: 'Keyfob', partitions: [1] })
    const listed = await flow.output('conditions').next()
    assert.match(listed.payload[0].text, /^Panic: Keyfob, since /)
    assert.equal(listed.payload.length, 1)
    await harness.stopFlow()
    const again = await harness.startParts([part])
    await again.status('conditions').next(({ fill }) => fill === 'red')
    home.log({ type_id: 23, device_type: 'KEYFOB', zone: 4, zone_name: 'Keyfob', partitions: [1] })
    assert.deepEqual((await again.output('conditions').next()).payload, [])
    assert.equal(again.output('conditions').all.length, 1)
  })

  it('keeps a running alarm in the list while the panel is offline', async () => {
    const { home, flow } = await harness.start({ nodes: { conditions: { type } } })
    await isListening(flow)
    home.arm(1, 'AWAY', { exitDelay: 0 })
    home.open(2)
    const out = flow.output('conditions')
    await out.next((message) => kinds(message).join() === 'alarm,open')
    home.goOffline()
    const offline = await out.next()
    assert.deepEqual([kinds(offline), offline.stale], [['alarm', 'offline', 'open'], true])
  })

  it('is never empty while the contact with an armed panel is lost, though an offline panel is told later or never', async () => {
    const fields = { offlineAfter: 30 }
    const { home, flow } = await harness.start({
      panel: { stateEvery: 30, eventsEvery: 30, devicesEvery: 60 },
      nodes: {
        conditions: { type, ...fields },
        chosen: { type, conditions: ['alarm', 'battery'] },
        usual: { type },
        incident: { type: 'keyholder-incident' },
      },
    })
    await isListening(flow)
    home.arm(1, 'AWAY', { exitDelay: 0 })
    await processTime.pass(minute)
    home.goOffline()
    const { payload } = await flow.output('incident').next()
    assert.deepEqual([payload.kind, payload.status], ['contact', 'open'])
    await processTime.pass(minute)
    const listOf = (node: string) => flow.output(node).all.map(kinds)
    assert.deepEqual(
      [listOf('conditions'), listOf('chosen'), listOf('usual')],
      [[['alarm']], [['alarm']], [['offline']]],
    )
    assert.match(flow.output('chosen').all[0]?.payload[0].text, /^Contact lost: /)
    home.goOnline()
    await processTime.pass(minute)
    assert.deepEqual([listOf('conditions').at(-1), listOf('chosen').at(-1)], [[], []])
    home.goOffline()
    await processTime.pass(40 * minute)
    assert.deepEqual(listOf('conditions').at(-1), ['alarm', 'offline'])
  })

  // @spec sources-without-type
  it('tells an alert with a zone and no type of device as that of the zone, not of the control panel', async () => {
    const simulator = await harness.startSimulator()
    const alert = { device_type: null, alert_type: 'HEAT_TROUBLE', datetime: '2026-11-20 11:00:00' }
    const body = [
      { ...alert, zone: 5, zone_name: 'Kitchen heat' },
      { ...alert, zone: 0 },
    ]
    simulator.faults.start(scriptedResponse({ status: 200, body }), { operation: 'alerts' })
    const flow = await harness.startAt(simulator, { nodes: { conditions: { type } } })
    const { payload } = await flow.output('conditions').next(({ payload }) => payload.length > 1)
    const places = payload.map(({ kind, zone, name }: Record<string, unknown>) => [kind, zone, name])
    assert.deepEqual(places, [
      ['trouble', 0, 'control panel'],
      ['trouble', 5, 'Kitchen heat'],
    ])
  })

  it('has alarms in the list of a saved node without a choice, and leaves out what another choice lacks', async () => {
    const { home, flow } = await harness.start({
      nodes: {
        conditions: { type, conditions: [] },
        chosen: { type, conditions: ['battery'] },
      },
    })
    await isListening(flow)
    home.tamper(2)
    assert.deepEqual(kinds(await flow.output('conditions').next()).slice(0, 1), ['alarm'])
    const { fill, text } = await flow.status('chosen').next(({ fill }) => fill === 'red')
    assert.deepEqual([fill, text], ['red', 'ALARM: Kitchen window'])
    assert.deepEqual(flow.output('chosen').all, [])
  })

  it('sends no request that state, readings and events nodes do not send', async () => {
    const polled = {
      state: { type: 'keyholder-state' },
      readings: { type: 'keyholder-readings' },
      events: { type: 'keyholder-events' },
    }
    const { simulator, flow } = await harness.start({ nodes: { ...polled, conditions: { type } } })
    await isListening(flow)
    await until(() => requestsTo(simulator, 'devices') > 5)
    const known = [
      ...['panels', 'panel_info', 'feature_set', 'status', 'alarms', 'devices', 'events', 'en_US'],
      ...['troubles', 'alerts'],
    ]
    const others = simulator.requests.filter(({ path }) => !known.some((name) => path.endsWith(name)))
    assert.deepEqual(
      others
        .map(({ path }) => path.replace(/.*\//, ''))
        .filter((name) => !/^(version|auth|login)$/.test(name)),
      [],
    )
    const often = (name: string) => requestsTo(simulator, name)
    assert.ok(Math.abs(often('status') - often('devices')) <= 3, 'the polls are not shared')
  })

  // @spec 2.14, 4.10
  it('asks for the backups once a day if this kind is chosen, also after a restart', async () => {
    const fields = { conditions: ['backup'], backupDays: 60 }
    const { simulator, flow, part } = await harness.start({ nodes: { conditions: { type, ...fields } } })
    const { payload } = await flow.output('conditions').next()
    const [{ kind, zone, name, text }] = payload
    assert.deepEqual([kind, zone, name], ['backup', null, ''])
    assert.match(text, /^No backup since /)
    await harness.stopFlow()
    const again = await harness.startParts([part])
    await again.status('conditions').next(({ text }) => text === '1 to check')
    const known = requestsTo(simulator, 'status') + requestsTo(simulator, 'events')
    await until(() => requestsTo(simulator, 'status') + requestsTo(simulator, 'events') > known + 10)
    assert.equal(requestsTo(simulator, 'configuration_list'), 1)
    assert.deepEqual(again.output('conditions').all, [])
  })

  it('tells a Catch node that the service has no backups for this account, and goes on', async () => {
    const fields = { conditions: ['backup', 'open'] }
    const simulator = await harness.startSimulator()
    simulator.respondOnce('configuration_list', { status: 404, times: Number.POSITIVE_INFINITY })
    const home = simulator.world.panel('A1B2C3')
    const flow = await harness.startAt(simulator, { nodes: { conditions: { type, ...fields } } })
    assert.equal((await flow.caught.next()).error.code, 'NOT_FOUND')
    home.open(1)
    assert.deepEqual(kinds(await flow.output('conditions').next()), ['open'])
    assert.equal(requestsTo(simulator, 'configuration_list'), 1)
  })

  // @spec inspection-events
  it('lists an inspection that failed until one succeeds', async () => {
    const { home, flow } = await harness.start({ nodes: { conditions: { type, language: 'de' } } })
    await isListening(flow)
    home.log({ type_id: 174 })
    const failed = await flow.output('conditions').next()
    assert.deepEqual(kinds(failed), ['inspection'])
    assert.match(
      failed.payload[0].text,
      /^Die Inspektion am .* ist fehlgeschlagen: Test 6 \(7: Utility room\)\.$/,
    )
    assert.ok(failed.payload[0].eventKey)
    const later = new Date(processClock.wall() + 60_000).toISOString()
    home.log({ type_id: 175, datetime: later.slice(0, 19).replace('T', ' ') })
    assert.deepEqual(kinds(await flow.output('conditions').next()), [])
  })

  // @spec 2.2
  it('lists a license that ends within 30 days', async () => {
    const simulator = await harness.startSimulator()
    const { userToken: user_token } = await signedInAsInstaller(simulator)
    const not_after = new Date(processClock.wall() + 29 * 86_400_000).toISOString().slice(0, 19)
    const license = { name: 'Silver', valid: { not_before: '', not_after } }
    simulator.respondOnce('auth', { status: 200, body: { user_token, license } })
    const flow = await harness.startAt(simulator, {
      account: { api: 'service' },
      credentials: { userCode: simulator.installerCode },
      nodes: { conditions: { type } },
    })
    const { payload } = await flow.output('conditions').next((message) => kinds(message).includes('license'))
    assert.match(payload.at(-1).text, /^The license of the service ends on /)
    assert.equal(Date.parse(payload.at(-1).since), Date.parse(`${not_after}Z`) - 30 * 86_400_000)
  })
})
