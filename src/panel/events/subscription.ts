import type { FeedEvent } from './feed.ts'

/** What a node wants of events that it was not there for. */
export interface EventPolicy {
  /** The list found on the node's very first run. */
  first: 'skip' | 'deliver'
  /** Events that happened while the flow was not running. */
  missed: 'deliver' | 'skip'
}

/** What a node gets of a list. */
export interface Share {
  events: readonly FeedEvent[]
  /** They happened while the flow was not running. */
  late: boolean
  /** The node's position afterwards: the highest sequence it was given, or passed over. */
  position: number
}

/** A node and its share. */
export interface Round extends Share {
  nodeId: string
  /** The node's position before; nothing on its very first run. */
  before: number | undefined
}

/**
 * A node's share of the panel's list: what lies beyond its own position.
 *
 * What was on its way to a flow when that stopped did not happen meanwhile, and is no matter of the policy.
 * @param position the node's position; nothing on its very first run
 * @param newest the highest sequence ever given to an event of this panel, which a list cut short may not show
 * @param wasThere whether the node has seen a list since it started
 * @param wasOnItsWay whether the event was on its way when the flow stopped
 */
export function share(
  listed: readonly FeedEvent[],
  newest: number,
  position: number | undefined,
  policy: EventPolicy,
  wasThere: boolean,
  wasOnItsWay: (event: FeedEvent) => boolean = () => false,
): Share {
  const from = position ?? (policy.first === 'deliver' ? -1 : newest)
  const late = position !== undefined && !wasThere
  const beyond = listed.filter(({ sequence }) => sequence > from)
  return {
    events: late && policy.missed === 'skip' ? beyond.filter(wasOnItsWay) : beyond,
    late,
    position: beyond.reduce((highest, { sequence }) => Math.max(highest, sequence), from),
  }
}

/** The positions of the nodes as long as nothing is sent: what a node is about to be given lies beyond its own. */
export function unsent(rounds: readonly Round[]): [nodeId: string, position: number][] {
  return rounds.map(({ nodeId, before, events, position }) => [
    nodeId,
    events.length > 0 ? (before ?? 0) : position,
  ])
}
