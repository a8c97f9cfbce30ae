import { join } from 'node:path'
import type { Account } from '../account/account.ts'
import type { Asking } from '../account/flights.ts'
import type { PanelKey } from '../account/sign-in.ts'
import type { Catalogue } from '../service/catalogue.ts'
import type { Device } from '../service/devices.ts'
import { type Operation, operations } from '../service/operations.ts'
import type { SessionDetails } from '../service/user-session.ts'
import { CatalogueFile } from './catalogue-file.ts'
import { chronological } from './chronology.ts'
import { Commands } from './commands/commands.ts'
import { Cursor } from './cursor.ts'
import { DeviceMemory } from './device-memory.ts'
import { EventCatalogue } from './event-catalogue.ts'
import { EventStream } from './event-stream.ts'
import { phaseOf } from './grid.ts'
import { lastSeenOnline } from './inferred-state.ts'
import { Inquiry } from './inquiry.ts'
import { goodPolls, type News, news } from './news.ts'
import { type PanelHealth, pollHealth } from './panel-health.ts'
import { isOnline, type StateView } from './state.ts'
import { StateReading } from './state-reading.ts'
import { Trouble, type TroubleReports } from './trouble.ts'
import { UnknownWords } from './unknown-words.ts'
import { Watch } from './watch.ts'

export type { News } from './news.ts'

/** A panel's settings, checked; the intervals are milliseconds. */
export interface PanelSettings extends PanelKey {
  /** Names the panel's cursor file: the id of the config node. */
  id: string
  /** What the user calls the panel; may be empty. */
  name: string
  stateEvery: number
  eventsEvery: number
  devicesEvery: number
  /** Whether flows may command the panel. */
  allowCommands: boolean
}

/** What a panel has to tell beside its news; none of these may throw. */
export interface PanelReports extends TroubleReports {
  /** A sentence that is worth a line in the log. */
  notice(sentence: string): void
}

/** Fails and recovers with the cursor; a part of the events, without which nobody writes it. */
const cursorTrouble = 'events/cursor'

/** One panel's live view: polls what is listened to, and says what it knows of the panel. */
export class Panel {
  readonly settings: PanelSettings
  readonly account: Account
  readonly state: Watch<News<StateView>>
  readonly devices: Watch<News<readonly Device[]>>
  /** Of the events the texts alone: the stream gives each to its nodes, and a list of 1,000 is not kept for each panel. */
  readonly events: Watch<News<Catalogue>>
  readonly stream: EventStream<News<Catalogue>>
  readonly commands: Commands
  readonly #catalogue: EventCatalogue
  readonly #memory = new DeviceMemory()
  readonly #trouble: Trouble
  readonly #unknown = new UnknownWords()
  readonly #inquiry: Inquiry
  readonly #reading: StateReading
  #online = true
  #heardAt = Number.NEGATIVE_INFINITY

