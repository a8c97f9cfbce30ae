import type { Source } from '../panel/snapshot.ts'

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
