import { minute } from '../../duration.ts'
import type { EventMessage } from '../../messages/event-message.ts'
import type { Publication } from '../discovery.ts'
import { eventState, triggersOf, whoSet } from '../entities/event-types.ts'
import type { Setup } from '../setup.ts'
import { panelTopic } from '../topics.ts'

/** A state that an event has set, as the broker keeps it. */
interface RememberedState {
  value: string
  /** `time` is that of the event, in ISO 8601; null or missing if the event has none. */
  attributes: Readonly<Record<string, unknown>>
}

/** The longest state that Home Assistant accepts. */
const maxStateLength = 255

/** The characters of the longest kept state that is believed: many times those of an event. */
const maxLength = 10_000

/** Milliseconds by which the clock of a panel may be ahead; a time that is later still is no time of an event. */
const maxAhead = 10 * minute

/** Returns a state as JSON, with a value that is cut if Home Assistant would not accept it. */
function rememberedState(value: string, attributes: object): string {
  return JSON.stringify({ value: cut(value), attributes })
}

/** Tells if a text is a state of ours: the broker keeps whatever anybody has sent to it. */
export function isRememberedState(payload: string): boolean {
  return parse(payload) !== undefined
}

/**
 * Tells if a state is of a later event than another one.
 * @param now milliseconds since 1970: a state with a time that is not over yet is of an unknown time, so that the next
 * event replaces it
 */
export function isLater(state: string, other: string | undefined, now: number): boolean {
  return timeOf(state, now) > timeOf(other, now)
}

/** Tells if the time of a state is known. */
export function isDated(state: string, now: number): boolean {
  return timeOf(state, now) > Number.NEGATIVE_INFINITY
}

function timeOf(state: string | undefined, now: number): number {
  const time = state === undefined ? undefined : parse(state)?.attributes.time
  const at = typeof time === 'string' ? Date.parse(time) : Number.NaN
  return at <= now + maxAhead ? at : Number.NEGATIVE_INFINITY
}

function parse(payload: string): RememberedState | undefined {
  if (payload.length > maxLength) return undefined
  try {
    const state = JSON.parse(payload)
    // Written as we write it: nothing else is in it.
    return isState(state) && JSON.stringify(state) === payload ? state : undefined
  } catch {
    return undefined
  }
}

function isState(state: unknown): state is RememberedState {
  if (typeof state !== 'object' || state === null) return false
  const { value, attributes, ...others } = state as Record<string, unknown>
  const isValue = typeof value === 'string' && value.length <= maxStateLength
  const isTable = typeof attributes === 'object' && attributes !== null && !Array.isArray(attributes)
  return isValue && isTable && Object.keys(others).length === 0 && Object.values(attributes).every(isFlat)
}

/** Tells if an attribute is one of an event: a value, or a list of values such as partitions. */
function isFlat(attribute: unknown): boolean {
  const values = Array.isArray(attribute) ? attribute : [attribute]
  return values.every((value) => value === null || typeof value !== 'object')
}

/** Returns a text without what is too long; half of a character at its end would make the whole state unreadable. */
function cut(text: string): string {
  if (text.length <= maxStateLength) return text
  return text.slice(0, maxStateLength).replace(/[\uD800-\uDBFF]$/, '')
}

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
