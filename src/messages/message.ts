import type { AccountSource } from '../panel/account-queries.ts'
import type { Source } from '../panel/snapshot.ts'

/** The properties of every message to a flow. */
export interface Message<P, N = Source['panel']> {
  /** Begins with the name of the panel; without a panel, with that of the account. */
  topic: string
  payload: P
  /** Null for the answer to a query of an account without a panel. */
  panel: N
  fetchedAt: string
  stale: boolean
}

/** Builds a message about the panel of `source`; `path` is the part of the topic after the panel's name. */
export function message<P, N extends AccountSource['panel']>(
  source: AccountSource & { readonly panel: N },
  path: string,
  payload: P,
): Message<P, N> {
  return {
    topic: `${source.name}/${path}`,
    payload,
    // A copy, here and in every message, because a flow can change the messages that it receives.
    panel: source.panel && { ...source.panel },
    fetchedAt: source.fetchedAt,
    stale: source.stale,
  }
}

/**
 * The current values that become messages: all, the changed ones, or none; they are remembered in any case.
 */
export type Which = 'all' | 'changed' | 'none'

/**
 * Merges our messages into the incoming one: its other properties are kept. The first message reuses the
 * object, the others are clones of it. Several ones have `parts`, so that a join node collects them by itself.
 */
export function mergeInto<M extends Readonly<Record<string, unknown>>>(
  { util }: { readonly util: { cloneMessage(message: M): M; generateId(): string } },
  incoming: M,
  messages: readonly object[],
): M[] {
  const bases = messages.map((_, index) => (index === 0 ? incoming : util.cloneMessage(incoming)))
  const { parts: outer } = incoming
  const id = messages.length > 1 ? util.generateId() : ''
  return bases.map((base, index) => {
    const parts = { id, index, count: messages.length, ...(outer !== undefined && { parts: outer }) }
    return Object.assign(base, messages[index], id !== '' && { parts })
  })
}
