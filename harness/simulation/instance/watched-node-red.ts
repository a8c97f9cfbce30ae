import type { Clock } from '../../../src/clock.ts'
import { minute, second } from '../../../src/duration.ts'
import { createPart, type FlowPart } from '../../flow/flow-part.ts'
import type { BlindTimes } from '../blind-times.ts'
import type { Surroundings } from '../checks/check.ts'
import { DiskCheck } from '../checks/disk-check.ts'
import { HouseCommands } from '../commands/house-commands.ts'
import type { Deed, WorkDone } from '../life.ts'
import type { Machine } from '../machine.ts'
import type { SimulatedFlow } from '../node-red/simulated-flow.ts'
import { serviceUrl, watcherUrl } from '../process/network.ts'
import type { InstanceAccount } from '../service/instance-account.ts'
import type { WatchedService } from '../service/watched-service.ts'
import type { Simulation } from '../simulation.ts'
import { AlarmTests } from './alarm-tests.ts'
import { Broker, bridgeTopic } from './broker.ts'
import { renamed, turnedOff } from './changed-part.ts'
import { InstanceRequests } from './instance-requests.ts'
import { WatchedClock } from './watched-clock.ts'
import { WatchedDisk } from './watched-disk.ts'
import { chainNode, fieldsOfIntervals, homeAssistantNode, nodesOf, WatchedNodes } from './watched-nodes.ts'

/** Milliseconds until started nodes have read everything. */
export const starting = 30 * second

/** Milliseconds for which a start sends no sign-in, when the sign-in before it came to no known end: it may be a crash loop. */
const afterUnknownSignIn = 5 * minute

/** Milliseconds that a flow may need for an event: until then it counts as not handled. */
const flowWork = 400

/** Milliseconds in which it is on the drive, at the most. */
const synchronizing = 40 * second

/** The parts of a life that its Node-RED uses. */
export interface LifeOfNodeRed {
  readonly simulation: Simulation
  /** The facts that the checks know of this Node-RED. */
  readonly of: Surroundings
  readonly service: WatchedService
  /** Lets time pass, and looks at all nodes. */
  pass(ms: number): Promise<void>
}

/** A Node-RED on its machine, whose nodes are watched: what happens to it, and what its nodes cannot know then. */
export class WatchedNodeRed {
  readonly nodes: WatchedNodes
  readonly machine: Machine
  /** All flows that have run. */
  readonly flows: SimulatedFlow[] = []
  readonly commands: HouseCommands
  readonly account: InstanceAccount
  readonly #disk: WatchedDisk
  readonly #diskCheck: DiskCheck
  readonly #life: LifeOfNodeRed
  readonly #broker = new Broker()
  readonly #requests: InstanceRequests
  readonly #tests: AlarmTests
  readonly #blind: BlindTimes
  readonly #clock: Clock
  readonly #machineClock: WatchedClock
  #part: FlowPart
  /** True while a deploy has changed nodes for a time. */
  #isChanged = false
  /** The moment at which nodes have started anew last. */
  #startedAt = Number.NEGATIVE_INFINITY

