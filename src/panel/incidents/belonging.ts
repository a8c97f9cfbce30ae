import { minute } from '../../duration.ts'
import type { Catalogue } from '../../service/catalogue/catalogue.ts'
import { alarmsIn, type Incident } from './incident.ts'
import { withEvent } from './incident-limits.ts'
import { isTail, viewOf } from './incident-view.ts'
import { isMove, latestMoves } from './moves.ts'
import { pairEvents } from './pairing.ts'
import { areOfOnePlace, byTime, roleOf, type StoryEvent, shareAPartition } from './story-event.ts'

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
  const { since, until } = viewOf(incident, catalogue, now)
  if (!alarmsIn(incident, catalogue).some((event) => shareAPartition(event, alarm))) return false
  if (alarm.time >= since) return until === null || alarm.time <= until
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
    const { until } = viewOf(grown, catalogue, now)
    const lasts = until === null || event.time <= until
    const { isRestore } = roleOf(event, catalogue)
    const belongs = isRestore
      ? restoresAnAlarm(event, alarms, grown.events, catalogue, now) &&
        (lasts ||
          !others.some((other) => other !== incident && hasAlarmBetween(other, until, event, catalogue)))
      : isShared(event) && (lasts || (mayFollow(event) && isTail(event, until, catalogue)))
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

/** Returns true if an incident has an alarm after a time that a restore ends. */
function hasAlarmBetween(
  incident: Incident,
  from: number,
  restore: StoryEvent,
  catalogue: Catalogue,
): boolean {
  return alarmsIn(incident, catalogue).some(
    (alarm) => alarm.time > from && byTime(alarm, restore) < 0 && isPlaceOf(alarm, restore),
  )
}

/** Returns true if a restore can be that of an alarm, by its place. */
function isPlaceOf(alarm: StoryEvent, restore: StoryEvent): boolean {
  return areOfOnePlace(alarm, restore) && shareAPartition(alarm, restore)
}
