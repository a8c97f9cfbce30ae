import assert from 'node:assert/strict'
import { type News, Panel } from '../../src/panel/panel.ts'
import type { KeyholderError } from '../../src/service/error.ts'
import { htmlPage, status } from '../../src/simulator/faults/answers.ts'
import type { Fault } from '../../src/simulator/faults/fault.ts'
import { hang, reset } from '../../src/simulator/faults/wire.ts'
import { type Stage, stage } from '../support/account-at-simulator.ts'
import { RealWork } from '../support/real-work.ts'
import { ServiceAudit } from '../support/week/service-audit.ts'
import { TimeLapse } from '../support/week/time-lapse.ts'

const second = 1000
const minute = 60 * second

const polled = ['state', 'events', 'devices'] as const

const every = { state: 30 * second, events: minute, devices: 5 * minute }

const cap = 30

/** The longest that a user is held where the service does not say for how long, as chance is 0.5 here. */
const longestOwnPause = 7.5 * minute

/** What one panel was heard to tell. */
interface Told {
  panel: Panel
  losses: KeyholderError[]
  recoveries: number
  /** When news came, by what was polled. */
  news: Record<(typeof polled)[number], number[]>
  /** Ids of the events, in the order in which a flow got them. */
  events: (number | null)[]
}

describe('an outage of ten minutes', function () {
  this.timeout(60_000)

  let at: Stage
  let work: RealWork
  let audit: ServiceAudit
  let lapse: TimeLapse
  let told: Told[]
  let happened: (number | null)[][]

  beforeEach(() => {
    work = new RealWork()
    work.begin()
  })
  afterEach(async () => {
    audit.end()
    await at.close()
    work.end()
  })

  /** Panels are polled as nodes poll them, for ten minutes in which all is well; every minute brings events. */
  async function begin(panels = 2, timeout = 10): Promise<void> {
    at = await stage({ requestLogLimit: 10_000, panels }, { requestsPerMinute: cap, timeout })
    audit = new ServiceAudit(at.simulator, at.clock)
    audit.begin()
    lapse = new TimeLapse(at.clock, work, { afterTimers: () => {}, afterWork: async () => {} })
    // The password and a code for each panel.
    work.expectStretching(1 + panels)
    told = at.simulator.serials.map((serial) => listenTo(serial))
    happened = told.map(() => [])
    await pass(10 * minute)
    assert.equal(at.simulator.accounts.signIns, 1)
    assert.equal(at.simulator.accounts.panelLogins, panels)
  }

  function listenTo(serial: string): Told {
    const ear: Omit<Told, 'panel'> = {
      losses: [],
      recoveries: 0,
      news: { state: [], events: [], devices: [] },
      events: [],
    }
    const intervals = { stateEvery: every.state, eventsEvery: every.events, devicesEvery: every.devices }
    const settings = { id: serial, name: '', serial, userCode: at.panel.userCode, ...intervals }
    const heard: Told = Object.assign(ear, {
      panel: new Panel(settings, at.account, at.folder, {
        loss: (error) => heard.losses.push(error),
        recovery: () => {
          heard.recoveries += 1
        },
        notice: () => {},
      }),
    })
    heard.panel.stream.join('node', {
      policy: { first: 'skip', missed: 'deliver' },
      events: (deliveries) => heard.events.push(...deliveries.map(({ event }) => event.event)),
      gap: () => assert.fail('a gap'),
    })
    for (const what of polled) {
      const news = ({ at: time }: News<unknown>) => heard.news[what].push(time)
      heard.panel[what].listen({ news, condition: () => {} })
    }
    return heard
  }

  /** Lets time pass; each minute something happens at each panel. */
  async function pass(time: number): Promise<void> {
    const end = at.clock.monotonic() + time
    while (at.clock.monotonic() < end) {
      await lapse.until(Math.min(end, at.clock.monotonic() + minute))
      for (const [index, { serial }] of at.simulator.world.panels.entries()) {
        const panel = at.simulator.world.panel(serial)
        const before = panel.events.length
        // What was before the first list is skipped.
        if ((told[index]?.news.events.length ?? 0) === 0) continue
        panel.log({ type_id: 105 })
        happened[index]?.push(...panel.events.slice(before).map(({ event }) => event))
      }
    }
  }

  /**
   * All is well again since `since`: what was promised of the time before and after it.
   * @param pause milliseconds for which the user may still be held
   */
  async function assertRecovered(since: number, pause = 0): Promise<void> {
    const sent = at.simulator.requests.length
    await pass(pause + 6 * minute)
    for (const [index, { losses, recoveries, news, events }] of told.entries()) {
      assert.equal(losses.length, 1, `${losses.map(({ code }) => code)}`)
      assert.equal(recoveries, 1)
      for (const what of polled) {
        const first = news[what].find((time) => time >= since) ?? Number.POSITIVE_INFINITY
        assert.ok(first - since <= pause + every[what], `${what} after ${first - since}`)
      }
      // What the last poll cannot have seen is still to come.
      await pass(every.events)
      assert.deepEqual(events, happened[index]?.slice(0, events.length))
      assert.ok((happened[index]?.length ?? 0) - events.length <= 1)
    }
    const after = at.simulator.requests.slice(sent).map(({ at: time }) => time)
    const firstMinute = after.filter((time) => time < (after[0] ?? 0) + minute).length
    assert.ok(firstMinute <= 20, `${firstMinute} attempts in the first minute`)
    assert.ok(audit.mostInAMinute <= cap, `${audit.mostInAMinute}`)
    assert.equal(at.simulator.accounts.signIns, 1)
    assert.equal(at.simulator.accounts.panelLogins, told.length)
    assert.deepEqual(at.simulator.defects, [])
  }

  it('of a port that is closed costs one warning, one word of recovery, no event, no burst and no sign-in', async () => {
    await begin()
    const open = await audit.shut()
    await pass(10 * minute)
    await open()
    await assertRecovered(at.clock.monotonic())
  })

  for (const [name, fault, pause] of [
    ['errors of the service', () => status(500), 0],
    ['503 that says not for how long', () => status(503), longestOwnPause],
    ['web pages instead of data', () => htmlPage(), 0],
    ['web pages with status 502', () => htmlPage(502), longestOwnPause],
    ['connections that are reset', () => reset(), 0],
  ] as const) {
    it(`of ${name} costs one warning, one word of recovery, no event, no burst and no sign-in`, async () => {
      await begin()
      const end = at.simulator.faults.start(fault() as Fault)
      await pass(10 * minute)
      end()
      await assertRecovered(at.clock.monotonic(), pause)
    })
  }

  // Real seconds: the time of an attempt is got's own matter.
  it('in which nobody answers costs no more than any other', async () => {
    await begin(1, 1)
    const end = at.simulator.faults.start(hang())
    await pass(10 * minute)
    end()
    await assertRecovered(at.clock.monotonic())
  }).timeout(120_000)

  it('in which one failure follows the other costs one warning and one word of recovery, too', async () => {
    await begin(1, 1)
    const faults = [reset(), status(500), htmlPage(), hang(), status(503), htmlPage(502)]
    for (const fault of faults) {
      const end = at.simulator.faults.start(fault)
      await pass(100 * second)
      end()
    }
    await assertRecovered(at.clock.monotonic(), longestOwnPause)
  }).timeout(120_000)
})
