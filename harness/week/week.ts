import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Random } from '../../src/simulator/random.ts'
import { type Simulator, startSimulator } from '../../src/simulator/simulator.ts'
import { AutoAdvance } from '../clock/auto-advance.ts'
import { FakeClock } from '../clock/fake-clock.ts'
import { connectInMemory } from '../clock/memory-connections.ts'
import { PendingIo } from '../clock/pending-io.ts'
import { IntervalCounter, type IntervalStats } from '../metrics/interval-stats.ts'
import { type MemoryFootprint, measureFootprint } from '../metrics/memory-footprint.ts'
import { EventAudit } from './event-audit.ts'
import { EventSchedule } from './event-schedule.ts'
import { startQuietScenario } from './quiet-scenario.ts'
import { Scenario } from './scenario.ts'
import { ServiceAudit } from './service-audit.ts'
import {
  type ProcessListener,
  type polled,
  SimulatedProcess,
  type SimulatedProcessOptions,
} from './simulated-process.ts'
import { day, minute, planWeek } from './week-plan.ts'

/** The state at the end of a day. */
export interface DayReport {
  /** The intervals between the day's snapshots, by panel and poll. */
  snapshot: Record<string, IntervalStats>
  /** The polls that fail. */
  unhealthyPolls: string[]
  /** The number of pending timers of the process, and of the simulator. */
  timers: { process: number; world: number }
  signIns: ServiceAudit['signIns']
  footprint: MemoryFootprint
}

/** The day without steps, counted from 0. */
export const quietDay = 3

/** The cap of the account in requests per minute. */
export const cap = 30

/** The time zone of the panels; its daylight saving time ends in this week. */
const timeZone = 'Europe/Berlin'
const start = Date.UTC(2026, 9, 22, 6)

/** A simulated week of one account with two panels, polled at the default intervals of the nodes. */
export class Week {
  readonly service: ServiceAudit
  readonly audits: ReadonlyMap<string, EventAudit>
  readonly simulator: Simulator
  readonly #clock: FakeClock
  readonly #pendingIo = new PendingIo()
  readonly #time: AutoAdvance
  readonly #schedule: EventSchedule
  readonly #scenario: Scenario
  readonly #intervals = new IntervalCounter()
  readonly #setup: SimulatedProcessOptions
  #process: SimulatedProcess

  /** Starts a week; close it after the test. */
  static async start(seed: number): Promise<Week> {
    const clock = new FakeClock(start)
    const folder = await mkdtemp(join(tmpdir(), 'keyholder-'))
    const simulator = await startSimulator({ clock, seed, maxLoggedRequests: 10 })
    connectInMemory(simulator)
    return new Week(seed, clock, folder, simulator)
  }

  private constructor(seed: number, clock: FakeClock, folder: string, simulator: Simulator) {
    this.simulator = simulator
    this.#clock = clock
    this.service = new ServiceAudit(simulator, clock)
    const { world, url, email, password, userCode, serials } = simulator
    const localTime = localTimeIn(timeZone)
    this.audits = new Map(world.panels.map((panel) => [panel.serial, new EventAudit(panel, localTime)]))
    this.#time = new AutoAdvance(clock, this.#pendingIo, {
      ioDuration: 0,
      hooks: {
        afterTimers: () => this.#auditEvents(),
        afterIo: () => {
          this.service.look()
          this.#scenario.killIfDue()
        },
      },
    })
    const account = { url, email, password, timeZone, requestsPerMinute: cap }
    const intervals = { stateEvery: 30, eventsEvery: 60, devicesEvery: 300 }
    const panels = serials.map((serial) => ({ serial, userCode, ...intervals }))
    this.#setup = { clock, folder, account, panels, eventNodes: ['one', 'other', 'third'] }
    this.#pendingIo.start()
    this.service.begin()
    this.#process = this.#open()

    const random = new Random(seed)
    this.#schedule = new EventSchedule(clock)
    const { service, audits } = this
    const process = () => this.#process
    const restart = () => {
      this.#process.kill()
      this.#process = this.#open()
    }
    const stage = { simulator, clock, random, schedule: this.#schedule, service, audits, process, restart }
    this.#scenario = new Scenario(stage)
    for (const act of planWeek(random, quietDay)) {
      this.#schedule.scheduleAt(act.at, () => this.#scenario.perform(act))
    }
    for (const [index, panel] of world.panels.entries()) {
      startQuietScenario(panel, clock, seed + index, () => this.#isQuiet)
    }
  }

  /** Lets the next day pass, and returns its report. */
  async passDay(): Promise<DayReport> {
    this.#intervals.take()
    const end = this.#clock.monotonic() + day
    for (let item = this.#schedule.takeNextBefore(end); item; item = this.#schedule.takeNextBefore(end)) {
      await this.#time.advanceTo(item.at)
      await item.run()
      this.#auditEvents()
    }
    await this.#time.advanceTo(end)
    for (const audit of this.audits.values()) audit.close()
    const { pendingTimers, unhealthyPolls: ailing } = this.#process
    return {
      snapshot: this.#intervals.take(),
      unhealthyPolls: ailing,
      timers: { process: pendingTimers, world: this.#clock.pending - pendingTimers },
      signIns: this.service.signIns,
      footprint: await measureFootprint(this.#setup.folder),
    }
  }

  async close(): Promise<void> {
    this.#process.kill()
    this.service.end()
    this.#pendingIo.stop()
    await this.simulator.close()
    await rm(this.#setup.folder, { recursive: true, force: true, maxRetries: 10 })
  }

  /** True from an hour before the quiet day on, because household events last some minutes. */
  get #isQuiet(): boolean {
    const now = this.#clock.monotonic()
    return now > quietDay * day - 60 * minute && now < (quietDay + 1) * day
  }

  #open(): SimulatedProcess {
    this.service.needSignIn()
    const ear: ProcessListener = {
      event: (serial, node, delivery) => {
        this.audits.get(serial)?.hear(node, delivery)
        this.#scenario.noteEvent()
      },
      gap: (serial, node) => this.audits.get(serial)?.hearOfGap(node),
      snapshot: (serial, what, at, nodes) => this.#noteSnapshot(serial, what, at, nodes),
    }
    return new SimulatedProcess(this.#setup, ear)
  }

  #noteSnapshot(serial: string, what: (typeof polled)[number], at: number, nodes: readonly string[]): void {
    this.#intervals.note(`${serial} ${what}`, at)
    // After a deploy a fresh snapshot is delivered again, and the list may have grown since then.
    const isNow = at === this.#clock.monotonic()
    if (what === 'events' && isNow && !this.#scenario.isListWrong) this.audits.get(serial)?.settle(nodes)
  }

  #auditEvents(): void {
    for (const audit of this.audits.values()) audit.takeStock()
  }
}

/** Returns a function that formats times like a panel in this zone. */
function localTimeIn(timeZone: string): (time: number) => string {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' })
  return (time) => format.format(time)
}
