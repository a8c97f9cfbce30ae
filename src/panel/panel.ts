import type { Account } from '../account/account.ts'
import type { ReadOptions } from '../account/requests/request.ts'
import { ageWithSleep } from '../clock.ts'
import type { Catalogue } from '../service/catalogue/catalogue.ts'
import type { Operation } from '../service/operations.ts'
import type { JsonValue } from '../service/schema.ts'
import type { Queries } from './account-queries.ts'
import { removeObsoleteRecords } from './commands/bypass/obsolete-records.ts'
import { Commands } from './commands/commands.ts'
import type { CommandedPanel } from './commands/current-state.ts'
import { ChainTests } from './conditions/chain-tests.ts'
import { EventCatalogue } from './events/event-catalogue.ts'
import type { DeliveringNode, PolledWork, ToldStore } from './lease.ts'
import { PanelClient } from './panel-client.ts'
import { type PanelHealth, pollHealth } from './panel-health.ts'
import { cursorSource, PanelPolls } from './panel-polls.ts'
import type { PanelSettings } from './panel-settings.ts'
import { bypassFile, localPanelStores, nodeFile, type PanelStores, panelFile } from './panel-stores.ts'
import { OutageReporter, type OutageReports } from './polling/outage-reporter.ts'
import type { Situation } from './situation.ts'
import { type Snapshot, type Source, snapshot } from './snapshot.ts'
import { type Transports, unknownTransports } from './state/partition-state.ts'

/** The reports of a panel besides its data; the functions must not throw. */
interface PanelReports extends OutageReports {
  /** Reports a sentence for the log. */
  notice(sentence: string): void
}

/** One panel: polls the parts that have subscribers, and provides what is known about the panel. */
export class Panel implements Queries {
  readonly settings: PanelSettings
  readonly account: Account
  readonly state: PanelPolls['state']
  readonly devices: PanelPolls['devices']
  readonly events: PanelPolls['events']
  readonly eventDeliveries: PanelPolls['eventDeliveries']
  readonly polls: PanelPolls
  readonly commands: Commands
  /** The alarms that run, and other facts that all nodes show. */
  readonly situation: Situation
  /** The tests of the alarm chain that nodes make. */
  readonly chainTests: ChainTests
  readonly #catalogue: EventCatalogue
  readonly #outages: OutageReporter
  readonly #panelClient: PanelClient
  readonly #stores: PanelStores
  readonly #notice: PanelReports['notice']
  /** The path of the file that notes what a rehearsal has left in the flows. */
  readonly rehearsalFile: string
  readonly #bypassFile: string

  /**
   * @param folder the folder of the cached catalogue
   * @param stores what several processes share; by default, the folder has the cursor
   */
  constructor(
    settings: PanelSettings,
    account: Account,
    folder: string,
    reports: PanelReports,
    stores: PanelStores = localPanelStores(settings, folder),
  ) {
    this.settings = settings
    this.#stores = stores
    this.#notice = reports.notice
    this.rehearsalFile = panelFile(settings, folder, 'rehearsal')
    this.#bypassFile = bypassFile(account, settings.serial, folder)
    this.account = account
    this.#panelClient = new PanelClient(account, settings)
    const { locale } = account.settings
    this.#catalogue = new EventCatalogue(account, panelFile(settings, folder, `catalogue-${locale}`))
    this.chainTests = new ChainTests(
      (node) => nodeFile(settings, node.id, folder, 'chain-test'),
      (node) => this.toldStore(node, 'state'),
    )
    this.#outages = new OutageReporter(account.clock, reports)
    this.polls = new PanelPolls({
      ...{ settings, account, stores, panelClient: this.#panelClient, catalogue: this.#catalogue },
      outages: this.#outages,
      notice: reports.notice,
    })
    const { state, devices, events, eventDeliveries, situation } = this.polls
    this.state = state
    this.devices = devices
    this.events = events
    this.eventDeliveries = eventDeliveries
    this.situation = situation
    const commanded: CommandedPanel = {
      ...{ account, settings, panelClient: this.#panelClient, polls: this.polls },
      title: () => this.title,
    }
    this.commands = new Commands({
      panel: commanded,
      reportOutage: (error) => reports.outage(error),
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
    return this.polls.online
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
      online: this.polls.knownOnline,
      transports: this.transports,
      ...pollHealth({ state, events, devices }),
      targets: this.polls.times.targetsInForce,
      eventDelay: this.polls.news.eventDelay,
      cursorFails: this.#outages.isFailing(cursorSource),
      lacksPartition: this.polls.chosenPartitions.isMissing,
      reportsArming: this.polls.stateReader.changes.areReported,
      isRejected: this.account.hasRejected(this.settings),
      latestFailure: this.#outages.latest,
      unknown: this.polls.unknownTypes.all,
    }
  }

  /** Returns the store of what a node was told about a part of the panel; undefined for a process that is alone. */
  toldStore(node: DeliveringNode, work: PolledWork): ToldStore | undefined {
    return this.#stores.told?.(node, work, this.settings.serial)
  }

  sourceOf(snapshot: Snapshot<unknown>): Source {
    return {
      name: this.title,
      panel: { serial: this.settings.serial, alias: this.#panelClient.alias, online: this.online },
      fetchedAt: new Date(snapshot.fetchedAt).toISOString(),
      stale: this.isStale(snapshot),
    }
  }

  /** Returns true if the snapshot is now too old to rely on, or if the panel is offline. */
  isStale({ fetchedAt, at, validFor }: Snapshot<unknown>): boolean {
    return !this.online || ageWithSleep({ wall: fetchedAt, monotonic: at }, this.account.clock) > validFor
  }

  async fetchOperation<T>(operation: Operation<T>, options: ReadOptions, locale = ''): Promise<Snapshot<T>> {
    const identified = this.#panelClient.identify(options)
    // An operation that needs only the account is answered even if the account does not have the panel.
    if (operation.isAboutPanel) await identified
    else await identified.catch(() => {})
    const answer = await this.account.sendRead(operation, { ...options, panel: this.settings, locale })
    return snapshot(answer, answer.value, Number.POSITIVE_INFINITY)
  }

  /** Returns the event types in the account's language as they are known now; never rejects. */
  eventTypes(options: ReadOptions): Promise<Catalogue> {
    return this.#catalogue.read(options)
  }

  async fetchSession(): Promise<Snapshot<JsonValue>> {
    const answer = await this.account.session()
    return snapshot(answer, answer.value, Number.POSITIVE_INFINITY)
  }

  /**
   * Calls `listener` when a list has a new event, while the events are polled, and when a flow has a command carried out.
   * Returns a function that ends this.
   */
  onNews(listener: (news: 'event' | 'command') => void): () => void {
    const ofEvent = () => listener('event')
    const ofCommand = () => listener('command')
    this.polls.newsListeners.add(ofEvent)
    this.commands.listeners.add(ofCommand)
    return () => {
      this.polls.newsListeners.delete(ofEvent)
      this.commands.listeners.delete(ofCommand)
    }
  }

  /** Begins what goes on for the panel itself. Never rejects. */
  async start(): Promise<void> {
    this.commands.start()
    const removed = await removeObsoleteRecords(this.#bypassFile, this.#stores.obsoleteRecords)
    if (removed !== undefined) this.#notice(`${this.title}: ${removed}`)
  }

  /** Ends what goes on for the panel itself; the pollers end with their subscribers. */
  async close(): Promise<void> {
    this.commands.close()
    await this.eventDeliveries.close()
  }
}
