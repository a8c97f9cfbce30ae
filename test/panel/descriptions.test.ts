import assert from 'node:assert/strict'
import { type AccountHarness, neverAborted, startAccountHarness } from '../../harness/account.ts'
import { Recorder } from '../../harness/recorder.ts'
import { requestsTo } from '../../harness/simulator.ts'
import { minute, second } from '../../src/duration.ts'
import { Panel } from '../../src/panel/panel.ts'
import type { Snapshot } from '../../src/panel/snapshot.ts'
import type { StateView } from '../../src/panel/state/partition-state.ts'
import type { Fault } from '../../src/simulator/faults/active-faults.ts'
import { hang, reset } from '../../src/simulator/faults/network-faults.ts'
import { status } from '../../src/simulator/faults/response-faults.ts'

describe('The descriptions of a panel', () => {
  let at: AccountHarness
  let panel: Panel

  beforeEach(async () => {
    at = await startAccountHarness({ maxLoggedRequests: 10_000 }, { timeout: 5 })
    panel = open(minute)
  })

  function open(every: number): Panel {
    const settings = {
      ...at.panel,
      ...{ id: 'p1', name: '', allowCommands: false },
      ...{ stateEvery: every, eventsEvery: every, devicesEvery: 300_000 },
    }
    const reports = { outage: () => {}, recovery: () => {}, notice: () => {} }
    return new Panel(settings, at.account, at.folder, reports)
  }

  afterEach(() => at.close())

  const home = () => at.simulator.world.panel(at.panel.serial)
  const pass = (time: number) => at.time.pass(time)

  /** Subscribes to the state; returns its snapshots. */
  function subscribeToState() {
    const states = new Recorder<Snapshot<StateView>>()
    panel.state.subscribe({ snapshot: states.add, condition: () => {} })
    return states
  }

  /** Subscribes to the events; returns the type ids of those that are delivered. */
  function subscribeToEvents() {
    const events: (number | null)[] = []
    panel.eventDeliveries.subscribe(
      { id: 'n', instances: 'one' },
      {
        policy: { first: 'skip', missed: 'deliver' },
        events: (deliveries) => events.push(...deliveries.map(({ event }) => event.type_id)),
        gap: () => {},
      },
    )
    panel.events.subscribe({ snapshot: () => {}, condition: () => {} })
    return events
  }

  for (const operation of ['panels', 'panel_info', 'feature_set']) {
    for (const [name, fault] of [
      ['hangs', hang],
      ['is reset', reset],
      ['asks to come back later', () => status(503)],
    ] as const) {
      it(`stop neither state nor events when ${operation} alone ${name}, and are asked for at growing intervals`, async () => {
        at.simulator.faults.start(fault() as Fault, { operation })
        const states = subscribeToState()
        const events = subscribeToEvents()
        await pass(3 * minute)
        home().log({ type_id: 1 })
        await pass(12 * minute)
        assert.deepEqual(events, [1])
        assert.ok(states.all.length >= 12, `${states.all.length} states in 15 minutes`)
        const asked = requestsTo(at.simulator, operation)
        assert.ok(asked >= 2 && asked <= 5, `${asked} requests in 15 minutes`)
      })
    }
  }

  it('are the older ones while new ones cannot be had, and are asked for again within ten minutes', async () => {
    // A day has few polls then.
    panel = open(5 * minute)
    const states = subscribeToState()
    await pass(second)
    const settable = () => states.all.at(-1)?.view.partitions[0]?.settable
    const known = settable()
    assert.ok(known?.length)
    const ends = ['panels', 'panel_info'].map((operation) => at.simulator.faults.start(hang(), { operation }))
    await pass(25 * 60 * minute)
    assert.deepEqual(settable(), known)
    assert.equal(panel.title, 'Home')
    for (const end of ends) end()
    const before = requestsTo(at.simulator, 'panel_info')
    // Ten minutes after the last failure comes the next poll.
    await pass(10 * minute + 5 * minute)
    assert.equal(requestsTo(at.simulator, 'panel_info'), before + 1)
  })

  for (const refusal of [403, 404]) {
    it(`are asked for again within ten minutes after an hour of status ${refusal}, although never answered`, async () => {
      const ends = ['panels', 'panel_info'].map((operation) =>
        at.simulator.faults.start(status(refusal), { operation }),
      )
      panel = open(2 * minute)
      const states = subscribeToState()
      await pass(70 * minute)
      for (const end of ends) end()
      await pass(10 * minute + 2 * minute)
      assert.equal(panel.title, 'Home')
      assert.ok(states.all.at(-1)?.view.partitions[0]?.settable.length)
    })
  }

  it('are known before the first state is told when all requests failed until then', async () => {
    const end = at.simulator.faults.start(reset())
    const states = subscribeToState()
    await pass(20 * minute)
    assert.equal(states.all.length, 0)
    end()
    for (let waited = 0; states.all.length === 0 && waited <= minute; waited += second) await pass(second)
    assert.equal(states.all.length, 1)
    assert.equal(panel.title, 'Home')
    assert.ok(states.all[0]?.view.partitions[0]?.settable.length)
  })

  it('are read again after the events, which do not wait for them', async () => {
    panel.events.subscribe({ snapshot: () => {}, condition: () => {} })
    await pass(minute)
    at.simulator.faults.start(hang(), { operation: 'feature_set' })
    await pass(100 * minute)
    assert.ok(requestsTo(at.simulator, 'feature_set') > 1)
    const polls = at.simulator.requests.filter(({ path }) => path.endsWith('/events')).slice(1)
    const gaps = polls.slice(1).map((poll, nth) => poll.at - (polls[nth]?.at ?? 0))
    assert.ok(Math.max(...gaps) < minute + second, `${Math.max(...gaps)} ms without a poll`)
  })

  it('are read again also while the events cannot be read, because they may say so no longer', async () => {
    at.simulator.respondOnce('feature_set', { status: 200, body: { events: { is_enabled: false } } })
    panel.events.subscribe({ snapshot: () => {}, condition: () => {} })
    await pass(minute)
    assert.equal(panel.events.condition.state, 'failing')
    await pass(100 * minute)
    assert.equal(panel.events.condition.state, 'fine')
  })

  it('do not delay a read by hand again while they cannot be had', async () => {
    for (const operation of ['panels', 'panel_info', 'feature_set'])
      at.simulator.faults.start(hang(), { operation })
    await at.waitFor(panel.state.read(neverAborted()))
    const since = at.clock.monotonic()
    await at.waitFor(panel.state.read(neverAborted()))
    assert.ok(at.clock.monotonic() - since < second)
  })

  it('do not refuse a serial by a list of ten minutes ago, because the panel may have been added since', async () => {
    const others = { status: 200, body: [{ panel_serial: 'OTHER' }] }
    at.simulator.respondOnce('panels', others)
    await assert.rejects(panel.state.read(neverAborted()), { code: 'BAD_SETTING' })
    at.simulator.faults.start(hang(), { operation: 'panels' })
    await pass(11 * minute)
    const { view } = await at.waitFor(panel.state.read(neverAborted()))
    assert.ok(view.partitions.length > 0)
  })
})
