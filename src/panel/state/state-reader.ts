import type { Account } from '../../account/account.ts'
import type { Answer } from '../../account/answer.ts'
import type { ReadOptions } from '../../account/requests/request.ts'
import { ClockEpochs, within } from '../../clock.ts'
import { second } from '../../duration.ts'
import { KeyholderError } from '../../service/error.ts'
import { operations } from '../../service/operations.ts'
import { isInMemory, type PanelAlarm } from '../../service/responses/alarms.ts'
import type { PanelInfo } from '../../service/responses/panel-info.ts'
import type { PanelStatus } from '../../service/responses/status.ts'
import type { EventCatalogue } from '../events/event-catalogue.ts'
import type { PanelClient } from '../panel-client.ts'
import { StateActivity } from '../polling/pace.ts'
import type { PollTimes } from '../polling/poll-times.ts'
import { type Snapshot, snapshot, validFor } from '../snapshot.ts'
import { type AlarmEvidence, type ShownArming, shownArmings } from './alarm-evidence.ts'
import { EventState } from './event-state.ts'
import { withInferredAlarms } from './inferred-state.ts'
import { ExitDelays, KnownState, type KnownStatus } from './known-state.ts'
import {
  exitDelayOf,
  requirePartitions,
  type StateView,
  stateView,
  unknownTransports,
} from './partition-state.ts'
import { StateChanges } from './state-changes.ts'

/** Milliseconds for which an alarm waits for the setup of the panel, and the first state for its limits. */
const maxDescriptionDelay = second

/** A state that was read, and what differs from the one before; null if nothing does. */
interface ReadState {
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
  readonly #exitDelays = new ExitDelays()
  /** The activity in the state, as far as it decides the pace. */
  readonly activity = new StateActivity()
  /** The events that tell who changed the state; lists that were read for somebody else are noted there. */
  readonly changes: StateChanges
  readonly #known = new KnownState()
  readonly #events: EventState
  /** The partitions that the latest answers show armed, unless the panel reports its armings. */
  armings: readonly ShownArming[] = []
  readonly #epochs: ClockEpochs
  /** Outline of the latest status. */
  #statusOutline: string | undefined
  /** Outline of the status for which the alarms were last fetched; empty during an alarm. */
  #alarmsOutline = ''
  /** The partitions that were in alarm in the latest state. */
  #alarmed: readonly number[] = []
  /** The status that was requested last, of those that were answered. */
  #latestStatus: Answer<PanelStatus> | undefined
  /** The time of the request for the latest status of which a view was made. */
  #statusSentAt = Number.NEGATIVE_INFINITY
  /** False for a service without a list of alarms: each state is that of a new status, and of the events. */
  #hasList = true
  /** The time of the latest announcement of a change. */
  #announcedAt = Number.NEGATIVE_INFINITY

  /** True once a read has waited for the setup of the panel. */
  #isDescribed = false
  #endFirst = () => {}
  /** Resolves when the first read has status and alarms, or has failed. */
  readonly first = new Promise<void>((resolve) => {
    this.#endFirst = resolve
  })
  /** True once a read has begun. */
  hasBegun = false

  /** @param times of the polls; they are told each answer */
  constructor(account: Account, panelClient: PanelClient, catalogue: EventCatalogue, times: PollTimes) {
    this.#account = account
    this.#panelClient = panelClient
    this.#catalogue = catalogue
    this.#times = times
    this.changes = new StateChanges(account.settings.timeZone)
    this.#events = new EventState(account, this.changes)
    this.#epochs = new ClockEpochs(account.clock)
  }

