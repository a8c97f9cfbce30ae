import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Clock } from '../clock.ts'
import { asKeyholderError, type KeyholderError } from '../service/error.ts'
import type { PanelEvent } from '../service/events.ts'
import { Acknowledgement, type AcknowledgementReports } from './acknowledgement.ts'
import type { Cursor, CursorState } from './cursor.ts'
import { type EventPolicy, type Share, share } from './deal.ts'
import { type FeedEvent, type FeedMemory, sight } from './feed.ts'

/** An event on its way to a node. */
export interface Delivery extends FeedEvent {
  /** It happened while the flow was not running. */
  late: boolean
  /** It may be a repeat: it was on its way when an earlier process ended. */
  redelivered: boolean
}

/** The panel's list no longer reaches back to what is known: events in between are not to be had. */
export type Gap = NonNullable<ReturnType<typeof sight>['gap']>

/** A node that takes events; none of its functions may throw. */
export interface EventListener<C> {
  policy: EventPolicy
  /** Oldest first. `context` is what `accept` was called with. */
  events(deliveries: readonly Delivery[], context: C): void
  gap(gap: Gap, context: C): void
  /** The cursor cannot be written any more, or can again: see the stream's `error`. */
  cursor?(): void
}

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

/** What a node was given a moment ago. */
interface Sent {
  /** The node's position before. */
  before: number
  keys: ReadonlySet<string>
}

/** A node's share of a list. */
interface Round extends Share {
  nodeId: string
  /** The node's position before; nothing on its very first run. */
  before: number | undefined
}

/** Turns of the event loop in which a message may still be on a wire: Node-RED takes one for each wire on its way. */
const turnsOnTheWire = 20

/**
 * Gives each listening node every event of a panel once, over restarts, redeploys and kills.
 *
 * The order is intent, send, cursor: keys are written down before the events are sent, the cursor after the flow had
 * time to take them. What was intended and not confirmed is sent again, flagged. Each node has a position of its own,
 * so that one that was away for a moment or a week gets what it was not given yet. When a flow stops, Node-RED drops
 * what is on its wires: what a node was given in that instant is taken back, and given again.
 */
export class EventStream<C> {
  readonly #serial: string
  readonly #cursor: Cursor
  readonly #acknowledgement: Acknowledgement
  readonly #reports: StreamReports
  readonly #joined = new Map<string, Joined<C>>()
  #isLoaded = false
  #hasBegun = false
  #state: CursorState | undefined
  #intended: ReadonlySet<string> = new Set()
  #isRepeat = false
  #onTheWire = new Map<string, Sent>()
  readonly #takenBack = new Map<string, ReadonlySet<string>>()
  #queue: Promise<void> = Promise.resolve()
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
      this.#takeBack(nodeId)
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
   * Takes no further list, and confirms at once what was sent. What was sent only just now is left unconfirmed, so that
   * it is sent again, flagged.
   */
  async close(): Promise<void> {
    this.#isClosed = true
    // At once: what waits in line waits for this.
    this.#acknowledgement.end(!this.#isDropped)
    await this.#queue
    if (this.#isDropped || this.#state === undefined) return
    await this.#acknowledgement.saveNow(this.#state)
  }

  /** Whether Node-RED drops, or has just dropped, something of what was sent. */
  get #isDropped(): boolean {
    return this.#onTheWire.size > 0 || this.#takenBack.size > 0
  }

