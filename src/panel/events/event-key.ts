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
  const { type_id: type, zone, datetime, device_type: device, appointment: actor } = event
  const id = usableId(event)
  const texts = id === null ? [datetime, device, actor] : [datetime]
  const numbers = id === null ? [0, type ?? -1, zone ?? -1] : [id, Math.floor(id / 2 ** 32), type ?? -1]
  let high = highFactor
  let low = lowFactor
  for (const value of numbers) {
    high = mixed(high, value, highFactor)
    low = mixed(low, value, lowFactor)
  }
  for (const text of texts) {
    // One step more than there are letters, with 0 for the end, keeps `ab`, `c` and `a`, `bc` apart.
    for (let at = 0; at <= text.length; at += 1) {
      const letter = at < text.length ? text.charCodeAt(at) : 0
      high = mixed(high, letter, highFactor)
      low = mixed(low, letter, lowFactor)
    }
  }
  return (high >>> 0) * 2 ** 21 + (low >>> 11)
}

const highFactor = 0x9e3779b1
const lowFactor = 0x85ebca77

/** Multiplying carries upwards only; the turn brings the high bits down again. */
function mixed(hash: number, value: number, factor: number): number {
  const product = Math.imul(hash ^ value, factor)
  return (product << 13) | (product >>> 19)
}
