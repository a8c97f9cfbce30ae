import type { ToldEvent } from './panel-fleet.ts'
import type { ArrivedRequest } from './watched-service.ts'

/** The number of events that a fleet sent, lost and repeated. */
export interface EventFigures {
  events: number
  /** Never sent. */
  lost: number
  /** Sent again without the flag `redelivered`. */
  unflagged: number
  /** Sent again with it. */
  flagged: number
  /** Gaps that were told, though no list had one. */
  gaps: number
}

/**
 * Compares what happened with what was sent.
 * @param told in the order of the sending
 */
export function auditEvents(
  happened: readonly Pick<ToldEvent, 'panel' | 'event'>[],
  told: readonly ToldEvent[],
): EventFigures {
  const seen = new Set<string>()
  const figures = { events: happened.length, lost: 0, unflagged: 0, flagged: 0, gaps: 0 }
  for (const { panel, event, isRedelivered } of told) {
    if (event === 'gap') figures.gaps += 1
    else if (!seen.has(`${panel} ${event}`)) seen.add(`${panel} ${event}`)
    else if (isRedelivered) figures.flagged += 1
    else figures.unflagged += 1
  }
  figures.lost = happened.filter(({ panel, event }) => !seen.has(`${panel} ${event}`)).length
  return figures
}

/** The regularity of the polls of a fleet. */
export interface PollFigures {
  polls: number
  due: number
  /** Polls that came less than 0.4 intervals after the one before. */
  doubles: number
  /** The longest time between two polls of a panel, in milliseconds. */
  longestGap: number
}

/**
 * Compares the polls with those that were due.
 * @param polls of one operation, each of which is sent once a poll
 * @param interval milliseconds
 */
export function auditPolls(
  polls: readonly ArrivedRequest[],
  panels: readonly string[],
  interval: number,
  from: number,
  to: number,
): PollFigures {
  const figures = { polls: 0, due: (panels.length * (to - from)) / interval, doubles: 0, longestGap: 0 }
  const latest = new Map(panels.map((panel) => [panel, undefined as number | undefined]))
  for (const { panel, at } of polls) {
    if (panel === undefined || !latest.has(panel) || at > to) continue
    const before = latest.get(panel)
    latest.set(panel, at)
    if (at < from) continue
    figures.polls += 1
    if (before === undefined) continue
    if (at - before < 0.4 * interval) figures.doubles += 1
    figures.longestGap = Math.max(figures.longestGap, at - before)
  }
  for (const before of latest.values())
    figures.longestGap = Math.max(figures.longestGap, to - (before ?? from))
  return figures
}
