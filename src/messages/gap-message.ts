import { utcTime } from '../service/time.ts'
import { type Message, message, type Source } from './source.ts'

/** An event as far as it marks an edge of a gap, with its time in the service's own text. */
export interface GapEdge {
  id: number | null
  typeId: number | null
  time: string
}

/** The service's list no longer reaches back to the newest event already told: some may have been lost. */
export interface Gap {
  lastKnown: GapEdge | null
  oldestShown: GapEdge | null
}

/** An edge as a flow is told it. */
export interface ToldEdge {
  id: number | null
  typeId: number | null
  /** ISO 8601 in UTC; null where the service's text is no time. */
  time: string | null
  timeRaw: string
}

/** The message that tells a flow of a gap, on the topic `<panel>/gap`. */
export function gapMessage(
  { lastKnown, oldestShown }: Gap,
  source: Source,
  timeZone: string,
): Message<{ lastKnown: ToldEdge | null; oldestShown: ToldEdge | null }> {
  return message(source, 'gap', {
    lastKnown: told(lastKnown, timeZone),
    oldestShown: told(oldestShown, timeZone),
  })
}

function told(edge: GapEdge | null, timeZone: string): ToldEdge | null {
  if (edge === null) return null
  return { id: edge.id || null, typeId: edge.typeId, time: utcTime(edge.time, timeZone), timeRaw: edge.time }
}
