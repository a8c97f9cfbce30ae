import type { Panel } from '../panel/panel.ts'
import type { Snapshot } from '../panel/snapshot.ts'

/** The source of a message and the age of its data. */
export interface Source {
  /** The panel's name in topics. */
  name: string
  panel: {
    serial: string
    alias: string
    /** True if the service reaches the panel; also true until the opposite is known. */
    online: boolean
  }
  /** The arrival of the answer on which the message is based: ISO 8601 in UTC. */
  fetchedAt: string
  /** True when that answer is too old to rely on, or the panel is offline. */
  stale: boolean
}

/** Returns the message source for a snapshot of the panel. */
export function sourceOf(panel: Panel, snapshot: Snapshot<unknown>): Source {
  return {
    name: panel.title,
    panel: { serial: panel.settings.serial, alias: panel.alias, online: panel.online },
    fetchedAt: new Date(snapshot.fetchedAt).toISOString(),
    stale: panel.isStale(snapshot),
  }
}

/** The properties of every message to a flow. */
export interface Message<P> {
  /** Begins with the panel's name. */
  topic: string
  payload: P
  panel: Source['panel']
  fetchedAt: string
  stale: boolean
}

/** Builds a message about the panel of `source`; `path` is the part of the topic after the panel's name. */
export function message<P>(source: Source, path: string, payload: P): Message<P> {
  return {
    topic: `${source.name}/${path}`,
    payload,
    // A copy, here and in every message, because a flow can change the messages that it receives.
    panel: { ...source.panel },
    fetchedAt: source.fetchedAt,
    stale: source.stale,
  }
}

/**
 * The current values that become messages: all, the changed ones, or none; they are remembered in any case.
 */
export type Which = 'all' | 'changed' | 'none'
