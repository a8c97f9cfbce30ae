import type { Catalogue } from '../../service/catalogue/catalogue.ts'
import { restoringCode } from '../../service/catalogue/event-endings.ts'
import { areOfOnePlace, byTime, roleOf, type StoryEvent, shareAPartition } from './story-event.ts'

/** Something that an event has started, and its end. */
export interface Pair {
  readonly start: StoryEvent
  /** The event that ended it; null if it is open, or if time ended it. */
  readonly end: StoryEvent | null
  /** Milliseconds since 1970; null while it is open. */
  readonly endedAt: number | null
}

/** A start that is open while the events are gone through. */
interface OpenStart {
  readonly start: StoryEvent
  /** Milliseconds since 1970 at which time ends it. */
  readonly expiresAt: number
}

/**
 * Returns each start among the events with its end, in the order of the starts. The events may come in any order; each
 * start has one end at most, and each end comes after its start.
 * @param now milliseconds since 1970: what time ends later is open
 */
export function pairEvents(events: Iterable<StoryEvent>, catalogue: Catalogue, now: number): Pair[] {
  const pairs: Pair[] = []
  let open: OpenStart[] = []
  const close = (endsWith: (one: OpenStart) => boolean, end: StoryEvent | null) => {
    const isEnded = open.map(endsWith)
    for (const [at, { start, expiresAt }] of open.entries())
      if (isEnded[at]) pairs.push({ start, end, endedAt: end?.time ?? expiresAt })
    open = open.filter((_, at) => !isEnded[at])
  }
  for (const event of [...events].sort(byTime)) {
    close(({ expiresAt }) => expiresAt <= event.time, null)
    const { ending, isRestore, isDisarm, isArm } = roleOf(event, catalogue)
    if (isRestore) {
      const ended = endedBy(
        event,
        open.map(({ start }) => start),
        catalogue,
      )
      close(({ start }) => ended.has(start), event)
    }
    if (isDisarm || isArm) {
      close(({ start }) => {
        const rule = roleOf(start, catalogue).ending
        return (rule?.arming === true || (isDisarm && rule?.disarm === true)) && shareAPartition(start, event)
      }, event)
    }
    if (ending !== undefined) {
      const expiresAt = event.time + (ending.after ?? Number.POSITIVE_INFINITY)
      open.push({ start: event, expiresAt })
    }
  }
  close(({ expiresAt }) => expiresAt <= now, null)
  return [...pairs, ...open.map(({ start }) => ({ start, end: null, endedAt: null }))].sort((one, other) =>
    byTime(one.start, other.start),
  )
}

/**
 * Returns the open starts that a restore ends: those of the same zone and device that name its type; if there are none,
 * those there whose Contact ID it has. So a restore of another name still ends what can only be meant.
 */
function endedBy(restore: StoryEvent, open: readonly StoryEvent[], catalogue: Catalogue): Set<StoryEvent> {
  const there = open.filter((start) => areOfOnePlace(start, restore))
  const named = there.filter(({ typeId }) =>
    roleOf({ typeId }, catalogue).ending?.restores.includes(restore.typeId ?? Number.NaN),
  )
  if (named.length > 0) return new Set(named)
  const code = catalogue.get(restore.typeId ?? Number.NaN)?.contactId
  const isMeant = ({ typeId }: StoryEvent) => {
    const contactId = catalogue.get(typeId ?? Number.NaN)?.contactId ?? ''
    return restoringCode(contactId) !== null && restoringCode(contactId) === code
  }
  return new Set(there.filter(isMeant))
}