  /** Notes that the state is about to change. */
  expectChange(): void {
    this.#announcedAt = this.#account.clock.monotonic()
    this.activity.expectChange(this.#announcedAt)
  }

  /** Notes that nobody can tell if something is over, until two answers agree on the alarms. */
  noteDoubt(): void {
    this.activity.noteDoubt(this.#account.clock.monotonic())
  }

  /**
   * Returns the current state.
   * @throws KeyholderError
   */
  async readState(options: ReadOptions): Promise<ReadState> {
    this.hasBegun = true
    let state: Snapshot<StateView>
    try {
      await this.#panelClient.identify(options)
      const due = this.#times.dueOfState()
      // Nobody waits for the present state, and no other process reads it.
      const isPoll = options.lane === 'poll' && options.share?.as !== 'follow'
      const status = await this.#requestStatus(options, !isPoll || due.state || !this.#hasList)
      state =
        status === undefined
          ? await this.infer(options, await this.#describe(options))
          : await this.#readAlarms(status, options, isPoll && !due.alarms)
    } finally {
      this.#endFirst()
    }
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
    return { ...state, view: this.changes.withNames(state.view, this.#statusSentAt) }
  }

  /**
   * Returns the state inferred from events, for services without an operation for it (field fact).
   * @throws KeyholderError
   */
  async infer(options: ReadOptions, info: PanelInfo | null): Promise<Snapshot<StateView>> {
    const list = await this.#panelClient.request(operations.events, options)
    const catalogue = await this.#catalogue.read(options)
    const validMs = validFor(this.#times.every('state'))
    const view = this.#events.infer(list, validMs, catalogue, info)
    this.#times.noteAnswer('state', list)
    this.#times.noteAnswer('alarms', list)
    this.#statusSentAt = list.sentAt
    return snapshot(list, view, this.#times.every('state', this.#times.pace.targetsOfMinute))
  }

  /**
   * Returns the setup of the panel; null while it is not known. It is read after what says if anybody is in danger, together
   * with the limits of the panel, of which most panels have none.
   * @param isAlarm true if not even the setup is worth a long wait
   */
  async #describe(options: ReadOptions, isAlarm = false): Promise<PanelInfo | null> {
    this.#endFirst()
    const client = this.#panelClient
    const setup = client.requestDescription(operations.panelInfo, {
      ...options,
      maxAge: client.descriptionAge,
    })
    const both = Promise.all([setup, client.readLimits(options)])
    if (this.#isDescribed && !isAlarm) return (await both)[0]?.value ?? null
    // What nobody waits for any more fails only if the caller has left.
    const soon = within(
      this.#account.clock,
      maxDescriptionDelay,
      both.catch(() => {}),
    )
    await (isAlarm ? soon : Promise.all([setup, soon]))
    this.#isDescribed = true
    return client.descriptionOf(operations.panelInfo) ?? null
  }

  async #requestStatus(options: ReadOptions, isDue = true): Promise<Answer<PanelStatus> | undefined> {
    // Who waits for the present state gives no age.
    const mayReuse = options.maxAge > 0 && !this.#times.pace.isConstant.state && !isDue
    const status = await this.#panelClient.requestIfSupported(
      operations.status,
      this.#optionsOf('state', options, mayReuse),
    )
    if (status === undefined) return undefined
    requirePartitions(status.value)
    this.#times.noteAnswer('state', status)
    if (this.#latestStatus === undefined || status.sentAt >= this.#latestStatus.sentAt)
      this.#latestStatus = status
    return status
  }

  /**
   * Returns the options of a request for the status or the alarms.
   * @param mayReuse true if the latest answer will do until the resource is due
   */
  #optionsOf(resource: 'state' | 'alarms', options: ReadOptions, mayReuse: boolean): ReadOptions {
    const times = this.#times
    const place = times.due(resource)
    // Somebody waits for what is not a poll.
    const due = options.lane === 'poll' ? place : { ...place, isSpare: false }
    if (!mayReuse) return { ...options, due }
    // At a constant pace, alarms as old as the interval are good enough while the state is polled more often.
    const { targets, isConstant } = times.pace
    const isFaster = targets.state < targets.alarms
    const maxAge = !isConstant[resource] ? 2 * times.every('state') : isFaster ? due.targetMs : 0
    return { ...options, due, maxAge: Math.max(options.maxAge, maxAge) }
  }

  /** @param mayReuse true if the latest list of alarms will do while the status stays the same */
  async #readAlarms(
    answer: Answer<PanelStatus>,
    options: ReadOptions,
    mayReuse: boolean,
  ): Promise<Snapshot<StateView>> {
    const known = this.#known
    const maxGap = validFor(this.#times.every('state'))
    const status = known.noteStatus(answer, maxGap)
    const before = this.#statusOutline
    const now = outline(status)
    this.#statusOutline = now
    const isChanged = before !== undefined && before !== now
    // What a change means must not wait behind polls of what has not changed.
    const atOnce = { ...options, maxAge: 0, ...(options.lane === 'poll' && { lane: 'urgent' as const }) }
    // An alarm that may end is looked at with each status.
    const isSame = now === this.#alarmsOutline
    const forAlarms = this.#optionsOf('alarms', isChanged ? atOnce : options, mayReuse && isSame)
    const list = await this.#panelClient
      .requestIfSupported(operations.alarms, forAlarms)
      .catch((thrown) => failureOf(thrown, options))
    if (list instanceof KeyholderError) return this.#readWithoutList(answer, status, options, list)
    this.#times.noteAnswer('alarms', list ?? answer)
    const isAlarm = list?.value.some((alarm) => !isInMemory(alarm))
    const info = await this.#describe(options, isAlarm)
    const { limits } = this.#panelClient
    // The first answers came before the panel has said that it does not offer them.
    if (!limits.readsState) return this.infer(options, info)
    const offered = limits.listsAlarms ? list : undefined
    const state = await this.#stateOf(answer, status, offered, forAlarms, info)
    const isLeftArmed = this.#alarmed.some((alarmed) =>
      state.view.partitions.some(
        ({ id, value }) => id === alarmed && value !== 'ALARM' && value !== 'DISARM',
      ),
    )
    const isLater = list !== undefined && answer.sentAt > list.sentAt
    if (!isLeftArmed || isLater || options.share?.as === 'follow') return state
    // The alarm may have ended with a disarming of which this status does not tell yet.
    const later = await this.#requestStatus({ ...options, maxAge: 0 })
    if (later === undefined) return state
    return this.#stateOf(later, known.noteStatus(later, maxGap), offered, forAlarms, info)
  }

  /**
   * Returns the state while the list of alarms cannot be read: the status of now, with the alarms that the list has shown and
   * those of the events.
   * @throws KeyholderError if the status cannot be read either
   */
  async #readWithoutList(
    known: Answer<PanelStatus>,
    status: KnownStatus,
    options: ReadOptions,
    failure: KeyholderError,
  ): Promise<Snapshot<StateView>> {
    const isNew = known.sentAt > this.#statusSentAt || options.share?.as === 'follow'
    const later = isNew ? undefined : await this.#requestStatus({ ...options, maxAge: 0 })
    const answer = later ?? known
    // Tried again when it is due.
    this.#times.noteAnswer('alarms', answer)
    const info = await this.#describe(options)
    const maxGap = validFor(this.#times.every('state'))
    const now = later === undefined ? status : this.#known.noteStatus(later, maxGap)
    return this.#stateOf(answer, now, failure, options, info)
  }

  /**
   * Returns the state that a status and a list of alarms tell. If the service has no list, or it cannot be read, the events
   * tell them.
   */
  async #stateOf(
    read: Answer<PanelStatus>,
    ofRead: KnownStatus,
    found: Answer<readonly PanelAlarm[]> | KeyholderError | undefined,
    options: ReadOptions,
    info: PanelInfo | null,
  ): Promise<Snapshot<StateView>> {
    const known = this.#known
    // Another read may have got a later one while this one waited for the alarms.
    const latest = this.#latestStatus ?? read
    const isOutdated = latest.sentAt > read.sentAt && options.share?.as !== 'follow'
    const answer = isOutdated ? latest : read
    const status = isOutdated ? known.noteStatus(latest, validFor(this.#times.every('state'))) : ofRead
    const failure = found instanceof KeyholderError ? found : undefined
    const list = found instanceof KeyholderError ? undefined : found
    const lengthOf = (id: number) => exitDelayOf(info, id)
    const exits = this.#exitDelays.follow(status.partitions, lengthOf, answer.sentAt, this.#announcedAt)
    const alarms =
      failure !== undefined
        ? known.keepAlarms(status)
        : list === undefined
          ? []
          : known.noteAlarms(list, status, validFor(this.#times.every('state')))
    if (known.isInDoubt) this.noteDoubt()
    else if (known.hasAllAlarms) this.activity.endDoubt()
    const { online } = status
    this.#hasList = found !== undefined
    const { hasAllPartitions, hasAllAlarms } = known
    const { clock } = this.#account
    const epoch = clock.wall() - clock.monotonic()
    const isReported = known.armings.size === 0 || this.changes.areReported === true
    this.armings = isReported ? [] : shownArmings(known.armings, epoch)
    const evidence: AlarmEvidence = {
      timeEnds: found === undefined && online !== false,
      isListLost: failure !== undefined,
      agreedAt: known.agreedAt,
      partitions: status.partitions,
      disarms: known.disarms,
      armings: this.armings,
      epoch,
      epochs: this.#epochs.look(),
    }
    const view: StateView = {
      ...stateView(status, alarms, info, this.#account.settings.timeZone, exits, known.heldAlarms),
      ...{ online, hasAllPartitions, ...(found !== undefined && { hasAllAlarms }) },
      // What the lists of before have agreed on says nothing of now.
      evidence: failure === undefined ? evidence : { ...evidence, agreedAt: undefined },
      ...(failure !== undefined && { isListLost: true }),
    }
    const isAlarm = inAlarm(view).length > 0
    this.#alarmsOutline = isAlarm || known.isInDoubt || failure !== undefined ? '' : outline(status)
    if (this.#alarmsOutline !== '') this.#times.separateAlarms()
    const isStatusKnown = answer.sentAt <= this.#statusSentAt
    this.#statusSentAt = Math.max(this.#statusSentAt, answer.sentAt)
    const state = snapshot(
      isStatusKnown ? (list ?? answer) : answer,
      view,
      this.#times.every('state', this.#times.pace.targetsOfMinute),
    )
    if (list !== undefined) return state
    const told = failure === undefined ? state : { ...state, failure }
    return this.#withAlarmsOfEvents(told, evidence, options, info)
  }

  /**
   * Adds the alarms of the events, for services that report the state but no alarms, such as the installers'
   * (field fact), and while the list of alarms cannot be read. If the events cannot be read either, it adds those that are
   * known.
   */
  async #withAlarmsOfEvents(
    reported: Snapshot<StateView>,
    evidence: AlarmEvidence,
    options: ReadOptions,
    info: PanelInfo | null,
  ): Promise<Snapshot<StateView>> {
    const list = await this.#panelClient
      .requestIfSupported(operations.events, options)
      .catch((thrown) => failureOf(thrown, options))
    if (list === undefined) return reported
    const { view } = reported
    const disarmed = view.partitions.filter(({ value }) => value === 'DISARM').map(({ id }) => id)
    const isFailure = list instanceof KeyholderError
    const listed = isFailure ? undefined : list
    const catalogue = await this.#catalogue.read(options)
    const validMs = validFor(this.#times.every('state'))
    const inferred = this.#events.stateOf(listed, validMs, catalogue, info, evidence, new Set(disarmed))
    const failure = reported.failure ?? (isFailure ? list : undefined)
    const told = { ...reported, view: withInferredAlarms(view, inferred) }
    return failure === undefined ? told : { ...told, failure }
  }
}

/**
 * Returns the error of a request: what another answer tells must not be lost with it.
 * @throws if the caller has left
 */
function failureOf(thrown: unknown, { signal }: ReadOptions): KeyholderError {
  if (signal.aborted || !(thrown instanceof KeyholderError)) throw thrown
  return thrown
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
