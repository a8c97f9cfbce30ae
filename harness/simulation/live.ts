import { minute, second } from '../../src/duration.ts'
import type { Fault } from '../../src/simulator/faults/active-faults.ts'
import type { Simulator } from '../../src/simulator/simulator.ts'
import { processClock, processTime } from '../clock/process-fake-clock.ts'
import { ComputingFlow } from '../disturbances/computing-flow.ts'
import { incompleteAnswer, type ListOperation } from '../disturbances/incomplete-answer.ts'
import { disturb, type LastingDisturbance } from '../disturbances/lasting-disturbance.ts'
import { lateEvents } from '../disturbances/late-events.ts'
import { Slowness } from '../disturbances/slowness.ts'
import { wrongMachineClock, wrongPanelClock } from '../disturbances/wrong-clock.ts'
import { createPart, type FlowPart } from '../flow/flow-part.ts'
import type { RunningFlow } from '../flow/running-flow.ts'
import type { FlowHarness } from '../flow.ts'
import { BlindTimes, pollEvery, type Source } from './blind-times.ts'
import { Broker, bridgeTopic } from './broker.ts'
import { furnish, performAtPanel } from './deeds.ts'
import type { Deed, House, Life, Lived, Untruth } from './life.ts'
import { localTimes } from './local-times.ts'
import { homeAssistantNode, nodesOf, WatchedNodes } from './watched-nodes.ts'
import type { WorldRecord } from './world-record.ts'

/** Milliseconds between two looks at the world and at what the nodes have told. */
const lookEvery = 10 * second

/** Milliseconds in which nothing more happens, at the end of a life. */
const settling = 200 * second

/** Milliseconds until started nodes have read everything. */
const starting = 30 * second

/** Milliseconds of which each polling interval is a part. */
const phase = 5 * minute

const sourceOf: Readonly<Record<ListOperation, Source>> = {
  status: 'state',
  alarms: 'state',
  events: 'events',
  devices: 'devices',
}

/** Lives a life. */
export async function live(life: Life, harness: FlowHarness): Promise<Lived> {
  const { house, steps } = life
  // The polls have the same phase in each life, so that a seed repeats all of it.
  await processTime.advanceTo(Math.ceil(processClock.monotonic() / phase) * phase)
  processClock.stepWall(house.startsAt - processClock.wall())
  const missingOperations = house.hasAlarmList ? [] : ['alarms']
  const simulator = await harness.startSimulator({ panels: 1, missingOperations })
  if (house.timeZone !== 'UTC') simulator.faults.start(localTimes(house.timeZone))
  const lived = new LivedLife(house, simulator, harness)
  try {
    await lived.start()
    const times: number[] = []
    for (const { after, deed } of steps) {
      await lived.pass(after)
      times.push(lived.age)
      await lived.perform(deed)
    }
    await lived.pass(settling)
    return { untrue: lived.untrue, times }
  } finally {
    lived.end()
    await harness.close()
  }
}

/** A life while it is lived. */
class LivedLife {
  readonly untrue: Untruth[] = []
  readonly #house: House
  readonly #simulator: Simulator
  readonly #harness: FlowHarness
  readonly #world: WorldRecord
  readonly #part: FlowPart
  readonly #nodes: WatchedNodes
  readonly #blind = new BlindTimes()
  readonly #broker = new Broker()
  readonly #end = new AbortController()
  readonly #startedAt = processClock.monotonic()
  /** The claims that were reported as untrue. */
  readonly #subjects = new Set<string>()
  #flow: RunningFlow | undefined
  #areEventsLate = false
  /** The moments at which the clock of the machine was set, and those at which it will be. */
  readonly #clockSets: number[] = []

