import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Clock } from '../../../clock.ts'
import { asKeyholderError, type KeyholderError } from '../../../service/error.ts'
import { LeaseLost } from '../../lease.ts'
import { sequencesOf } from '../event-history.ts'
import type { FeedEvent } from '../new-events.ts'
import type { CursorState } from './cursor-format.ts'
import type { CursorStore } from './cursor-store.ts'

/** The reports about a cursor; the functions must not throw. */
export interface CursorCommitReports {
  /** Reports that the cursor cannot be written; events are delivered without it, unless it is shared. */
  outage(error: KeyholderError): void
  recovery(): void
}

/** The state up to which everything was sent, and the keys that nevertheless stay intended. */
type Confirmation = [state: CursorState, open: readonly string[]]

/**
 * Milliseconds for the flow behind an event node to handle an event: a kill within this time repeats the
 * event, a later one cannot lose it.
 */
const commitDelay = 500

/** Milliseconds for the same between two portions of a list: more would hold back the events that have just happened. */
export const portionDelay = 100

/**
 * Records on disk which events are about to be sent and, after the flow had time to handle them, that they
 * were sent.
 *
 * A full disk must not keep an alarm from a flow: a failure is only reported, except the loss of the lease. A shared
 * cursor that cannot be written is such a loss: another process may already go on, and the service keeps the events.
 */
export class CursorCommit {
  /** The reason why the cursor cannot be written; undefined while it can. */
  error: KeyholderError | undefined
  /** True if this process has written the cursor. */
  hasWritten = false
  readonly #cursor: CursorStore
  readonly #clock: Clock
  readonly #reports: CursorCommitReports
  #pending: { written: Promise<void>; end: () => void; drop: () => void } | undefined
  constructor(cursor: CursorStore, clock: Clock, reports: CursorCommitReports) {
    this.#cursor = cursor
    this.#clock = clock
    this.#reports = reports
  }

