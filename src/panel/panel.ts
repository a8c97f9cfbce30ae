import type { Account } from '../account/account.ts'
import { ageOf } from '../account/answer.ts'
import type { ReadOptions } from '../account/requests/request.ts'
import { minute, second } from '../duration.ts'
import type { Catalogue } from '../service/catalogue/catalogue.ts'
import type { KeyholderError } from '../service/error.ts'
import { isAboutPanel, type Operation, operations } from '../service/operations.ts'
import type { JsonValue } from '../service/passthrough.ts'
import type { Queries } from './account-queries.ts'
import { CatalogueCache, EventCatalogue } from './catalogue/event-catalogue.ts'
import { UnknownTypeCollector } from './catalogue/unknown-types.ts'
import { adoptFormerRecords, BypassRecords } from './commands/bypass/bypass-records.ts'
import { listingOf } from './commands/bypass/folder-listing.ts'
import { Commands } from './commands/commands.ts'
import type { CommandedPanel } from './commands/current-state.ts'
import { KnownDevices } from './devices/known-devices.ts'
import type { PanelDevices } from './devices/readings.ts'
import { EventDeliveries } from './events/event-deliveries.ts'
import { chronological, withRepeatedHour } from './events/event-order.ts'
import type { DeliveringNode, PolledWork } from './lease.ts'
import { PanelClient, phaseOf } from './panel-client.ts'
import { type PanelHealth, pollHealth } from './panel-health.ts'
import type { PanelSettings } from './panel-settings.ts'
import { bypassFile, localPanelStores, panelFile } from './panel-stores.ts'
import { OutageReporter, type OutageReports } from './polling/outage-reporter.ts'
import { Poller } from './polling/poller.ts'
import { Situation } from './situation.ts'
import { type Snapshot, type Source, snapshot, validPolls } from './snapshot.ts'
import { lastSeenOnline } from './state/inferred-state.ts'
import { isOnline, type StateView, type Transports, unknownTransports } from './state/partition-state.ts'
import { StateReader } from './state/state-reader.ts'

/** The reports of a panel besides its data; the functions must not throw. */
export interface PanelReports extends OutageReports {
  /** Reports a sentence for the log. */
  notice(sentence: string): void
}

/**
 * The cursor's name in the outage reporter. It is a part of the events, because only their poller writes the
 * cursor.
 */
const cursorSource = 'events/cursor'

/** The order in which a flow needs answers at a start: the state of every panel, then the events, then the devices. */
const firstPriorities: Readonly<Record<PolledWork, number>> = { state: 3, events: 2, devices: 1 }

/** One panel: polls the parts that have subscribers, and provides what is known about the panel. */
export class Panel implements Queries {
  readonly settings: PanelSettings
  readonly account: Account
  readonly state: Poller<Snapshot<StateView>>
  readonly devices: Poller<Snapshot<PanelDevices>>
  /**
   * The catalogue alone: `eventDeliveries` deliver the events to the nodes, so that no panel keeps a list of 1,000
   * events.
   */
  readonly events: Poller<Snapshot<Catalogue>>
  readonly eventDeliveries: EventDeliveries<Snapshot<Catalogue>>
  readonly commands: Commands
  /** The alarms that run, and other facts that all nodes show. */
  readonly situation: Situation
  readonly #catalogue: EventCatalogue
  readonly #knownDevices = new KnownDevices()
  #doorWaiters = 0
  readonly #outages: OutageReporter
  readonly #unknownTypes = new UnknownTypeCollector()
  readonly #panelClient: PanelClient
  readonly #stateReader: StateReader
  #online = true
  #onlineNotedAt = Number.NEGATIVE_INFINITY

