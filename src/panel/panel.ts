import { join } from 'node:path'
import type { Account, PanelKey } from '../account/account.ts'
import type { Answer, Asking } from '../account/flights.ts'
import type { Catalogue } from '../service/catalogue.ts'
import type { Device } from '../service/devices.ts'
import { type ErrorCode, KeyholderError } from '../service/error.ts'
import type { PanelEvent } from '../service/events.ts'
import { type Operation, operations } from '../service/operations.ts'
import type { PanelInfo } from '../service/panel-info.ts'
import { chronological } from './chronology.ts'
import { Cursor } from './cursor.ts'
import { DeviceMemory } from './device-memory.ts'
import { EventCatalogue } from './event-catalogue.ts'
import { EventStream } from './event-stream.ts'
import { phaseOf } from './grid.ts'
import { inferredState } from './inferred-state.ts'
import { type StateView, stateView } from './state.ts'
import { Trouble } from './trouble.ts'
import { Watch } from './watch.ts'

/** A panel's settings, checked; the intervals are milliseconds. */
export interface PanelSettings extends PanelKey {
  /** Names the panel's cursor file: the id of the config node. */
  id: string
  /** What the user calls the panel; may be empty. */
  name: string
  stateEvery: number
  eventsEvery: number
  devicesEvery: number
}

/** What a panel has to tell beside its news; none of these may throw. */
export interface PanelReports {
  /** Something fails that did not fail before. */
  loss(error: KeyholderError): void
  /** All that failed is well again. */
  recovery(): void
  /** A sentence that is worth a line in the log. */
  notice(sentence: string): void
}

/** What an answer of the service was made into, and how fresh it is. */
export interface News<T> {
  view: T
  /** Milliseconds since 1970 at which the answer came. */
  fetchedAt: number
  /** Milliseconds of the monotonic clock at which the answer came. */
  at: number
  /** Milliseconds after which the news is too old to rely on: three polls. */
  goodFor: number
}

/** The panel's list of events with the texts that go with it. */
export interface EventList {
  events: readonly PanelEvent[]
  catalogue: Catalogue
}

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

/** After a change of state the state is read every 10 s for a minute: what changes is likely to change on. */
const lively = { every: 10 * second, lasts: 60 * second }

/** One panel's live view: polls what is listened to, and says what it knows of the panel. */
export class Panel {
  readonly settings: PanelSettings
  readonly account: Account
  readonly state: Watch<News<StateView>>
  readonly devices: Watch<News<readonly Device[]>>
  readonly events: Watch<News<EventList>>
  readonly stream: EventStream<News<EventList>>
  readonly #catalogue: EventCatalogue
  readonly #memory = new DeviceMemory()
  readonly #lackedUntil = new Map<string, number>()
  #alias = ''
  #online = true
  #livelyUntil = 0
  #lastValues = ''

  /**
   * @param folder where the cursor is kept
   */
  constructor(settings: PanelSettings, account: Account, folder: string, reports: PanelReports) {
    this.settings = settings
    this.account = account
    this.#catalogue = new EventCatalogue(account)
    const { clock } = account
    const phase = phaseOf(settings.serial)
    const trouble = new Trouble(reports.loss, reports.recovery)
    const watch = <T>(name: string, interval: () => number, read: (asking: Asking) => Promise<News<T>>) =>
      new Watch<News<T>>({ name, clock, phase, trouble, interval, read })
    const { devicesEvery, eventsEvery } = settings
    this.state = watch(
      'state',
      () => this.#stateInterval,
      (asking) => this.#readState(asking),
    )
    this.devices = watch(
      'devices',
      () => devicesEvery,
      (asking) => this.#readDevices(asking),
    )
    this.events = watch(
      'events',
      () => eventsEvery,
      (asking) => this.#readEvents(asking),
    )
    const cursor = new Cursor(join(folder, `events-${settings.id.replace(/[^\w.-]/g, '_')}.json`))
    this.stream = new EventStream(settings.serial, cursor, clock, {
      loss: (error) => trouble.fails('cursor', error),
      recovery: () => trouble.isWell('cursor'),
      notice: reports.notice,
    })
  }

  /** The panel in topics: the user's name for it, else the service's, else the serial. */
  get title(): string {
    return this.settings.name || this.#alias || this.settings.serial
  }

  /** What the service calls the panel; empty until it was asked. */
  get alias(): string {
    return this.#alias
  }

  /** Whether the service reaches the panel; true as long as nothing says the opposite. */
  get online(): boolean {
    return this.#online
  }

  /** Whether the panel is being signed in to at the moment. */
  get isOpening(): boolean {
    return this.account.isOpening(this.settings)
  }

  /** Whether news is too old to rely on now. */
  isStale({ at, goodFor }: News<unknown>): boolean {
    return !this.#online || this.account.clock.monotonic() - at > goodFor
  }

