import type { PanelEvent } from '../service/events.ts'

/** The event's id where it is one: the service also sends 0, null and nothing, and then has none (field fact). */
export function usableId({ event }: PanelEvent): number | null {
  return event !== null && event > 0 ? event : null
}

/**
 * What makes an event that event, as text: the same for the same event for ever.
 *
 * An id is not enough, since a panel that was reset counts from 1 again; type and time stand beside it. Without an id
 * it is everything the panel itself said. Label, description and zone name are left out: they come in the user's
 * language, which may change (field fact). Equal events of one second and without ids have equal fingerprints.
 */
export function fingerprint(serial: string, event: PanelEvent): string {
  const id = usableId(event)
  return id === null
    ? `${serial}--${event.type_id}-${event.datetime}-${event.zone}-${event.device_type}-${event.appointment}`
    : `${serial}-${id}-${event.type_id}-${event.datetime}`
}

/**
 * The `eventKey` of the public contract: the fingerprint, and for every further event of the same fingerprint its
 * number, `#2` and on, so that twins differ.
 */
export function eventKey(serial: string, event: PanelEvent, occurrence: number): string {
  const text = fingerprint(serial, event)
  return occurrence === 1 ? text : `${text}#${occurrence}`
}

/**
 * The fingerprint within one panel as a number of 53 bits, to remember and compare long lists by.
 *
 * It is written to disk, so its value for an event must never change. Two different events out of 1,000 share a mark
 * once in ten thousand million panels.
 */
export function mark(event: PanelEvent): number {
  const high = half(event, 0x9e3779b1) >>> 0
  const low = half(event, 0x85ebca77) >>> 11
  return high * 2 ** 21 + low
}

function half(event: PanelEvent, factor: number): number {
  const id = usableId(event) ?? 0
  let hash = withNumber(factor, id, factor)
  hash = withNumber(hash, Math.floor(id / 2 ** 32), factor)
  hash = withNumber(hash, event.type_id ?? -1, factor)
  hash = withText(hash, event.datetime, factor)
  if (id === 0) {
    hash = withNumber(hash, event.zone ?? -1, factor)
    hash = withText(hash, event.device_type, factor)
    hash = withText(hash, event.appointment, factor)
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0xc2b2ae3d)
  return hash ^ (hash >>> 15)
}

/** Multiplying carries upwards only; the turn brings the high bits down again. */
function withNumber(hash: number, value: number, factor: number): number {
  const product = Math.imul(hash ^ value, factor)
  return (product << 13) | (product >>> 19)
}

function withText(hash: number, text: string, factor: number): number {
  let mixed = withNumber(hash, text.length, factor)
  for (let at = 0; at < text.length; at += 1) mixed = withNumber(mixed, text.charCodeAt(at), factor)
  return mixed
}