  /**
   * @param folder the folder of the cached catalogue
   * @param stores what several processes share; by default, the folder has the cursor
   */
  constructor(
    settings: PanelSettings,
    account: Account,
    folder: string,
    reports: PanelReports,
    stores = localPanelStores(settings, folder, account.clock),
  ) {
    this.settings = settings
    this.account = account
    this.#panelClient = new PanelClient(account, settings)
    const { locale, timeZone } = account.settings
    this.#catalogue = new EventCatalogue(
      account,
      new CatalogueCache(panelFile(settings, folder, `catalogue-${locale}`)),
    )
    this.situation = new Situation(settings.serial, timeZone)
    const { clock } = account
    const phase = phaseOf(settings.serial)
    const outages = new OutageReporter(clock, reports)
    this.#outages = outages
    const createPoller = <T>(
      name: PolledWork,
      every: () => number,
      load: (options: ReadOptions) => Promise<Snapshot<T>>,
      interval = every,
      noteChange = () => {},
    ) => {
      const lease = stores.pollLease(name)
      const deliveryLease = (node: DeliveringNode) => stores.deliveryLease(node, name)
      const validFor = () => validPolls * every()
      return new Poller<Snapshot<T>>({
        name,
        clock,
        lease,
        deliveryLease,
        phase,
        firstPriority: firstPriorities[name],
        outages,
        interval,
        validFor,
        load,
        isCached: name !== 'events',
        noteChange,
        noteDelivery: () => this.situation.tell(),
      })
    }
    const stateEvery = this.#stateEvery
    const eventsEvery = this.#eventsEvery
    this.#stateReader = new StateReader(account, this.#panelClient, this.#catalogue, stateEvery)
    this.state = createPoller(
      'state',
      () => stateEvery,
      (options) => this.#readState(options),
      () => this.#stateReader.interval,
      () => this.settle(),
    )
    this.devices = createPoller(
      'devices',
      () => this.#devicesEvery,
      (options) => this.#readDevices(options),
    )
    this.events = createPoller(
      'events',
      () => eventsEvery,
      (options) => this.#readEvents(options),
    )
    const deliveryReports = {
      outage: (error: KeyholderError) => outages.noteFailure(cursorSource, error),
      recovery: () => outages.noteRecovery(cursorSource),
      notice: reports.notice,
      // The takeover of the polls may have read the list a moment ago.
      gain: (lostAt?: number) => this.events.pollNow(eventsEvery / 2, lostAt),
    }
    this.eventDeliveries = new EventDeliveries(settings.serial, stores, clock, deliveryReports, timeZone)
    const commanded: CommandedPanel = {
      account,
      settings,
      panelClient: this.#panelClient,
      title: () => this.title,
      inferState: (options, info) => this.#stateReader.infer(options, info),
      noteOnline: (online) => this.#noteOnline(online),
      expectChange: () => this.settle(),
    }
    this.commands = new Commands({
      panel: commanded,
      openRecords: () => {
        const [path, listing] = [bypassFile(account, settings.serial, folder), listingOf(folder)]
        const adoptFormer = () => adoptFormerRecords(path, settings.serial, folder, listing)
        return new BypassRecords(path, settings.serial, adoptFormer, stores.bypasses)
      },
      reports,
      watchState: (listener) => this.#watchState(listener),
      queue: stores.commandQueue,
    })
  }

  /** The panel's name in topics: the user's name, else the service's, else the serial. */
  get title(): string {
    return this.settings.name || this.#panelClient.alias || this.settings.serial
  }

  /** The service's name for the panel; empty until the panel was identified. */
  get alias(): string {
    return this.#panelClient.alias
  }

  /** True if the service reaches the panel; also true until the opposite is known. */
  get online(): boolean {
    return this.#online
  }

  /** The ways of the panel to the service, as the latest status tells them. */
  get transports(): Transports {
    return this.state.latest?.view.transports ?? unknownTransports
  }

  /**
   * The snapshot with the latest answer, of all polled parts; undefined if there are no subscribers or no
   * answers yet.
   */
  get latest(): Snapshot<unknown> | undefined {
    const known: (Snapshot<unknown> | undefined)[] = [
      this.state.latest,
      this.events.latest,
      this.devices.latest,
    ]
    return known.reduce((one, other) => (other && (!one || other.at > one.at) ? other : one), undefined)
  }

  /** The panel's health, from known facts only: the service is not asked. */
  get health(): PanelHealth {
    const { state, events, devices } = this
    return {
      online: this.#online,
      transports: this.transports,
      ...pollHealth({ state, events, devices }),
      cursorFails: this.#outages.isFailing(cursorSource),
      isRejected: this.account.hasRejected(this.settings),
      latestFailure: this.#outages.latest,
      unknown: this.#unknownTypes.all,
    }
  }

  /** Returns the source of the messages that are made of a snapshot now. */
  sourceOf(snapshot: Snapshot<unknown>): Source {
    return {
      name: this.title,
      panel: { serial: this.settings.serial, alias: this.#panelClient.alias, online: this.#online },
      fetchedAt: new Date(snapshot.fetchedAt).toISOString(),
      stale: this.isStale(snapshot),
    }
  }

  /** Returns true if the snapshot is now too old to rely on, or if the panel is offline. */
  isStale(snapshot: Snapshot<unknown>): boolean {
    return !this.#online || ageOf(snapshot, this.account.clock) > snapshot.validFor
  }

  /**
   * Returns the answer to a flow's request, with the service's own names and values.
   * @throws KeyholderError
   */
  async fetchOperation<T>(operation: Operation<T>, options: ReadOptions, locale = ''): Promise<Snapshot<T>> {
    const identified = this.#panelClient.identify(options)
    // An operation that needs only the account is answered even if the account does not have the panel.
    if (isAboutPanel(operation.tokens)) await identified
    else await identified.catch(() => {})
    const answer = await this.account.sendRead(operation, { ...options, panel: this.settings, locale })
    return snapshot(answer, answer.value, Number.POSITIVE_INFINITY)
  }

  /** Returns the event types in the account's language as they are known now; never rejects. */
  eventTypes(options: ReadOptions): Promise<Catalogue> {
    return this.#catalogue.read(options)
  }

  /**
   * Returns the service's whole answer to the account's sign-in, without its tokens.
   * @throws KeyholderError
   */
  async fetchSession(): Promise<Snapshot<JsonValue>> {
    const answer = await this.account.session()
    return snapshot(answer, answer.value, Number.POSITIVE_INFINITY)
  }

  /**
   * Announces that the state is about to change, or has just changed: it is read at once for all subscribers,
   * and then often until the change is complete. If another process polls the state, it does so.
   */
  settle(): void {
    this.#stateReader.expectChange()
    this.state.refresh()
  }

  /** Has the state polled often for a minute at most, because it does not show yet if something is over. */
  lookAgain(): void {
    this.#stateReader.noteDoubt()
    this.state.reschedule()
  }

  /**
   * Notes a node that waits for open doors, which can shorten the interval of the polls of the devices. Returns a
   * function that ends this.
   */
  awaitDoors(): () => void {
    this.#doorWaiters += 1
    this.devices.reschedule()
    return () => {
      this.#doorWaiters -= 1
    }
  }

  /** Ends what goes on for the panel itself; the pollers end with their subscribers. */
  async close(): Promise<void> {
    await Promise.all([this.eventDeliveries.close(), this.commands.close()])
  }

  /** Calls `listener` with each state that this process reads, or another one of its cluster. Returns a function that ends this. */
  #watchState(listener: (view: StateView) => void): () => void {
    const watcher = { id: 'bypasses', instances: 'every' } as const
    return this.state.subscribe({ snapshot: ({ view }) => listener(view), condition: () => {} }, watcher)
  }

  get #stateEvery(): number {
    return this.settings.stateEvery ?? 30 * second
  }

  get #eventsEvery(): number {
    return this.settings.eventsEvery ?? minute
  }

  get #devicesEvery(): number {
    return this.settings.devicesEvery ?? (this.#doorWaiters > 0 ? minute : 5 * minute)
  }

  async #readState(options: ReadOptions): Promise<Snapshot<StateView>> {
    const state = await this.#stateReader.readState(options)
    this.#noteOnline(state.view.online)
    this.situation.noteState(state)
    return state
  }

  async #readDevices(options: ReadOptions): Promise<Snapshot<PanelDevices>> {
    await this.#panelClient.identify(options)
    const devices = await this.#panelClient.request(operations.devices, options)
    // An offline panel still serves its last devices (field fact): only the status shows that they are old.
    // The first poll of the state may join this request.
    const priority = options.priority && firstPriorities.state
    const recently = { ...options, ...(priority && { priority }), maxAge: this.#stateEvery }
    const status = await this.#panelClient
      .requestIfSupported(operations.status, recently)
      .catch(() => 'unknown' as const)
    if (typeof status === 'object') this.#noteOnline(isOnline(status.value))
    this.#unknownTypes.noteDevices(devices.value)
    const devicesEvery = this.#devicesEvery
    const isCurrent = status !== 'unknown' && this.#online
    const view = this.#knownDevices.note(devices, isCurrent, validPolls * devicesEvery)
    return snapshot(devices, view, devicesEvery)
  }

  async #readEvents(options: ReadOptions): Promise<Snapshot<Catalogue>> {
    await this.#panelClient.identify(options)
    const { knowsLimits } = this.#panelClient
    if (!knowsLimits) await this.#panelClient.readLimits(options)
    try {
      return await this.#requestEvents(options)
    } finally {
      // Known limits are read again afterwards, because the events must not wait for that.
      if (knowsLimits) await this.#panelClient.readLimits(options)
    }
  }

  async #requestEvents(options: ReadOptions): Promise<Snapshot<Catalogue>> {
    const list = await this.#panelClient.request(operations.events, options)
    const catalogue = await this.#catalogue.read(options)
    const { clock, settings } = this.account
    const events = withRepeatedHour(list.value, settings.timeZone)
    this.#unknownTypes.noteEvents(events, catalogue)
    this.#stateReader.noteEvents(list, catalogue)
    this.situation.noteEvents({ ...list, value: events }, catalogue)
    if (clock.monotonic() - this.#onlineNotedAt > validPolls * this.#stateEvery) {
      this.#online = lastSeenOnline(chronological(events), catalogue) ?? this.#online
    }
    const view = snapshot(list, catalogue, this.#eventsEvery)
    await this.eventDeliveries.accept(events, view, options.signal)
    return view
  }

  /** Notes the online state of a status; events are used for it only if no status was read for a while. */
  #noteOnline(online: boolean | null): void {
    if (online === null) return
    this.#online = online
    this.#onlineNotedAt = this.account.clock.monotonic()
  }
}