  /**
   * Records that these events are about to be sent; they must not be sent before this is done.
   * @throws LeaseLost if another process delivers the events, or may soon deliver them
   */
  async intend(keys: readonly string[]): Promise<void> {
    try {
      // Success is not reported as a recovery: a file may accept more text although it cannot be replaced.
      await this.#cursor.intend(keys)
      this.hasWritten = true
    } catch (thrown) {
      if (thrown instanceof LeaseLost) throw thrown
      this.#fails(thrown)
      if (this.#cursor.isShared) throw new LeaseLost()
    }
  }

  /**
   * Saves the cursor before events are sent that depend on it.
   * @throws LeaseLost if another process delivers the events, or may soon deliver them
   */
  async prepare(...confirmation: Confirmation): Promise<void> {
    const isWritten = await this.write(...confirmation)
    if (!isWritten && this.#cursor.isShared) throw new LeaseLost()
  }

  /**
   * Saves the cursor: after the time for the flow if something was sent, else at once.
   * @param confirmation called when the cursor is saved
   * @param flowTime milliseconds
   */
  save(confirmation: () => Confirmation, wasSent: boolean, flowTime = commitDelay): void {
    let settle = () => {}
    const due = new Promise<void>((resolve) => {
      settle = resolve
    })
    const cancel = wasSent ? this.#clock.after(flowTime, settle) : () => {}
    if (!wasSent) settle()
    let isDropped = false
    const end = () => {
      cancel()
      settle()
    }
    const drop = () => {
      isDropped = true
      end()
    }
    const written = due
      .then(() => (isDropped ? undefined : this.write(...confirmation())))
      .then(() => {
        // Otherwise each panel would keep the whole list that it confirms until the next save.
        if (this.#pending === pending) this.#pending = undefined
      })
    const pending = { written, end, drop }
    this.#pending = pending
  }

  /** Waits until a pending save is done. */
  async saved(): Promise<void> {
    await this.#pending?.written
  }

  /** Ends the time for the flow: a pending save is done at once. */
  end(): void {
    this.#pending?.end()
  }

  /** Forgets a pending save and the latest failure, because another process goes on. */
  drop(): void {
    this.#pending?.drop()
    this.error = undefined
  }

  /** Saves the cursor at once; returns false if it was not saved, or if another process has the lease. Never rejects. */
  async write(...[state, open]: Confirmation): Promise<boolean> {
    try {
      await this.#cursor.save(state, open)
      this.error = undefined
      this.hasWritten = true
      this.#reports.recovery()
      return true
    } catch (thrown) {
      if (!(thrown instanceof LeaseLost)) this.#fails(thrown)
      return false
    }
  }

  #fails(thrown: unknown): void {
    this.error = asKeyholderError(thrown)
    this.#reports.outage(this.error)
  }
}

/** Turns of the event loop in which a message can still be in flight: Node-RED takes one for each wire. */
const maxTurnsInFlight = 20

/** Waits until a message that was sent now can no longer be in flight. */
export async function turnsInFlight(): Promise<void> {
  for (let turn = 0; turn < maxTurnsInFlight; turn += 1) await nextTurn()
}

/**
 * Maximum number of keys kept beyond the number of remembered events; the oldest keys that no list shows are
 * dropped.
 */
const spareCapacity = 1000

/** The sequence of an event that no list has shown yet. */
const unlisted = Number.POSITIVE_INFINITY

/** Sequences of events by `eventKey`, oldest first. */
type Sequences = ReadonlyMap<string, number>

/** The events that a node received a moment ago. */
interface Sent {
  /** The node's position before these events. */
  before: number
  events: Sequences
}

/**
 * The events in flight behind the nodes of an event delivery, and those that may have been lost there.
 *
 * Node-RED drops the messages in flight when a flow stops, and a kill drops everything. These events stay
 * recorded as intended on disk until every node that may want them has received them; otherwise a node could
 * get them without the `redelivered` flag, or not at all.
 */
export class InFlightEvents {
  readonly #recalled = new Map<string, number>()
  readonly #sent = new Map<string, Sent>()
  readonly #recalledFrom = new Map<string, Sequences>()

  /**
   * Recalls the events that were in flight when an earlier process ended; it is not known for which nodes.
   */
  recall(keys: Iterable<string>): void {
    for (const key of keys) this.#recalled.set(key, unlisted)
  }

  /** Notes the sequences that recalled events have in a list. */
  noteListed(listed: readonly FeedEvent[]): void {
    // The keys of a list are texts that would be built for nothing.
    if (this.#recalled.size === 0) return
    for (const { key, sequence } of listed) if (this.#recalled.has(key)) this.#recalled.set(key, sequence)
  }

  /** The keys of events in flight when an earlier process ended that no list has shown since. */
  get unlistedKeys(): string[] {
    return [...this.#recalled].flatMap(([key, sequence]) => (sequence === unlisted ? [key] : []))
  }

  /** Returns true if the event was in flight, possibly to this node, when a process or the node ended. */
  wasInFlight(nodeId: string, { key }: FeedEvent): boolean {
    return this.#recalled.has(key) || this.#recalledFrom.get(nodeId)?.has(key) === true
  }

  /**
   * Notes events that a node receives now.
   * @param before the node's position before these events
   */
  noteSent(nodeId: string, before: number, events: readonly FeedEvent[]): void {
    const sent = { before, events: new Map(events.map(({ key, sequence }) => [key, sequence])) }
    this.#sent.set(nodeId, sent)
    void this.#watch(nodeId, sent)
  }

  /** The nodes that may still have events in flight. */
  get nodesInFlight(): string[] {
    return [...this.#sent.keys()]
  }

  /**
   * Recalls the events in flight to a node; returns the node with its former position, or an empty list if
   * none are in flight.
   */
  recallFrom(nodeId: string): [nodeId: string, position: number][] {
    const sent = this.#sent.get(nodeId)
    if (sent === undefined) return []
    this.#sent.delete(nodeId)
    this.#recalledFrom.set(nodeId, new Map([...(this.#recalledFrom.get(nodeId) ?? []), ...sent.events]))
    return [[nodeId, sent.before]]
  }

  /**
   * Returns the keys of possibly lost events beyond a node's position, if the panel's list may still show
   * them.
   */
  unconfirmedKeys({ memory, positions }: CursorState): string[] {
    const known = new Set(sequencesOf(memory)).add(unlisted)
    const beyond = (events: Sequences, position: number) =>
      [...events].filter(([, sequence]) => sequence > position && known.has(sequence))
    const open = beyond(this.#recalled, Math.min(...Object.values(positions)))
    for (const [nodeId, events] of this.#recalledFrom) open.push(...beyond(events, positions[nodeId] ?? 0))
    const keys = new Set(open.map(([key]) => key))
    return [...keys].slice(-(known.size + spareCapacity))
  }

  async #watch(nodeId: string, sent: Sent): Promise<void> {
    await turnsInFlight()
    if (this.#sent.get(nodeId) === sent) this.#sent.delete(nodeId)
  }
}
