import { inspect } from 'node:util'
import type { Clock } from '../../src/clock.ts'
import { minute, second } from '../../src/duration.ts'
import { wrongEventList } from '../../src/simulator/faults/service-faults.ts'
import { BlindTimes, fixedIntervals, longestIntervals, sources } from './blind-times.ts'
import { startCommandFault } from './commands/command-faults.ts'
import { isInstanceDeed, surroundingsOf } from './instance/instances.ts'
import { starting, WatchedNodeRed } from './instance/watched-node-red.ts'
import { nodesOf } from './instance/watched-nodes.ts'
import type { Deed, House, Life, Lived, Untruth } from './life.ts'
import { LifeRecord } from './life-record.ts'
import { localTimes } from './service/local-times.ts'
import { WatchedService } from './service/watched-service.ts'
import { Simulation } from './simulation.ts'
import { furnish, performAtPanel } from './world/deeds.ts'
import type { WorldRecord } from './world/world-record.ts'

/** Milliseconds between two looks at the world and at what the nodes have told; a second while commands are under way. */
const lookEvery = 10 * second

/** Milliseconds within which each rehearsal ends. */
const longestRehearsal = 30 * minute

/** Milliseconds in which nothing more happens, at the end of a life. */
const settling = 200 * second

/** Lives a life. */
export async function live(life: Life): Promise<Lived> {
  const { house, steps, order = 1 } = life
  const missingOperations = house.hasAlarmList ? [] : ['alarms']
  const simulation = await Simulation.start(order, house.startsAt, { panels: 1, missingOperations })
  if (house.timeZone !== 'UTC') simulation.simulator.faults.start(localTimes(house.timeZone))
  const lived = new LivedLife(house, simulation)
  try {
    await lived.start()
    const times: number[] = []
    for (const { after, deed } of steps) {
      await lived.pass(after)
      times.push(lived.age)
      await lived.perform(deed)
    }
    await lived.settle()
    return { untrue: lived.untrue, times, record: lived.record }
  } finally {
    await simulation.close()
  }
}

/** A life while it is lived. */
class LivedLife {
  readonly untrue: Untruth[] = []
  readonly record = new LifeRecord()
  readonly #house: House
  readonly #simulation: Simulation
  readonly #clock: Clock
  readonly #world: WorldRecord
  readonly #service: WatchedService
  readonly #instances: readonly WatchedNodeRed[]
  readonly #blind: BlindTimes
  /** The claims that were reported as untrue. */
  readonly #subjects = new Set<string>()

