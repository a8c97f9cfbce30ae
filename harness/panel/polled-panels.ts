import assert from 'node:assert/strict'
import { minute, second } from '../../src/duration.ts'
import { Panel } from '../../src/panel/panel.ts'
import type { Snapshot } from '../../src/panel/snapshot.ts'
import type { KeyholderError } from '../../src/service/error.ts'
import { type AccountHarness, startAccountHarness } from '../account.ts'
import { ServiceAudit } from '../week/service-audit.ts'

const polled = ['state', 'events', 'devices'] as const

const every = { state: 30 * second, events: minute, devices: 5 * minute }

const cap = 30

/** A panel and what its subscribers received. */
interface RecordedPanel {
  panel: Panel
  losses: KeyholderError[]
  recoveries: number
  /** The times of the snapshots by poll. */
  snapshot: Record<(typeof polled)[number], number[]>
  /** The ids of the events in the order of their delivery. */
  events: (number | null)[]
}

/**
 * Panels of one account, polled at intervals like those of nodes on a fake clock; each panel gets an event every
 * minute.
 */
export class PolledPanels {
  readonly harness: AccountHarness
  readonly audit: ServiceAudit
  readonly #recorded: RecordedPanel[]
  readonly #happened: (number | null)[][]

  private constructor(at: AccountHarness) {
    this.harness = at
    this.audit = new ServiceAudit(at.simulator, at.clock)
    this.#recorded = at.simulator.serials.map((serial) => recordPanel(at, serial))
    this.#happened = this.#recorded.map(() => [])
  }

  /**
   * Polls for ten minutes without problems; close it after the test.
   * @param timeout seconds until a request times out
   */
  static async start(panels = 2, timeout = 10): Promise<PolledPanels> {
    const at = await startAccountHarness(
      { maxLoggedRequests: 10_000, panels },
      { requestsPerMinute: cap, timeout },
    )
    const begun = new PolledPanels(at)
    begun.audit.begin()
    await begun.pass(10 * minute)
    assert.equal(at.simulator.accounts.signIns, 1)
    assert.equal(at.simulator.accounts.panelLogins, panels)
    return begun
  }

  async close(): Promise<void> {
    this.audit.end()
    await this.harness.close()
  }

  /** Lets `time` milliseconds pass; each panel gets an event every minute. */
  async pass(time: number): Promise<void> {
    const { clock, simulator } = this.harness
    const end = clock.monotonic() + time
    while (clock.monotonic() < end) {
      await this.harness.time.advanceTo(Math.min(end, clock.monotonic() + minute))
      for (const [index, { serial }] of simulator.world.panels.entries()) {
        const panel = simulator.world.panel(serial)
        const before = panel.events.length
        // Events before the first list are skipped by the policy.
        if ((this.#recorded[index]?.snapshot.events.length ?? 0) === 0) continue
        panel.log({ type_id: 105 })
        this.#happened[index]?.push(...panel.events.slice(before).map(({ event }) => event))
      }
    }
  }

  /**
   * Asserts the promises for the recovery from one outage that has just ended.
   * @param pause milliseconds for which the rate limiter may still pause the user
   */
  async assertRecovered(pause = 0): Promise<void> {
    const { simulator, clock } = this.harness
    const since = clock.monotonic()
    const sent = simulator.requests.length
    await this.pass(pause + 6 * minute)
    for (const [index, { losses, recoveries, snapshot, events }] of this.#recorded.entries()) {
      const happened = this.#happened[index] ?? []
      assert.equal(losses.length, 1, `${losses.map(({ code }) => code)}`)
      assert.equal(recoveries, 1)
      for (const what of polled) {
        const first = snapshot[what].find((time) => time >= since) ?? Number.POSITIVE_INFINITY
        assert.ok(first - since <= pause + every[what], `${what} after ${first - since}`)
      }
      // Events after the last poll are delivered by the next one.
      await this.pass(every.events)
      assert.deepEqual(events, happened.slice(0, events.length))
      assert.ok(happened.length - events.length <= 1)
    }
    const after = simulator.requests.slice(sent).map(({ at: time }) => time)
    const firstMinute = after.filter((time) => time < (after[0] ?? 0) + minute).length
    assert.ok(firstMinute <= 20, `${firstMinute} attempts in the first minute`)
    assert.ok(this.audit.mostInAMinute <= cap, `${this.audit.mostInAMinute}`)
    assert.equal(simulator.accounts.signIns, 1)
    assert.equal(simulator.accounts.panelLogins, this.#recorded.length)
    assert.deepEqual(simulator.defects, [])
  }
}

function recordPanel(at: AccountHarness, serial: string): RecordedPanel {
  const ear: Omit<RecordedPanel, 'panel'> = {
    losses: [],
    recoveries: 0,
    snapshot: { state: [], events: [], devices: [] },
    events: [],
  }
  const intervals = { stateEvery: every.state, eventsEvery: every.events, devicesEvery: every.devices }
  const settings = {
    id: serial,
    name: '',
    serial,
    userCode: at.panel.userCode,
    ...intervals,
    allowCommands: false,
  }
  const heard: RecordedPanel = Object.assign(ear, {
    panel: new Panel(settings, at.account, at.folder, {
      outage: (error) => heard.losses.push(error),
      recovery: () => {
        heard.recoveries += 1
      },
      notice: () => {},
    }),
  })
  heard.panel.eventDeliveries.subscribe(
    { id: 'node', instances: 'one' },
    {
      policy: { first: 'skip', missed: 'deliver' },
      events: (deliveries) => heard.events.push(...deliveries.map(({ event }) => event.event)),
      gap: () => assert.fail('a gap'),
    },
  )
  for (const what of polled) {
    const snapshot = ({ at: time }: Snapshot<unknown>) => heard.snapshot[what].push(time)
    heard.panel[what].subscribe({ snapshot, condition: () => {} })
  }
  return heard
}
