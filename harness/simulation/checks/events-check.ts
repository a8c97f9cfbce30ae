import type { FlowMessage } from '../../recorder.ts'
import { isTimeOf } from '../world/repeated-hour.ts'
import { type ArrivedEvent, timeOf } from '../world/world-record.ts'
import type { NodeCheck, Surroundings } from './check.ts'

/** Of so many events or fewer, a service may have changed the times alone: nothing tells them from others. */
const maxOthers = 4

/**
 * Each event that arrived after the first list is told within two polls, once; again only with a mark, and for certain if the
 * flow still worked on it when Node-RED was killed. Its fields are those of the world.
 */
export class EventsCheck implements NodeCheck {
  readonly #of: Surroundings
  /** The moment at which each event was told last, by its id. */
  readonly #told = new Map<number, number>()
  /** The time with which each event was told last, by its id. */
  readonly #toldTimes = new Map<number, string | null>()
  /** The ids of events of which the nodes could not note that they have told them. */
  readonly #unnoted = new Set<number>()
  /** The ids of events that the flow had for less than the time that it needs, when its process was killed. */
  readonly #unhandled = new Set<number>()
  /** The ids of events that the flow has handled. */
  readonly #handled = new Set<number>()
  #begunAt = Number.POSITIVE_INFINITY
  /** The moment at which the first list of all was read. */
  #firstListAt = Number.POSITIVE_INFINITY
  #mayTellGap = false
  /** The moment from which a gap must be told; Infinity if it was told, or there is none. */
  #gapDueFrom = Number.POSITIVE_INFINITY

  constructor(of: Surroundings) {
    this.#of = of
  }

  /** Notes that the node has read its first list: what is in the list then is no news. */
  begin(now: number): void {
    this.#begunAt = now
    this.#firstListAt = now
  }

  /** Notes that what the nodes have told from a moment on was not written, and is forgotten. */
  forget(from: number): void {
    for (const [id, at] of this.#told) if (at >= from) this.#unnoted.add(id)
  }

  /** Notes that the flow has handled what it has heard. */
  handle(): void {
    for (const id of this.#told.keys()) this.#handled.add(id)
  }

  /** Notes that Node-RED was killed while the flow still worked on what it has heard at this moment. */
  interrupt(now: number): void {
    for (const [id, at] of this.#told) if (at === now && !this.#handled.has(id)) this.#unhandled.add(id)
  }

  /**
   * Notes that the nodes have lost their position, and what a list has until a moment is no news.
   * @param isCertain false if they may still have it
   */
  losePosition(until: number, isCertain: boolean): void {
    this.forget(Number.NEGATIVE_INFINITY)
    this.#unhandled.clear()
    this.#begunAt = until
    this.#mayTellGap = true
    if (isCertain) this.#gapDueFrom = until
  }

  hear({ topic, payload, redelivered, stale }: FlowMessage, now: number): void {
    const { blind, report, world } = this.#of
    this.#unhandled.delete(payload?.id)
    this.#handled.delete(payload?.id)
    if (topic.endsWith('/gap')) this.#gapDueFrom = Number.POSITIVE_INFINITY
    const arrived = world.events.find(({ event }) => event.event === payload?.id)
    // One without its type or its time is another one for nodes.
    const isRepeated =
      arrived !== undefined && payload.typeId === arrived.event.type_id && payload.time !== null
    const isKnown = this.#told.has(payload?.id) && !this.#hasOtherTime(payload, now)
    if (payload?.id !== undefined) this.#toldTimes.set(payload.id, payload.time)
    if (isRepeated && isKnown && !redelivered && !this.#unnoted.has(payload.id))
      report(`again ${payload.id}`, `events: ${nameOf(arrived)} is told twice without a mark`)
    if (blind.isWrong('events', now, now)) {
      this.#told.set(payload?.id, now)
      return
    }
    if (topic.endsWith('/gap')) {
      if (!this.#mayTellGap) report('gap', `events: a gap is told at ${now}, and the list has none`)
      return
    }
    if (arrived === undefined) {
      report(`event ${payload.id}`, `events: event ${payload.id} is told, and it is none`)
      return
    }
    if (arrived.at < this.#firstListAt && !redelivered && !this.#mayTellGap)
      report(`old ${payload.id}`, `events: ${nameOf(arrived)} is told, and happened before the first list`)
    this.#told.set(payload.id, now)
    this.#unnoted.delete(payload.id)
    const wasOnline = world.facts.stayed('online', 'true', this.#of.blind.earliest('state', now, 2), now)
    if (stale && wasOnline && !this.#of.blind.isBlind('events', now - 90_000, now))
      report('stale event', `events: ${nameOf(arrived)} is marked as stale, and is not`)
    this.#checkFields(arrived, payload)
  }

  compare(now: number): void {
    const earliest = this.#of.blind.earliest('events', now, 1)
    if (earliest > this.#gapDueFrom)
      this.#of.report('gap', 'events: the position is lost, and no gap is told')
    for (const arrived of this.#of.world.events) {
      const { event, at } = arrived
      const isHandled = this.#told.has(event.event) && !this.#unhandled.has(event.event)
      if (at <= this.#begunAt || at >= earliest || isHandled || arrived.isGone) continue
      this.#of.report(`lost ${event.event}`, `events: ${nameOf(arrived)} is not told`)
    }
  }

  /** Returns true for an event that has another time than before, in a list that is too short to show that all have. */
  #hasOtherTime({ id, time }: FlowMessage, now: number): boolean {
    const listed = this.#of.world.events.filter(({ at }) => at <= now)
    return listed.length <= maxOthers && this.#toldTimes.get(id) !== time
  }

  #checkFields({ event }: ArrivedEvent, payload: FlowMessage): void {
    const { type_id, appointment, zone, zone_name, partitions } = event
    const told = [payload.typeId, payload.actor, payload.zone, payload.zoneName, payload.partitions]
    const is = [type_id, appointment, zone, zone_name, partitions]
    if (JSON.stringify(told) !== JSON.stringify(is))
      this.#of.report(
        `fields ${event.event}`,
        `events: told ${JSON.stringify(told)}, and is ${JSON.stringify(is)}`,
      )
    if (!isTimeOf(payload.time, timeOf(event), this.#of.house))
      this.#of.report(`time ${event.event}`, `events: told ${payload.time}, and is ${event.datetime}`)
  }
}

function nameOf({ event }: ArrivedEvent): string {
  return `event ${event.event} (${event.description}, ${event.zone_name || event.appointment}, ${event.datetime})`
}
