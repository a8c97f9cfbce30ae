import { catalogueEnUs } from '../../service/catalogue/en-us.ts'
import type { Random } from '../random.ts'
import { isoSpace } from './world-time.ts'

/** An entry of the event list, shape A (interface specification 2.12). */
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

/** An event for the list: only the type is required; all other fields have defaults. */
export type EventFields = Partial<LoggedEvent> & { type_id: number }

const types = new Map(catalogueEnUs.map((type) => [type.typeId, type]))
/** The number of events that the list of a panel keeps. */
export const maxEvents = 60

/** Assigns event ids: one rising sequence for all panels, with gaps (field fact: ids are server-wide). */
export class EventCounter {
  readonly #random: Random
  #last = 280_125_000

  constructor(random: Random) {
    this.#random = random
  }

  /** Returns the next id. */
  next(): number {
    this.#last += this.#random.between(1, 90)
    return this.#last
  }
}

/**
 * The event list of one panel in the service: about the 60 newest, without paging (field fact).
 *
 * Ids are assigned on arrival, so events that a panel reports late come after newer ones.
 */
export class EventLog {
  readonly #counter: EventCounter
  readonly #events: LoggedEvent[] = []

  constructor(counter: EventCounter) {
    this.#counter = counter
  }

  /** The list, by arrival, oldest first. */
  get events(): readonly LoggedEvent[] {
    return this.#events
  }

  /** Adds an event that arrives at world time `now`; label and description come from the catalogue. */
  add(fields: EventFields, now: number): LoggedEvent {
    const { type_id, ...rest } = fields
    const type = types.get(type_id)
    const event: LoggedEvent = {
      event: this.#counter.next(),
      type_id,
      label: type?.label ?? 'NONE',
      description: type?.description ?? `Event ${type_id}`,
      appointment: 'Control Panel',
      datetime: isoSpace(now),
      video: false,
      device_type: 'CONTROL_PANEL',
      zone: 0,
      zone_name: '',
      partitions: [1],
      ...rest,
    }
    this.#events.push(event)
    if (this.#events.length > maxEvents) this.#events.shift()
    return event
  }

  /** Clears the list, as after a system reset. */
  clear(): void {
    this.#events.length = 0
  }
}
