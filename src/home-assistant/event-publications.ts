import type { EventMessage } from '../messages/event-message.ts'
import type { Publication } from './discovery.ts'
import { eventState, triggersOf, whoSet } from './entities/event-types.ts'
import type { Setup } from './setup.ts'
import { panelTopic } from './topics.ts'

/** The topics of states that come from events, below the panel. */
export const rememberedObjects = ['last_event', 'armed_by', 'disarmed_by'] as const

/** The longest state that Home Assistant accepts. */
const maxStateLength = 255

/** Tells if a state that an event has set is of a later event than another one; the times are in ISO 8601. */
export function isLater(state: string, other: string | undefined): boolean {
  return timeOf(state) > timeOf(other ?? '')
}

function timeOf(state: string): string {
  const [, time = ''] = /"time":"([\dTZ:.-]+)"/.exec(state) ?? []
  return time
}

/** Returns what an event publishes: a payload for the event entity, and one for each trigger. */
export function eventPublications(setup: Setup, event: EventMessage): Publication[] {
  const triggers = triggersOf(event.payload).map((payload) => ({
    topic: panelTopic(setup, 'trigger'),
    payload,
  }))
  return [{ topic: panelTopic(setup, 'event'), payload: JSON.stringify(eventState(event)) }, ...triggers]
}

/** Returns the states that an event sets, as JSON by the object of their topic. */
export function rememberedStates(event: EventMessage): Map<string, string> {
  const { description, label, time } = event.payload
  const { event_type: type, ...attributes } = eventState(event)
  const who = whoSet(event)
  const state = (value: string, more: object) =>
    JSON.stringify({ value: value.slice(0, maxStateLength), attributes: more })
  return new Map([
    ['last_event', state(description || label, { type, ...attributes })],
    ...(who === undefined ? [] : [[who.key, state(who.name, { time })] as const]),
  ])
}
