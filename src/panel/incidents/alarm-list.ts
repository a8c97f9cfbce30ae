import type { Catalogue } from '../../service/catalogue/catalogue.ts'
import { wholePanel } from '../../service/responses/status.ts'
import type { ActiveAlarm } from '../state/partition-state.ts'
import { maxLead } from './belonging.ts'
import { alarmsIn, type Incident } from './incident.ts'
import type { IncidentBook } from './incident-book.ts'
import { viewOf } from './incident-view.ts'
import { type StoryEvent, shareAPartition } from './story-event.ts'

/** The alarms that the panel lists. */
export interface AlarmList {
  readonly alarms: readonly ActiveAlarm[]
  /** True once two answers agree: there is no other one. Before, an alarm that is not listed may last. */
  readonly isWhole: boolean
}

/**
 * Returns the book after the panel's list of alarms was read.
 * @param list undefined if the panel has no list of its own
 */
export function withAlarms(
  book: IncidentBook,
  list: AlarmList | undefined,
  catalogue: Catalogue,
  readAt: number,
): IncidentBook {
  const incidents = book.incidents.map((incident): Incident => {
    const { since, until } = viewOf({ ...incident, isListed: false }, catalogue, readAt)
    const own = (list?.alarms ?? []).filter((alarm) =>
      isAbout(alarm, alarmsIn(incident, catalogue), since, until),
    )
    if (own.some(({ inMemory }) => !inMemory)) {
      return incident.isListed && incident.unlisted === null
        ? incident
        : { ...incident, wasListed: true, isListed: true, unlisted: null }
    }
    const wasListed = incident.wasListed || own.length > 0
    if (list?.isWhole === false)
      return wasListed === incident.wasListed ? incident : { ...incident, wasListed }
    const ends = list !== undefined && wasListed && incident.unlisted === null
    if (!incident.isListed && !ends) return incident
    const order = Math.max(...incident.events.map((event) => event.order))
    return {
      ...incident,
      wasListed,
      isListed: false,
      unlisted: ends ? { at: readAt, order } : incident.unlisted,
    }
  })
  const isSame = incidents.every((incident, at) => incident === book.incidents[at])
  return isSame ? book : { ...book, incidents }
}

/**
 * Returns true if an entry of the panel's list is about one of the alarms of an incident, and not about one that became
 * known before it or follows it. A past alarm, which is only in memory, must have been since its begin.
 */
function isAbout(
  { zone, partitions, time, inMemory }: ActiveAlarm,
  alarms: readonly StoryEvent[],
  since: number,
  until: number | null,
): boolean {
  const place = { partitions: partitions.includes(wholePanel) ? [] : partitions }
  const at = time === null ? null : Date.parse(time)
  const isThen =
    at === null
      ? until === null && !inMemory
      : at >= (until === null && !inMemory ? since - maxLead : since) && (until === null || at <= until)
  return isThen && alarms.some((alarm) => alarm.zone === (zone ?? 0) && shareAPartition(alarm, place))
}
