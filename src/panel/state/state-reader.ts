import type { Account } from '../../account/account.ts'
import type { Answer } from '../../account/answer.ts'
import type { ReadOptions } from '../../account/requests/request.ts'
import type { Catalogue } from '../../service/catalogue/catalogue.ts'
import { operations } from '../../service/operations.ts'
import type { PanelAlarm } from '../../service/responses/alarms.ts'
import type { PanelEvent } from '../../service/responses/events.ts'
import type { PanelInfo } from '../../service/responses/panel-info.ts'
import type { PanelStatus } from '../../service/responses/status.ts'
import type { EventCatalogue } from '../catalogue/event-catalogue.ts'
import { chronological, withRepeatedHour } from '../events/event-order.ts'
import type { PanelClient } from '../panel-client.ts'
import type { PollTimes } from '../polling/poll-times.ts'
import { type Snapshot, snapshot, validFor } from '../snapshot.ts'
import { inferredState, keepKnownStates, withInferredAlarms } from './inferred-state.ts'
import { ExitDelays, KnownEvents, KnownState } from './known-state.ts'
import {
  exitDelayOf,
  requirePartitions,
  type StateView,
  stateView,
  unknownTransports,
} from './partition-state.ts'
import { StateActivity, StateChanges } from './state-changes.ts'

/** A state that was read, and what differs from the one before; null if nothing does. */
export interface ReadState {
  state: Snapshot<StateView>
  change: string | null
}

/**
 * Reads the state of a panel, with whatever operations its service has.
 *
 * Status and alarms have times of their own: a poll reads what is due, and uses the latest answer of the other. No view
 * combines an alarm with a status of which an answer came later, or the other way round: alarms are read again after a
 * status that has changed, and the status after alarms that are over.
 */
export class StateReader {
  readonly #account: Account
  readonly #panelClient: PanelClient
  readonly #catalogue: EventCatalogue
  readonly #times: PollTimes
  readonly #every: () => number
  readonly #exitDelays = new ExitDelays()
  /** The activity in the state, as far as it decides the pace. */
  readonly activity = new StateActivity()
  readonly #changes: StateChanges
  readonly #known: KnownState
  readonly #knownEvents = new KnownEvents()
  #inferred: StateView | undefined
  /** Outline of the latest status. */
  #statusOutline: string | undefined
  /** Outline of the status for which the alarms were last fetched; empty during an alarm. */
  #alarmsOutline = ''
  /** The partitions that were in alarm in the latest state. */
  #alarmed: readonly number[] = []
  /** The time of the request for the latest status. */
  #statusSentAt = Number.NEGATIVE_INFINITY

  /**
   * @param times of the polls; they are told each answer
   * @param every returns the milliseconds between polls now
   */
  constructor(
    account: Account,
    panelClient: PanelClient,
    catalogue: EventCatalogue,
    times: PollTimes,
    every: () => number,
  ) {
    this.#account = account
    this.#panelClient = panelClient
    this.#catalogue = catalogue
    this.#times = times
    this.#every = every
    this.#changes = new StateChanges(account.settings.timeZone)
    this.#known = new KnownState(() => validFor(every()))
  }

