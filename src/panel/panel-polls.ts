import type { Account } from '../account/account.ts'
import type { Answer } from '../account/answer.ts'
import type { ReadOptions } from '../account/requests/request.ts'
import { type Clock, within } from '../clock.ts'
import { second } from '../duration.ts'
import type { Catalogue } from '../service/catalogue/catalogue.ts'
import type { KeyholderError } from '../service/error.ts'
import { operations } from '../service/operations.ts'
import type { PanelEvent } from '../service/responses/events.ts'
import { agreeingLists, FaultReader } from './devices/fault-reader.ts'
import { KnownDevices } from './devices/known-devices.ts'
import type { PanelDevices } from './devices/readings.ts'
import { type EventCatalogue, UnknownTypeCollector } from './events/event-catalogue.ts'
import { EventDeliveries } from './events/event-deliveries.ts'
import { chronological, withRepeatedHour } from './events/event-order.ts'
import type { DeliveringNode, PolledWork } from './lease.ts'
import type { PanelClient } from './panel-client.ts'
import type { PanelSettings } from './panel-settings.ts'
import type { PanelStores } from './panel-stores.ts'
import type { OutageReporter } from './polling/outage-reporter.ts'
import { type PaceBudget, type PolledResource, type PollTargets, targetsOf } from './polling/pace.ts'
import { type PollPace, PollTimes } from './polling/poll-times.ts'
import { Poller } from './polling/poller.ts'
import { PanelNews, Situation } from './situation.ts'
import { type Snapshot, snapshot, validFor } from './snapshot.ts'
import { ChosenPartitions } from './state/chosen-partitions.ts'
import { isOnline, type StateView } from './state/partition-state.ts'
import { lastSeenOnline } from './state/state-changes.ts'
import { StateReader } from './state/state-reader.ts'

/**
 * The cursor's name in the outage reporter. It is a part of the events, because only their poller writes the
 * cursor.
 */
export const cursorSource = 'events/cursor'

/** The order in which a flow needs answers at a start: the state of every panel, then the events, then the devices. */
const firstPriorities: Readonly<Record<PolledWork, number>> = { state: 3, events: 2, devices: 1 }

/**
 * Milliseconds for which the devices wait when this process takes over: as long as the state does after a kill, whose status
 * then tells how old they are, without a request of its own.
 */
const devicesAfterTakeover = second

/** Milliseconds for which a changed state waits for the events that say why, with an alarm and without. */
const maxAlarmDelay = second
const maxDelay = 5 * second

/** Milliseconds for which a list of events says all about a state that was read because of it. */
const recentEvents = 2 * second

/** Milliseconds for which a status tells if the devices are those of now. */
const recentStatus = 30 * second

/** The least share of the minute that is left for a state to which nobody listens. */
const leastShare = 0.05

/** The dependencies of the polls of a panel. */
interface PanelPollsOptions {
  settings: PanelSettings
  account: Account
  panelClient: PanelClient
  catalogue: EventCatalogue
  outages: OutageReporter
  stores: PanelStores
  /** Reports a sentence for the log; must not throw. */
  notice(sentence: string): void
}

/**
 * The polls of a panel: each part is polled while it has subscribers, at a constant pace or at that of the situation. What
 * one part shows has the others polled, if their pace is not constant.
 */
export class PanelPolls implements PollPace {
  readonly state: Poller<Snapshot<StateView>>
  readonly devices: Poller<Snapshot<PanelDevices>>
  /** The catalogue alone: the event deliveries deliver the events, so that no panel keeps a list of 1,000 events. */
  readonly events: Poller<Snapshot<Catalogue>>
  readonly eventDeliveries: EventDeliveries<Snapshot<Catalogue>>
  readonly situation: Situation
  /** The partitions that nodes have chosen. */
  readonly chosenPartitions: ChosenPartitions
  readonly faults: FaultReader
  readonly unknownTypes = new UnknownTypeCollector()
  readonly stateReader: StateReader
  readonly news = new PanelNews()
  /** True if the service reaches the panel; also true until the opposite is known. */
  online = true
  /** The same, but null until anything is known. */
  knownOnline: boolean | null = null
  readonly isConstant: PollPace['isConstant']
  readonly times: PollTimes
  readonly #options: PanelPollsOptions
  readonly #clock: Clock
  readonly #knownDevices = new KnownDevices()
  /** True if the next state is read because of new events, and while events are read because of a new state. */
  #isStateForEvents = false
  #areEventsForState = false
  /** Called with each new event. */
  readonly newsListeners = new Set<() => void>()
  /** Called with each state that is read. */
  readonly stateListeners = new Set<(view: StateView) => void>()
  #onlineNotedAt = Number.NEGATIVE_INFINITY

