import assert from 'node:assert/strict'
import { type AccountHarness, neverAborted, startAccountHarness } from '../../../harness/account.ts'
import { Recorder } from '../../../harness/recorder.ts'
import { requestsTo } from '../../../harness/simulator.ts'
import { ServiceAudit } from '../../../harness/week/service-audit.ts'
import { minute, second } from '../../../src/duration.ts'
import { Panel } from '../../../src/panel/panel.ts'
import type { PanelSettings } from '../../../src/panel/panel-settings.ts'
import type { Condition } from '../../../src/panel/polling/poller.ts'
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
    at.pendingIo.expectHashing(2)
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
  const pass = (time: number) => at.time.pass(time)

  function listen() {
    const snapshot = new Recorder<Snapshot<StateView>>()
    const conditions = new Recorder<Condition>()
    const stop = panel.state.subscribe({ snapshot: snapshot.add, condition: conditions.add })
    return { snapshot, conditions, stop }
  }

  /** Listens from now on; answers when it is known how things stand. */
  async function listening() {
    const ears = listen()
    await at.time.settle()
    assert.equal(ears.snapshot.all.length, 1)
    return ears
  }

  const house = ({ view }: Snapshot<StateView>) => view.partitions.find(({ id }) => id === 1)
  const values = ({ all }: Recorder<Snapshot<StateView>>) => all.map((snapshot) => house(snapshot)?.value)

  /** When an operation was asked, since so many requests. */
  function times(operation: string, since = 0): number[] {
    const asked = at.simulator.requests.slice(since).filter(({ path }) => path.endsWith(operation))
    return asked.map(({ at: time }) => time)
  }

  /** Milliseconds from one request to an operation to the next, since so many requests. */
  function gaps(operation: string, since = 0): number[] {
    const all = times(operation, since)
    return all.slice(1).map((time, index) => time - (all[index] ?? 0))
  }

  it('is read every five seconds while an exit delay runs, then on the grid as before', async () => {
    await begin()
    const { snapshot } = await listening()
    await pass(40 * second)
    home().arm(1, 'AWAY', { exitDelay: 60 })
    await pass(30 * second)
    assert.deepEqual([...new Set(values(snapshot))], ['DISARM', 'ARMING'])
    const armed = at.simulator.requests.length
    await pass(25 * second)
    assert.deepEqual([...new Set(gaps('/status', armed))], [5 * second])
    await pass(10 * second)
    assert.equal(values(snapshot).at(-1), 'AWAY')
    const settled = at.simulator.requests.length
    await pass(5 * minute)
    assert.deepEqual([...new Set(gaps('/status', settled))], [30 * second])
  })

  it('is read every five seconds while an entry delay runs, with the alarms when it ends', async () => {
    await begin()
    home().arm(1, 'AWAY', { exitDelay: 0 })
    const { snapshot } = await listening()
    home().open(1)
    await panel.state.read(neverAborted())
    await pass(26 * second)
    assert.deepEqual([...new Set(values(snapshot))], ['AWAY', 'ENTRY_DELAY', 'ALARM'])
    assert.ok(
      gaps('/status')
        .slice(1)
        .every((gap) => gap <= 5 * second),
    )
  })

  it('is on the grid again a minute after an exit delay should be over, whatever the service says', async () => {
    await begin()
    const { snapshot } = await listening()
    home().arm(1, 'AWAY', { exitDelay: 36_000 })
    await panel.state.read(neverAborted())
    // The panel is set up with twenty seconds.
    await pass(90 * second)
    assert.equal(values(snapshot).at(-1), 'ARMING')
    const long = at.simulator.requests.length
    await pass(5 * minute)
    assert.deepEqual([...new Set(gaps('/status', long))], [30 * second])
  })

  it('that a command changes is told to all who listen at once', async () => {
    await begin()
    const two = [await listening(), await listening()]
    home().arm(1, 'AWAY')
    at.clock.advance(1)
    panel.settle()
    await at.time.settle()
    for (const { snapshot } of two) assert.deepEqual(values(snapshot), ['DISARM', 'ARMING'])
    assert.equal(requestsTo(at.simulator, 'status'), 2)
  })

  it('that a command changes is read until it shows, for a minute at most', async () => {
    await begin()
    const { snapshot } = await listening()
    panel.settle()
    await pass(20 * second)
    home().arm(1, 'HOME', { exitDelay: 0 })
    await pass(5 * second)
    assert.deepEqual([...new Set(values(snapshot))], ['DISARM', 'HOME'])
    const shown = at.simulator.requests.length
    await pass(2 * minute)
    assert.deepEqual([...new Set(gaps('/status', shown))], [30 * second])
    panel.settle()
    await pass(90 * second)
    const waited = at.simulator.requests.length
    await pass(2 * minute)
    assert.deepEqual([...new Set(gaps('/status', waited))], [30 * second])
  })

  it('that a command changes is read anew where somebody had asked for it before', async () => {
    await begin()
    const { snapshot } = await listening()
    const end = at.simulator.faults.start(latency(2 * second), { operation: 'status', times: 1 })
    const asked = panel.state.read(neverAborted())
    await at.time.settle()
    home().arm(1, 'AWAY')
    at.clock.advance(second)
    panel.settle()
    at.clock.advance(second)
    await asked
    await at.time.settle()
    end()
    assert.equal(values(snapshot).at(-1), 'ARMING')
  })

  it('is not read for a command where nobody listens', async () => {
    await begin()
    panel.settle()
    await pass(minute)
    assert.equal(at.simulator.requests.length, 0)
  })

  it('is asked for again every five seconds where it cannot be read after a command', async () => {
    await begin()
    const { conditions } = await listening()
    at.simulator.faults.start(status(500), { operation: 'status' })
    panel.settle()
    await at.time.settle()
    assert.equal(conditions.all.at(-1)?.state, 'fine')
    const failing = at.simulator.requests.length
    await pass(30 * second)
    assert.equal(conditions.all.at(-1)?.state, 'failing')
    assert.deepEqual([...new Set(gaps('/status', failing))], [5 * second])
  })

  it('costs no more questions for alarms while it changes than else', async () => {
    await begin()
    await listening()
    home().arm(1, 'AWAY', { exitDelay: 70 })
    panel.settle()
    await at.time.settle()
    const begun = at.simulator.requests.length
    await pass(minute)
    assert.equal(times('/status', begun).length, 12)
    assert.equal(times('/alarms', begun).length, 1)
  })

  it('tells when an exit delay ends, from the command on, and keeps to it', async () => {
    await begin()
    const { snapshot } = await listening()
    await pass(3 * second)
    const end = at.clock.monotonic() + 20 * second
    home().arm(1, 'AWAY')
    panel.settle()
    await pass(11 * second)
    const ends = snapshot.all.slice(1).map((one) => house(one)?.exitUntil)
    assert.ok(ends.length >= 3)
    assert.deepEqual([...new Set(ends)], [end])
    await pass(15 * second)
    assert.equal(house(snapshot.all.at(-1) as Snapshot<StateView>)?.exitUntil, null)
  })

  it('counts an exit delay from the command also where nobody listened then', async () => {
    await begin()
    await panel.state.read(neverAborted())
    await pass(second)
    const end = at.clock.monotonic() + 20 * second
    home().arm(1, 'AWAY')
    panel.settle()
    await pass(7 * second)
    const { snapshot } = await listening()
    assert.equal(house(snapshot.all[0] as Snapshot<StateView>)?.exitUntil, end)
  })

  for (const [what, every] of [
    ['now and then', minute],
    ['by commands without end', second],
  ] as const) {
    it(`changing ${what} leaves events and devices their turns within thirty requests a minute`, async () => {
      await begin({}, { requestsPerMinute: 30 })
      const audit = new ServiceAudit(at.simulator, at.clock)
      audit.begin()
      const told = { events: 0, devices: 0 }
      for (const what of ['events', 'devices'] as const) {
        const snapshot = () => {
          told[what] += 1
        }
        panel[what].subscribe({ snapshot, condition: () => {} })
      }
      const { snapshot } = listen()
      await pass(2 * minute)
      const before = { ...told }
      home().arm(1, 'AWAY', { exitDelay: 36_000 })
      for (let left = 10 * minute; left > 0; left -= every) {
        home().arm(1, left % (2 * every) === 0 ? 'HOME' : 'AWAY', { exitDelay: 36_000 })
        panel.settle()
        await pass(every)
      }
      audit.end()
      assert.ok(told.events - before.events >= 9, `events ${told.events - before.events}`)
      assert.ok(told.devices - before.devices >= 2, `devices ${told.devices - before.devices}`)
      assert.ok(snapshot.all.length >= 60, `states ${snapshot.all.length}`)
      assert.ok(audit.mostInAMinute <= 30, `${audit.mostInAMinute}`)
    })
  }
})
