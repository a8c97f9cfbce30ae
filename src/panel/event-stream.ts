import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Clock } from '../clock.ts'
import { asKeyholderError, type KeyholderError } from '../service/error.ts'
import type { PanelEvent } from '../service/events.ts'
import type { Cursor, CursorState } from './cursor.ts'
import { type EventPolicy, share } from './deal.ts'
import { type FeedEvent, sight } from './feed.ts'

/** An event on its way to a node. */
export interface Delivery extends FeedEvent {
  /** It happened while the flow was not running. */
  late: boolean
  /** It may be a repeat: it was on its way when an earlier process ended. */
  redelivered: boolean
}

/** The panel's list no longer reaches back to what is known: events in between are not to be had. */
export type Gap = NonNullable<ReturnType<typeof sight>['gap']>

/** A node that takes events; neither function may throw. */
export interface EventListener<C> {
  policy: EventPolicy
  /** Oldest first. `context` is what `accept` was called with. */
  events(deliveries: readonly Delivery[], context: C): void
  gap(gap: Gap, context: C): void
}

/** What a stream has to tell of its cursor; none of these may throw. */
export interface StreamReports {
  /** The cursor cannot be written; events go on without it. */
  loss(error: KeyholderError): void
  recovery(): void
  /** A sentence about a damaged cursor. */
  notice(sentence: string): void
}

interface Joined<C> {
  listener: EventListener<C>
  /** False until the first list after joining: what is new in that one was missed. */
  hasSeenAList: boolean
}

/** Time for the flow behind an event node to be done with it: a kill within it repeats, one after it cannot lose. */
const settling = 500

/** Turns of the event loop in which a message may still be on a wire: Node-RED takes one for each wire on its way. */
const turnsOnTheWire = 20

/**
 * Gives each listening node every event of a panel once, over restarts, redeploys and kills.
 *
 * The order is intent, send, cursor: keys are written down before the events are sent, the cursor after the flow had
 * time to take them. What was intended and not confirmed is sent again, flagged. Each node has a position of its own,
 * so that one that was away for a moment or a week gets what it was not given yet.
 */
export class EventStream<C> {
  readonly #serial: string
  readonly #cursor: Cursor
  readonly #clock: Clock
  readonly #reports: StreamReports
  readonly #joined = new Map<string, Joined<C>>()
  #state: CursorState | undefined
  #intended: ReadonlySet<string> = new Set()
  #isRepeat = false
  #unsaved: Promise<void> | undefined
  #saveNow = () => {}
  #dropSave = () => {}
  #isOnTheWire = false
  #queue: Promise<void> = Promise.resolve()
  #isClosed = false

  constructor(serial: string, cursor: Cursor, clock: Clock, reports: StreamReports) {
    this.#serial = serial
    this.#cursor = cursor
    this.#clock = clock
    this.#reports = reports
  }

  /** Joins a node; the answer ends it. The position of a node that left is kept for its return. */
  join(nodeId: string, listener: EventListener<C>): () => void {
    const joined = { listener, hasSeenAList: false }
    this.#joined.set(nodeId, joined)
    return () => {
      if (this.#joined.get(nodeId) === joined) this.#joined.delete(nodeId)
    }
  }

  /** Takes the panel's list as it is now and gives each node what is new to it; never rejects. */
  accept(list: readonly PanelEvent[], context: C): Promise<void> {
    // After a redeploy another stream writes the same cursor.
    if (this.#isClosed) return Promise.resolve()
    this.#queue = this.#queue
      .then(() => this.#deliver(list, context))
      .catch((thrown) => this.#reports.loss(asKeyholderError(thrown)))
    return this.#queue
  }

  /**
   * Takes no further list, and confirms at once what was sent. What was sent only just now is left unconfirmed: when
   * flows stop, Node-RED drops what is still on a wire, so it is sent again, flagged.
   */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#queue
    if (this.#isOnTheWire) return this.#dropSave()
    this.#saveNow()
    await this.#unsaved
  }

  async #deliver(list: readonly PanelEvent[], context: C): Promise<void> {
    const state = await this.#load()
    const { memory, listed, fresh, gap } = sight(state?.memory ?? null, this.#serial, list)
    const positions = new Map(Object.entries(state?.positions ?? {}))
    const newest = memory.next - 1
    const rounds = [...this.#joined].map(([nodeId, joined]) => {
      const before = positions.get(nodeId)
      const dealt = share(listed, newest, before, joined.listener.policy, joined.hasSeenAList)
      return { ...dealt, nodeId, joined, moved: before !== dealt.position }
    })
    const keys = new Set(rounds.flatMap(({ events }) => events.map(({ key }) => key)))
    if (keys.size > 0) await this.#confirmed(this.#cursor.intend([...keys]))
    // Events that were on their way to a flow are known, though no cursor says so yet.
    const isGap = gap !== undefined && !listed.some(({ key }) => this.#intended.has(key))
    for (const { nodeId, joined, events, late, position } of rounds) {
      // Gone while the intent was written: it keeps its position, and gets all of it when it is back.
      if (this.#joined.get(nodeId) !== joined) continue
      positions.set(nodeId, position)
      joined.hasSeenAList = true
      if (isGap) joined.listener.gap(gap, context)
      const deliveries = events.map((event) => {
        const redelivered = this.#isRepeat || this.#intended.has(event.key)
        return { ...event, late, redelivered }
      })
      if (deliveries.length > 0) joined.listener.events(deliveries, context)
    }
    if (keys.size > 0) void this.#watchTheWire()
    this.#state = { serial: this.#serial, memory, positions: Object.fromEntries(positions) }
    const isNew = state === undefined || fresh.length > 0 || rounds.some(({ moved }) => moved)
    if (isNew || this.#intended.size > 0) this.#saveSoon(keys.size > 0)
    this.#intended = new Set()
    this.#isRepeat = false
  }

  async #watchTheWire(): Promise<void> {
    this.#isOnTheWire = true
    for (let turn = 0; turn < turnsOnTheWire; turn += 1) await nextTurn()
    this.#isOnTheWire = false
  }

  async #load(): Promise<CursorState | undefined> {
    await this.#unsaved
    if (this.#state !== undefined) return this.#state
    const { state, intended, warning, restored } = await this.#cursor.load()
    if (warning !== undefined) this.#reports.notice(warning)
    // A cursor of another panel, left by a changed serial, says nothing about this one.
    if (state !== null && state.serial !== this.#serial) return undefined
    this.#intended = intended
    this.#isRepeat = restored
    return state ?? undefined
  }

  /** Saves the cursor: after the time the flow is given where something was sent, else at once. */
  #saveSoon(wasSent: boolean): void {
    const state = this.#state
    if (state === undefined) return
    const settled = new Promise<void>((resolve) => {
      const cancel = wasSent ? this.#clock.after(settling, resolve) : () => {}
      this.#dropSave = cancel
      this.#saveNow = () => {
        cancel()
        resolve()
      }
      if (!wasSent) resolve()
    })
    this.#unsaved = settled.then(() => this.#confirmed(this.#cursor.save(state)))
  }

  /** A disk that is full must not keep an alarm from a flow: it is reported, and events go on. */
  async #confirmed(writing: Promise<void>): Promise<void> {
    try {
      await writing
      this.#reports.recovery()
    } catch (thrown) {
      this.#reports.loss(asKeyholderError(thrown))
    }
  }
}
