import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type AccountHarness, neverAborted, startAccountHarness } from '../../harness/account.ts'
import { createFakeLease } from '../../harness/panel/fake-lease.ts'
import { Recorder } from '../../harness/recorder.ts'
import { Panel } from '../../src/panel/panel.ts'
import { localPanelStores, type PanelStores } from '../../src/panel/panel-stores.ts'
import type { KeyholderError } from '../../src/service/error.ts'

describe('The health of a panel', () => {
  let at: AccountHarness
  let panel: Panel
  let outages: Recorder<KeyholderError>

  beforeEach(async () => {
    at = await startAccountHarness()
    outages = new Recorder()
    panel = open()
  })

  afterEach(() => at.close())

  function open(settings: object = {}, folder = at.folder, stores?: PanelStores): Panel {
    const usual = {
      id: 'p1',
      name: '',
      stateEvery: 30_000,
      eventsEvery: 60_000,
      devicesEvery: 300_000,
      allowCommands: false,
    }
    const reports = { outage: outages.add, recovery: () => {}, notice: () => {} }
    return new Panel({ ...usual, ...at.panel, ...settings }, at.account, folder, reports, stores)
  }

  function subscribe(what: 'state' | 'events' | 'devices', to = panel) {
    const conditions = new Recorder<string>()
    const condition = ({ state }: { state: string }) => conditions.add(state)
    const stop = to[what].subscribe({ snapshot: () => {}, condition })
    return { conditions, stop }
  }

  it('is available without a request, and starts no poll', async () => {
    for (let check = 0; check < 100; check += 1) {
      assert.deepEqual(panel.health, {
        online: null,
        transports: { broadband: null, mobile: null },
        state: 'idle',
        failing: [],
        holderFails: false,
        cursorFails: false,
        reportsArming: null,
        lacksPartition: false,
        isRejected: false,
        polls: { state: undefined, events: undefined, devices: undefined },
        targets: panel.polls.times.targetsInForce,
        eventDelay: null,
        latestFailure: undefined,
        unknown: { typeIds: [], deviceTypes: [], subtypes: [], warnings: [] },
      })
      at.clock.advance(60_000)
    }
    assert.deepEqual([at.simulator.requests.length, at.clock.pending], [0, 0])
  })

  it('has the intervals of the process that polls, while another one does', async () => {
    const lease = createFakeLease(() => at.clock.monotonic())
    lease.giveTo('pi-2')
    const pace = { stateEvery: null, eventsEvery: null, devicesEvery: null }
    panel = open(pace, at.folder, {
      ...localPanelStores(panel.settings, at.folder),
      pollLease: () => lease,
    })
    const { state, events, devices } = panel.health.targets ?? {}
    const node = { id: 'node', instances: 'one' } as const
    const stops = (['state', 'events', 'devices'] as const).map((what) =>
      panel[what].subscribe({ snapshot: () => {}, condition: () => {} }, node),
    )
    lease.hint('answers:7000')
    const told = panel.health.targets
    assert.deepEqual([told?.state, told?.events, told?.devices], [7000, 7000, 7000])
    assert.notDeepEqual([state, events, devices], [7000, 7000, 7000])
    for (const stop of stops) stop()
    // A request has begun.
    await at.time.settle()
  })

  it('has figures only for what is polled', async () => {
    const { conditions, stop } = subscribe('state')
    assert.deepEqual(panel.health.polls.state, {
      lastAt: null,
      lastOk: null,
      ageMs: null,
      failures: 0,
      ages: [],
    })
    assert.equal(panel.health.state, 'reading')
    await conditions.atLeast(2)
    const first = at.clock.wall()
    at.clock.advance(4000)
    const { state, polls } = panel.health
    assert.equal(state, 'fine')
    assert.deepEqual(polls, {
      state: { lastAt: first, lastOk: first, ageMs: 4000, failures: 0, ages: [] },
      events: undefined,
      devices: undefined,
    })
    stop()
    assert.deepEqual([panel.health.state, panel.health.polls.state], ['idle', undefined])
  })

  it('counts consecutive failed polls, and keeps the time of the latest answer', async () => {
    const { conditions } = subscribe('state')
    await conditions.atLeast(2)
    const answered = at.clock.wall()
    at.simulator.respondOnce('status', { status: 500, times: 3 })
    for (const failures of [1, 2, 3]) {
      at.clock.advance(30_000)
      await conditions.atLeast(2 + failures)
      const { state, failing, polls } = panel.health
      assert.deepEqual([state, failing, polls.state?.failures], ['failing', ['SERVER_ERROR'], failures])
      assert.equal(polls.state?.lastOk, answered)
      assert.equal(polls.state?.lastAt, at.clock.wall())
    }
    at.clock.advance(30_000)
    assert.equal(await conditions.atLeast(6), 'fine')
    const { failing, polls, latestFailure } = panel.health
    assert.deepEqual([failing, polls.state?.failures, latestFailure?.code], [[], 0, 'SERVER_ERROR'])
    assert.deepEqual(polls.state?.ages, [120_000])
  })

  it('has the worst condition of several pollers', async () => {
    const subscriptions = [subscribe('state'), subscribe('events')]
    for (const { conditions } of subscriptions) await conditions.atLeast(2)
    assert.equal(panel.health.state, 'fine')
    at.simulator.respondOnce('events', { status: 500 })
    at.clock.advance(60_000)
    await subscriptions[1]?.conditions.atLeast(3)
    await subscriptions[0]?.conditions.atLeast(3)
    assert.equal(panel.health.state, 'failing')
  })

  it('reports an unreachable panel and a rejected user code', async () => {
    at.simulator.world.panel(at.panel.serial).goOffline()
    await panel.state.read(neverAborted())
    assert.equal(panel.health.online, false)
    const other = open({ userCode: '9999' })
    assert.equal(other.health.isRejected, false)
    await assert.rejects(other.state.read(neverAborted()))
    assert.deepEqual([other.health.isRejected, panel.health.isRejected], [true, false])
  })

  it('collects unknown values from events and devices', async () => {
    const home = at.simulator.world.panel(at.panel.serial)
    home.log({ type_id: 7001 })
    await subscribe('events').conditions.atLeast(2)
    await subscribe('devices').conditions.atLeast(2)
    assert.deepEqual(panel.health.unknown, {
      typeIds: [7001],
      deviceTypes: [],
      subtypes: ['RADAR_MOTION'],
      warnings: [],
    })
  })

  it('has the newest answer of all pollers', async () => {
    const latest = () => panel.latest
    assert.equal(latest(), undefined)
    await subscribe('state').conditions.atLeast(2)
    at.clock.advance(1000)
    await subscribe('events').conditions.atLeast(2)
    assert.equal(latest(), panel.events.latest)
    assert.equal(latest()?.at, 1000)
  })

  it('reports a cursor that cannot be written as long as the events have a subscriber', async () => {
    await writeFile(join(at.folder, 'file'), '')
    const blocked = open({}, join(at.folder, 'file', 'no folder'))
    const policy = { first: 'skip', missed: 'deliver' } as const
    const node = { id: 'node', instances: 'one' } as const
    blocked.eventDeliveries.subscribe(node, { policy, events: () => {}, gap: () => {} })
    const { stop } = subscribe('events', blocked)
    await outages.atLeast(1)
    assert.deepEqual([blocked.health.cursorFails, blocked.health.failing], [true, []])
    assert.equal(blocked.health.latestFailure?.code, 'BAD_SETTING')
    stop()
    assert.equal(blocked.health.cursorFails, false)
  })
})
