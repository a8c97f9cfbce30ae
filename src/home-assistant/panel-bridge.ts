import { every } from '../clock.ts'
import { hour, second } from '../duration.ts'
import { eventMessage } from '../messages/event-message.ts'
import type { PanelDevices } from '../panel/devices/readings.ts'
import type { EventSubscriber } from '../panel/events/subscription.ts'
import type { DeliveringNode } from '../panel/lease.ts'
import type { Panel } from '../panel/panel.ts'
import type { PollCondition, Poller, Subscriber } from '../panel/polling/poller.ts'
import type { Snapshot } from '../panel/snapshot.ts'
import { type StateView, unknownTransports } from '../panel/state/partition-state.ts'
import type { Catalogue } from '../service/catalogue/catalogue.ts'
import { asKeyholderError } from '../service/error.ts'
import { operations } from '../service/operations.ts'
import type { Device } from '../service/responses/devices.ts'
import type { PanelInfo } from '../service/responses/panel-info.ts'
import { needsDevices } from './announced-entities.ts'
import { Announcer, type AnnouncerTools } from './announcer.ts'
import type { AnnouncerMemory } from './announcer-memory.ts'
import { takePlace } from './bridge-places.ts'
import { type DiagnosticState, diagnosticState } from './entities/diagnostics.ts'
import { PanelClock } from './panel-clock.ts'
import type { CodeCheck } from './requests/code-check.ts'
import { RequestExecution } from './requests/request-execution.ts'
import type { Setup } from './setup.ts'

/** The functions of the node that a bridge needs. */
interface BridgeTools extends Pick<AnnouncerTools, 'random' | 'send'> {
  /** The id of the node, for its position in the events and its commands. */
  nodeId: string
  /** Runs a callback and reports what it throws. */
  run(work: () => void | Promise<void>): void
}

/** Milliseconds between two looks at what changes without a poll: the age of the data, a pause of the requests. */
const lookInterval = 10 * second

/** Milliseconds for which model and maker are awaited before the panel is announced without them. */
const identityWait = 10 * second

/** Milliseconds without an answer after which the states of before a deploy, or of another instance, are no longer current. */
const maxUnread = 10 * second

/** Connects a panel with an announcer: it joins state, devices and events, and carries out commands. */
export class PanelBridge {
  readonly #setup: Setup
  readonly #panel: Panel
  readonly #tools: BridgeTools
  /** The node, as the instances of a cluster know it: one of them publishes. */
  readonly #self: DeliveringNode
  readonly #announcer: Announcer
  readonly #requests: RequestExecution
  readonly #stops: (() => void)[] = []
  #identity: Pick<PanelInfo, 'model' | 'manufacturer'> = { model: '', manufacturer: '' }
  #state: Snapshot<StateView> | undefined
  #devices: Snapshot<PanelDevices> | undefined
  #condition: PollCondition = { state: 'reading' }
  #areDevicesAwaited: boolean
  #isIdentityAwaited = true
  #diagnostics: DiagnosticState | undefined
  #showStatus: (condition: PollCondition) => void = () => {}
  #isRefused = false
  #isOver = false
  /** Since when an answer is awaited, in milliseconds of the monotonic clock. */
  #unreadSince = 0

  constructor(setup: Setup, panel: Panel, memory: AnnouncerMemory, codeCheck: CodeCheck, tools: BridgeTools) {
    this.#setup = setup
    this.#panel = panel
    this.#tools = tools
    this.#self = { id: tools.nodeId, instances: 'one' }
    this.#areDevicesAwaited = needsDevices(setup)
    const { random, send } = tools
    const ready = () => this.#joinEvents()
    this.#announcer = new Announcer(setup, memory, { clock: panel.account.clock, random, send, ready })
    const tell = (result: object) => this.#announcer.publishResult(result)
    this.#requests = new RequestExecution(setup, panel, codeCheck, tools.nodeId, tell)
  }

  /** The number of entities that are announced. */
  get count(): number {
    return this.#announcer.count
  }

