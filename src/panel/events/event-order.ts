import { minute } from '../../duration.ts'
import { eventTime, type PanelEvent } from '../../service/responses/events.ts'

/**
 * Returns the event's id, if it is valid: the service also sends 0, null and nothing, which are not ids
 * (field fact).
 */
export function usableId({ event }: PanelEvent): number | null {
  return event !== null && event > 0 ? event : null
}

/** Returns true if there is an event and its id is valid. */
export function hasId(event: PanelEvent | undefined): boolean {
  return event !== undefined && usableId(event) !== null
}

/**
 * Returns the text that identifies an event; it never changes for the same event.
 *
 * An id is not enough, because a panel that was reset counts from 1 again; so type and time are added.
 * Without an id, the text contains everything that the panel itself reported. Label, description and zone
 * name are left out, because they are in the user's language, which can change (field fact). Equal events of
 * the same second without ids have equal fingerprints.
 */
function fingerprint(serial: string, event: PanelEvent): string {
  const id = usableId(event)
  return id === null
    ? `${serial}--${event.type_id}-${event.datetime}-${event.zone}-${event.device_type}-${event.appointment}`
    : `${serial}-${id}-${event.type_id}-${event.datetime}`
}

/**
 * Returns the `eventKey` of the public contract: the fingerprint, and a number (`#2` and up) for every
 * further event with the same fingerprint, so that the keys differ.
 */
export function eventKey(serial: string, event: PanelEvent, occurrence: number): string {
  const text = fingerprint(serial, event)
  return occurrence === 1 ? text : `${text}#${occurrence}`
}

/**
 * Returns the fingerprint within one panel as a number of 53 bits, to store and compare long lists.
 *
 * It is written to disk, so its value for an event must never change. Two different events among 1,000 have
 * the same hash on one of ten billion panels.
 * @param datetime the time of the event in another form
 */
export function hash(event: PanelEvent, datetime = event.datetime): number {
  const { type_id: type, zone, device_type: device, appointment: actor } = event
  const id = usableId(event)
  // No array for each event: lists are long, and nearly always known.
  const one = id ?? 0
  const two = id === null ? (type ?? -1) : Math.floor(id / 2 ** 32)
  const three = (id === null ? zone : type) ?? -1
  let high = mixed(mixed(mixed(highFactor, one, highFactor), two, highFactor), three, highFactor)
  let low = mixed(mixed(mixed(lowFactor, one, lowFactor), two, lowFactor), three, lowFactor)
  const textCount = id === null ? 3 : 1
  for (let nth = 0; nth < textCount; nth += 1) {
    const text = nth === 0 ? datetime : nth === 1 ? device : actor
    for (let at = 0; at < text.length; at += 1) {
      const letter = text.charCodeAt(at)
      high = mixed(high, letter, highFactor)
      low = mixed(low, letter, lowFactor)
    }
    // The end of each text, which distinguishes `ab`, `c` from `a`, `bc`.
    high = mixed(high, 0, highFactor)
    low = mixed(low, 0, lowFactor)
  }
  return (high >>> 0) * 2 ** 21 + (low >>> 11)
}

const highFactor = 0x9e3779b1
const lowFactor = 0x85ebca77

/**
 * Mixes a value into a hash. The multiplication carries only upward; the rotation moves the high bits down
 * again.
 */
function mixed(hash: number, value: number, factor: number): number {
  const product = Math.imul(hash ^ value, factor)
  return (product << 13) | (product >>> 19)
}

/** The possible orders of a service's list; `none` if neither direction prevails. */
export const sortOrders = ['oldest first', 'newest first', 'none'] as const

/** One of the orders. */
export type SortOrder = (typeof sortOrders)[number]

/**
 * The weight of an earlier order, in pairs of neighbors: enough to decide a short list, too little for a long
 * one.
 */
const weightOfHabit = 5

/**
 * The factor by which one direction must prevail, counted in pairs. A reset, a clock step or a late event
 * reverses only a pair or two.
 */
const majority = 3

/** A list, oldest first. */
export interface SortedList {
  /** A new list or the same one. */
  events: readonly PanelEvent[]
  /** The order in which the service sent it. */
  order: SortOrder
}

/** Returns the list oldest first, as a new list or the same one. */
export function chronological(list: readonly PanelEvent[]): readonly PanelEvent[] {
  return sortList(list).events
}

/**
 * Sorts the service's list, whose order is not specified (interface specification 2.12 names none).
 *
 * For the order, the ids and times of neighbors are compared. If the two disagree, after a reset or a clock step,
 * they cancel out. `habit` is the order of an earlier list of the same panel, for lists that do not show a clear
 * order.
 *
 * Ids decide if all events have one and the times agree. If they disagree, a list that has an order keeps it,
 * because neither ids nor times can be trusted to rise. A list without an order is sorted by id, or by time
 * if an id is missing.
 */
