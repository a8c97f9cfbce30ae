import { minute } from '../../duration.ts'
import { alarmKindOf, isDuress } from '../../service/catalogue/alarm-kind.ts'
import { type Catalogue, groupName } from '../../service/catalogue/catalogue.ts'
import { eventTime, type PanelEvent } from '../../service/responses/events.ts'
import { concerns } from '../../service/responses/status.ts'
import { hash } from '../events/event-order.ts'
import type { PartitionState, StateView } from './partition-state.ts'

/** Types of events about a panel that cannot be reached. 991, 993 and 995 are about one of its modules. */
export const panelOffline: ReadonlySet<number> = new Set([998, 1000])

/**
 * Returns true if the newest event about the panel's connection says online; null if there is no such event.
 *
 * A module that went offline says nothing, because the panel has others; one that is back reaches the panel.
 */
export function lastSeenOnline(events: readonly PanelEvent[], catalogue: Catalogue): boolean | null {
  let isOnline: boolean | null = null
  for (const { type_id } of events) {
    if (type_id === null) continue
    if (panelOffline.has(type_id)) isOnline = false
    else if (groupName(catalogue.get(type_id)?.group ?? '') === 'online') isOnline = true
  }
  return isOnline
}

/**
 * The meaning of an event for a partition: a state that it entered, an alarm that began, or canceled alarms.
 */
export type Evidence = 'AWAY' | 'HOME' | 'DISARM' | 'ALARM' | 'CANCEL' | null

// Type ids of the catalogue (interface specification 6.3; 41 and 85 to 96 are field facts). A label decides
// nothing: `BURGLER` is on alarms and on their restores, and `ARM` on a failure to arm.
const evidenceByType: ReadonlyMap<number, Evidence> = new Map([
  [85, 'HOME'], // Arm Home
  [87, 'HOME'], // Quick Arm Home
  [86, 'AWAY'], // Arm Away
  [88, 'AWAY'], // Quick Arm Away
  [93, 'AWAY'], // Force Arm Away: armed although a zone was open
  [94, 'AWAY'], // Auto Arm Away
  [95, 'AWAY'], // Auto Arm Away, under its other Contact ID
  [96, 'AWAY'], // Instant Away: armed without entry delay
  [41, 'DISARM'],
  [89, 'DISARM'],
  [173, 'DISARM'], // Disarm after alarm, filed among the restores
  [31, 'CANCEL'], // Cancel Alarm: says nothing about arming, so the state from before the alarm applies again
])

/** The types of armings although the panel was not ready. */
const forcedTypes: ReadonlySet<number | null> = new Set([93])

/**
 * Returns the meaning of an event for arming, by its type id first, then by its group.
 *
 * Every alarm of the group EP_ALARM puts the partition in alarm, also one of a type that only the service's own
 * catalogue has. Gas and water do not: no disarm would end that. Duress gives no evidence: a person who threatens the
 * user must not be able to read it.
 */
export function evidenceOf({ type_id }: PanelEvent, catalogue: Catalogue): Evidence {
  if (type_id === null) return null
  const evidence = evidenceByType.get(type_id)
  if (evidence !== undefined) return evidence
  const type = catalogue.get(type_id)
  const isAlarm = type !== undefined && alarmKindOf(type) !== null && !isDuress(type)
  return isAlarm && groupName(type.group) === 'alarm' ? 'ALARM' : null
}

/** Returns true for an alarm that the panel's list of alarms shows: it puts its partitions in alarm, and is not about a device. */
export function isOfList(event: PanelEvent, catalogue: Catalogue): boolean {
  const type = catalogue.get(event.type_id ?? Number.NaN)
  return evidenceOf(event, catalogue) === 'ALARM' && type !== undefined && alarmKindOf(type) !== 'tamper'
}

/** The state of a partition at the last look. */
interface Look {
  value: string
  /** The time of the request, in milliseconds of the monotonic clock. */
  sentAt: number
  /** The time of the latest request whose answer had another state. */
  otherAt: number
  /** The latest state that an event about arming and disarming leads to. */
  settled: string
  /** The changes of the last minutes that such events lead to, oldest first, up to the state. */
  changes: readonly Change[]
}

/** A change of a partition that an event about arming and disarming leads to. */
interface Change {
  isDisarm: boolean
  /** The time of the latest request before it, in milliseconds of the monotonic clock. */
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
  /** True for an arming although the panel was not ready: it leaves out what is open. */
  isForced: boolean
  at: string | null
  /** Its hash. */
  key: number
  /** The time of the first request whose answer had it, in milliseconds of the monotonic clock. */
  knownSince: number
  /** The same of those of its kind that came in the last minutes before it, earliest first. */
  earlier: readonly number[]
}

