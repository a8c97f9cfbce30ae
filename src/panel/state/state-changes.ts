import { minute, second } from '../../duration.ts'
import type { Catalogue } from '../../service/catalogue/catalogue.ts'
import { eventTime, type PanelEvent } from '../../service/responses/events.ts'
import { concerns } from '../../service/responses/status.ts'
import { hash } from '../events/event-order.ts'
import { type PaceFacts, type PaceSituation, situationOf } from '../polling/pace.ts'
import { type Evidence, evidenceOf } from './inferred-state.ts'
import type { ChangedBy, PartitionState, StateView } from './partition-state.ts'

/** The state of a partition at the last look. */
interface Look {
  value: string
  /** The time of the request, in milliseconds of the monotonic clock. */
  sentAt: number
  /** The time of the latest request whose answer had another state. */
  otherAt: number
}

/** An event about arming and disarming. It keeps what is needed of it, because a list can be long. */
interface ArmingEvent {
  evidence: Evidence
  /** Empty means the whole panel. */
  partitions: readonly number[]
  name: string
  /** True if it names the panel itself, which acts for a person. */
  isOfPanel: boolean
  at: string | null
  /** Its hash. */
  key: number
  /** The time of the first request whose answer had it, in milliseconds of the monotonic clock. */
  knownSince: number
}

/** Milliseconds between a cancellation and the disarming that belongs to it. */
const maxCancelLead = minute

/** The events about arming and disarming that are known. */
interface KnownEvents {
  /** Oldest first; for the same partitions only the newest of each kind. */
  events: readonly ArmingEvent[]
  /** The time of the request for them, in milliseconds of the monotonic clock. */
  sentAt: number
}

/**
 * Finds the events of the changes of state, in the lists that are read anyway.
 *
 * An event that was known before the last answer with the state before tells nothing about the change, however late
 * the list is.
 */
export class StateChanges {
  readonly #timeZone: string
  readonly #looks = new Map<number, Look>()
  #known: KnownEvents = { events: [], sentAt: Number.NEGATIVE_INFINITY }
  /** The newest event of each kind, also if the latest list lacks it. */
  readonly #newest = new Map<string, ArmingEvent>()

  /** @param timeZone the zone of the times in the events */
  constructor(timeZone: string) {
    this.#timeZone = timeZone
  }

  /** Notes a list of events, oldest first. */
  noteEvents(list: readonly PanelEvent[], catalogue: Catalogue, sentAt: number): void {
    if (sentAt < this.#known.sentAt) return
    const listed = new Map<string, { event: PanelEvent; evidence: Evidence; keys: Set<number> }>()
    for (const event of list) {
      const evidence = evidenceOf(event, catalogue)
      if (evidence === null || evidence === 'ALARM') continue
      const kind = `${evidence} ${event.partitions.join()}`
      const keys = listed.get(kind)?.keys ?? new Set()
      listed.delete(kind)
      listed.set(kind, { event, evidence, keys: keys.add(hash(event)) })
    }
    const events = [...listed].map(([kind, { event, evidence, keys }]): ArmingEvent => {
      const { appointment: name, device_type, partitions } = event
      const isOfPanel = device_type === 'CONTROL_PANEL'
      const before = this.#newest.get(kind)
      const [key, at] = [hash(event), eventTime(event, this.#timeZone)]
      // The newest of a thin list may be an old one.
      const isThin = before !== undefined && !keys.has(before.key) && (before.at ?? '') > (at ?? '')
      const isKnown = isThin || before?.key === key
      const knownSince = isKnown ? before.knownSince : sentAt
      const newest = { evidence, partitions, name, isOfPanel, at, key, knownSince }
      if (!isThin) this.#newest.set(kind, newest)
      return newest
    })
    this.#known = { events, sentAt }
  }

  /** Returns a state with who caused it. @param sentAt the time of the request for it */
  withNames(view: StateView, sentAt: number): StateView {
    const partitions = view.partitions.map((partition) => {
      const otherAt = this.#follow(partition, sentAt)
      const changedBy = this.#changeTo(partition, otherAt)
      return { ...partition, changedBy }
    })
    return { ...view, partitions }
  }

  /** Returns the time of the latest request whose answer had another state. */
  #follow({ id, value }: PartitionState, sentAt: number): number {
    const before = this.#looks.get(id)
    if (before !== undefined && before.sentAt > sentAt) return before.otherAt
    const isSame = before === undefined || before.value === value || isArmedAfter(before.value, value)
    const otherAt = isSame ? (before?.otherAt ?? Number.NEGATIVE_INFINITY) : before.sentAt
    this.#looks.set(id, { value, sentAt, otherAt })
    return otherAt
  }

  /**
   * Returns the newest arming or disarming of a partition, if it leads to its state and was not known before.
   * @param otherAt the time of the latest request whose answer had another state
   */
  #changeTo({ id, value }: PartitionState, otherAt: number): ChangedBy | null {
    let change: ArmingEvent | undefined
    let canceled: ArmingEvent | undefined
    let name = ''
    for (const event of this.#known.events) {
      const { evidence, partitions } = event
      if (!concerns(partitions, id)) continue
      if (evidence === 'CANCEL') canceled = event
      if (evidence !== 'AWAY' && evidence !== 'HOME' && evidence !== 'DISARM') continue
      change = event
      // After an alarm, the event that cancels it has the name, and that of the disarming none or the panel's.
      const isOfCancel = evidence === 'DISARM' && canceled !== undefined && areClose(canceled, event)
      const canceledBy = isOfCancel ? (canceled?.name ?? '') : ''
      name = event.isOfPanel ? canceledBy || event.name : event.name || canceledBy
      canceled = undefined
    }
    if (change === undefined || change.knownSince <= otherAt) return null
    const leadsTo = change.evidence === value || isArmedAfter(value, change.evidence ?? '')
    return leadsTo ? { name, at: change.at } : null
  }
}

function areClose({ at: canceledAt }: ArmingEvent, { at: disarmedAt }: ArmingEvent): boolean {
  return Math.abs(Date.parse(disarmedAt ?? '') - Date.parse(canceledAt ?? '')) <= maxCancelLead
}

/** Returns true for the state that an exit delay leads to. */
function isArmedAfter(before: string, after: string): boolean {
  return before === 'ARMING' && (after === 'AWAY' || after === 'HOME')
}

/**
 * Milliseconds within which an announced change shows if it shows at all, and in which a doubt makes the polls more
 * frequent: a panel that is out of reach can end none. A delay can exceed its length by as much.
 */
const maxDuration = minute

/** The states of a partition in which people are at home although it is armed. */
const armedAtHome: readonly string[] = ['HOME', 'NIGHT']

/** The states that are not armed. During an alarm and a delay, that alone decides the pace. */
const unarmed: readonly string[] = ['DISARM', 'PROGRAMMING', 'ENTRY_DELAY', 'ARMING', 'ALARM']

/** The part of a state with which the next one is compared. */
interface SeenPartition {
  value: string
  ready: boolean | null
  alarms: string
}

/**
 * Notes what goes on in a panel, so that it is polled as often as is worthwhile.
 *
 * It changes during an exit or entry delay, and from the announcement of a change until one is seen: a command may be
 * done before the service shows it. Both end after a limit. Times are milliseconds of the monotonic clock, passed in.
 */
export class StateActivity {
  /** True if the panel has nothing but its mobile transport. */
  isMobileOnly = false
  #awaitedUntil = Number.NEGATIVE_INFINITY
  #delayedUntil = Number.NEGATIVE_INFINITY
  #alarmAt = Number.NEGATIVE_INFINITY
  #changedAt = Number.NEGATIVE_INFINITY
  /** The time since when something is in doubt. */
  #doubtedSince: number | undefined
  #delay: PaceFacts['delay'] = null
  #armed: PaceFacts['armed'] = null
  #latest: Readonly<Record<number, SeenPartition>> | undefined

