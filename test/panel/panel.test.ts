import assert from 'node:assert/strict'
import { type AccountHarness, neverAborted, startAccountHarness } from '../../harness/account.ts'
import { until } from '../../harness/clock/until.ts'
import { Recorder } from '../../harness/recorder.ts'
import { requestsTo } from '../../harness/simulator.ts'
import { Panel } from '../../src/panel/panel.ts'
import type { PanelSettings } from '../../src/panel/panel-settings.ts'
import type { PollCondition } from '../../src/panel/polling/poller.ts'
import type { Snapshot } from '../../src/panel/snapshot.ts'
import type { StateView } from '../../src/panel/state/partition-state.ts'
import type { KeyholderError } from '../../src/service/error.ts'
import type { Fault } from '../../src/simulator/faults/active-faults.ts'
import { latency } from '../../src/simulator/faults/network-faults.ts'
import type { SimulatorOptions } from '../../src/simulator/simulator.ts'

describe('A panel', () => {
  let at: AccountHarness
  let panel: Panel
  let outages: KeyholderError[]
  let recoveries: number

  async function begin(options: SimulatorOptions = {}, settings: Partial<PanelSettings> = {}): Promise<void> {
    at = await startAccountHarness(options)
    outages = []
    recoveries = 0
    panel = open(settings)
  }

  function open(settings: Partial<PanelSettings> = {}): Panel {
    const usual = {
      id: 'p1',
      name: '',
      stateEvery: 30_000,
      eventsEvery: 60_000,
      devicesEvery: 300_000,
      allowCommands: false,
    }
    return new Panel({ ...usual, ...at.panel, ...settings }, at.account, at.folder, {
      outage: (error) => outages.push(error),
      recovery: () => {
        recoveries += 1
      },
      notice: () => {},
    })
  }

  afterEach(() => at.close())

  function subscribe(to = panel) {
    const snapshot = new Recorder<Snapshot<StateView>>()
    const conditions = new Recorder<PollCondition>()
    const subscriber = { snapshot: snapshot.add, condition: conditions.add }
    const stop = to.state.subscribe(subscriber)
    return { snapshot, conditions, subscriber, stop }
  }

  it('sends no requests without subscribers', async () => {
    await begin()
    at.clock.advance(3_600_000)
    assert.equal(at.simulator.requests.length, 0)
    const [one, other] = [subscribe(), subscribe()]
    await one.snapshot.atLeast(1)
    one.stop()
    at.clock.advance(30_000)
    await other.snapshot.atLeast(2)
    other.stop()
    const requestCount = at.simulator.requests.length
    at.clock.advance(3_600_000)
    assert.equal(at.simulator.requests.length, requestCount)
    assert.equal(at.clock.pending, 0)
  })

  it('sends exactly the same requests for 50 subscribers as for one, over eleven polls', async () => {
    const requestsFor = async (count: number) => {
      await begin()
      for (let nth = 0; nth < count; nth += 1) subscribe()
      await at.time.pass(300_000)
      const paths = at.simulator.requests.map(({ at: time, path }) => `${time} ${path}`)
      if (count > 1) await at.close()
      return paths
    }
    const ofFifty = await requestsFor(50)
    assert.deepEqual(await requestsFor(1), ofFifty)
    assert.equal(ofFifty.filter((path) => path.endsWith('/status')).length, 11)
  })

  // @spec push
  it('sends one request for all subscribers, and only for what they subscribe to', async () => {
    await begin()
    const fifty = Array.from({ length: 50 }, () => subscribe())
    await Promise.all(fifty.map(({ snapshot }) => snapshot.atLeast(1)))
    at.clock.advance(30_000)
    await Promise.all(fifty.map(({ snapshot }) => snapshot.atLeast(2)))
    assert.equal(requestsTo(at.simulator, 'status'), 2)
    assert.equal(requestsTo(at.simulator, 'alarms'), 2)
    assert.equal(requestsTo(at.simulator, 'panel_info'), 1)
    assert.equal(requestsTo(at.simulator, 'feature_set'), 1)
    assert.equal(requestsTo(at.simulator, 'panels'), 1)
    assert.equal(requestsTo(at.simulator, 'devices') + requestsTo(at.simulator, 'events'), 0)
  })

  it('gives a late subscriber the latest snapshot at once, without a request', async () => {
    await begin()
    await subscribe().snapshot.atLeast(1)
    const requestCount = at.simulator.requests.length
    assert.equal(subscribe().snapshot.all.length, 1)
    assert.equal(at.simulator.requests.length, requestCount)
  })

  it('needs no request after a redeploy while its last answer is young', async () => {
    await begin()
    const before = subscribe()
    await before.snapshot.atLeast(1)
    before.stop()
    const requestCount = at.simulator.requests.length
    at.clock.advance(20_000)
    const after = subscribe(open())
    await after.snapshot.atLeast(1)
    assert.equal(at.simulator.requests.length, requestCount)
  })

  it('reads at once on demand, and informs all subscribers first', async () => {
    await begin()
    const { snapshot } = subscribe()
    await snapshot.atLeast(1)
    at.simulator.world.panel(at.panel.serial).arm(1, 'AWAY')
    at.clock.advance(1)
    const { view } = await panel.state.read(neverAborted())
    assert.equal(view.partitions[0]?.value, 'ARMING')
    assert.equal(snapshot.all.length, 2)
  })

  it('gives a subscriber whose read failed the snapshot of a poll in between', async () => {
    await begin()
    const [caller, other] = [subscribe(), subscribe()]
    await other.snapshot.atLeast(1)
    at.simulator.world.panel(at.panel.serial).arm(1, 'AWAY')
    at.simulator.faults.start(latency(1000), { operation: 'status' })
    at.clock.advance(30_000)
    await until(() => requestsTo(at.simulator, 'status') === 2)
    at.simulator.faults.start(latency(2000), { operation: 'status' })
    at.simulator.respondOnce('status', { status: 500 })
    const pending = panel.state.read(neverAborted(), caller.subscriber)
    await until(() => requestsTo(at.simulator, 'status') === 3)
    at.clock.advance(1000)
    const { view } = await other.snapshot.atLeast(2)
    assert.equal(view.partitions[0]?.value, 'AWAY')
    assert.equal(caller.snapshot.all.length, 1)
    at.clock.advance(1000)
    await assert.rejects(pending, { code: 'SERVER_ERROR' })
    assert.equal(caller.snapshot.all[1]?.view, view)
  })

  it('is offline as soon as its status says so, and its snapshot is stale', async () => {
    await begin()
    const { snapshot } = subscribe()
    const first = await snapshot.atLeast(1)
    assert.equal(panel.isStale(first), false)
    at.simulator.world.panel(at.panel.serial).goOffline()
    const second = await panel.state.read(neverAborted())
    assert.equal(panel.online, false)
    assert.equal(panel.isStale(second), true)
  })

  it('has a stale snapshot after three polls without an answer', async () => {
    await begin()
    const { snapshot, conditions } = subscribe()
    const first = await snapshot.atLeast(1)
    at.simulator.respondOnce('status', { status: 500, times: Number.POSITIVE_INFINITY })
    for (let poll = 1; poll <= 3; poll += 1) {
      at.clock.advance(30_000)
      await conditions.atLeast(2 + poll)
    }
    at.clock.advance(1)
    assert.equal(panel.isStale(first), true)
  })

  it('has a stale snapshot as soon as the machine wakes up', async () => {
    await begin()
    const first = await subscribe().snapshot.atLeast(1)
    at.clock.stepWall(3_600_000)
    assert.equal(panel.isStale(first), true)
  })

  it('reports an outage once and its recovery once, however many polls fail', async () => {
    await begin()
    const { snapshot, conditions } = subscribe()
    await snapshot.atLeast(1)
    at.simulator.respondOnce('status', { status: 500, times: 5 })
    for (let poll = 1; poll <= 5; poll += 1) {
      at.clock.advance(30_000)
      await conditions.atLeast(2 + poll)
    }
    assert.deepEqual(
      outages.map(({ code }) => code),
      ['SERVER_ERROR'],
    )
    assert.equal(recoveries, 0)
    at.clock.advance(30_000)
    await snapshot.atLeast(2)
    assert.equal(outages.length, 1)
    assert.equal(recoveries, 1)
  })

  it('infers the state from its events if the service has no operation for the state', async () => {
    await begin({ missingOperations: ['status'] })
    at.simulator.world.panel(at.panel.serial).arm(1, 'HOME')
    const { snapshot } = subscribe()
    const { view } = await snapshot.atLeast(1)
    assert.equal(view.partitions.find(({ id }) => id === 1)?.value, 'HOME')
    assert.ok(view.partitions.every(({ inferred }) => inferred))
    at.clock.advance(30_000)
    await snapshot.atLeast(2)
    assert.equal(requestsTo(at.simulator, 'status'), 1)
  })

  it('has no alarms if the user has no right to read them, and requests them at most once an hour', async () => {
    await begin()
    const body = { error: 10010, error_message: '', error_reason_code: 'NotAllowed' }
    at.simulator.respondOnce('alarms', { status: 403, body, times: Number.POSITIVE_INFINITY })
    const { snapshot } = subscribe()
    await snapshot.atLeast(1)
    at.clock.advance(30_000)
    await snapshot.atLeast(2)
    assert.equal(requestsTo(at.simulator, 'alarms'), 1)
  })

  // @spec 4.3
  it('reports the known serials of the account for an unknown serial, and sends no user code', async () => {
    await begin({}, { serial: 'NOSUCH' })
    await assert.rejects(panel.state.read(neverAborted()), (error: KeyholderError) => {
      assert.equal(error.code, 'BAD_SETTING')
      assert.match(error.message, /NOSUCH.*A1B2C3/)
      return true
    })
    assert.equal(at.simulator.accounts.panelLogins, 0)
  })

  it('is titled by its name, or else its alias, or else its serial', async () => {
    await begin()
    assert.equal(panel.title, at.panel.serial)
    await panel.state.read(neverAborted())
    assert.equal(panel.title, 'Home')
    assert.equal(open({ name: 'Office' }).title, 'Office')
  })

  // @spec 4.4
  it('keeps its state if only its description cannot be read', async () => {
    await begin()
    at.simulator.respondOnce('panel_info', { status: 500, times: Number.POSITIVE_INFINITY })
    at.simulator.respondOnce('panels', { status: 200, body: '{"broken":', times: Number.POSITIVE_INFINITY })
    const { view } = await panel.state.read(neverAborted())
    assert.equal(view.partitions[0]?.value, 'DISARM')
    assert.deepEqual(view.partitions[0]?.settable, [])
  })

  // @spec inferred-alarm
  it('infers an alarm from its events if the service reports the state but not the alarms', async () => {
    await begin({ missingOperations: ['alarms'] })
    const home = at.simulator.world.panel(at.panel.serial)
    home.arm(1, 'AWAY', { instant: true, exitDelay: 0 })
    home.open(2)
    const { view } = await panel.state.read(neverAborted())
    const house = view.partitions.find(({ id }) => id === 1)
    assert.deepEqual([house?.value, house?.inferred, house?.alarms.length], ['ALARM', true, 1])
    assert.deepEqual(view.partitions.find(({ id }) => id === 3)?.inferred, false)
  })

  it('ends the alarm of a zone of two partitions when the status tells one of them as disarmed, whatever the events tell', async () => {
    await begin({ missingOperations: ['alarms'] })
    const home = at.simulator.world.panel(at.panel.serial)
    const hideDisarms: Fault = {
      name: 'events without disarms',
      answer: (getOriginal) => {
        const reply = getOriginal()
        const body = reply.body as { type_id: number }[]
        return { ...reply, body: body.filter(({ type_id }) => ![31, 89, 173].includes(type_id)) }
      },
    }
    at.simulator.faults.start(hideDisarms, { operation: 'events' })
    const values = async () => {
      at.clock.advance(30_000)
      const { view } = await panel.state.read(neverAborted())
      return view.partitions.slice(0, 2).map(({ value }) => value)
    }
    Object.assign(home.zone(8), { partitions: [1, 2] })
    await values()
    for (const id of [1, 2]) home.arm(id, 'AWAY', { exitDelay: 0 })
    home.open(8)
    for (let looks = 0; looks < 3; looks += 1) assert.deepEqual(await values(), ['ALARM', 'ALARM'])
    home.disarm(2)
    assert.deepEqual(await values(), ['ALARM', 'ALARM'], 'one answer alone')
    assert.deepEqual(await values(), ['AWAY', 'DISARM'])
  })
})
