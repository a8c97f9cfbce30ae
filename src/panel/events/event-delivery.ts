import type { Clock } from '../clock.ts'
import { asKeyholderError, type KeyholderError } from '../service/error.ts'
import type { PanelEvent } from '../service/events.ts'
import { Acknowledgement, type AcknowledgementReports } from './acknowledgement.ts'
import type { Cursor, CursorState } from './cursor.ts'
import { share, unsent } from './deal.ts'
import type { EventListener } from './event-listener.ts'
import { type FeedEvent, type FeedMemory, sight } from './feed.ts'
import { Wires } from './wires.ts'

export type { Delivery, EventListener, Gap } from './event-listener.ts'

/** What a stream has to tell of its cursor; none of these may throw. */
export interface StreamReports extends AcknowledgementReports {
  /** A sentence about a damaged cursor. */
  notice(sentence: string): void
}

interface Joined<C> {
  listener: EventListener<C>
  /** False until the first list after joining: what is new in that one was missed. */
  hasSeenAList: boolean
}

/**
 * Gives each listening node every event of a panel once, over restarts, redeploys and kills.
 *
 * The order is intent, send, cursor: keys are written down before the events are sent, the cursor after the flow had
 * time to take them. What was intended and not confirmed is sent again, flagged. Each node has a position of its own,
 * so that one that was away for a moment or a week gets what it was not given yet. What a node was given in the instant
 * when it stops is taken back from the wires behind it, and given again.
 */
export class EventStream<C> {
  readonly #serial: string
  readonly #cursor: Cursor
  readonly #acknowledgement: Acknowledgement
  readonly #reports: StreamReports
  readonly #joined = new Map<string, Joined<C>>()
  readonly #wires = new Wires()
  #isLoaded = false
  #hasBegun = false
  #state: CursorState | undefined
  #isRepeat = false
  #queue: Promise<void> = Promise.resolve()
  /** Whether something was taken back since the cursor was last saved. */
  #isTakenBack = false
  #isClosed = false