  /** @param number that of the instance in the ids of its nodes, from 1 */
  constructor(life: LifeOfNodeRed, number: number) {
    const { simulation, of } = life
    this.#life = life
    this.#blind = of.blind
    this.#clock = simulation.scheduler.clock
    this.machine = simulation.addMachine()
    const { requestsPerMinute } = of.house
    this.account = life.service.open(this.machine, of)
    this.#disk = new WatchedDisk(this.machine.disk, this.#clock, this.#blind)
    this.#requests = new InstanceRequests(simulation.network, this.machine)
    this.#diskCheck = new DiskCheck(this.#disk, {
      requests: simulation.network.requests,
      blind: of.blind,
      secrets: () => this.account.secrets,
      report: of.report,
    })
    this.#machineClock = new WatchedClock(this.machine.clock, this.#clock, this.#blind)
    this.nodes = new WatchedNodes(
      {
        ...of,
        clockSetAt: (now) => this.#machineClock.latestSeen(now),
        wasCommanded: (since) => this.commands.wereGiven(since),
        paths: () => this.machine.disk.all().keys(),
        hasFailedSince: (since) => this.#disk.hasFailedSince(since),
        refusedRemoval: (since) => this.#disk.refusedRemoval(since),
        calls: () => this.#requests.calls,
        eventsReadAt: (before) => this.#requests.eventsReadAt(before),
      },
      this.#broker,
    )
    this.commands = new HouseCommands(of, simulation, {
      machine: this.machine,
      number,
      look: () => this.lookAtWorld(),
    })
    this.#part = createPart(simulation.simulator, {
      number,
      account: { url: serviceUrl, timeZone: of.house.timeZone, requestsPerMinute },
      panel: {
        allowCommands: true,
        ...fieldsOfIntervals(of.house),
      },
      nodes: nodesOf(of.house),
    })
    const { machine, nodes } = this
    this.#tests = new AlarmTests({ machine, nodes, part: this.#part, clock: this.#clock })
    const chain = this.#part.ids.get(chainNode)
    if (chain !== undefined) this.#part.credentials[chain] = { watcherUrl }
  }

  /** Starts Node-RED. */
  async start(): Promise<void> {
    this.#disk.noteStart()
    const started = this.machine.start(this.#part)
    if (this.machine.process) this.#diskCheck.start(this.machine.process, this.#clock.monotonic())
    const flow = await started
    this.flows.push(flow)
    this.nodes.restart()
    if (!flow.has(homeAssistantNode)) return
    flow.input(homeAssistantNode, { topic: bridgeTopic, payload: 'online', retain: false })
    for (const message of this.#broker.subscribe('keyholder')) flow.input(homeAssistantNode, message)
    this.#broker.publish({ topic: bridgeTopic, payload: 'online', retain: true })
    this.nodes.homeAssistant.serve(true, this.#clock.monotonic())
  }

  /** Takes what the nodes have told, and compares all that they tell with the world. */
  look(now: number): void {
    const { flow } = this.machine
    this.#diskCheck.look(flow, now)
    if (flow === undefined) this.nodes.compare(now)
    else {
      this.commands.look(flow, now)
      this.nodes.look(flow, now)
      this.#tests.look()
    }
  }

  /** Notes what is true now. */
  lookAtWorld(): void {
    this.#life.of.world.look(this.#clock.monotonic(), this.machine.clock.wall())
  }

  /** Asks each node that answers. */
  ask(): void {
    if (this.machine.flow) this.nodes.ask(this.machine.flow, this.#clock.monotonic())
  }

  /** A person tells the nodes the password and the code that the service accepts, if they need them. */
  async tellSecrets(): Promise<void> {
    if (this.#isChanged || !this.account.needsPerson) return
    const now = this.#clock.monotonic()
    this.#part = this.account.withSecrets(this.#part, now)
    this.account.noteStart(this.#disk.noteNewSecrets())
    if (this.machine.flow === undefined) return
    this.#beforeDeploy()
    this.#blind.add(now, now + starting)
    await this.machine.deploy('nodes', this.#part)
    this.#noteReturn(now)
  }

  /** Lets something happen to Node-RED or its machine; returns false for another deed. */
  async perform(deed: Deed): Promise<boolean> {
    switch (deed.what) {
      case 'ask':
        this.ask()
        return true
      case 'command':
        this.account.noteCommand()
        if (this.machine.flow) this.commands.give(deed, this.machine.flow, homeAssistantNode)
        return true
      case 'restart':
        this.#noteUnknownSignIn(0)
        await this.#restart(() => this.machine.stop(), deed.lasts)
        return true
      case 'kill':
      case 'power cut':
        await this.#interrupt(deed)
        return true
      case 'stall':
        this.#blind.add(this.#clock.monotonic(), this.#clock.monotonic() + deed.lasts)
        this.machine.process?.stall(deed.lasts)
        return true
      case 'deploy':
        await this.#deploy(deed)
        return true
      case 'node off':
        if (this.#life.of.house.hasHomeAssistant) await this.#turnOff(deed)
        return true
      case 'machine clock':
        this.#machineClock.setWrong(deed)
        return true
      default:
        return this.#tests.perform(deed) || this.#disturbDisk(deed)
    }
  }

  /** Ends Node-RED after some more steps, in the middle of what it does. */
  async #interrupt({ what, lasts, ...work }: Extract<Deed, { what: 'kill' | 'power cut' }>): Promise<void> {
    const begin = await this.#work(work)
    const now = this.#clock.monotonic()
    if (what === 'kill' && now - begin < flowWork) this.nodes.interrupt(now)
    const { savingTime } = this.#disk
    this.account.noteKill(now, what === 'power cut', savingTime)
    this.account.noteStart(now + lasts + afterUnknownSignIn)
    this.#noteUnknownSignIn(what === 'power cut' ? synchronizing : savingTime)
    await this.#restart(
      async () => {
        if (what === 'kill') this.machine.kill()
        else this.machine.cutPower()
      },
      lasts,
      what === 'power cut',
    )
  }

  /** Lets Node-RED do some more steps, takes what the nodes have told, and returns the moment at which they began. */
  async #work({ when, steps }: WorkDone): Promise<number> {
    const { scheduler } = this.#life.simulation
    if (when !== undefined) await this.#waitForEvents()
    const begin = this.#clock.monotonic()
    this.look(begin)
    // What a look finds was told since the look before, so the flow still works on it only where events were waited for.
    if (when === undefined) this.nodes.handle()
    const last = scheduler.steps + steps
    // What meets a delivery comes while the flow still works on it.
    await scheduler.pass(when === undefined ? minute : flowWork - 100, () => scheduler.steps >= last)
    this.#lookAround()
    this.look(this.#clock.monotonic())
    return begin
  }

  /** Notes what is true now, and what nodes can know of it. */
  #lookAround(): void {
    this.lookAtWorld()
    this.#life.service.look(this.#clock.monotonic())
  }

  /** Lets time pass until the next list of events comes, or more than a poll. */
  async #waitForEvents(): Promise<void> {
    const { scheduler } = this.#life.simulation
    const hasCome = this.#requests.expectEvents()
    const end = this.#clock.monotonic() + this.#blind.pollEvery.events + 10 * second
    while (!hasCome() && this.#clock.monotonic() < end) {
      await scheduler.pass(10 * second, hasCome)
      this.#lookAround()
    }
  }

  /** Notes that the next start sends nothing for a time, if the outcome of a sign-in is not known, or may not be saved yet. */
  #noteUnknownSignIn(saving: number): void {
    const now = this.#clock.monotonic()
    if (this.#requests.isSignInUnknown(saving, now)) this.#blind.add(now, now + afterUnknownSignIn + starting)
  }

  async #restart(stop: () => Promise<void>, lasts: number, isPowerLost = false): Promise<void> {
    const now = this.#clock.monotonic()
    this.nodes.rehearsals.deploy()
    await stop()
    // What cannot be written, a restart forgets.
    if (isPowerLost || this.#disk.unwrittenSince !== undefined) this.nodes.chain.forget()
    if (this.nodes.rehearsals.isInHomeAssistant) this.nodes.homeAssistant.kill(this.#clock.monotonic())
    this.nodes.rehearsals.end(this.#clock.monotonic(), isPowerLost)
    // One that is stalled ends later.
    const startsAt = this.#clock.monotonic() + lasts
    this.account.noteStart(startsAt)
    const { unnotedSince, unwrittenSince } = this.#disk
    if (unwrittenSince !== undefined) this.account.noteUnwritten(unwrittenSince)
    this.commands.stop()
    this.nodes.homeAssistant.serve(false, now)
    this.#broker.publish({ topic: bridgeTopic, payload: 'offline', retain: true })
    this.#blind.add(now, startsAt + starting)
    await this.#life.pass(lasts)
    this.#disk.noteStart()
    this.#noteRead(unnotedSince)
    await this.start()
    this.#noteReturn(now)
  }

  /** Notes that nodes are about to stop in an orderly way and to start anew. */
  #beforeDeploy(): void {
    this.commands.noteDeploy()
    this.nodes.rehearsals.deploy()
    this.#noteRead(this.#disk.isUnwritable ? this.#disk.unnotedSince : undefined)
  }

  /** Notes that nodes start, and read what those before them have left. @param unnotedSince the moment since which nothing was noted */
  #noteRead(unnotedSince: number | undefined): void {
    const now = this.#clock.monotonic()
    if (unnotedSince !== undefined) this.nodes.forget(unnotedSince, now)
    const until = this.#disk.noteRead()
    this.account.noteStart(until)
    // Nodes read it with the first list, which may come after a pause; a deploy may leave it to nodes that stay.
    const isCertain =
      this.machine.flow === undefined && this.#disk.wellSince > until + afterUnknownSignIn + starting
    this.#notePosition(until, isCertain)
  }

  /** Notes what of the position and the notes cannot be read now. */
  #notePosition(until: number, isCertain: boolean): void {
    const now = this.#clock.monotonic()
    const readable = this.#disk.readablePosition
    if (readable === 'none') this.nodes.losePosition(until, now, isCertain)
    else if (readable !== 'latest') this.nodes.forgetNotes(readable, now)
  }

  /** Lets the disk fail; returns false for another deed. */
  #disturbDisk(deed: Deed): boolean {
    const now = this.#clock.monotonic()
    if (!this.#disk.perform(deed)) return false
    // Nodes that have just started may not have read their position yet.
    if (now < this.#startedAt + starting) this.#notePosition(now + starting, false)
    return true
  }

  /** Notes that nodes that were off since a moment start anew, and may be the first ones to see that the clock was set. */
  #noteReturn(offSince: number): void {
    const now = this.#clock.monotonic()
    this.nodes.start(now)
    this.#startedAt = now
    // A deploy waits for nodes of a process that is stalled.
    this.#blind.add(offSince, now + starting)
    this.#machineClock.noteStart(offSince)
  }

  async #turnOff({ how, lasts }: Extract<Deed, { what: 'node off' }>): Promise<void> {
    // One that is disabled in the moment of its start, before it has its panel, can tell nothing.
    if (how === 'disabled') await this.#life.pass(second)
    const now = this.#clock.monotonic()
    this.#beforeDeploy()
    await this.machine.deploy('nodes', turnedOff(this.#part, how))
    this.account.noteStart(now + lasts)
    this.#isChanged = true
    this.nodes.homeAssistant.serve(false, now)
    if (how !== 'disabled') this.#blind.add(now, now + lasts + starting)
    await this.#life.pass(lasts)
    this.#beforeDeploy()
    this.account.noteStart(this.#clock.monotonic())
    await this.machine.deploy('nodes', this.#part)
    this.#isChanged = false
    this.nodes.homeAssistant.serve(true, this.#clock.monotonic())
    if (how !== 'disabled') this.#noteReturn(now)
  }

  /** Deploys a change of the flow that keeps all nodes, and changes nothing that they tell. */
  async #deploy({ kind, change, when, steps = 0 }: Extract<Deed, { what: 'deploy' }>): Promise<void> {
    if (when !== undefined) await this.#work({ when, steps })
    const now = this.#clock.monotonic()
    this.#beforeDeploy()
    this.#part = renamed(this.#part, change, `renamed at ${now}`)
    this.#blind.add(now, now + starting)
    this.account.noteStart(now)
    await this.machine.deploy(kind, this.#part)
    this.#noteReturn(now)
  }
}