  /** @param folder where the cursor is kept */
  constructor(settings: PanelSettings, account: Account, folder: string, reports: PanelReports) {
    this.settings = settings
    this.account = account
    this.#inquiry = new Inquiry(account, settings)
    const named = (what: string) => join(folder, `${what}-${settings.id.replace(/[^\w.-]/g, '_')}.json`)
    const { locale } = account.settings
    this.#catalogue = new EventCatalogue(account, new CatalogueFile(named(`catalogue-${locale}`)))
    const { clock } = account
    const phase = phaseOf(settings.serial)
    const trouble = new Trouble(clock, reports)
    this.#trouble = trouble
    const watch = <T>(
      name: string,
      every: number,
      read: (asking: Asking) => Promise<News<T>>,
      interval = () => every,
    ) => new Watch<News<T>>({ name, clock, phase, trouble, interval, goodFor: goodPolls * every, read })
    const { stateEvery, devicesEvery, eventsEvery } = settings
    this.#reading = new StateReading(account, this.#inquiry, this.#catalogue, stateEvery)
    this.state = watch(
      'state',
      stateEvery,
      (asking) => this.#readState(asking),
      () => this.#reading.interval,
    )
    this.devices = watch('devices', devicesEvery, (asking) => this.#readDevices(asking))
    this.events = watch('events', eventsEvery, (asking) => this.#readEvents(asking))
    const cursor = new Cursor(named('events'))
    this.stream = new EventStream(settings.serial, cursor, clock, {
      loss: (error) => trouble.fails(cursorTrouble, error),
      recovery: () => trouble.isWell(cursorTrouble),
      notice: reports.notice,
    })
    this.commands = new Commands({
      account,
      settings,
      inquiry: this.#inquiry,
      title: () => this.title,
      concluded: (asking, info) => this.#reading.infer(asking, info),
      heard: (online) => this.#heard(online),
      settle: () => this.settle(),
    })
  }

  /** The panel in topics: the user's name for it, else the service's, else the serial. */
  get title(): string {
    return this.settings.name || this.#inquiry.alias || this.settings.serial
  }

  /** What the service calls the panel; empty until it was asked. */
  get alias(): string {
    return this.#inquiry.alias
  }

  /** Whether the service reaches the panel; true as long as nothing says the opposite. */
  get online(): boolean {
    return this.#online
  }

  /** The news whose answer came last, of whatever is polled; none while nobody listens or nothing came yet. */
  get latest(): News<unknown> | undefined {
    const known: (News<unknown> | undefined)[] = [this.state.latest, this.events.latest, this.devices.latest]
    return known.reduce((one, other) => (other && (!one || other.at > one.at) ? other : one), undefined)
  }

  /** How the panel is, from what is known already: the service is not asked. */
  get health(): PanelHealth {
    const { state, events, devices } = this
    return {
      online: this.#online,
      ...pollHealth({ state, events, devices }),
      cursorFails: this.#trouble.isFailing(cursorTrouble),
      isRejected: this.account.hasRejected(this.settings),
      latestFailure: this.#trouble.latest,
      unknown: this.#unknown.all,
    }
  }

  /** Whether news is too old to rely on now. */
  isStale({ at, goodFor }: News<unknown>): boolean {
    return !this.#online || this.account.clock.monotonic() - at > goodFor
  }

  /**
   * The answer to a question of a flow, in the service's own words.
   * @throws KeyholderError
   */
  async query<T>(operation: Operation<T>, asking: Asking, locale = ''): Promise<News<T>> {
    const identified = this.#inquiry.identify(asking)
    // What asks the account alone is answered also where the panel is not the account's.
    if (operation.tokens === 'user and session') await identified
    else await identified.catch(() => {})
    const answer = await this.account.ask(operation, { ...asking, panel: this.settings, locale })
    return news(answer, answer.value, Number.POSITIVE_INFINITY)
  }

  /**
   * What the account's sign-in said, without its token.
   * @throws KeyholderError
   */
  async session(): Promise<News<SessionDetails>> {
    const answer = await this.account.session()
    return news(answer, answer.value, Number.POSITIVE_INFINITY)
  }

  /**
   * Says that the state is about to change, or has changed this moment: whoever listens to it learns of it at once, and it
   * is read often until it is settled.
   */
  settle(): void {
    this.#reading.announce()
    this.state.renew()
  }

  async #readState(asking: Asking): Promise<News<StateView>> {
    const state = await this.#reading.read(asking)
    this.#heard(state.view.online)
    return state
  }

  async #readDevices(asking: Asking): Promise<News<readonly Device[]>> {
    await this.#inquiry.identify(asking)
    const devices = await this.#inquiry.ask(operations.devices, asking)
    // An offline panel still serves its last devices (field fact): only the status tells old from new.
    const status = await this.#inquiry
      .askIfThere(operations.status, { ...asking, maxAge: this.settings.stateEvery })
      .catch(() => undefined)
    if (status !== undefined) this.#heard(isOnline(status.value))
    this.#unknown.noteDevices(devices.value)
    return news(devices, this.#memory.recall(devices.value), this.settings.devicesEvery)
  }

  async #readEvents(asking: Asking): Promise<News<Catalogue>> {
    await this.#inquiry.identify(asking)
    const list = await this.#inquiry.ask(operations.events, asking)
    const catalogue = await this.#catalogue.read(asking)
    this.#unknown.noteEvents(list.value, catalogue)
    const { clock } = this.account
    if (clock.monotonic() - this.#heardAt > goodPolls * this.settings.stateEvery) {
      this.#online = lastSeenOnline(chronological(list.value), catalogue) ?? this.#online
    }
    const view = news(list, catalogue, this.settings.eventsEvery)
    await this.stream.accept(list.value, view, asking.signal)
    return view
  }

  /** Notes what the status says; the events are asked about it only when no status was read for a while. */
  #heard(online: boolean | null): void {
    if (online === null) return
    this.#online = online
    this.#heardAt = this.account.clock.monotonic()
  }
}