  /**
   * Joins the panel; returns a function that leaves it.
   * @param showStatus gets the condition of the state
   * @throws KeyholderError BAD_SETTING if another node has the topics of the panel
   */
  start(showStatus: (condition: PollCondition) => void): () => void {
    const { state, devices, account } = this.#panel
    this.#showStatus = showStatus
    this.#unreadSince = account.clock.monotonic()
    this.#takePlace()
    this.#announcer.start()
    this.#join(state, {
      snapshot: (snapshot) => this.#noteState(snapshot),
      condition: (condition) => {
        // It comes after each view, and a view was told already.
        if (condition === this.#condition) return
        if (this.#condition.state === 'standby') this.#unreadSince = account.clock.monotonic()
        this.#condition = condition
        if (condition.state === 'standby') this.#rest()
        this.#update()
      },
    })
    if (needsDevices(this.#setup)) {
      if (this.#setup.groups.has('zones')) this.#stops.push(this.#panel.polls.faults.await())
      this.#join(devices, {
        snapshot: (snapshot) => {
          this.#devices = snapshot
          if (snapshot.view.isCurrent) this.#announcer.noteDevices(snapshot.view)
          this.#areDevicesAwaited = false
          this.#update()
        },
        condition: ({ state }) => {
          // Without a list of devices, the panel itself can be announced.
          if (state === 'failing') this.#areDevicesAwaited = false
        },
      })
    }
    this.#stops.push(every(account.clock, lookInterval, () => this.#tools.run(() => this.#update())))
    return () => {
      for (const stop of this.#stops.splice(0)) stop()
      this.#announcer.stop()
    }
  }

  /**
   * Processes a message of the broker; one that is not for this panel is ignored.
   * @param isRetained true for a message that the broker has kept: a command would be an old one
   * @throws KeyholderError the reason why a command was refused
   */
  async receive(topic: string, payload: string, isRetained: boolean, signal: AbortSignal): Promise<void> {
    if (this.#isRefused) return
    if (this.#announcer.note(topic, payload, isRetained) || isRetained) return
    // The instance that publishes gets the same message.
    if (this.#condition.state === 'standby') return
    const listed = devicesOf(this.#devices)
    const isAnnounced = (object: string) => this.#announcer.isAnnounced(object)
    await this.#requests.execute(topic, payload, { listed, isAnnounced }, signal)
  }

  /**
   * Tells that nobody reads the panel any more, unless another instance does.
   * @param isForGood true if the panel is also to be removed from Home Assistant
   */
  leave(isForGood: boolean): void {
    this.#isOver = true
    if (this.#isRefused || this.#condition.state === 'standby') return
    this.#announcer.leave()
    if (isForGood) this.#announcer.remove()
  }

  #takePlace(): void {
    try {
      this.#stops.push(takePlace(this.#setup, this.#tools.nodeId))
    } catch (thrown) {
      this.#isRefused = true
      this.#showStatus({ state: 'failing', error: asKeyholderError(thrown) })
      throw thrown
    }
  }

  #join<T extends Snapshot<unknown>>(poller: Poller<T>, { snapshot, condition }: Subscriber<T>): void {
    const { run } = this.#tools
    const subscriber = {
      snapshot: (view: T) => run(() => snapshot(view)),
      condition: (now: PollCondition) => run(() => condition(now)),
    }
    this.#stops.push(poller.subscribe(subscriber, this.#self))
  }

  #joinEvents(): void {
    if (!this.#setup.groups.has('events')) return
    const { events, eventDeliveries, account } = this.#panel
    const { timeZone } = account.settings
    const panelClock = new PanelClock()
    const subscriber: EventSubscriber<Snapshot<Catalogue>> = {
      policy: { first: 'skip', missed: 'deliver' },
      recall: (notes) => panelClock.recall(notes),
      note: (deliveries, { fetchedAt }) => panelClock.note(deliveries, fetchedAt, timeZone),
      events: (deliveries, snapshot) =>
        this.#tools.run(() => {
          const source = this.#panel.sourceOf(snapshot)
          const messages = deliveries.map((one) => eventMessage(one, snapshot.view, source, timeZone, one))
          const now = account.clock.wall()
          this.#announcer.publishEvents(messages, (time) => panelClock.ageOf(time, now))
        }),
      gap: () => {},
    }
    this.#stops.push(eventDeliveries.subscribe(this.#self, subscriber))
    this.#stops.push(events.subscribe({ snapshot: () => {}, condition: () => {} }))
    events.pollNow()
  }

  #noteState(snapshot: Snapshot<StateView>): void {
    const isFirst = this.#state === undefined
    this.#state = snapshot
    this.#announcer.noteState(snapshot.view)
    if (isFirst) this.#tools.run(() => this.#identify())
    this.#update()
  }

  /** Leaves the panel to another instance, and forgets what is known of it. */
  #rest(): void {
    this.#state = undefined
    this.#devices = undefined
    this.#areDevicesAwaited = needsDevices(this.#setup)
    this.#announcer.rest()
  }

  /** Reads model and maker, which the state has read before, so that nothing is requested for them. */
  async #identify(): Promise<void> {
    const stop = new AbortController()
    const goOn = () => {
      this.#isIdentityAwaited = false
      this.#update()
    }
    const { clock } = this.#panel.account
    const cancelWait = clock.after(identityWait, () => this.#tools.run(goOn))
    this.#stops.push(() => stop.abort(), cancelWait)
    const options = { lane: 'poll', maxAge: hour, signal: stop.signal } as const
    const info = await this.#panel.fetchOperation(operations.panelInfo, options).catch(() => undefined)
    cancelWait()
    if (stop.signal.aborted) return
    if (info !== undefined) this.#identity = info.view
    goOn()
  }

  #update(): void {
    if (this.#isOver) return
    const { account, online } = this.#panel
    const { clock } = account
    const now = clock.monotonic()
    const state = this.#state
    const devices = this.#devices
    const { model, manufacturer } = this.#identity
    if (state === undefined && this.#condition.state !== 'standby')
      this.#announcer.noteUnread(this.#condition.state === 'failing' || now - this.#unreadSince >= maxUnread)
    if (state !== undefined && !this.#areDevicesAwaited && !this.#isIdentityAwaited) {
      const facts = {
        online,
        transports: state.view.transports ?? unknownTransports,
        age: now - state.at,
        validFor: state.validFor,
        account: account.health,
      }
      this.#diagnostics = diagnosticState(facts, this.#diagnostics)
      this.#announcer.update({
        identity: { title: this.#panel.title, model, manufacturer },
        state: state.view,
        devices: devicesOf(devices),
        isListCurrent: devices?.view.isCurrent,
        faults: devices?.view.faults === null ? null : devices?.view.faults?.present,
        available: !this.#panel.isStale(state),
        areDevicesCurrent: devices !== undefined && !this.#panel.isStale(devices),
        diagnostics: this.#diagnostics,
        now,
        wall: clock.wall(),
        timeZone: account.settings.timeZone,
      })
    }
    this.#showStatus(this.#condition)
  }
}

/** Returns the devices that are there, also those that one list lacks; undefined while they are not known. */
function devicesOf(devices: Snapshot<PanelDevices> | undefined): readonly Device[] | undefined {
  return devices && [...devices.view.listed, ...devices.view.held]
}