  constructor(house: House, simulator: Simulator, harness: FlowHarness) {
    this.#house = house
    this.#simulator = simulator
    this.#harness = harness
    this.#world = furnish(simulator, house)
    const of = {
      house,
      world: this.#world,
      blind: this.#blind,
      report: (subject: string, sentence: string) => this.#report(subject, sentence),
    }
    this.#nodes = new WatchedNodes(of, this.#broker, (now) =>
      Math.max(...this.#clockSets.filter((at) => at <= now)),
    )
    this.#part = createPart(simulator, {
      account: { timeZone: house.timeZone, requestsPerMinute: 60 },
      panel: {
        stateEvery: pollEvery.state / second,
        eventsEvery: pollEvery.events / second,
        devicesEvery: pollEvery.devices / second,
      },
      nodes: nodesOf(house),
    })
  }

  /** Milliseconds since the nodes started for the first time. */
  get age(): number {
    return processClock.monotonic() - this.#startedAt
  }

  /** Starts the nodes for the first time. */
  async start(): Promise<void> {
    const { clockAtStart } = this.#house
    if (clockAtStart !== null) await this.perform({ what: 'machine clock', ...clockAtStart })
    await this.#startFlow()
    await this.pass(starting)
    this.#nodes.begin(processClock.monotonic())
  }

  /** Lets time pass, and looks at the nodes. */
  async pass(ms: number): Promise<void> {
    const end = processClock.monotonic() + ms
    while (processClock.monotonic() < end) {
      await processTime.pass(Math.min(lookEvery, end - processClock.monotonic()))
      this.#look()
    }
  }

  /** Lets something happen. */
  async perform(deed: Deed): Promise<void> {
    // After an outage a panel reports by priority, and only the seconds of its times tell the order.
    if (!this.#world.panel.online) await this.pass(second)
    this.#look()
    const now = processClock.monotonic()
    if (!performAtPanel(deed, this.#world, this.#house, now)) await this.#performElsewhere(deed, now)
    this.#look()
  }

  /** Ends all that still lasts. */
  end(): void {
    this.#end.abort()
  }

  async #performElsewhere(deed: Deed, now: number): Promise<void> {
    switch (deed.what) {
      case 'panel offline':
        if (!this.#world.panel.online) return
        this.#world.panel.goOffline()
        // What its lists of alarms and of devices said last stands until it is back.
        this.#blind.add(now, now + deed.lasts, 'alarms', 'devices')
        processClock.after(deed.lasts, () => this.#world.panel.goOnline())
        return
      case 'incomplete answer':
        this.#answerIncompletely(deed)
        return
      case 'late events':
        // A list of faults is read again after its event.
        this.#blind.add(now, now + deed.lasts, 'devices')
        this.#delayEvents(deed, now)
        return
      case 'machine clock':
        for (const at of [now, now + deed.lasts]) {
          this.#clockSets.push(at)
          // Until the next answer, nobody knows how old the latest one is.
          this.#blind.add(at, at)
        }
        this.#disturb(wrongMachineClock(deed.offset, deed.lasts))
        return
      case 'panel clock':
        this.#disturb(wrongPanelClock(deed.offset, deed.lasts))
        return
      case 'restart':
        await this.#restart(deed.lasts, now)
        return
      case 'node off':
        if (this.#house.hasHomeAssistant) await this.#turnOff(deed)
        return
      case 'ask':
        if (this.#flow) this.#nodes.ask(this.#flow)
        return
      default:
    }
  }

  #answerIncompletely({ operation, lack }: Extract<Deed, { what: 'incomplete answer' }>): void {
    const source = sourceOf[operation]
    const asked = processClock.monotonic()
    // Two answers in a row that lack the same would be evidence.
    if (this.#blind.isBlind(source, asked - 2 * pollEvery[source], asked)) return
    const fault: Fault = {
      name: `incomplete ${operation}`,
      answer: (getOriginal) => {
        const now = processClock.monotonic()
        this.#blind.add(now, now + 2 * pollEvery[source], ...this.#knownBy(source))
        return incompleteAnswer(getOriginal(), lack)
      },
    }
    this.#simulator.faults.start(fault, { operation, times: 1 })
  }

  #delayEvents({ seconds, lasts }: Extract<Deed, { what: 'late events' }>, now: number): void {
    if (this.#areEventsLate) return
    this.#areEventsLate = true
    this.#blind.add(now, now + lasts, ...this.#knownBy('events'))
    this.#disturb(lateEvents(seconds, lasts))
    processClock.after(lasts, () => {
      this.#areEventsLate = false
    })
  }

  /** Returns the sources that lack what one lacks: without a list of alarms, only events tell that the state is ALARM. */
  #knownBy(source: Source): Source[] {
    if (source === 'state') return ['state', 'alarms']
    return source === 'events' && !this.#house.hasAlarmList ? ['events', 'state', 'alarms'] : [source]
  }

  async #restart(lasts: number, now: number): Promise<void> {
    await this.#harness.stopFlow()
    this.#flow = undefined
    this.#nodes.homeAssistant.serve(false, now)
    this.#broker.publish({ topic: bridgeTopic, payload: 'offline', retain: true })
    this.#blind.add(now, now + lasts + starting)
    await this.pass(lasts)
    await this.#startFlow()
    this.#noteReturn(now)
  }

  /** Notes that nodes that were off since a moment start anew, and may be the first ones to see that the clock was set. */
  #noteReturn(offSince: number): void {
    const now = processClock.monotonic()
    this.#nodes.start(now)
    if (this.#clockSets.some((at) => at > offSince - pollEvery.devices && at <= now))
      this.#clockSets.push(now)
  }

  async #turnOff({ how, lasts }: Extract<Deed, { what: 'node off' }>): Promise<void> {
    // One that is disabled in the moment of its start, before it has its panel, can tell nothing.
    if (how === 'disabled') await this.pass(second)
    const now = processClock.monotonic()
    const { nodes, panel, ids, credentials } = this.#part
    const change = (id: string | undefined, fields: object) =>
      nodes.map((node) => (node.id === id ? { ...node, ...fields } : node))
    await this.#flow?.deploy({
      ...this.#part,
      ...(how === 'disabled' && { nodes: change(ids.get(homeAssistantNode), { d: true }) }),
      ...(how === 'no serial' && { nodes: change(panel, { serial: '' }) }),
      ...(how === 'no credentials' && {
        credentials: { ...credentials, [panel]: {} },
        // Node-RED starts only nodes anew whose other fields have changed.
        nodes: change(panel, { info: how }),
      }),
    })
    this.#nodes.homeAssistant.serve(false, now)
    if (how !== 'disabled') this.#blind.add(now, now + lasts + starting)
    await this.pass(lasts)
    await this.#flow?.deploy(this.#part)
    this.#nodes.homeAssistant.serve(true, processClock.monotonic())
    if (how !== 'disabled') this.#noteReturn(now)
  }

  async #startFlow(): Promise<void> {
    this.#flow = await this.#harness.startParts([this.#part])
    this.#nodes.restart()
    if (!this.#house.hasHomeAssistant) return
    this.#flow.input(homeAssistantNode, { topic: bridgeTopic, payload: 'online', retain: false })
    for (const message of this.#broker.subscribe('keyholder')) this.#flow.input(homeAssistantNode, message)
    this.#broker.publish({ topic: bridgeTopic, payload: 'online', retain: true })
    this.#nodes.homeAssistant.serve(true, processClock.monotonic())
  }

  #disturb(disturbance: LastingDisturbance): void {
    const { serial } = this.#world.panel
    const client = { stores: new Slowness(), flow: new ComputingFlow(processClock) }
    const surroundings = { clock: processClock, simulator: this.#simulator, serial, ...client }
    disturb(disturbance, surroundings, this.#end.signal)
  }

  /** Notes what is true and what was told, and compares both. */
  #look(): void {
    const now = processClock.monotonic()
    this.#world.look(now, processClock.wall())
    if (this.#flow === undefined) this.#nodes.compare(now)
    else this.#nodes.look(this.#flow, now)
  }

  #report(subject: string, sentence: string): void {
    if (this.#subjects.has(subject)) return
    this.#subjects.add(subject)
    this.untrue.push({ subject, sentence, at: this.age })
  }
}