/** Milliseconds within which the event of an earlier change may still come. */
const maxEventDelay = 10 * minute

/** The changes without an event from which a panel is taken for one that reports none. */
const enoughUnreported = 3

/** The number of events of a kind that came together of which each is noted: there are not as many changes in those minutes. */
const maxEventsTogether = 50

/** Milliseconds between a cancellation, or the disarm of a person, and the disarming that the panel reports for it. */
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

  /** The number of changes since the latest new event, and the time of the request whose answer had the latest. */
  #unreported = 0
  #changedAt = Number.NEGATIVE_INFINITY
  #areReported: boolean | null = null

  /** @param timeZone the zone of the times in the events */
  constructor(timeZone: string) {
    this.#timeZone = timeZone
  }

  /**
   * False if three changes in a row had no event: the installer chooses which groups of events the panel reports (makers' guides).
   * True if the latest one had its event; null while neither is known.
   */
  get areReported(): boolean | null {
    return this.#areReported
  }

  /** Notes a list of events, oldest first. */
  noteEvents(list: readonly PanelEvent[], catalogue: Catalogue, sentAt: number): void {
    if (sentAt < this.#known.sentAt) return
    const listed = new Map<string, { event: PanelEvent; evidence: Evidence; key: number; keys: number[] }>()
    for (const event of list) {
      const evidence = evidenceOf(event, catalogue)
      if (evidence === null || evidence === 'ALARM') continue
      // After an alarm, the panel reports again that somebody has disarmed.
      const isOfPanel = event.device_type === 'CONTROL_PANEL'
      const kind = `${evidence} ${isOfPanel} ${event.partitions.join()}`
      const keys = listed.get(kind)?.keys ?? []
      const key = hash(event)
      keys.push(key)
      listed.delete(kind)
      listed.set(kind, { event, evidence, key, keys })
    }
    let hasKnown = false
    let hasNew = false
    let isShort = false
    const events = [...listed].map(([kind, { event, evidence, key, keys }]): ArmingEvent => {
      const { appointment: name, device_type, partitions } = event
      const isOfPanel = device_type === 'CONTROL_PANEL'
      const before = this.#newest.get(kind)
      const at = eventTime(event, this.#timeZone)
      const known = before === undefined ? -1 : keys.lastIndexOf(before.key)
      // The newest of a thin list may be an old one.
      const isThin = before !== undefined && known === -1 && (before.at ?? '') > (at ?? '')
      if (isThin) {
        isShort = true
        return before
      }
      const isKnown = before?.key === key
      const knownSince = isKnown ? before.knownSince : sentAt
      const passed = before === undefined ? [] : [...before.earlier, before.knownSince]
      const recent = passed.filter((time) => sentAt - time < maxEventDelay)
      const together = keys
        .slice(known + 1, -1)
        .slice(-maxEventsTogether)
        .fill(sentAt)
      const earlier = isKnown ? before.earlier : recent.concat(together)
      const told = { evidence, partitions, name, isOfPanel, isForced: forcedTypes.has(event.type_id), at }
      const newest = { ...told, key, knownSince, earlier }
      this.#newest.set(kind, newest)
      hasKnown ||= known !== -1
      // The first list, and what an incomplete one lacked, may be old. A canceled alarm is reported among the alarms.
      if (!isKnown && hasKnown && evidence !== 'CANCEL') hasNew = true
      return newest
    })
    if (hasNew) {
      this.#unreported = 0
      this.#areReported = true
    } else if (this.#unreported >= enoughUnreported && sentAt - this.#changedAt >= maxEventDelay)
      this.#areReported = false
    // An event that the list lacks has no place in it but that of its time.
    const byTime = (one: ArmingEvent, other: ArmingEvent) => (one.at ?? '').localeCompare(other.at ?? '')
    this.#known = { events: isShort ? events.sort(byTime) : events, sentAt }
  }

  /** Returns a state with who caused it. @param sentAt the time of the request for it */
  withNames(view: StateView, sentAt: number): StateView {
    const partitions = view.partitions.map((partition) => {
      const change = this.#changeTo(partition, this.#follow(partition, sentAt))
      if (change === null) return { ...partition, changedBy: null }
      const { name, at, isForced } = change
      return { ...partition, changedBy: { name, at }, ...(isForced && { isForced }) }
    })
    return { ...view, partitions }
  }

  /** Returns the latest look at a partition. */
  #follow({ id, value }: PartitionState, sentAt: number): Look {
    const before = this.#looks.get(id)
    if (before !== undefined && before.sentAt > sentAt) return before
    const look = before === undefined ? firstLook(value, sentAt) : nextLook(before, value, sentAt)
    this.#looks.set(id, look)
    if (before !== undefined && look.changes !== before.changes) {
      this.#unreported += 1
      this.#changedAt = sentAt
    }
    return look
  }

  /**
   * Returns the newest arming or disarming of a partition, if it leads to its state and was not known before, and if no
   * earlier change waits for it.
   */
  #changeTo(
    { id, value }: PartitionState,
    { otherAt, changes }: Look,
  ): Pick<ArmingEvent, 'name' | 'at' | 'isForced'> | null {
    let change: ArmingEvent | undefined
    let ended: ArmingEvent | undefined
    let name = ''
    for (const event of this.#known.events) {
      const { evidence, partitions } = event
      if (!concerns(partitions, id)) continue
      if (evidence === 'CANCEL') {
        ended = event
        // Events of one second can be listed in any order.
        if (change?.isOfPanel && change.at === event.at && isReportOf(event, change))
          name = event.name || name
      }
      if (!isSettled(evidence)) continue
      change = event
      // After an alarm, the event that cancels it has the name, and that of the disarming none or the panel's. Of an alarm that
      // is too old to be canceled, a disarm of the person has it, and that of the panel follows.
      const endedBy = ended !== undefined && isReportOf(ended, event) ? ended.name : ''
      name = event.isOfPanel ? endedBy || event.name : event.name || endedBy
      ended = evidence === 'DISARM' && !event.isOfPanel ? event : undefined
    }
    if (change === undefined || change.knownSince <= otherAt) return null
    const leadsTo = change.evidence === value || isArmedAfter(value, change.evidence ?? '')
    if (!leadsTo || this.#isAwaited(id, change, changes)) return null
    return { name, at: change.at, isForced: change.isForced }
  }

  /** Returns true if an event came late, and is that of an earlier change of a partition. */
  #isAwaited(id: number, { evidence, knownSince }: ArmingEvent, changes: readonly Change[]): boolean {
    const isDisarm = evidence === 'DISARM'
    const left = this.#known.events
      .filter((one) => isSettled(one.evidence) && (one.evidence === 'DISARM') === isDisarm)
      .filter(({ partitions }) => concerns(partitions, id))
      .flatMap((one) => [...one.earlier, one.knownSince])
      .sort((one, other) => one - other)
    for (const [index, change] of changes.slice(0, -1).entries()) {
      if (change.isDisarm !== isDisarm) continue
      // An event may be known before the state shows it.
      const since = changes[index - 1]?.otherAt ?? change.otherAt
      const at = left.findIndex((time) => time > since)
      if (at !== -1) left.splice(at, 1)
    }
    return !left.includes(knownSince)
  }
}