  constructor(serial: string, cursor: Cursor, clock: Clock, reports: StreamReports) {
    this.#serial = serial
    this.#cursor = cursor
    this.#reports = reports
    const tell = () => {
      for (const { listener } of this.#joined.values()) listener.cursor?.()
    }
    this.#acknowledgement = new Acknowledgement(cursor, clock, {
      loss: (error) => {
        reports.loss(error)
        tell()
      },
      recovery: () => {
        reports.recovery()
        tell()
      },
    })
  }

  /** Why the cursor cannot be written; nothing while it can. */
  get error(): KeyholderError | undefined {
    return this.#acknowledgement.error
  }

  /** Joins a node; the answer ends it. The position of a node that left is kept for its return. */
  join(nodeId: string, listener: EventListener<C>): () => void {
    const joined = { listener, hasSeenAList: false }
    this.#joined.set(nodeId, joined)
    return () => {
      if (this.#joined.get(nodeId) !== joined) return
      this.#joined.delete(nodeId)
      this.#takeBack([nodeId])
    }
  }

  /**
   * Takes the panel's list as it is now and gives each node what is new to it; never rejects.
   * @param signal whoever brings it goes away: where others are before it, it is not taken any more
   */
  accept(list: readonly PanelEvent[], context: C, signal?: AbortSignal): Promise<void> {
    this.#queue = this.#queue
      .then(() => this.#acknowledgement.saved())
      // After a redeploy another stream writes the same cursor.
      .then(() => (this.#isClosed || signal?.aborted ? undefined : this.#deliver(list, context)))
      .catch((thrown) => this.#reports.loss(asKeyholderError(thrown)))
    return this.#queue
  }

  /**
   * Takes no further list, and confirms at once what was sent; nothing is written after it is done. What was sent only
   * just now is taken back, so that it is sent again, flagged.
   */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#takeBack(this.#wires.busy)
    // At once: what waits in line waits for this.
    this.#acknowledgement.end()
    await this.#queue
    // A list that was in hand may have been sent meanwhile.
    this.#takeBack(this.#wires.busy)
    this.#acknowledgement.end()
    await this.#acknowledgement.saved()
    if (this.#state === undefined || !(this.#isTakenBack || this.error)) return
    await this.#acknowledgement.write(...this.#confirmation(this.#state))
  }

  async #deliver(list: readonly PanelEvent[], context: C): Promise<void> {
    if (!this.#isLoaded) await this.#load()
    const state = this.#state
    // Where part of what was known is gone, a list that is empty for once must not be taken for the first one.
    if (this.#isRepeat && list.length === 0) return
    const { memory, listed, fresh, gap } = sight(state?.memory ?? null, this.#serial, list)
    this.#wires.see(listed)
    const positions = new Map(Object.entries(state?.positions ?? {}))
    const newest = memory.next - 1
    const rounds = [...this.#joined].map(([nodeId, { listener, hasSeenAList }]) => {
      const before = positions.get(nodeId)
      const wasOnItsWay = (event: FeedEvent) => this.#wires.wasOnItsWay(nodeId, event)
      const dealt = share(listed, newest, before, listener.policy, hasSeenAList, wasOnItsWay)
      return { ...dealt, nodeId, listener, before }
    })
    const keys = new Set(rounds.flatMap(({ events }) => events.map(({ key }) => key)))
    if (keys.size > 0) {
      if (rounds.some(({ before }) => before === undefined)) {
        // Before anything is sent: a kill must not make the next run of the node its first one.
        const noted = this.#stateOf(memory, [...positions, ...unsent(rounds)])
        await this.#acknowledgement.write(noted, [...this.#wires.open(noted), ...keys])
      }
      await this.#acknowledgement.intend([...keys])
    }
    // Events that were on their way to a flow are known, though no cursor says so yet.
    const isGap = gap !== undefined && !listed.some((event) => this.#wires.isRecalled(event))
    for (const { nodeId, listener, events, late, position, before } of rounds) {
      const joined = this.#joined.get(nodeId)
      // Gone while the intent was written: it keeps its position, and gets all of it when it is back.
      if (joined?.listener !== listener) continue
      positions.set(nodeId, position)
      joined.hasSeenAList = true
      if (isGap) listener.gap(gap, context)
      const deliveries = events.map((dealt) => {
        const { event, key, sequence } = dealt
        const redelivered = this.#isRepeat || this.#wires.wasOnItsWay(nodeId, dealt)
        return { event, key, sequence, late, redelivered }
      })
      if (deliveries.length === 0) continue
      this.#wires.carry(nodeId, before ?? 0, events)
      listener.events(deliveries, context)
    }
    const known = this.#stateOf(memory, positions)
    this.#state = known
    const hasMoved = rounds.some(({ before, position }) => before !== position)
    // The first one after a start is saved in any case: that the cursor cannot be written shows before it matters.
    if (!this.#hasBegun || fresh.length > 0 || hasMoved || this.error !== undefined) {
      this.#acknowledgement.save(() => this.#confirmation(this.#state ?? known), keys.size > 0)
    }
    this.#hasBegun = true
    this.#isRepeat = false
  }

  #stateOf(memory: FeedMemory, positions: Iterable<readonly [string, number]>): CursorState {
    return { serial: this.#serial, memory, positions: Object.fromEntries(positions) }
  }

  #confirmation(state: CursorState): [CursorState, string[]] {
    this.#isTakenBack = false
    return [state, this.#wires.open(state)]
  }

  /** Nodes stop: what they were given just now is dropped from the wires behind them, and is new to them again. */
  #takeBack(nodeIds: readonly string[]): void {
    const before = nodeIds.flatMap((nodeId) => this.#wires.takeBack(nodeId))
    if (before.length === 0 || this.#state === undefined) return
    this.#isTakenBack = true
    this.#state = this.#stateOf(this.#state.memory, [...Object.entries(this.#state.positions), ...before])
  }

  async #load(): Promise<void> {
    const { state, intended, warning, doubtful } = await this.#cursor.load(this.#serial)
    if (warning !== undefined) this.#reports.notice(warning)
    this.#state = state ?? undefined
    this.#wires.recall(intended)
    this.#isRepeat = doubtful
    this.#isLoaded = true
  }
}