  constructor(house: House, simulation: Simulation) {
    this.#house = house
    this.#simulation = simulation
    this.#clock = simulation.scheduler.clock
    this.#world = furnish(simulation.simulator, house)
    this.#blind = new BlindTimes(house.hasFixedIntervals ? fixedIntervals : longestIntervals)
    const of = {
      house,
      world: this.#world,
      blind: this.#blind,
      report: (subject: string, sentence: string) => this.#report(subject, sentence),
      record: this.record,
    }
    const service = new WatchedService(of, simulation)
    this.#service = service
    const pass = (ms: number) => this.pass(ms)
    this.#instances = Array.from({ length: house.instances }, (_, nth) => {
      return new WatchedNodeRed({ simulation, of: surroundingsOf(nth, of), service, pass }, nth + 1)
    })
  }

  /** Milliseconds since the nodes started for the first time. */
  get age(): number {
    return this.#clock.monotonic()
  }

  /** Starts the nodes for the first time. */
  async start(): Promise<void> {
    const { clockAtStart, isFirstListEmpty } = this.#house
    const { faults } = this.#simulation.simulator
    if (isFirstListEmpty) faults.start(wrongEventList('empty'), { operation: 'events', times: 1 })
    if (clockAtStart !== null) await this.perform({ what: 'machine clock', ...clockAtStart })
    for (const instance of this.#instances) await instance.start()
    await this.pass(starting + (isFirstListEmpty ? this.#blind.pollEvery.events : 0))
    for (const { nodes } of this.#instances) nodes.begin(this.#clock.monotonic())
  }

  /** Lets time pass, and looks at the nodes. */
  async pass(ms: number): Promise<void> {
    const end = this.#clock.monotonic() + ms
    while (this.#clock.monotonic() < end) {
      const next = this.#instances.some(({ commands }) => commands.areRecent) ? second : lookEvery
      await this.#simulation.scheduler.pass(Math.min(next, end - this.#clock.monotonic()))
      this.#look()
      for (const instance of this.#instances) await instance.tellSecrets()
    }
  }

  /** Lets time pass until nothing more happens, and looks at all that was commanded. */
  async settle(): Promise<void> {
    const isLost = () => this.untrue.some(({ subject }) => subject.endsWith('recovery'))
    while (this.#service.isDisturbed && !isLost()) await this.pass(lookEvery)
    await this.#endRehearsals()
    await this.pass(settling)
    while (this.#instances.some(({ commands }) => commands.isBusy) && this.untrue.length === 0)
      await this.pass(lookEvery)
    for (const { commands, account, flows, machine } of this.#instances) {
      commands.end()
      for (const flow of flows) account.checkTold(flow, Object.keys(nodesOf(this.#house)))
      for (const flow of flows) this.record.noteEnd(this.age, flow, machine.disk)
    }
    const { simulator, unhandled } = this.#simulation
    const defects = [...simulator.defects, ...unhandled]
    if (defects.length > 0) this.#report('defects', `nobody has handled ${inspect(defects)}`)
  }

  /** Lets time pass until no rehearsal runs. */
  async #endRehearsals(): Promise<void> {
    const areRunning = () => this.#instances.some(({ nodes }) => nodes.rehearsals.isRunning)
    const end = this.age + longestRehearsal
    while (areRunning() && this.age < end) await this.pass(lookEvery)
    if (areRunning()) this.#report('rehearsal end', 'rehearsal: one does not end within half an hour')
  }

  /** Lets something happen. */
  async perform(deed: Deed): Promise<void> {
    // After an outage a panel reports by priority, and only the seconds of its times tell the order.
    if (!this.#world.panel.online) await this.pass(second)
    this.#look()
    const now = this.#clock.monotonic()
    const { length } = this.#instances
    if (isInstanceDeed(deed)) await this.#instances[(deed.instance ?? 0) % length]?.perform(deed)
    else if (!performAtPanel(deed, this.#world, this.#house, now)) this.#disturb(deed, now)
    this.#look()
  }

  /** Lets something happen between the panel and Node-RED. */
  #disturb(deed: Deed, now: number): void {
    switch (deed.what) {
      case 'panel offline':
        if (!this.#world.panel.online) return
        this.#world.panel.goOffline()
        // What its lists of alarms and of devices said last stands until it is back.
        this.#blind.add(now, now + deed.lasts, 'alarms', 'devices')
        this.#clock.after(deed.lasts, () => {
          this.#world.panel.goOnline()
          // What it says now may last for less than the time until the next look.
          this.#lookAtWorld()
        })
        return
      case 'panel clock':
        this.#world.panel.clock.offset += deed.offset
        if (deed.lasts < Number.POSITIVE_INFINITY)
          this.#clock.after(deed.lasts, () => {
            this.#world.panel.clock.offset -= deed.offset
          })
        return
      case 'late changes': {
        const { seconds, lasts } = deed
        // What is shown may be over already; nothing hinders a command.
        this.#blind.add(now, now + lasts + seconds * second, ...sources)
        const lag = { status: seconds, alarms: seconds, devices: seconds }
        this.#clock.after(lasts, this.#world.panel.lag(lag))
        return
      }
      case 'command fault':
        startCommandFault(this.#simulation.simulator, this.#clock, deed)
        return
      default:
        this.#service.perform(deed, now)
    }
  }

  /** Notes what is true and what was told, and compares both. */
  #look(): void {
    const now = this.#clock.monotonic()
    this.#lookAtWorld()
    this.#service.look(now)
    this.record.noteRequests(this.#simulation.network.requests)
    for (const instance of this.#instances) instance.look(now)
  }

  /** Notes what is true now, by the clock of each machine. */
  #lookAtWorld(): void {
    for (const instance of this.#instances) instance.lookAtWorld()
  }

  #report(subject: string, sentence: string): void {
    if (this.#subjects.has(subject)) return
    this.#subjects.add(subject)
    this.untrue.push({ subject, sentence, at: this.age })
  }
}
