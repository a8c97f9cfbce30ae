import { minute } from '../../duration.ts'
import type { Catalogue } from '../../service/catalogue/catalogue.ts'
import { alarmsIn, type Incident, isConfirmed, isKnownWith } from './incident.ts'
import { withEvent } from './incident-limits.ts'
import { isEndedByList, isTail, viewOf } from './incident-view.ts'
import { pairEvents } from './pairing.ts'
import {
  areOfOnePlace,
  byTime,
  isMove,
  latestMoves,
  roleOf,
  type StoryEvent,
  shareAPartition,
} from './story-event.ts'

/** Milliseconds before the first alarm of an incident in which an alarm that becomes known late may have begun it. */
export const maxLead = 30 * minute

/** Returns true if an alarm belongs to an incident. */
export function isPartOf(
  alarm: StoryEvent,
  incident: Incident,
  loose: readonly StoryEvent[],
  catalogue: Catalogue,
  now: number,
): boolean {
  const { kind, since, until } = viewOf(incident, catalogue, now)
  if (!alarmsIn(incident, catalogue).some((event) => shareAPartition(event, alarm))) return false
  if (until !== null && becameKnownLongAfter(alarm, incident.events)) return false
  if (until === null && isReportOf(alarm, incident, catalogue)) return true
  // A threat lasts for a day, and disarms at once: what comes after it is another alarm.
  const isAnother = kind === 'duress' && roleOf(alarm, catalogue).ending?.incident !== 'duress'
  if (alarm.time >= since) return isAnother ? alarm.time === since : lasts(alarm, incident, catalogue, now)
  const wasDisarmed = loose.some(
    (event) =>
      event.time >= alarm.time &&
      event.time < since &&
      roleOf(event, catalogue).isDisarm &&
      shareAPartition(event, alarm),
  )
  return since - alarm.time <= maxLead && !wasDisarmed
}

/**
 * Returns true for the first report of an alarm that was known without an event. The state has no time of the panel, whose clock
 * may be wrong, so it counts when they became known. An entry of the list names its zone.
 */
function isReportOf(alarm: StoryEvent, incident: Incident, catalogue: Catalogue): boolean {
  if (isConfirmed(incident, catalogue) || alarm.readAt === null || alarm.isPast) return false
  if (!incident.events.some(({ sign, zone }) => sign === 'state' || (sign !== null && zone === alarm.zone)))
    return false
  // The list and the state show no threat.
  if (roleOf(alarm, catalogue).ending?.incident === 'duress') return false
  return !becameKnownLongAfter(alarm, incident.events)
}

/**
 * Adds the loose events that belong to an incident.
 * @param others incidents that may have a better claim to a restore
 * @param mayFollow returns false for a disarm after the end that belongs to another incident
 */
export function absorb(
  incident: Incident,
  loose: readonly StoryEvent[],
  others: readonly Incident[],
  catalogue: Catalogue,
  now: number,
  mayFollow: (event: StoryEvent) => boolean = () => true,
): Incident {
  const alarms = alarmsIn(incident, catalogue)
  const [first] = alarms
  if (first === undefined) return incident
  const isShared = (event: StoryEvent) => alarms.some((alarm) => shareAPartition(alarm, event))
  const moves = loose.filter((event) => isMove(event, catalogue) && isShared(event))
  const before = latestMoves([...incident.before, ...moves].filter((event) => byTime(event, first) < 0))
  let grown: Incident = { ...incident, before }
  for (const event of loose) {
    if (byTime(event, first) < 0 || grown.events.some(({ key }) => key === event.key)) continue
    if (becameKnownLongBefore(event, alarms)) continue
    const { isRestore } = roleOf(event, catalogue)
    const belongs = isRestore
      ? restoresAnAlarm(event, alarms, grown.events, catalogue, now) &&
        !others.some((other) => other !== incident && hasAlarmAfter(other, grown, event, catalogue, now))
      : isShared(event) &&
        (lasts(event, grown, catalogue, now) || (mayFollow(event) && follows(event, grown, catalogue, now)))
    if (belongs) grown = withEvent(grown, event, catalogue)
  }
  const isSame = grown.events === incident.events && before.length === incident.before.length
  return isSame && before.every(({ key }, at) => key === incident.before[at]?.key) ? incident : grown
}

