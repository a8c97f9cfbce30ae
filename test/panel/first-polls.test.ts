import assert from 'node:assert/strict'
import { type AccountHarness, startAccountHarness } from '../../harness/account.ts'
import { requestsTo } from '../../harness/simulator.ts'
import { minute, second } from '../../src/duration.ts'
import { Panel } from '../../src/panel/panel.ts'
import type { PanelSettings } from '../../src/panel/panel-settings.ts'
import type { Snapshot } from '../../src/panel/snapshot.ts'
import type { StateView } from '../../src/panel/state/partition-state.ts'
import type { Fault } from '../../src/simulator/faults/active-faults.ts'
import { reset } from '../../src/simulator/faults/network-faults.ts'
import { status } from '../../src/simulator/faults/response-faults.ts'
import type { Panel as SimulatedPanel } from '../../src/simulator/world/panel.ts'

const panels = 8

type Part = 'state' | 'events' | 'devices'

describe('The first polls of a panel', () => {
  let at: AccountHarness
  afterEach(() => at.close())

  /** Opens the panel at its own pace, with devices and events first; returns its states. */
  const start = async (requestsPerMinute: number, before: (home: SimulatedPanel) => void = () => {}) => {
    at = await startAccountHarness({}, { requestsPerMinute })
    before(at.simulator.world.panel(at.panel.serial))
    const reports = { outage: () => {}, recovery: () => {}, notice: () => {} }
    const every = { stateEvery: null, eventsEvery: null, devicesEvery: null }
    const settings = { ...at.panel, id: 'p', name: '', allowCommands: false, ...every }
    const panel = new Panel(settings, at.account, at.folder, reports)
    const ignored = { snapshot: () => {}, condition: () => {} }
    panel.devices.subscribe(ignored)
    panel.events.subscribe(ignored)
    const states: Snapshot<StateView>[] = []
    panel.state.subscribe({ ...ignored, snapshot: (state) => states.push(state) })
    return states
  }

  for (const [limit, seconds] of [
    [6, 62],
    [10, 12],
    [30, 1],
  ] as const)
    it(`read state and alarms before all that only describes it, and tell them after ${seconds} s, at ${limit} requests a minute`, async () => {
      const states = await start(limit)
      await at.time.pass(seconds * second)
      assert.equal(states.length, 1)
      assert.ok(states[0]?.view.partitions[0]?.settable.length, 'without the setup of the panel')
      await at.time.pass(2 * minute)
      const sent = at.simulator.requests.map(({ path }) => path.split('/').at(-1))
      const signIn = ['version', 'auth', 'panels', 'login']
      assert.deepEqual(sent.slice(0, 6), [...signIn, 'status', 'alarms'], sent.join(' '))
    })

  it('tell an alarm within two seconds at 10 requests a minute, before the setup of the panel is known', async () => {
    const states = await start(10, (home) => {
      home.arm(1, 'HOME', { exitDelay: 0 })
      home.open(2)
    })
    await at.time.pass(2 * second)
    assert.deepEqual(
      [states[0]?.view.partitions[0]?.value, states[0]?.view.partitions[0]?.name],
      ['ALARM', ''],
    )
    await at.time.pass(2 * minute)
    assert.equal(states.at(-1)?.view.partitions[0]?.name, 'House')
  })
})