  /** Notes that the state is about to change. */
  expectChange(): void {
    this.#exitDelays.expectChange(this.#now)
    this.activity.expectChange(this.#now)
  }

  /** Notes that nobody can tell if something is over, until two answers agree on the alarms. */
  noteDoubt(): void {
    this.activity.noteDoubt(this.#now)
  }

  /**
   * Returns the current state.
   * @throws KeyholderError
   */
  async readState(options: ReadOptions): Promise<ReadState> {
    await this.#panelClient.identify(options)
    const recently = { ...options, maxAge: this.#panelClient.descriptionAge }
    const info = (await this.#panelClient.requestDescription(operations.panelInfo, recently))?.value ?? null
    await this.#panelClient.readLimits(options)
    const due = this.#times.dueOfState()
    const status = await this.#requestStatus(options, due.state)
    const read =
      status === undefined ? this.infer(options, info) : this.#readAlarms(status, options, info, due.alarms)
    const state = await read
    // No state can be requested of a panel that can be set only at the panel itself.
    if (!this.#panelClient.limits.setsState)
      for (const partition of state.view.partitions) partition.settable = []
    const { transports = unknownTransports } = state.view
    this.activity.isMobileOnly = transports.mobile === true && transports.broadband !== true
    const change = this.activity.noteState(state.view.partitions, this.#account.clock.monotonic())
    this.#alarmed = inAlarm(state.view)
    return { state: this.withNames(state), change }
  }

  /** Returns a state that was just read with who caused it, as far as the events that were read tell. */
  withNames(state: Snapshot<StateView>): Snapshot<StateView> {
    return { ...state, view: this.#changes.withNames(state.view, this.#statusSentAt) }
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
    this.#times.noteAnswer('state', list)
    this.#times.noteAnswer('alarms', list)
    this.#statusSentAt = list.sentAt
    return snapshot(list, this.#inferred, this.#every())
  }

  get #now(): number {
    return this.#account.clock.monotonic()
  }

  async #requestStatus(options: ReadOptions, isDue = true): Promise<Answer<PanelStatus> | undefined> {
    // Who waits for the present state gives no age.
    const mayReuse = isPoll(options) && options.maxAge > 0 && this.#times.isPaced('state') && !isDue
    const status = await this.#panelClient.requestIfSupported(
      operations.status,
      this.#optionsOf('state', options, mayReuse),
    )
    if (status === undefined) return undefined
    requirePartitions(status.value)
    this.#times.noteAnswer('state', status)
    return status
  }

  /**
   * Returns the options of a request for the status or the alarms.
   * @param mayReuse true if the latest answer will do until the resource is due
   */
  #optionsOf(resource: 'state' | 'alarms', options: ReadOptions, mayReuse: boolean): ReadOptions {
    const times = this.#times
    const due = times.due(resource)
    if (!mayReuse) return { ...options, due }
    // At fixed intervals, alarms as old as the interval are good enough while the state is polled more often.
    const isFaster = times.target('state') < times.target('alarms')
    const maxAge = times.isPaced(resource) ? 2 * this.#every() : isFaster ? due.targetMs : 0
    return { ...options, due, maxAge: Math.max(options.maxAge, maxAge) }
  }

  async #readAlarms(
    answer: Answer<PanelStatus>,
    options: ReadOptions,
    info: PanelInfo | null,
    isDue: boolean,
  ): Promise<Snapshot<StateView>> {
    const known = this.#known
    const status = known.noteStatus(answer)
    const isChanged = this.#statusOutline !== undefined && this.#statusOutline !== outline(status)
    this.#statusOutline = outline(status)
    // An alarm that may end is looked at with each status.
    const mayReuse =
      isPoll(options) && outline(status) === this.#alarmsOutline && !(isDue && this.#times.isPaced('alarms'))
    // What a change means must not wait behind polls of what has not changed.
    const atOnce = { ...options, maxAge: 0, ...(options.lane === 'poll' && { lane: 'urgent' as const }) }
    const forAlarms = this.#optionsOf('alarms', isChanged ? atOnce : options, mayReuse)
    const list = await this.#panelClient.requestIfSupported(operations.alarms, forAlarms)
    this.#times.noteAnswer('alarms', list ?? answer)
    const stateAt = async (answer: Answer<PanelStatus>, status: ReturnType<KnownState['noteStatus']>) => {
      const state = this.#stateOf(answer, status, list, info)
      return list === undefined ? this.#withAlarmsOfEvents(state, forAlarms, info) : state
    }
    const state = await stateAt(answer, status)
    const isLeftArmed = state.view.partitions.some(
      ({ id, value }) => this.#alarmed.includes(id) && value !== 'ALARM' && value !== 'DISARM',
    )
    const isLater = list !== undefined && answer.sentAt > list.sentAt
    if (!isLeftArmed || isLater || options.share?.as === 'follow') return state
    // The alarm may have ended with a disarming of which this status does not tell yet.
    const later = await this.#requestStatus({ ...options, maxAge: 0 })
    return later === undefined ? state : stateAt(later, known.noteStatus(later))
  }

  /** Returns the state that a status and a list of alarms tell; without a list, the service has none. */
  #stateOf(
    answer: Answer<PanelStatus>,
    status: ReturnType<KnownState['noteStatus']>,
    list: Answer<readonly PanelAlarm[]> | undefined,
    info: PanelInfo | null,
  ): Snapshot<StateView> {
    const known = this.#known
    const exits = this.#exitDelays.follow(status.partitions, (id) => exitDelayOf(info, id), answer.sentAt)
    const alarms = list === undefined ? [] : known.noteAlarms(list, status)
    if (known.isInDoubt) this.noteDoubt()
    else if (known.hasAllAlarms) this.activity.endDoubt()
    const { online } = status
    const { hasAllPartitions, hasAllAlarms } = known
    const view = {
      ...stateView(status, alarms, info, this.#account.settings.timeZone, exits, known.heldAlarms),
      ...{ online, hasAllPartitions, ...(list !== undefined && { hasAllAlarms }) },
    }
    const isAlarm = inAlarm(view).length > 0
    this.#alarmsOutline = isAlarm || known.isInDoubt ? '' : outline(status)
    if (this.#alarmsOutline !== '') this.#times.separateAlarms()
    const isStatusKnown = answer.sentAt <= this.#statusSentAt
    this.#statusSentAt = Math.max(this.#statusSentAt, answer.sentAt)
    return snapshot(isStatusKnown ? (list ?? answer) : answer, view, this.#every())
  }

  /**
   * Adds the alarms of the events, for services that report the state but no alarms, such as the installers'
   * (field fact).
   */
  async #withAlarmsOfEvents(
    reported: Snapshot<StateView>,
    options: ReadOptions,
    info: PanelInfo | null,
  ): Promise<Snapshot<StateView>> {
    const list = await this.#panelClient.requestIfSupported(operations.events, options)
    if (list === undefined) return reported
    const { view } = reported
    const disarmed = view.partitions.filter(({ value }) => value === 'DISARM').map(({ id }) => id)
    const inferred = await this.#inferState(list, options, info, new Set(disarmed))
    return { ...reported, view: withInferredAlarms(view, inferred) }
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
    const events = this.#knownEvents.note(this.#chronological(list.value), list, validFor(this.#every()))
    return inferredState(events, catalogue, info, timeZone, disarmed)
  }

  #chronological(list: readonly PanelEvent[]): readonly PanelEvent[] {
    return chronological(withRepeatedHour(list, this.#account.settings.timeZone))
  }
}

/** Returns true for a request that nobody waits for, of a process that does not follow another one. */
function isPoll({ lane, share }: ReadOptions): boolean {
  return lane === 'poll' && share?.as !== 'follow'
}

/** Returns the ids of the partitions in alarm. */
function inAlarm({ partitions }: StateView): number[] {
  const ids: number[] = []
  for (const { id, value } of partitions) if (value === 'ALARM') ids.push(id)
  return ids
}

/** Returns a text that is the same as long as no partition changes: with an alarm, a zone is no longer ready. */
function outline({ partitions }: PanelStatus): string {
  return JSON.stringify(partitions.map(({ id, state, status, ready }) => [id, state, status, ready]))
}
