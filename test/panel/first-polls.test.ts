import assert from 'node:assert/strict'
import { type AccountHarness, startAccountHarness } from '../../harness/account.ts'
import { minute } from '../../src/duration.ts'
import { Panel } from '../../src/panel/panel.ts'
import type { PanelSettings } from '../../src/panel/panel-settings.ts'

const panels = 8

type Part = 'state' | 'events' | 'devices'

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
    // The state waits for descriptions of its panel. Until the first one is due, other polls find an empty queue.
    const early = countUntil('status', 1, 'devices')
    assert.ok(early < panels / 2, sent.join(' '))
    assert.ok(countUntil('alarms', panels, 'events') <= 1, sent.join(' '))
    assert.equal(countUntil('alarms', panels, 'devices'), early, sent.join(' '))
    assert.equal(countUntil('events', panels, 'devices'), early, sent.join(' '))
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
