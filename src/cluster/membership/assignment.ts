import { type ErrorCode, errorCodes } from '../../service/error.ts'
import { pairsIn } from '../redis/scripts.ts'

/** A wish of an instance for a panel. */
export interface Wish {
  readonly isHeld: boolean
  /** See `ranks`. */
  readonly rank: number
  /** The reason why the polls of the instance fail. */
  readonly failure?: ErrorCode | undefined
  /** The settings of the instance for the panel, as a query string; empty if it tells none. */
  readonly settings: string
}

/** The wishes of all instances: by session, then by panel. */
export type Wishes = ReadonlyMap<string, ReadonlyMap<string, Wish>>

/**
 * Returns the session that should hold each panel. All instances compute the same from the same wishes.
 *
 * Of the instances that want a panel, those whose polls do not fail come first. Of these, the one that holds it keeps it,
 * or it goes to the one with the fewest panels; then panels move until no instance has two more than another one that
 * wants them, and of whose panels none fails.
 */
export function assign(wishes: Wishes): Map<string, string> {
  const sessions = [...wishes.keys()].sort((one, other) => Number(one) - Number(other))
  const candidates = candidatesIn(wishes, sessions)
  const counts = new Map(sessions.map((session) => [session, 0]))
  const count = (session: string) => counts.get(session) as number
  const assigned = new Map<string, string>()
  const give = (panel: string, session: string) => {
    const before = assigned.get(panel)
    if (before !== undefined) counts.set(before, count(before) - 1)
    assigned.set(panel, session)
    counts.set(session, count(session) + 1)
  }
  const leastOf = (list: readonly string[]) =>
    list.reduce((least, one) => (count(one) < count(least) ? one : least))
  for (const [panel, list] of candidates) {
    const holder = list.find((session) => wishes.get(session)?.get(panel)?.isHeld)
    if (holder !== undefined) give(panel, holder)
  }
  for (const [panel, list] of candidates) if (!assigned.has(panel)) give(panel, leastOf(list))
  const isSound = (session: string) =>
    [...(wishes.get(session)?.values() ?? [])].every(({ rank }) => rank === 0)
  const sound = new Set(sessions.filter(isSound))
  for (const [panel, list] of candidates) {
    const holder = assigned.get(panel) as string
    // What an instance with failing polls got might fail there too.
    const least = leastOf(list.filter((session) => session === holder || sound.has(session)))
    if (count(least) + 1 < count(holder)) give(panel, least)
  }
  return assigned
}

/** Returns the instances of the lowest rank that want each panel, sorted by panel; the longest in the cluster first. */
function candidatesIn(wishes: Wishes, sessions: readonly string[]): [string, string[]][] {
  const panels = new Set(sessions.flatMap((session) => [...(wishes.get(session)?.keys() ?? [])]))
  return [...panels].sort().map((panel) => {
    const rankOf = (session: string) => wishes.get(session)?.get(panel)?.rank ?? Number.POSITIVE_INFINITY
    const lowest = Math.min(...sessions.map(rankOf))
    return [panel, sessions.filter((session) => rankOf(session) === lowest)]
  })
}

/** Returns the text of the wishes of one instance. */
export function formatWishes(wishes: ReadonlyMap<string, Wish>): string {
  const lines = [...wishes].map(([panel, { isHeld, rank, failure = '', settings }]) =>
    [Number(isHeld), rank, failure, settings, panel].join(' '),
  )
  return lines.join('\n')
}

/** Returns the wishes in texts, which follow the session of each. */
export function parseWishes(found: readonly string[]): Wishes {
  const wishes = new Map<string, Map<string, Wish>>()
  for (const [session, lines] of pairsIn(found)) {
    const own = new Map<string, Wish>()
    for (const line of lines.split('\n')) {
      const [isHeld, rank, code, settings = '', ...name] = line.split(' ')
      const failure = errorCodes.find((one) => one === code)
      if (name.length > 0)
        own.set(name.join(' '), { isHeld: isHeld === '1', rank: Number(rank), failure, settings })
    }
    wishes.set(session, own)
  }
  return wishes
}
