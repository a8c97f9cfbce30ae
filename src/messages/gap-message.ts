import type { Source } from '../panel/snapshot.ts'
import { utcTime } from '../service/time.ts'
import { type Message, message } from './message.ts'

/** An event at an edge of a gap; `time` is the service's own text. */
export interface GapEdge {
  id: number | null
  typeId: number | null
  time: string
}

/** A gap: the service's list no longer reaches back to the newest known event, so some events may be lost. */
export interface Gap {
  lastKnown: GapEdge | null
  oldestShown: GapEdge | null
}

/** An edge of a gap as messages contain it. */
export interface GapEvent {
  id: number | null
  typeId: number | null
  /** ISO 8601 in UTC; null if the service's text is not a valid time. */
  time: string | null
  timeRaw: string
}

/** Builds the message for a gap, on the topic `<panel>/gap`. */
export function gapMessage(
  { lastKnown, oldestShown }: Gap,
  source: Source,
  timeZone: string,
): Message<{ lastKnown: GapEvent | null; oldestShown: GapEvent | null }> {
  return message(source, 'gap', {
    lastKnown: gapEvent(lastKnown, timeZone),
    oldestShown: gapEvent(oldestShown, timeZone),
  })
}

function gapEvent(edge: GapEdge | null, timeZone: string): GapEvent | null {
  if (edge === null) return null
  return { id: edge.id || null, typeId: edge.typeId, time: utcTime(edge.time, timeZone), timeRaw: edge.time }
}