export function sortList(list: readonly PanelEvent[], habit: SortOrder = 'none'): SortedList {
  let rising = 0
  let falling = 0
  let disagreeing = 0
  let earlier: PanelEvent | undefined
  for (const event of list) {
    const byId = earlier === undefined ? 0 : riseById(earlier, event)
    const byTime = earlier === undefined ? 0 : riseByTime(earlier, event)
    if (byId + byTime > 0) rising += 1
    if (byId + byTime < 0) falling += 1
    if (byId * byTime < 0) disagreeing += 1
    earlier = event
  }
  const order = orderOf(rising, falling, habit)
  const events = order === 'newest first' ? list.toReversed() : list
  const against = order === 'newest first' ? rising : falling
  // So it is with nearly all lists.
  const isSorted = order !== 'none' && against === 0 && disagreeing === 0
  if (isSorted) return { events, order }
  if (list.every((event) => usableId(event) !== null)) {
    const byId = sorted(events, riseById)
    if (order === 'none' || isRising(byId, riseByTime)) return { events: byId, order }
  }
  return { events: order === 'none' ? sorted(list, riseByTime) : events, order }
}

/** Returns the order of a list in which this many pairs of neighbors rise and fall. */
function orderOf(rising: number, falling: number, habit: SortOrder): SortOrder {
  const up = rising + (habit === 'oldest first' ? weightOfHabit : 0)
  const down = falling + (habit === 'newest first' ? weightOfHabit : 0)
  if (up > 0 && up >= majority * down) return 'oldest first'
  if (down > 0 && down >= majority * up) return 'newest first'
  return 'none'
}

/** Returns true if the id or the time of an event says that it is younger than another one. */
export function isYounger(event: PanelEvent, than: PanelEvent): boolean {
  return riseById(than, event) > 0 || riseByTime(than, event) > 0
}

/** Compares two events: above 0 if the latter one has the greater id, or the later time. */
type Rise = (earlier: PanelEvent, later: PanelEvent) => number

/** Returns the list in rising order; the same one if it rises already, as it nearly always does. */
function sorted(list: readonly PanelEvent[], rise: Rise): readonly PanelEvent[] {
  return isRising(list, rise) ? list : list.toSorted((one, other) => rise(other, one))
}

function isRising(list: readonly PanelEvent[], rise: Rise): boolean {
  return list.every((event, at) => rise(list[at - 1] ?? event, event) >= 0)
}

function riseById(earlier: PanelEvent, later: PanelEvent): number {
  const from = usableId(earlier)
  const to = usableId(later)
  return from === null || to === null ? 0 : Math.sign(to - from)
}

/** Compares times as text, which works because all have the form `YYYY-MM-DD HH:MM:SS`. */
function riseByTime({ datetime: from }: PanelEvent, { datetime: to }: PanelEvent): number {
  return from < to ? 1 : from > to ? -1 : 0
}

/** Milliseconds by which an event that the panel reports late goes back against the one before it in the list. */
const maxDisorder = 5 * minute

/**
 * Returns a list in which the events of the hour that the clocks repeat in autumn have their own time each, as a new list
 * or the same one: services write local times without an offset.
 *
 * The order of the list tells the passes apart. A time that goes back far against the event before it is of the second
 * pass, unless it would still go back. A list in which no time goes back shows only one of the passes: the first is meant.
 * @param timeZone the zone of the times in the events
 */
export function withRepeatedHour(list: readonly PanelEvent[], timeZone: string): readonly PanelEvent[] {
  const sorted = chronological(list)
  let isInOrder = true
  let before = ''
  for (const { datetime } of sorted) {
    isInOrder &&= datetime >= before
    before = datetime
  }
  // So it is with nearly all lists.
  if (isInOrder) return list
  const repeated = new Map<PanelEvent, PanelEvent>()
  let latest = Number.NEGATIVE_INFINITY
  for (const event of sorted) {
    const first = Date.parse(eventTime(event, timeZone) ?? '')
    if (Number.isNaN(first)) continue
    const again: PanelEvent = { ...event, isRepeatedTime: true }
    const isBack = first < latest - maxDisorder
    const second = isBack ? Date.parse(eventTime(again, timeZone) ?? '') : first
    const isSecond = second !== first && second >= latest - maxDisorder
    if (isSecond) repeated.set(event, again)
    latest = isSecond ? second : first
  }
  return repeated.size === 0 ? list : list.map((event) => repeated.get(event) ?? event)
}
