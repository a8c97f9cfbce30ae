import type { Catalogue } from '../../service/catalogue/catalogue.ts'
import type { PartitionState } from '../state/partition-state.ts'
import { type Incident, newIncident } from './incident.ts'
import { type IncidentBook, viewsOf } from './incident-book.ts'
import { newest } from './incident-limits.ts'
import { isMove, latestMoves } from './story-event.ts'

/** States in which a panel watches nothing that a burglar could end. All others count, also a panel's own. */
const unguarded: ReadonlySet<string> = new Set(['DISARM', 'PROGRAMMING', 'NOTREADY', 'UNKNOWN', ''])

/** The contact with a panel, and the last known states of its partitions. */
export interface Contact {
  readonly online: boolean
  readonly partitions: readonly Pick<PartitionState, 'active' | 'value'>[]
}

/**
 * Returns the book after the state of the panel was read.
 *
 * Whoever cuts the line of a panel ends its alarm for everybody elsewhere. So a loss of the contact is told while the panel
 * is armed, in a delay or in an alarm: as a part of the open incident, else as an incident of its own. It ends when the panel
 * is back.
 * @param now milliseconds since 1970
 */
export function withContact(
  book: IncidentBook,
  { online, partitions }: Contact,
  catalogue: Catalogue,
  now: number,
): IncidentBook {
  const lost = book.incidents.find(({ contact }) => contact !== null && contact.backAt === null)
  const replace = (one: Incident, contact: Incident['contact']) => ({
    ...book,
    incidents: book.incidents.map((incident) => (incident === one ? { ...incident, contact } : incident)),
  })
  if (online) {
    const lostAt = lost?.contact?.lostAt
    return lost === undefined || lostAt === undefined
      ? book
      : replace(lost, { lostAt, backAt: Math.max(lostAt, now) })
  }
  if (lost !== undefined) return book
  const running = viewsOf(book, catalogue, now).findLast(
    ({ kind, status }) => kind !== 'duress' && status !== 'closed',
  )
  if (running === undefined && !partitions.some(({ active, value }) => active && !unguarded.has(value)))
    return book
  const contact = { lostAt: now, backAt: null }
  const known = book.incidents.find(({ id }) => id === running?.id)
  if (known !== undefined) return replace(known, contact)
  const before = latestMoves(book.loose.filter((event) => isMove(event, catalogue)))
  const incident: Incident = { ...newIncident(`contact-${now}`), before, contact }
  return { ...book, incidents: newest([...book.incidents, incident], catalogue, now) }
}
