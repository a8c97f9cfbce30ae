import { catalogueEnUs } from '../../service/catalogue-en-us.ts'
import type { Random } from './random.ts'
import { withSpace } from './world-time.ts'

/** An entry of the event list as the service serves it, shape A (interface specification 2.12). */
export interface LoggedEvent {
  event: number
  type_id: number
  label: string
  description: string
  appointment: string
  datetime: string
  video: boolean
  device_type: string
  zone: number | null
  zone_name: string
  partitions: number[]
}

/** An event on its way to the list: only the type is needed, and every other field can be told otherwise. */
export type EventFields = Partial<LoggedEvent> & { type_id: number }

const types = new Map(catalogueEnUs.map((type) => [type.typeId, type]))
const newest = 60

/** Hands out event ids: one rising count for all panels, with gaps (field fact: ids are server-wide). */
export class EventCounter {
  readonly #random: Random
  #last = 280_125_000

  constructor(random: Random) {
    this.#random = random
  }

  /** The next id. */
  next(): number {
    this.#last += this.#random.between(1, 90)
    return this.#last
  }
}

/**
 * The event list that the service keeps of one panel: about 60 newest, without paging (field fact).
 *
 * Ids are given on arrival, so that events a panel reports late stand behind newer ones.
 */
export class EventLog {
  readonly #counter: EventCounter
  readonly #events: LoggedEvent[] = []

  constructor(counter: EventCounter) {
    this.#counter = counter
  }

  /** The list, oldest arrival first. */
  get events(): readonly LoggedEvent[] {
    return this.#events
  }

  /** Takes an event that arrives at world time `now`; label and description come from the catalogue. */
  take(fields: EventFields, now: number): LoggedEvent {
    const { type_id, ...rest } = fields
    const type = types.get(type_id)
    const event: LoggedEvent = {
      event: this.#counter.next(),
      type_id,
      label: type?.label ?? 'NONE',
      description: type?.description ?? `Event ${type_id}`,
      appointment: 'Control Panel',
      datetime: withSpace(now),
      video: false,
      device_type: 'CONTROL_PANEL',
      zone: 0,
      zone_name: '',
      partitions: [1],
      ...rest,
    }
    this.#events.push(event)
    if (this.#events.length > newest) this.#events.shift()
    return event
  }

  /** Empties the list, as after a system reset. */
  clear(): void {
    this.#events.length = 0
  }
}