  constructor(options: PanelPollsOptions) {
    const { settings, account, panelClient, catalogue, outages, stores } = options
    const { clock } = account
    const { timeZone } = account.settings
    this.#options = options
    this.#clock = clock
    this.situation = new Situation(settings.serial, timeZone)
    this.faults = new FaultReader(account, panelClient)
    this.chosenPartitions = new ChosenPartitions(this.stateListeners, {
      missing: (error) => outages.reportOnce(error),
      notice: options.notice,
    })
    const { stateEvery, eventsEvery, devicesEvery } = settings
    this.isConstant = {
      ...{ state: stateEvery !== null, alarms: stateEvery !== null },
      ...{ events: eventsEvery !== null, devices: devicesEvery !== null },
    }
    this.times = new PollTimes(clock, settings.serial, this)
    this.stateReader = new StateReader(account, panelClient, catalogue, this.times)
    this.state = this.#createPoller(
      'state',
      (read) => this.#readState(read),
      () => this.settle(),
    )
    this.devices = this.#createPoller('devices', (read) => this.#readDevices(read))
    this.events = this.#createPoller('events', (read) => this.#readEvents(read))
    const reports = {
      outage: (error: KeyholderError) => outages.noteFailure(cursorSource, error),
      recovery: () => outages.noteRecovery(cursorSource),
      notice: options.notice,
      // The takeover of the polls may have read the list a moment ago.
      gain: (lostAt?: number) => this.events.pollNow(this.times.every('events') / 2, lostAt),
    }
    this.eventDeliveries = new EventDeliveries(settings.serial, stores, clock, reports, timeZone)
  }

  get targets(): PollTargets {
    return this.#targetsWithin(this.#options.account.rateLimiter)
  }

  get targetsOfMinute(): PollTargets {
    const { paceFactor, pollLoad } = this.#options.account.rateLimiter
    return this.#targetsWithin({ paceFactor: 1, pollLoad: pollLoad / paceFactor })
  }

  factor(resource: PolledResource): number {
    return this.targets[resource] / this.#targetsWithin()[resource]
  }

  /** @param budget absent for one that slows nothing down */
  #targetsWithin(budget?: PaceBudget): PollTargets {
    const { settings } = this.#options
    const situation = this.stateReader.activity.situation(this.#clock.monotonic(), this.online)
    const targets = targetsOf(situation, settings, budget)
    if (this.state.hasListeners || situation === 'remote') return targets
    // The state finds only the places that the others leave, so in a full minute nobody can rely on it.
    const growth = 1 / Math.max(leastShare, 1 - this.#options.account.rateLimiter.pollLoad)
    const quiet = targetsOf('quiet', settings, budget)
    return {
      state: growth * targets.state,
      alarms: growth * targets.alarms,
      events: Math.min(targets.events, quiet.events),
      devices: Math.min(targets.devices, quiet.devices),
    }
  }

  /** Notes the online state of a status; events are used for it only if no status was read for a while. */
  noteOnline(online: boolean | null): void {
    if (online === null) return
    this.online = online
    this.knownOnline = online
    this.#onlineNotedAt = this.#clock.monotonic()
  }

  /**
   * Announces that the state is about to change, or has just changed: it is read at once for all subscribers,
   * and then often until the change is complete. If another process polls the state, it does so.
   */
  settle(): void {
    this.stateReader.expectChange()
    this.#reschedule()
    this.state.refresh()
  }

  /** Has the state polled often for a minute at most, because it does not show yet if something is over. */
  lookAgain(): void {
    this.stateReader.noteDoubt()
    this.#reschedule()
  }

  #createPoller<T>(
    name: PolledWork,
    load: (options: ReadOptions) => Promise<Snapshot<T>>,
    noteChange = () => this.#trigger('other', name),
  ): Poller<Snapshot<T>> {
    const { outages, stores } = this.#options
    const { times } = this
    const isConstant = this.isConstant[name]
    return new Poller<Snapshot<T>>({
      name,
      clock: this.#clock,
      lease: stores.pollLease(name),
      deliveryLease: (node: DeliveringNode) => stores.deliveryLease(node, name),
      firstPriority: firstPriorities[name],
      ...(name === 'devices' && { takeoverDelay: devicesAfterTakeover }),
      outages,
      isConstant,
      interval: () => (isConstant ? this.targets[name] : times.every(name)),
      dueAt: () =>
        name === 'state' && !isConstant
          ? Math.min(times.dueAt('state'), times.dueAt('alarms'))
          : times.dueAt(name),
      validFor: () => validFor(times.every(name, this.targetsOfMinute)),
      pauseLeft: () => this.#options.account.pauseLeft,
      // What something else has triggered is not answered with what is known.
      load: (read) => load(times.isTriggered(name) ? { ...read, maxAge: 0 } : read),
      isCached: name !== 'events',
      noteChange,
      ...(!isConstant && { noteInterval: (every) => times.noteInterval(name, every) }),
      // Only the state tells that somebody is in danger.
      ...(!isConstant && name !== 'state' && { noteUse: () => this.state.follow() }),
      noteDelivery: () => this.situation.tell(),
    })
  }

  /** Has a part polled soon whose pace is not constant, because something else has changed. */
  #trigger(cause: string, work: PolledWork): void {
    if (this.isConstant[work]) return
    this.times.trigger(work, cause)
    if (work === 'state') this.times.trigger('alarms', cause)
    this[work].trigger()
  }

  /** Determines the times of the polls again, because the pace may have changed. */
  #reschedule(): void {
    for (const poller of [this.state, this.events, this.devices]) poller.loop?.reschedule()
  }

  async #readState(options: ReadOptions): Promise<Snapshot<StateView>> {
    const { state: read, change } = await this.stateReader.readState(options)
    this.noteOnline(read.view.online)
    let state = read
    if (change !== null) {
      await this.#readReasons(options, read.view, change)
      state = this.stateReader.withNames(read)
      if (!isFollower(options)) this.#trigger(change, 'devices')
      this.#reschedule()
    }
    this.situation.noteState(state, this.online)
    for (const listener of this.stateListeners) listener(state.view)
    return state
  }

  /** Reads the events that say why the state has changed, before it is told; an alarm waits for them a second at most. */
  async #readReasons(options: ReadOptions, { partitions }: StateView, change: string): Promise<void> {
    const age = this.#clock.monotonic() - this.times.answeredAt('events')
    const areKnown = this.#isStateForEvents && age < recentEvents
    this.#isStateForEvents = false
    if (this.isConstant.events || areKnown) return
    const isFollowing = isFollower(options)
    if (!isFollowing && !this.times.triggerNow('events', change)) {
      this.events.trigger()
      return
    }
    const isAlarm = partitions.some(({ value }) => value === 'ALARM')
    this.#areEventsForState = true
    // A failure is told by the polls of the events.
    const done = this.events
      .readFor(options.signal, isFollowing)
      .catch(() => isFollowing || this.#trigger(change, 'events'))
    void done.then(() => {
      this.#areEventsForState = false
    })
    await within(this.#clock, isAlarm ? maxAlarmDelay : maxDelay, done)
  }

  /** Has a poll wait while status and alarms are read for the first time: they come first, however few requests the minute has. */
  async #letStateBeFirst({ lane }: ReadOptions): Promise<void> {
    if (this.stateReader.hasBegun && lane === 'poll') await this.stateReader.first
  }

  async #readDevices(options: ReadOptions): Promise<Snapshot<PanelDevices>> {
    const { panelClient } = this.#options
    await panelClient.identify(options)
    await this.#letStateBeFirst(options)
    const due = this.times.due('devices')
    const devices = await panelClient.request(operations.devices, { ...options, due })
    this.times.noteAnswer('devices', devices)
    // An offline panel still serves its last devices (field fact): only the status shows that they are old.
    // The first poll of the state may join this request.
    const priority = options.priority && firstPriorities.state
    const { targets } = this
    const maxAge = this.isConstant.state ? targets.alarms : Math.max(recentStatus, targets.state)
    const recently = { ...options, due, ...(priority && { priority }), maxAge }
    const status = await panelClient
      .requestIfSupported(operations.status, recently)
      .catch(() => 'unknown' as const)
    if (typeof status === 'object') this.noteOnline(isOnline(status.value))
    this.unknownTypes.noteDevices(devices.value)
    if (this.news.ofDevices(devices.value)) {
      this.stateReader.activity.noteChange(this.#clock.monotonic())
      this.#reschedule()
    }
    const every = this.times.every('devices')
    const isCurrent = status !== 'unknown' && this.online
    const known = this.#knownDevices.note(devices, isCurrent, validFor(every))
    const isWaitedFor = this.faults.isAwaited || (options.lane !== 'poll' && this.faults.latest === null)
    const read = this.faults.readAfterDevices(options, isCurrent, this.devices.latest === undefined)
    // Else told when they were read: the devices must not wait for them.
    if (isWaitedFor) await read
    else void read.then(() => this.#tellFaults())
    const { latest: faults } = this.faults
    return snapshot(
      devices,
      { ...known, ...(faults !== undefined && { faults }) },
      this.times.every('devices', this.targetsOfMinute),
    )
  }

  /** Tells the devices again with the faults of the panel itself, if they were told before these were read. */
  #tellFaults(): void {
    const { latest, loop } = this.devices
    if (latest?.view.faults !== null || this.faults.latest === null) return
    const { faults: _, ...view } = latest.view
    const { latest: faults } = this.faults
    loop?.deliver({ ...latest, view: faults === undefined ? view : { ...view, faults } })
  }

  async #readEvents(options: ReadOptions): Promise<Snapshot<Catalogue>> {
    const { panelClient } = this.#options
    await panelClient.identify(options)
    await this.#letStateBeFirst(options)
    try {
      return await this.#requestEvents(options)
    } finally {
      // What only describes the panel comes after the events, which do not wait for it. It fails only if the caller leaves.
      void panelClient.readLimits(options).catch(() => {})
    }
  }

  async #requestEvents(options: ReadOptions): Promise<Snapshot<Catalogue>> {
    const { panelClient, account, catalogue: eventCatalogue } = this.#options
    const due = this.times.due('events')
    const list = await panelClient.request(operations.events, { ...options, due })
    this.times.noteAnswer('events', list)
    const catalogue = await eventCatalogue.read(options)
    const events = withRepeatedHour(list.value, account.settings.timeZone)
    const ordered = { ...list, value: chronological(events) }
    this.unknownTypes.noteEvents(events, catalogue)
    this.stateReader.changes.noteEvents(ordered.value, catalogue, list.sentAt)
    this.situation.noteEvents(ordered, catalogue, this.stateReader.armings)
    this.#noteNews(ordered, catalogue, options)
    const view = snapshot(list, catalogue, this.times.every('events', this.targetsOfMinute))
    await this.eventDeliveries.accept(events, view, options.signal)
    return view
  }

  /** @param list oldest first */
  #noteNews(list: Answer<readonly PanelEvent[]>, catalogue: Catalogue, options: ReadOptions): void {
    const now = this.#clock.monotonic()
    if (now - this.#onlineNotedAt > validFor(this.times.every('state')))
      this.knownOnline = lastSeenOnline(list.value, catalogue) ?? this.knownOnline
    this.online = this.knownOnline ?? this.online
    const news = this.news.ofEvents(list, catalogue, this.#options.account.settings.timeZone)
    if (news === null) return
    for (const listener of this.newsListeners) listener()
    this.stateReader.activity.noteChange(now, news === 'alarm')
    if (!isFollower(options)) {
      if (!this.#areEventsForState) {
        this.#isStateForEvents = true
        this.#trigger(news, 'state')
      }
      if (news === 'fault') this.faults.due = agreeingLists
      if (news !== 'event') this.#trigger(news, 'devices')
    }
    this.#reschedule()
  }
}

/** Returns true for a read of the answers that another process has published. */
function isFollower({ share }: ReadOptions): boolean {
  return share?.as === 'follow'
}