  async #deliver(list: readonly PanelEvent[], context: C): Promise<void> {
    if (!this.#isLoaded) await this.#load()
    const state = this.#state
    // Where part of what was known is gone, a list that is empty for once must not be taken for the first one.
    if (this.#isRepeat && list.length === 0) return
    const { memory, listed, fresh, gap } = sight(state?.memory ?? null, this.#serial, list)
    const positions = new Map(Object.entries(state?.positions ?? {}))
    const newest = memory.next - 1
    const rounds = [...this.#joined].map(([nodeId, { listener, hasSeenAList }]) => {
      const before = positions.get(nodeId)
      const wasOnItsWay = ({ key }: FeedEvent) => this.#wasOnItsWay(nodeId, key)
      const dealt = share(listed, newest, before, listener.policy, hasSeenAList, wasOnItsWay)
      return { ...dealt, nodeId, listener, before }
    })
    const keys = new Set(rounds.flatMap(({ events }) => events.map(({ key }) => key)))
    if (keys.size > 0) {
      const isFirstOfANode = rounds.some(({ before }) => before === undefined)
      if (isFirstOfANode) await this.#noteFirst(memory, rounds)
      await this.#acknowledgement.intend([...keys])
    }
    // Events that were on their way to a flow are known, though no cursor says so yet.
    const isGap = gap !== undefined && !listed.some(({ key }) => this.#intended.has(key))
    this.#onTheWire = new Map()
    for (const { nodeId, listener, events, late, position, before } of rounds) {
      const joined = this.#joined.get(nodeId)
      // Gone while the intent was written: it keeps its position, and gets all of it when it is back.
      if (joined?.listener !== listener) continue
      positions.set(nodeId, position)
      joined.hasSeenAList = true
      if (isGap) listener.gap(gap, context)
      const deliveries = events.map((event) => {
        const redelivered = this.#isRepeat || this.#wasOnItsWay(nodeId, event.key)
        return { ...event, late, redelivered }
      })
      if (deliveries.length === 0) continue
      this.#takenBack.delete(nodeId)
      this.#onTheWire.set(nodeId, { before: before ?? 0, keys: new Set(events.map(({ key }) => key)) })
      listener.events(deliveries, context)
    }
    if (keys.size > 0) void this.#watchTheWire(this.#onTheWire)
    const known = { serial: this.#serial, memory, positions: Object.fromEntries(positions) }
    this.#state = known
    const hasMoved = rounds.some(({ before, position }) => before !== position)
    // The first one after a start is saved in any case: that the cursor cannot be written shows before it matters.
    if (!this.#hasBegun || fresh.length > 0 || hasMoved || this.error !== undefined) {
      this.#acknowledgement.save(() => this.#state ?? known, keys.size > 0)
    }
    this.#hasBegun = true
    this.#isRepeat = false
  }

  /** A node's first run is noted before anything is sent: a kill must not make the next run its first one. */
  async #noteFirst(memory: FeedMemory, rounds: readonly Round[]): Promise<void> {
    const positions = new Map(Object.entries(this.#state?.positions ?? {}))
    for (const { nodeId, before, events, position } of rounds) {
      positions.set(nodeId, events.length > 0 ? (before ?? 0) : position)
    }
    const state = { serial: this.#serial, memory, positions: Object.fromEntries(positions) }
    await this.#acknowledgement.write(state)
  }

  #wasOnItsWay(nodeId: string, key: string): boolean {
    return this.#intended.has(key) || this.#takenBack.get(nodeId)?.has(key) === true
  }

  async #watchTheWire(sent: Map<string, Sent>): Promise<void> {
    for (let turn = 0; turn < turnsOnTheWire; turn += 1) await nextTurn()
    sent.clear()
  }

  /** A node stops: what it was given just now is dropped from the wires behind it, and is new to it again. */
  #takeBack(nodeId: string): void {
    const sent = this.#onTheWire.get(nodeId)
    if (sent === undefined || this.#state === undefined) return
    this.#onTheWire.delete(nodeId)
    this.#takenBack.set(nodeId, sent.keys)
    const positions = new Map(Object.entries(this.#state.positions)).set(nodeId, sent.before)
    this.#state = { ...this.#state, positions: Object.fromEntries(positions) }
  }

  async #load(): Promise<void> {
    const { state, intended, warning, doubtful } = await this.#cursor.load(this.#serial)
    if (warning !== undefined) this.#reports.notice(warning)
    this.#state = state ?? undefined
    this.#intended = intended
    this.#isRepeat = doubtful
    this.#isLoaded = true
  }
}
