import { minute } from '../../duration.ts'
import { eventTime, type PanelEvent } from '../../service/responses/events.ts'
import { chronological } from './event-order.ts'

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
  // So it is with nearly all lists.
  if (sorted.every(({ datetime }, at) => datetime >= (sorted[at - 1]?.datetime ?? ''))) return list
  const repeated = new Map<PanelEvent, PanelEvent>()
  let latest = Number.NEGATIVE_INFINITY
  for (const event of sorted) {
    const again: PanelEvent = { ...event, isRepeatedTime: true }
    const first = Date.parse(eventTime(event, timeZone) ?? '')
    const second = Date.parse(eventTime(again, timeZone) ?? '')
    if (Number.isNaN(first)) continue
    const isSecond = first < latest - maxDisorder && second !== first && second >= latest - maxDisorder
    if (isSecond) repeated.set(event, again)
    latest = isSecond ? second : first
  }
  return repeated.size === 0 ? list : list.map((event) => repeated.get(event) ?? event)
}
