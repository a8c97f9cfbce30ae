import type { Account } from '../../account/account.ts'
import type { Answer } from '../../account/answer.ts'
import type { ReadOptions } from '../../account/requests/request.ts'
import { minute, second } from '../../duration.ts'
import type { Catalogue } from '../../service/catalogue/catalogue.ts'
import { operations } from '../../service/operations.ts'
import type { PanelEvent } from '../../service/responses/events.ts'
import type { PanelInfo } from '../../service/responses/panel-info.ts'
import type { PanelStatus } from '../../service/responses/status.ts'
import type { EventCatalogue } from '../catalogue/event-catalogue.ts'
import { chronological, withRepeatedHour } from '../events/event-order.ts'
import type { PanelClient } from '../panel-client.ts'
import { type Snapshot, snapshot, validPolls } from '../snapshot.ts'
import { ExitDelays } from './exit-delay.ts'
import { inferredState, keepKnownStates, withInferredAlarms } from './inferred-state.ts'
import { KnownEvents, KnownState } from './known-state.ts'
import { exitDelayOf, requirePartitions, type StateView, stateView } from './partition-state.ts'
import { StateChanges } from './state-changes.ts'
import { StateTransition } from './state-transition.ts'

/** Milliseconds for which a doubt makes the polls more frequent: a panel that is out of reach can end none. */
const maxDoubt = minute

/** Milliseconds between polls while the state changes, or is in doubt. */
const transitionInterval = 5 * second

/**
 * Reads the state of a panel, with whatever operations its service has, and determines how often to poll it.
 */
export class StateReader {
  readonly #account: Account
  readonly #panelClient: PanelClient
  readonly #catalogue: EventCatalogue
  readonly #every: number
  readonly #exitDelays = new ExitDelays()
  readonly #transition = new StateTransition()
  readonly #changes: StateChanges
  readonly #known: KnownState
  readonly #knownEvents = new KnownEvents()
  /** The time since when something is in doubt, in milliseconds of the monotonic clock. */
  #doubtedSince: number | undefined
  #inferred: StateView | undefined
  /** Outline of the status for which the alarms were last fetched; empty during an alarm. */
  #alarmsOutline = ''

  /** @param every milliseconds between polls while nothing changes */
  constructor(account: Account, panelClient: PanelClient, catalogue: EventCatalogue, every: number) {
    this.#account = account
    this.#panelClient = panelClient
    this.#catalogue = catalogue
    this.#every = every
    this.#changes = new StateChanges(account.settings.timeZone)
    this.#known = new KnownState(validPolls * every)
  }

  /** Current milliseconds between polls. */
  get interval(): number {
    return this.#isChanging || this.#isInDoubt ? Math.min(this.#every, transitionInterval) : this.#every
  }

  /** Notes that the state is about to change. */
  expectChange(): void {
    const now = this.#account.clock.monotonic()
    this.#exitDelays.expectChange(now)
    this.#transition.expectChange(now)
  }

  /** Notes that nobody can tell if something is over, until two answers agree on the alarms. */
  noteDoubt(): void {
    this.#doubtedSince ??= this.#account.clock.monotonic()
  }