/** Returns true if an event is the first restore of one of the alarms. */
function restoresAnAlarm(
  event: StoryEvent,
  alarms: readonly StoryEvent[],
  events: readonly StoryEvent[],
  catalogue: Catalogue,
  now: number,
): boolean {
  const earlier = alarms.filter((alarm) => byTime(alarm, event) < 0 && isPlaceOf(alarm, event))
  if (earlier.length === 0) return false
  const restores = events.filter((other) => roleOf(other, catalogue).isRestore)
  const pairs = pairEvents([...earlier, ...restores, event], catalogue, now)
  return pairs.some(({ end }) => end?.key === event.key)
}

/**
 * Returns true if an event happened while an incident lasted.
 *
 * The list of alarms has ended it at a time of this machine, and the events have times of the panel. So what became known
 * after the list happened after the end, unless it is earlier than an event that the list knew, or comes soon.
 */
function lasts(event: StoryEvent, incident: Incident, catalogue: Catalogue, now: number): boolean {
  const { until } = viewOf(incident, catalogue, now)
  const { unlisted, events } = incident
  if (until === null) return true
  if (unlisted === null || !isEndedByList(incident, catalogue, now)) return event.time <= until
  return (
    isKnownWith(unlisted, event) ||
    events.some(({ order, time }) => order <= unlisted.order && event.time <= time)
  )
}

/** Returns true for a disarm right after the end of an incident; after a list that has ended it, `lasts` tells that. */
function follows(event: StoryEvent, incident: Incident, catalogue: Catalogue, now: number): boolean {
  if (event.readAt !== null && isEndedByList(incident, catalogue, now)) return false
  return isTail(event, viewOf(incident, catalogue, now).until, catalogue)
}

/**
 * Returns true if all other events were known long before one: whatever the times say, it did not happen among them. The
 * panel's clock was put back.
 */
function becameKnownLongAfter({ readAt }: StoryEvent, others: readonly StoryEvent[]): boolean {
  const latest = Math.max(...others.map((other) => other.readAt ?? Number.POSITIVE_INFINITY))
  return readAt !== null && readAt - latest > maxLead
}

/** Returns true if an event was known long before all of the alarms: whatever the times say, it is not about them. */
function becameKnownLongBefore(event: StoryEvent, alarms: readonly StoryEvent[]): boolean {
  return alarms.every((alarm) => alarm.order > event.order && becameKnownLongAfter(alarm, [event]))
}

/** Returns true if an incident has an alarm after the end of another one that a restore ends. */
function hasAlarmAfter(
  incident: Incident,
  ended: Incident,
  restore: StoryEvent,
  catalogue: Catalogue,
  now: number,
): boolean {
  // The time of a list that has ended it tells nothing of the panel's: its own alarms do.
  const own = isEndedByList(ended, catalogue, now) ? alarmsIn(ended, catalogue) : undefined
  const isAfter = (alarm: StoryEvent) =>
    own ? own.every((one) => byTime(one, alarm) < 0) : !lasts(alarm, ended, catalogue, now)
  return alarmsIn(incident, catalogue).some(
    (alarm) => isAfter(alarm) && byTime(alarm, restore) < 0 && isPlaceOf(alarm, restore),
  )
}

/** Returns true if a restore can be that of an alarm, by its place. */
function isPlaceOf(alarm: StoryEvent, restore: StoryEvent): boolean {
  return areOfOnePlace(alarm, restore) && shareAPartition(alarm, restore)
}
