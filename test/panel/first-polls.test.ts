import assert from 'node:assert/strict'
import { type AccountHarness, startAccountHarness } from '../../harness/account.ts'
import { Panel } from '../../src/panel/panel.ts'

const panels = 8

describe('The first polls of many panels', () => {
  let at: AccountHarness
  afterEach(() => at.close())

  it('read the state of every panel, then the events, then the devices, in whatever order nodes subscribe', async () => {
    at = await startAccountHarness({ panels }, { requestsPerMinute: 60 })
    const every = { stateEvery: 30_000, eventsEvery: 60_000, devicesEvery: 300_000 }
    const reports = { outage: () => {}, recovery: () => {}, notice: () => {} }
    const subscriber = { snapshot: () => {}, condition: () => {} }
    for (const serial of at.simulator.serials) {
      const key = { serial, userCode: at.panel.userCode }
      const settings = { id: serial, name: '', allowCommands: false, ...every, ...key }
      const panel = new Panel(settings, at.account, at.folder, reports)
      for (const part of [panel.devices, panel.events, panel.state]) part.subscribe(subscriber)
    }
    await at.time.pass(120_000)
    const sent = at.simulator.requests.map(({ path }) => path.split('/').at(-1))
    const countUntil = (what: string, nth: number, counted: string) => {
      const places = [...sent.keys()].filter((place) => sent[place] === what)
      return sent.slice(0, places[nth - 1] ?? sent.length).filter((one) => one === counted).length
    }
    // Whichever polls come first find an empty queue.
    assert.ok(countUntil('alarms', panels, 'events') <= 1, sent.join(' '))
    assert.ok(countUntil('alarms', panels, 'devices') <= 1, sent.join(' '))
    assert.ok(countUntil('events', panels, 'devices') <= 1, sent.join(' '))
    assert.ok(countUntil('devices', panels, 'alarms') >= panels, sent.join(' '))
  })
})