  get #stateInterval(): number {
    const { stateEvery } = this.settings
    return this.account.clock.monotonic() < this.#livelyUntil
      ? Math.min(stateEvery, lively.every)
      : stateEvery
  }

  /** The operation's answer, or nothing where the service or the user's rights lack it; then not asked for an hour. */
  async #askOptional<T>(operation: Operation<T>, asking: Asking): Promise<Answer<T> | undefined> {
    const { clock } = this.account
    if (clock.monotonic() < (this.#lackedUntil.get(operation.name) ?? 0)) return undefined
    try {
      return await this.account.ask(operation, { ...asking, panel: this.settings })
    } catch (thrown) {
      const lacking: ErrorCode[] = ['NOT_FOUND', 'NOT_ALLOWED']
      if (!(thrown instanceof KeyholderError) || !lacking.includes(thrown.code)) throw thrown
      this.#lackedUntil.set(operation.name, clock.monotonic() + hour)
      return undefined
    }
  }

  /** The same for what only describes the panel: no failure of it keeps the state from being read. */
  async #askDescribing<T>(operation: Operation<T>, asking: Asking): Promise<T | undefined> {
    try {
      return (await this.#askOptional(operation, asking))?.value
    } catch {
      this.#lackedUntil.set(operation.name, this.account.clock.monotonic() + minute)
      return undefined
    }
  }

  /**
   * Finds the panel in the account's list: its alias, and an early word where the serial is wrong, before a wrong
   * serial is sent to the sign-in. A service without such a list is taken at the user's word.
   */
  async #identify(asking: Asking): Promise<void> {
    const { serial } = this.settings
    const list = (maxAge: number) => this.#askDescribing(operations.panels, { ...asking, maxAge })
    const isOurs = ({ panel_serial }: { panel_serial: string }) => panel_serial === serial
    let panels = await list(day)
    if (panels && panels.length > 0 && !panels.some(isOurs)) panels = await list(10 * minute)
    if (panels === undefined || panels.length === 0) return
    const own = panels.find(isOurs)
    if (own === undefined) {
      const known = panels.map(({ panel_serial, alias }) =>
        alias ? `${panel_serial} (${alias})` : panel_serial,
      )
      throw new KeyholderError(
        'BAD_SETTING',
        `serial: the account has no panel "${serial}". It has: ${known.slice(0, 10).join(', ')}.`,
      )
    }
    this.#alias = own.alias
  }

  async #readState(asking: Asking): Promise<News<StateView>> {
    const { clock, settings } = this.account
    await this.#identify(asking)
    const info = (await this.#askDescribing(operations.panelInfo, { ...asking, maxAge: hour })) ?? null
    // Together, because an alarm shows in the one and the arming it belongs to in the other.
    const [status, alarms] = await Promise.all([
      this.#askOptional(operations.status, asking),
      this.#askOptional(operations.alarms, asking),
    ])
    const goodFor = 3 * this.settings.stateEvery
    const told =
      status === undefined
        ? await this.#inferState(asking, info)
        : {
            view: stateView(status.value, alarms?.value ?? [], info, settings.timeZone),
            fetchedAt: status.fetchedAt,
            at: status.at,
          }
    this.#online = told.view.online ?? this.#online
    const values = JSON.stringify(told.view.partitions.map(({ id, value }) => [id, value]))
    if (this.#lastValues !== '' && this.#lastValues !== values) {
      this.#livelyUntil = clock.monotonic() + lively.lasts
    }
    this.#lastValues = values
    return { ...told, goodFor }
  }

  /** For services without an operation for the current state (field fact). */
  async #inferState(asking: Asking, info: PanelInfo | null) {
    const { value, fetchedAt, at } = await this.account.ask(operations.events, {
      ...asking,
      panel: this.settings,
    })
    const catalogue = await this.#catalogue.read(asking)
    return {
      view: inferredState(chronological(value), catalogue, info, this.account.settings.timeZone),
      fetchedAt,
      at,
    }
  }

  async #readDevices(asking: Asking): Promise<News<readonly Device[]>> {
    await this.#identify(asking)
    const devices = await this.account.ask(operations.devices, { ...asking, panel: this.settings })
    // An offline panel still serves its last devices (field fact): only the status tells old from new.
    const status = await this.#askOptional(operations.status, {
      ...asking,
      maxAge: this.settings.stateEvery,
    }).catch(() => undefined)
    if (status !== undefined) {
      this.#online = stateView(status.value, [], null, 'UTC').online ?? this.#online
    }
    const { value, fetchedAt, at } = devices
    return { view: this.#memory.recall(value), fetchedAt, at, goodFor: 3 * this.settings.devicesEvery }
  }

  async #readEvents(asking: Asking): Promise<News<EventList>> {
    await this.#identify(asking)
    const { value, fetchedAt, at } = await this.account.ask(operations.events, {
      ...asking,
      panel: this.settings,
    })
    const catalogue = await this.#catalogue.read(asking)
    const news = {
      view: { events: value, catalogue },
      fetchedAt,
      at,
      goodFor: 3 * this.settings.eventsEvery,
    }
    await this.stream.accept(value, news)
    return news
  }
}
