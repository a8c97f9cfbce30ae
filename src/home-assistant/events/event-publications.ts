import { minute } from '../../duration.ts'
import type { EventMessage } from '../../messages/event-message.ts'
import type { Publication } from '../discovery.ts'
import { eventState, triggersOf, whoSet } from '../entities/event-types.ts'
import type { Setup } from '../setup.ts'
import { panelTopic } from '../topics.ts'
import { rememberedState } from './remembered-state.ts'

/** The topics of states that come from events, below the panel. */
export const rememberedObjects = ['last_event', 'armed_by', 'disarmed_by'] as const

/** Milliseconds after which a missed event fires no trigger: a siren must not sound in the morning for last night. */
const maxTriggerDelay = 10 * minute

/** Returns the age of an event in milliseconds, by its time. */
export type AgeOf = (time: string) => number

/** Returns what an event publishes: a payload for the event entity, and one for each trigger. */
export function eventPublications(setup: Setup, event: EventMessage, ageOf: AgeOf): Publication[] {
  const fired = firesTriggers(event, ageOf) ? triggersOf(event.payload) : []
  const triggers = fired.map((payload) => ({ topic: panelTopic(setup, 'trigger'), payload }))
  return [{ topic: panelTopic(setup, 'event'), payload: JSON.stringify(eventState(event)) }, ...triggers]
}

/** Tells if an event fires triggers, which carry no mark of their own: not again, and not long after it was missed. */
function firesTriggers({ late, redelivered, payload }: EventMessage, ageOf: AgeOf): boolean {
  if (redelivered) return false
  return !late || (payload.time !== null && ageOf(payload.time) <= maxTriggerDelay)
}

/**
 * Returns the states that an event sets, as JSON by the object of their topic. Duress sets none: a person who threatens
 * the user must not be able to read it.
 */
export function rememberedStates(event: EventMessage): Map<string, string> {
  const { description, label, time } = event.payload
  const { event_type: type, ...attributes } = eventState(event)
  const who = whoSet(event)
  return new Map([
    ...(type === 'duress'
      ? []
      : [['last_event', rememberedState(description || label, { type, ...attributes })] as const]),
    ...(who === undefined ? [] : [[who.key, rememberedState(who.name, { time })] as const]),
  ])
}
