import assert from 'node:assert/strict'
import { type AccountHarness, neverAborted, startAccountHarness } from '../../../harness/account.ts'
import { Recorder } from '../../../harness/recorder.ts'
import { requestsTo } from '../../../harness/simulator.ts'
import { ServiceAudit } from '../../../harness/week/service-audit.ts'
import { minute, second } from '../../../src/duration.ts'
import { Panel } from '../../../src/panel/panel.ts'
import type { PanelSettings } from '../../../src/panel/panel-settings.ts'
import type { PollCondition } from '../../../src/panel/polling/poller.ts'
import type { Snapshot } from '../../../src/panel/snapshot.ts'
import type { StateView } from '../../../src/panel/state/partition-state.ts'
import { latency } from '../../../src/simulator/faults/network-faults.ts'
import { status } from '../../../src/simulator/faults/response-faults.ts'
import type { SimulatorOptions } from '../../../src/simulator/simulator.ts'

describe('The state of a panel', () => {
  let at: AccountHarness
  let panel: Panel

  afterEach(() => at.close())

  async function begin(options: SimulatorOptions = {}, account = {}, settings: Partial<PanelSettings> = {}) {
    at = await startAccountHarness({ maxLoggedRequests: 10_000, ...options }, account)
    const usual = {
      id: 'p1',
      name: '',
      allowCommands: false,
      stateEvery: 30_000,
      eventsEvery: 60_000,
      devicesEvery: 300_000,
    }
    const reports = { outage: () => {}, recovery: () => {}, notice: () => {} }
    panel = new Panel({ ...usual, ...at.panel, ...settings }, at.account, at.folder, reports)
  }

  const home = () => at.simulator.world.panel(at.panel.serial)
  const advance = (time: number) => at.time.pass(time)

  function subscribe() {
    const snapshot = new Recorder<Snapshot<StateView>>()
    const conditions = new Recorder<PollCondition>()
    const stop = panel.state.subscribe({ snapshot: snapshot.add, condition: conditions.add })
    return { snapshot, conditions, stop }
  }

  /** Subscribes and waits for the first snapshot. */
  async function subscribeAndWait() {
    const subscription = subscribe()
    await at.time.settle()
    assert.equal(subscription.snapshot.all.length, 1)
    return subscription
  }

  const house = ({ view }: Snapshot<StateView>) => view.partitions.find(({ id }) => id === 1)
  const values = ({ all }: Recorder<Snapshot<StateView>>) => all.map((snapshot) => house(snapshot)?.value)

  /** Returns the times of the requests of an operation, after the first `since` requests. */
  function times(operation: string, since = 0): number[] {
    const requests = at.simulator.requests.slice(since).filter(({ path }) => path.endsWith(operation))
    return requests.map(({ at: time }) => time)
  }

  /** Returns the milliseconds between the requests of an operation, after the first `since` requests. */
  function gaps(operation: string, since = 0): number[] {
    const all = times(operation, since)
    return all.slice(1).map((time, index) => time - (all[index] ?? 0))
  }

  it('is read every five seconds during an exit delay, and then at its interval again', async () => {
    await begin()
    const { snapshot } = await subscribeAndWait()
    await advance(40 * second)
    home().arm(1, 'AWAY', { exitDelay: 60 })
    await advance(30 * second)
    assert.deepEqual([...new Set(values(snapshot))], ['DISARM', 'ARMING'])
    const armed = at.simulator.requests.length
    await advance(25 * second)
    assert.deepEqual([...new Set(gaps('/status', armed))], [5 * second])
    await advance(10 * second)
    assert.equal(values(snapshot).at(-1), 'AWAY')
    const settled = at.simulator.requests.length
    await advance(5 * minute)
    assert.deepEqual([...new Set(gaps('/status', settled))], [30 * second])
  })

  it('is read every five seconds during an entry delay, with the alarms when it ends', async () => {
    await begin()
    home().arm(1, 'AWAY', { exitDelay: 0 })
    const { snapshot } = await subscribeAndWait()
    home().open(1)
    await panel.state.read(neverAborted())
    await advance(26 * second)
    assert.deepEqual([...new Set(values(snapshot))], ['AWAY', 'ENTRY_DELAY', 'ALARM'])
    assert.ok(
      gaps('/status')
        .slice(1)
        .every((gap) => gap <= 5 * second),
    )
  })

  it('is read at its interval again a minute after the expected end of an exit delay, whatever the service reports', async () => {
    await begin()
    const { snapshot } = await subscribeAndWait()
    home().arm(1, 'AWAY', { exitDelay: 36_000 })
    await panel.state.read(neverAborted())
    // The configured exit delay is twenty seconds.
    await advance(90 * second)
    assert.equal(values(snapshot).at(-1), 'ARMING')
    const long = at.simulator.requests.length
    await advance(5 * minute)
    assert.deepEqual([...new Set(gaps('/status', long))], [30 * second])
  })

  it('is sent to all subscribers at once after a command changed it', async () => {
    await begin()
    const two = [await subscribeAndWait(), await subscribeAndWait()]
    home().arm(1, 'AWAY')
    at.clock.advance(1)
    panel.polls.settle()
    await at.time.settle()
    for (const { snapshot } of two) assert.deepEqual(values(snapshot), ['DISARM', 'ARMING'])
    assert.equal(requestsTo(at.simulator, 'status'), 2)
  })

  it('is read often after a command until the change is visible, for at most a minute', async () => {
    await begin()
    const { snapshot } = await subscribeAndWait()
    panel.polls.settle()
    await advance(20 * second)
    home().arm(1, 'HOME', { exitDelay: 0 })
    await advance(5 * second)
    assert.deepEqual([...new Set(values(snapshot))], ['DISARM', 'HOME'])
    const shown = at.simulator.requests.length
    await advance(2 * minute)
    assert.deepEqual([...new Set(gaps('/status', shown))], [30 * second])
    panel.polls.settle()
    await advance(90 * second)
    const waited = at.simulator.requests.length
    await advance(2 * minute)
    assert.deepEqual([...new Set(gaps('/status', waited))], [30 * second])
  })

  it('is read again after a command, even if an earlier read is in flight', async () => {
    await begin()
    const { snapshot } = await subscribeAndWait()
    const end = at.simulator.faults.start(latency(2 * second), { operation: 'status', times: 1 })
    const pending = panel.state.read(neverAborted())
    await at.time.settle()
    home().arm(1, 'AWAY')
    at.clock.advance(second)
    panel.polls.settle()
    at.clock.advance(second)
    await pending
    await at.time.settle()
    end()
    assert.equal(values(snapshot).at(-1), 'ARMING')
  })

  it('is not read after a command without subscribers', async () => {
    await begin()
    panel.polls.settle()
    await advance(minute)
    assert.equal(at.simulator.requests.length, 0)
  })

  it('is read again every five seconds if reading it after a command fails', async () => {
    await begin()
    const { conditions } = await subscribeAndWait()
    at.simulator.faults.start(status(500), { operation: 'status' })
    panel.polls.settle()
    await at.time.settle()
    assert.equal(conditions.all.at(-1)?.state, 'fine')
    const failing = at.simulator.requests.length
    await advance(30 * second)
    assert.equal(conditions.all.at(-1)?.state, 'failing')
    assert.deepEqual([...new Set(gaps('/status', failing))], [5 * second])
  })

  it('is told while the list of alarms alone cannot be read', async () => {
    await begin()
    const { snapshot } = await subscribeAndWait()
    at.simulator.faults.start(status(500), { operation: 'alarms' })
    home().arm(1, 'AWAY', { exitDelay: 0 })
    await advance(2 * minute)
    assert.equal(values(snapshot).at(-1), 'AWAY')
  })

  it('is no alarm because a case is open, which no list of alarms shows, while that list cannot be read', async () => {
    await begin()
    const { snapshot } = await subscribeAndWait()
    home().tamper(2)
    await advance(minute)
    at.simulator.faults.start(status(500), { operation: 'alarms' })
    await advance(2 * minute)
    assert.deepEqual([...new Set(values(snapshot))], ['DISARM'])
    home().panic(home().devices.find(({ device_type }) => device_type === 'KEYFOB')?.id ?? 0)
    await advance(2 * minute)
    assert.equal(values(snapshot).at(-1), 'ALARM')
  })

  it('is read again within five seconds after an answer without the alarm, which lasts until then', async () => {
    await begin()
    home().arm(1, 'AWAY', { exitDelay: 0 })
    home().open(2)
    const { snapshot } = await subscribeAndWait()
    await advance(2 * minute)
    at.simulator.respondOnce('alarms', { status: 200, body: [], times: 2 })
    const known = at.simulator.requests.length
    await advance(35 * second)
    const [first = 0, again = 0] = times('/alarms', known)
    assert.ok(again - first <= 5 * second)
    assert.deepEqual([...new Set(values(snapshot))], ['ALARM', 'AWAY'])
    const ended = snapshot.all.find((one) => house(one)?.value === 'AWAY')
    assert.equal(ended?.sentAt, again)
    await advance(minute)
    const settled = at.simulator.requests.length
    await advance(5 * minute)
    assert.deepEqual([...new Set(gaps('/status', settled))], [30 * second])
  })

  it('is read at its interval again a minute after a doubt that no answer ends', async () => {
    await begin()
    home().arm(1, 'AWAY', { exitDelay: 0 })
    home().open(2)
    const { snapshot } = await subscribeAndWait()
    await advance(2 * minute)
    home().goOffline()
    at.simulator.respondOnce('alarms', { status: 200, body: [], times: Number.POSITIVE_INFINITY })
    await advance(2 * minute)
    const long = at.simulator.requests.length
    await advance(5 * minute)
    assert.deepEqual([...new Set(gaps('/status', long))], [30 * second])
    assert.deepEqual([...new Set(values(snapshot))], ['ALARM'])
  })

  it('needs no more requests for alarms than usual while it changes', async () => {
    await begin()
    await subscribeAndWait()
    home().arm(1, 'AWAY', { exitDelay: 70 })
    panel.polls.settle()
    await at.time.settle()
    const begun = at.simulator.requests.length
    await advance(minute)
    assert.equal(times('/status', begun).length, 12)
    assert.equal(times('/alarms', begun).length, 1)
  })

  it('has the end of an exit delay, counted from the command, and does not move it', async () => {
    await begin()
    const { snapshot } = await subscribeAndWait()
    await advance(3 * second)
    const end = at.clock.monotonic() + 20 * second
    home().arm(1, 'AWAY')
    panel.polls.settle()
    await advance(11 * second)
    const ends = snapshot.all.slice(1).map((one) => house(one)?.exitUntil)
    assert.ok(ends.length >= 3)
    assert.deepEqual([...new Set(ends)], [end])
    await advance(15 * second)
    assert.equal(house(snapshot.all.at(-1) as Snapshot<StateView>)?.exitUntil, null)
  })

  it('counts an exit delay from the command even if there were no subscribers at that time', async () => {
    await begin()
    await panel.state.read(neverAborted())
    await advance(second)
    const end = at.clock.monotonic() + 20 * second
    home().arm(1, 'AWAY')
    panel.polls.settle()
    await advance(7 * second)
    const { snapshot } = await subscribeAndWait()
    assert.equal(house(snapshot.all[0] as Snapshot<StateView>)?.exitUntil, end)
  })

  for (const [what, every] of [
    ['occasionally', minute],
    ['constantly by commands', second],
  ] as const) {
    it(`leaves events and devices their polls within thirty requests a minute if it changes ${what}`, async () => {
      await begin({}, { requestsPerMinute: 30 })
      const audit = new ServiceAudit(at.simulator, at.clock)
      audit.begin()
      const counts = { events: 0, devices: 0 }
      for (const what of ['events', 'devices'] as const) {
        const snapshot = () => {
          counts[what] += 1
        }
        panel[what].subscribe({ snapshot, condition: () => {} })
      }
      const { snapshot } = subscribe()
      await advance(2 * minute)
      const before = { ...counts }
      home().arm(1, 'AWAY', { exitDelay: 36_000 })
      for (let left = 10 * minute; left > 0; left -= every) {
        home().arm(1, left % (2 * every) === 0 ? 'HOME' : 'AWAY', { exitDelay: 36_000 })
        panel.polls.settle()
        await advance(every)
      }
      audit.end()
      assert.ok(counts.events - before.events >= 9, `events ${counts.events - before.events}`)
      assert.ok(counts.devices - before.devices >= 2, `devices ${counts.devices - before.devices}`)
      assert.ok(snapshot.all.length >= 60, `states ${snapshot.all.length}`)
      assert.ok(audit.mostInAMinute <= 30, `${audit.mostInAMinute}`)
    })
  }
})
