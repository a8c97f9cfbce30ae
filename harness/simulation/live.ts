import type { Clock } from '../../src/clock.ts'
import { second } from '../../src/duration.ts'
import type { Fault } from '../../src/simulator/faults/active-faults.ts'
import { incompleteAnswer, type ListOperation } from '../disturbances/incomplete-answer.ts'
import { BlindTimes, pollEvery, type Source } from './blind-times.ts'
import { startCommandFault } from './commands/command-faults.ts'
import { furnish, performAtPanel } from './deeds.ts'
import type { Deed, House, Life, Lived, Untruth } from './life.ts'
import { localTimes } from './local-times.ts'
import { Simulation } from './simulation.ts'
import { starting, WatchedNodeRed } from './watched-node-red.ts'
import type { WorldRecord } from './world-record.ts'

/** Milliseconds between two looks at the world and at what the nodes have told. */
const lookEvery = 10 * second

/** Milliseconds in which nothing more happens, at the end of a life. */
const settling = 200 * second

const sourceOf: Readonly<Record<ListOperation, Source>> = {
  status: 'state',
  alarms: 'state',
  events: 'events',
  devices: 'devices',
}

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
    return { untrue: lived.untrue, times }
  } finally {
    await simulation.close()
  }
}

/** A life while it is lived. */
class LivedLife {
  readonly untrue: Untruth[] = []
  readonly #house: House
  readonly #simulation: Simulation
  readonly #clock: Clock
  readonly #world: WorldRecord
  readonly #nodeRed: WatchedNodeRed
  readonly #blind = new BlindTimes()
  /** The claims that were reported as untrue. */
  readonly #subjects = new Set<string>()
  #areEventsLate = false

  constructor(house: House, simulation: Simulation) {
    this.#house = house
    this.#simulation = simulation
    this.#clock = simulation.scheduler.clock
    this.#world = furnish(simulation.simulator, house)
    const of = {
      house,
      world: this.#world,
      blind: this.#blind,
      report: (subject: string, sentence: string) => this.#report(subject, sentence),
    }
    this.#nodeRed = new WatchedNodeRed({ simulation, of, pass: (ms) => this.pass(ms) })
  }

  /** Milliseconds since the nodes started for the first time. */
  get age(): number {
    return this.#clock.monotonic()
  }

  /** Starts the nodes for the first time. */
  async start(): Promise<void> {
    const { clockAtStart } = this.#house
    if (clockAtStart !== null) await this.perform({ what: 'machine clock', ...clockAtStart })
    await this.#nodeRed.start()
    await this.pass(starting)
    this.#nodeRed.nodes.begin(this.#clock.monotonic())
  }

  /** Lets time pass, and looks at the nodes. */
  async pass(ms: number): Promise<void> {
    const end = this.#clock.monotonic() + ms
    while (this.#clock.monotonic() < end) {
      await this.#simulation.scheduler.pass(Math.min(lookEvery, end - this.#clock.monotonic()))
      this.#look()
    }
  }

  /** Lets time pass until nothing more happens, and looks at all that was commanded. */
  async settle(): Promise<void> {
    const { commands } = this.#nodeRed
    await this.pass(settling)
    while (commands.isBusy && this.untrue.length === 0) await this.pass(lookEvery)
    commands.end()
  }

  /** Lets something happen. */
  async perform(deed: Deed): Promise<void> {
    // After an outage a panel reports by priority, and only the seconds of its times tell the order.
    if (!this.#world.panel.online) await this.pass(second)
    this.#look()
    const now = this.#clock.monotonic()
    const isDone = performAtPanel(deed, this.#world, this.#house, now) || (await this.#nodeRed.perform(deed))
    if (!isDone) this.#disturb(deed, now)
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
          this.#nodeRed.lookAtWorld()
        })
        return
      case 'incomplete answer':
        this.#answerIncompletely(deed)
        return
      case 'late events':
        // A list of faults is read again after its event.
        this.#blind.add(now, now + deed.lasts, 'devices')
        this.#delayEvents(deed, now)
        return
      case 'panel clock':
        this.#world.panel.clock.offset += deed.offset
        if (deed.lasts < Number.POSITIVE_INFINITY)
          this.#clock.after(deed.lasts, () => {
            this.#world.panel.clock.offset -= deed.offset
          })
        return
      case 'command fault':
        startCommandFault(this.#simulation.simulator, this.#clock, deed)
        return
      default:
    }
  }

  #answerIncompletely({ operation, lack }: Extract<Deed, { what: 'incomplete answer' }>): void {
    const source = sourceOf[operation]
    const asked = this.#clock.monotonic()
    // Two answers in a row that lack the same would be evidence.
    if (this.#blind.isBlind(source, asked - 2 * pollEvery[source], asked)) return
    const fault: Fault = {
      name: `incomplete ${operation}`,
      answer: (getOriginal) => {
        const now = this.#clock.monotonic()
        this.#blind.add(now, now + 2 * pollEvery[source], ...this.#knownBy(source))
        return incompleteAnswer(getOriginal(), lack)
      },
    }
    this.#simulation.simulator.faults.start(fault, { operation, times: 1 })
  }

  #delayEvents({ seconds, lasts }: Extract<Deed, { what: 'late events' }>, now: number): void {
    if (this.#areEventsLate) return
    this.#areEventsLate = true
    this.#blind.add(now, now + lasts, ...this.#knownBy('events'))
    const end = this.#world.panel.delayEvents(seconds)
    this.#clock.after(lasts, () => {
      end()
      this.#areEventsLate = false
    })
  }

  /** Returns the sources that lack what one lacks: without a list of alarms, only events tell that the state is ALARM. */
  #knownBy(source: Source): Source[] {
    if (source === 'state') return ['state', 'alarms']
    return source === 'events' && !this.#house.hasAlarmList ? ['events', 'state', 'alarms'] : [source]
  }

  /** Notes what is true and what was told, and compares both. */
  #look(): void {
    const now = this.#clock.monotonic()
    this.#nodeRed.lookAtWorld()
    this.#nodeRed.look(now)
  }

  #report(subject: string, sentence: string): void {
    if (this.#subjects.has(subject)) return
    this.#subjects.add(subject)
    this.untrue.push({ subject, sentence, at: this.age })
  }
}