function firstLook(value: string, sentAt: number): Look {
  return { value, sentAt, otherAt: Number.NEGATIVE_INFINITY, settled: value, changes: [] }
}

function nextLook(before: Look, value: string, sentAt: number): Look {
  const isSame = before.value === value || isArmedAfter(before.value, value)
  const otherAt = isSame ? before.otherAt : before.sentAt
  const settled = value === 'ARMING' || isSettled(value) ? value : before.settled
  // An alarm that times out leads back to the armed state without an event.
  const isBack = value !== 'DISARM' && (before.settled === settled || isArmedAfter(before.settled, settled))
  if (isSame || isBack) return { ...before, value, sentAt, otherAt, settled }
  const recent = before.changes.filter((one) => sentAt - one.otherAt < maxEventDelay)
  return { value, sentAt, otherAt, settled, changes: [...recent, { isDisarm: value === 'DISARM', otherAt }] }
}

/** Returns true for the states that events about arming and disarming lead to. */
function isSettled(value: string | null): boolean {
  return value === 'AWAY' || value === 'HOME' || value === 'DISARM'
}

/** Returns true if a disarming is reported for a cancellation, or by the panel for the disarm of a person. */
function isReportOf(ended: ArmingEvent, { evidence, isOfPanel, at }: ArmingEvent): boolean {
  if (evidence !== 'DISARM' || (ended.evidence !== 'CANCEL' && !isOfPanel)) return false
  return Math.abs(Date.parse(at ?? '') - Date.parse(ended.at ?? '')) <= maxCancelLead
}

/** Returns true for the state that an exit delay leads to. */
function isArmedAfter(before: string, after: string): boolean {
  return before === 'ARMING' && (after === 'AWAY' || after === 'HOME')
}
