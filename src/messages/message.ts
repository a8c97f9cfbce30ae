import type { News, Panel } from '../panel/panel.ts'

/** Where a message comes from and how old its news is. */
export interface Source {
  /** The panel as topics name it. */
  name: string
  panel: {
    serial: string
    alias: string
    /** Whether the service reaches the panel; true as long as nothing says the opposite. */
    online: boolean
  }
  /** When the answer came in that the message is made of: ISO 8601 in UTC. */
  fetchedAt: string
  /** True when that answer is too old to rely on, or the panel is offline. */
  stale: boolean
}

/** The panel's news as a source of messages. */
export function sourceOf(panel: Panel, news: News<unknown>): Source {
  return {
    name: panel.title,
    panel: { serial: panel.settings.serial, alias: panel.alias, online: panel.online },
    fetchedAt: new Date(news.fetchedAt).toISOString(),
    stale: panel.isStale(news),
  }
}

/** What every message to a flow carries. */
export interface Message<P> {
  /** Begins with the panel's name. */
  topic: string
  payload: P
  panel: Source['panel']
  fetchedAt: string
  stale: boolean
}

/** A message about the panel of `source`; the topic is the path behind the panel's name. */
export function message<P>(source: Source, path: string, payload: P): Message<P> {
  return {
    topic: `${source.name}/${path}`,
    payload,
    // A copy, here and in every message: a flow may change what it is given.
    panel: { ...source.panel },
    fetchedAt: source.fetchedAt,
    stale: source.stale,
  }
}
