import type { EventMessage } from '../../messages/event-message.ts'
import type { Publication } from '../discovery.ts'
import type { Setup } from '../setup.ts'
import { stateTopic } from '../topics.ts'
import {
  isDated,
  isLater,
  isRememberedState,
  rememberedObjects,
  rememberedStates,
} from './event-publications.ts'

/** The memory of the states that come from events. */
export interface EventMemory {
  /** The latest payload of each topic that the broker keeps. */
  readonly sent: Map<string, string>
  /** The states that come from events, by the object of their topic. */
  readonly remembered: Map<string, string>
}

/** The states that come from events: the last event, and who armed and disarmed last. */
export class RememberedEvents {
  readonly #setup: Setup
  readonly #memory: EventMemory
  readonly #wall: () => number

  /** @param wall returns milliseconds since 1970 */
  constructor(setup: Setup, memory: EventMemory, wall: () => number) {
    this.#setup = setup
    this.#memory = memory
    this.#wall = wall
  }

  /** The states, for the broker to keep. */
  get publications(): Publication[] {
    const known = this.#setup.groups.has('events') ? [...this.#memory.remembered] : []
    return known.map(([object, payload]) => ({ topic: stateTopic(this.#setup, object), payload }))
  }

  /** Notes new events, the oldest first; one that the service tells late does not replace a later one. */
  add(events: readonly EventMessage[]): void {
    const { remembered } = this.#memory
    const now = this.#wall()
    for (const event of events)
      for (const [object, state] of rememberedStates(event)) {
        const known = remembered.get(object)
        // An event without a valid time counts as one of now.
        if (known === undefined || !isDated(state, now) || !isLater(known, state, now))
          remembered.set(object, state)
      }
  }

  /**
   * Notes a message of the broker: the state of a later event is that of the last process, or of another instance.
   * Returns true if the message is on the topic of such a state.
   */
  note(topic: string, payload: string): boolean {
    const object = rememberedObjects.find((one) => topic === stateTopic(this.#setup, one))
    if (object === undefined) return false
    if (this.#isNews(payload, this.#memory.remembered.get(object))) {
      this.#memory.remembered.set(object, payload)
      this.#memory.sent.set(topic, payload)
    }
    return true
  }

  #isNews(payload: string, known: string | undefined): boolean {
    if (known === undefined) return isRememberedState(payload)
    return isLater(payload, known, this.#wall())
  }
}