describe('A first poll that failed', () => {
  let at: AccountHarness
  afterEach(() => at.close())

  /** Opens a panel of which a part is polled, and fails some times. */
  const open = async (part: Part, fault: Fault, times: number, every: number | null = null) => {
    at = await startAccountHarness()
    at.simulator.faults.start(fault, { operation: part, times })
    const reports = { outage: () => {}, recovery: () => {}, notice: () => {} }
    const intervals = { stateEvery: every, eventsEvery: every, devicesEvery: every }
    const settings = { ...at.panel, id: 'p', name: '', allowCommands: false, ...intervals }
    const panel = new Panel(settings, at.account, at.folder, reports)
    panel[part].subscribe({ snapshot: () => {}, condition: () => {} })
    return panel[part]
  }

  for (const [name, fault] of [
    ['429', () => status(429)],
    ['503', () => status(503)],
    ['a reset', reset],
  ] as const)
    for (const every of [null, 5 * minute])
      for (const part of ['devices', 'events'] as const)
        it(`of the ${part} with ${name} is repeated within seconds, ${every === null ? 'at the own pace' : 'at an interval of five minutes'}`, async () => {
          const poller = await open(part, fault() as Fault, 1, every)
          await at.time.pass(6 * second)
          assert.equal(requestsTo(at.simulator, part), 2)
          assert.equal(poller.condition.state, 'fine')
        })

  it('is repeated at growing pauses, a minute at most', async () => {
    await open('devices', reset() as Fault, 10)
    await at.time.pass(5 * minute)
    const sent = at.simulator.requests.filter(({ path }) => path.endsWith('/devices')).map((one) => one.at)
    const pauses = sent.slice(1).map((time, nth) => Math.round((time - (sent[nth] ?? 0)) / second))
    assert.deepEqual(pauses.slice(0, 6), [5, 10, 20, 40, 60, 60])
  })
})

describe('The first polls of many panels', () => {
  let at: AccountHarness
  afterEach(() => at.close())

  /** Opens all panels, with a subscriber for each of these parts. */
  const open = (
    every: Pick<PanelSettings, 'stateEvery' | 'eventsEvery' | 'devicesEvery'>,
    parts: readonly Part[],
  ) => {
    const reports = { outage: () => {}, recovery: () => {}, notice: () => {} }
    const subscriber = { snapshot: () => {}, condition: () => {} }
    for (const serial of at.simulator.serials) {
      const key = { serial, userCode: at.panel.userCode }
      const settings = { id: serial, name: '', allowCommands: false, ...every, ...key }
      const panel = new Panel(settings, at.account, at.folder, reports)
      for (const part of parts) panel[part].subscribe(subscriber)
    }
  }

  it('read the state of every panel, then the events, then the devices, in whatever order nodes subscribe', async () => {
    at = await startAccountHarness({ panels }, { requestsPerMinute: 60 })
    const every = { stateEvery: 30_000, eventsEvery: 60_000, devicesEvery: 300_000 }
    open(every, ['devices', 'events', 'state'])
    await at.time.pass(120_000)
    const sent = at.simulator.requests.map(({ path }) => path.split('/').at(-1))
    const countUntil = (what: string, nth: number, counted: string) => {
      const places = [...sent.keys()].filter((place) => sent[place] === what)
      return sent.slice(0, places[nth - 1] ?? sent.length).filter((one) => one === counted).length
    }
    assert.equal(countUntil('alarms', panels, 'events'), 0, sent.join(' '))
    assert.equal(countUntil('alarms', panels, 'devices'), 0, sent.join(' '))
    assert.equal(countUntil('events', panels, 'devices'), 0, sent.join(' '))
    assert.ok(countUntil('devices', panels, 'alarms') >= panels, sent.join(' '))
  })

  it('request the descriptions of all panels, which are requested again at different times', async () => {
    at = await startAccountHarness({ panels: 10 }, { requestsPerMinute: 600 })
    open({ stateEvery: 5 * minute, eventsEvery: 60 * minute, devicesEvery: 60 * minute }, ['state'])
    const requested: number[] = []
    for (let passed = 0; passed < 100; passed += 5) {
      const before = at.simulator.requests.length
      await at.time.pass(5 * minute)
      const sent = at.simulator.requests.slice(before)
      requested.push(sent.filter(({ path }) => path.endsWith('/panel_info')).length)
    }
    const [first = 0, ...later] = requested
    assert.equal(first, 10)
    assert.equal(
      later.reduce((sum, count) => sum + count),
      10,
    )
    assert.ok(Math.max(...later) <= 3, `${requested}`)
  })
})
