import type { PanelEvent } from '../service/events.ts'
import { usableId } from './event-key.ts'

/** How a service keeps its list; `none` where neither direction prevails. */
export const orders = ['oldest first', 'newest first', 'none'] as const

/** One of the orders. */
export type Order = (typeof orders)[number]

/** What an order seen before counts for, in pairs of neighbours: enough for a short list, too little for a long one. */
const weightOfHabit = 5

/** How many times more pairs must go one way than the other; a reset, a clock step or a late event turns a pair or two. */
const majority = 3

/**
 * The order in which the service keeps this list (interface specification 2.12 names none).
 *
 * Neighbours are asked whose id and whose time is greater; where the two disagree, after a reset or a step of the
 * clock, they cancel out. `habit` is the order of an earlier list of the same panel, for lists that say little.
 */
export function orderOf(list: readonly PanelEvent[], habit: Order = 'none'): Order {
  let rising = habit === 'oldest first' ? weightOfHabit : 0
  let falling = habit === 'newest first' ? weightOfHabit : 0
  let former: PanelEvent | undefined
  for (const event of list) {
    const rise = former === undefined ? 0 : riseById(former, event) + riseByTime(former, event)
    if (rise > 0) rising += 1
    if (rise < 0) falling += 1
    former = event
  }
  if (rising > 0 && rising >= majority * falling) return 'oldest first'
  if (falling > 0 && falling >= majority * rising) return 'newest first'
  return 'none'
}

/**
 * The list oldest first, as a list of its own or the same.
 *
 * Ids tell the truth where all events have one and times agree. Where they do not, a list that has an order keeps it,
 * since neither ids nor times can be trusted to rise; one that has none is sorted by id, or by time where an id lacks.
 */
export function chronological(
  list: readonly PanelEvent[],
  order: Order = orderOf(list),
): readonly PanelEvent[] {
  const arranged = order === 'newest first' ? list.toReversed() : list
  if (list.every((event) => usableId(event) !== null)) {
    const byId = sorted(arranged, riseById)
    if (order === 'none' || isRising(byId, riseByTime)) return byId
  }
  return order === 'none' ? sorted(list, riseByTime) : arranged
}

/** Above 0 where the latter event has the greater id, or the later time. */
type Rise = (former: PanelEvent, latter: PanelEvent) => number

/** The list so that it rises; the same one where it does already, as it nearly always does. */
function sorted(list: readonly PanelEvent[], rise: Rise): readonly PanelEvent[] {
  return isRising(list, rise) ? list : list.toSorted((one, other) => rise(other, one))
}

function isRising(list: readonly PanelEvent[], rise: Rise): boolean {
  return list.every((event, at) => rise(list[at - 1] ?? event, event) >= 0)
}

function riseById(former: PanelEvent, latter: PanelEvent): number {
  const from = usableId(former)
  const to = usableId(latter)
  return from === null || to === null ? 0 : Math.sign(to - from)
}

/** Times of one form, `YYYY-MM-DD HH:MM:SS`, compare as text. */
function riseByTime({ datetime: from }: PanelEvent, { datetime: to }: PanelEvent): number {
  return from === to ? 0 : from < to ? 1 : -1
}