  /** Notes that the state is about to change. */
  expectChange(now: number): void {
    this.#awaitedUntil = now + maxDuration
  }

  /** Notes that nobody can tell if something is over, until `endDoubt`, and for a minute at most. */
  noteDoubt(now: number): void {
    this.#doubtedSince ??= now
  }

  /** Notes that two answers agree. */
  endDoubt(): void {
    this.#doubtedSince = undefined
  }

  /** Notes that events or devices have shown a change, such as an alarm. */
  noteChange(now: number, isAlarm = false): void {
    this.#changedAt = now
    if (isAlarm) this.#alarmAt = now
  }

  /**
   * Processes the current state. Returns what differs from the state before: a value, which is returned, the alarms, or a
   * readiness; null if nothing does, and for the first one.
   */
  noteState(partitions: readonly PartitionState[], now: number): string | null {
    let [hasEntry, hasExit, hasAlarm, isArmed, isAway, longest] = [false, false, false, false, false, 0]
    // One loop: this is done for each poll.
    for (const { value, status, exitDelay } of partitions) {
      hasEntry ||= value === 'ENTRY_DELAY'
      hasExit ||= status === 'EXIT'
      hasAlarm ||= value === 'ALARM'
      isArmed ||= !unarmed.includes(value)
      isAway ||= !unarmed.includes(value) && !armedAtHome.includes(value)
      longest = Math.max(longest, exitDelay ?? 0)
    }
    const { value, other } = this.#changeTo(partitions)
    if (value !== null || this.#delayedUntil === Number.NEGATIVE_INFINITY)
      this.#delayedUntil = now + second * longest + maxDuration
    if (value !== null) this.#awaitedUntil = Number.NEGATIVE_INFINITY
    this.#delay = hasEntry ? 'entry' : hasExit ? 'exit' : null
    this.#armed = isAway ? 'away' : isArmed ? 'home' : null
    if (hasAlarm || (hasEntry && now < this.#delayedUntil)) this.#alarmAt = now
    const change = value ?? other
    if (change !== null) this.#changedAt = now
    return change
  }

  /** Notes the partitions, and returns the new value of one, and what else differs. */
  #changeTo(partitions: readonly PartitionState[]): { value: string | null; other: string | null } {
    const before = this.#latest
    const latest: Record<number, SeenPartition> = {}
    let newValue: string | null = null
    let other: string | null = null
    for (const { id, value, ready, alarms } of partitions) {
      const look = { value, ready, alarms: JSON.stringify(alarms) }
      const known = before?.[id]
      latest[id] = look
      if (before === undefined) continue
      if (known?.value !== value) newValue ??= value
      else if (known.alarms !== look.alarms) other = 'alarms'
      else if (known.ready !== ready) other ??= 'ready'
    }
    this.#latest = latest
    return { value: newValue, other }
  }

  /** Returns the situation that decides the pace. @param isOnline false if the service does not reach the panel */
  situation(now: number, isOnline: boolean): PaceSituation {
    const facts: PaceFacts = {
      delay: now < this.#delayedUntil ? this.#delay : null,
      armed: this.#armed,
      alarmAt: this.#alarmAt,
      awaitedUntil: this.#awaitedUntil,
      doubtedUntil: (this.#doubtedSince ?? Number.NEGATIVE_INFINITY) + maxDuration,
      changedAt: this.#changedAt,
      isRemote: !isOnline || this.isMobileOnly,
    }
    return situationOf(facts, now)
  }
}
