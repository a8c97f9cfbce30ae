import type { AlarmKind } from '../../service/catalogue/alarm-kind.ts'
import type { Catalogue } from '../../service/catalogue/catalogue.ts'
import type { EventEnding } from '../../service/catalogue/event-endings.ts'
import { alarmsIn, type Incident, type Unlisted } from './incident.ts'
import { isArmedAt } from './moves.ts'
import { type Pair, pairEvents } from './pairing.ts'
import { byTime, roleOf, type StoryEvent, shareAPartition } from './story-event.ts'

/** An alarm of an incident, with the times at which it was restored and over; null while it is not. */
export interface Alarm {
  readonly event: StoryEvent
  readonly kind: AlarmKind
  readonly restored: number | null
  readonly canBeRestored: boolean
  readonly overAt: number | null
}

/** The ending of an alarm of an unknown type. */
const unknownAlarm: EventEnding = { restores: [], incident: 'alarm' }

/**
 * Returns the alarms of an incident, each with the time at which it was over.
 *
 * An alarm is over with the first of these: a disarm or a cancellation in one of its partitions; its restore, unless one
 * of its partitions is armed then; the list of alarms, once it has shown the incident and no longer does; for types that
 * nothing of this ends, time.
 * @param now milliseconds since 1970
 */
export function alarmsOf(incident: Incident, catalogue: Catalogue, now: number): Alarm[] {
  const { events, before, unlisted } = incident
  const pairs = new Map(
    pairEvents(events, catalogue, now).map((pair): [StoryEvent, Pair] => [pair.start, pair]),
  )
  const moves = [...before, ...events]
  return alarmsIn(incident, catalogue).map((event) => {
    const { ending = unknownAlarm } = roleOf(event, catalogue)
    const kind = ending.incident ?? 'alarm'
    const restored = restoreOf(event, events, pairs, catalogue)
    const ends = [
      ending.after === undefined ? null : (pairs.get(event)?.endedAt ?? null),
      ending.after === undefined ? disarmAfter(event, events, catalogue) : null,
      restored === null || isArmedAt(restored, event, moves, catalogue) ? null : restored,
      // The list does not show a threat.
      unlisted !== null && kind !== 'duress' && isBefore(event, unlisted) ? unlisted.at : null,
    ].filter((at) => at !== null)
    const overAt = ends.length === 0 ? null : Math.max(event.time, Math.min(...ends))
    return { event, kind, restored, canBeRestored: ending.restores.length > 0, overAt }
  })
}

/** Returns true if an event was known, or had happened, when a list was read; the panel's clock may be ahead. */
function isBefore({ time, order }: StoryEvent, unlisted: Unlisted): boolean {
  return time <= unlisted.at || order <= unlisted.order
}

/** Returns the time of the restore of an alarm, also one that comes after a disarm; null if there is none. */
function restoreOf(
  event: StoryEvent,
  events: readonly StoryEvent[],
  pairs: ReadonlyMap<StoryEvent, Pair>,
  catalogue: Catalogue,
): number | null {
  const end = pairs.get(event)?.end
  if (!end) return null
  if (roleOf(end, catalogue).isRestore) return end.time
  const named = roleOf(event, catalogue).ending?.restores ?? []
  const later = events.find(
    (other) =>
      byTime(event, other) < 0 &&
      other.zone === event.zone &&
      other.typeId !== null &&
      named.includes(other.typeId),
  )
  return later?.time ?? null
}

function disarmAfter(event: StoryEvent, events: readonly StoryEvent[], catalogue: Catalogue): number | null {
  const disarm = events.find(
    (other) => byTime(event, other) < 0 && roleOf(other, catalogue).isDisarm && shareAPartition(event, other),
  )
  return disarm?.time ?? null
}