  /**
   * Returns the current state.
   * @throws KeyholderError
   */
  async readState(options: ReadOptions): Promise<Snapshot<StateView>> {
    await this.#panelClient.identify(options)
    const recently = { ...options, maxAge: this.#panelClient.descriptionAge }
    const info = (await this.#panelClient.requestDescription(operations.panelInfo, recently))?.value ?? null
    await this.#panelClient.readLimits(options)
    // Status and alarms in one read, because an alarm shows in one and the arming that it belongs to in the
    // other.
    const status = await this.#panelClient.requestIfSupported(operations.status, options)
    const read = status === undefined ? this.infer(options, info) : this.#readAlarms(status, options, info)
    const state = await read
    // No state can be requested of a panel that can be set only at the panel itself.
    if (!this.#panelClient.limits.setsState)
      for (const partition of state.view.partitions) partition.settable = []
    this.#transition.noteState(state.view.partitions, this.#account.clock.monotonic())
    return { ...state, view: this.#changes.withNames(state.view, state.sentAt) }
  }

  /** Notes a list of events that was read for somebody else: it may tell who changed the state. */
  noteEvents({ value, sentAt }: Answer<readonly PanelEvent[]>, catalogue: Catalogue): void {
    this.#changes.noteEvents(this.#chronological(value), catalogue, sentAt)
  }

  /**
   * Returns the state inferred from events, for services without an operation for it (field fact).
   * @throws KeyholderError
   */
  async infer(options: ReadOptions, info: PanelInfo | null): Promise<Snapshot<StateView>> {
    const list = await this.#panelClient.request(operations.events, options)
    const inferred = await this.#inferState(list, options, info)
    this.#inferred = keepKnownStates(inferred, this.#inferred)
    return snapshot(list, this.#inferred, this.#every)
  }

  /** True for a minute while the latest answers lack something that may be there: the next answer decides. */
  get #isInDoubt(): boolean {
    return this.#account.clock.monotonic() < (this.#doubtedSince ?? Number.NEGATIVE_INFINITY) + maxDoubt
  }

  get #isChanging(): boolean {
    return this.#transition.isUnderWay(this.#account.clock.monotonic())
  }

  async #readAlarms(
    answer: Answer<PanelStatus>,
    options: ReadOptions,
    info: PanelInfo | null,
  ): Promise<Snapshot<StateView>> {
    requirePartitions(answer.value)
    const known = this.#known
    const status = known.noteStatus(answer)
    const exits = this.#exitDelays.follow(status.partitions, (id) => exitDelayOf(info, id), answer.sentAt)
    const forAlarms = this.#mayReuseAlarms(status, options) ? { ...options, maxAge: this.#every } : options
    const list = await this.#panelClient.requestIfSupported(operations.alarms, forAlarms)
    const alarms = list === undefined ? [] : known.noteAlarms(list, status)
    if (known.isInDoubt) this.noteDoubt()
    else if (known.hasAllAlarms) this.#doubtedSince = undefined
    const { online } = status
    const { hasAllPartitions, hasAllAlarms } = known
    const reported = {
      ...stateView(status, alarms, info, this.#account.settings.timeZone, exits, known.heldAlarms),
      ...{ online, hasAllPartitions, ...(list !== undefined && { hasAllAlarms }) },
    }
    const view = list === undefined ? await this.#withAlarmsOfEvents(reported, forAlarms, info) : reported
    const isAlarm = view.partitions.some(({ value }) => value === 'ALARM')
    this.#alarmsOutline = isAlarm || known.isInDoubt ? '' : outline(status)
    return snapshot(answer, view, this.#every)
  }

  /**
   * Returns true if alarms as old as the usual polling interval are good enough: while the state is polled
   * often and shows neither a change nor an alarm that may end. This saves half of the requests for other
   * uses.
   */
  #mayReuseAlarms(status: PanelStatus, { lane }: ReadOptions): boolean {
    return lane === 'poll' && this.#isChanging && outline(status) === this.#alarmsOutline
  }

  /**
   * Adds the alarms of the events, for services that report the state but no alarms, such as the installers'
   * (field fact).
   */
  async #withAlarmsOfEvents(
    reported: StateView,
    options: ReadOptions,
    info: PanelInfo | null,
  ): Promise<StateView> {
    const list = await this.#panelClient.requestIfSupported(operations.events, options)
    if (list === undefined) return reported
    const disarmed = reported.partitions.filter(({ value }) => value === 'DISARM').map(({ id }) => id)
    return withInferredAlarms(reported, await this.#inferState(list, options, info, new Set(disarmed)))
  }

  async #inferState(
    list: Answer<readonly PanelEvent[]>,
    options: ReadOptions,
    info: PanelInfo | null,
    disarmed?: ReadonlySet<number>,
  ): Promise<StateView> {
    const catalogue = await this.#catalogue.read(options)
    this.noteEvents(list, catalogue)
    const { timeZone } = this.#account.settings
    const events = this.#knownEvents.note(this.#chronological(list.value), list, validPolls * this.#every)
    return inferredState(events, catalogue, info, timeZone, disarmed)
  }

  #chronological(list: readonly PanelEvent[]): readonly PanelEvent[] {
    return chronological(withRepeatedHour(list, this.#account.settings.timeZone))
  }
}

/** Returns a text that is the same as long as no partition changes. */
function outline({ partitions }: PanelStatus): string {
  return JSON.stringify(partitions.map(({ id, state, status }) => [id, state, status]))
}
