import type { PanelEvent } from '../../service/responses/events.ts'

/**
 * Returns the event's id, if it is valid: the service also sends 0, null and nothing, which are not ids
 * (field fact).
 */
export function usableId({ event }: PanelEvent): number | null {
  return event !== null && event > 0 ? event : null
}

/** Returns true if there is an event and its id is valid. */
export function hasId(event: PanelEvent | undefined): boolean {
  return event !== undefined && usableId(event) !== null
}

/**
 * Returns the text that identifies an event; it never changes for the same event.
 *
 * An id is not enough, because a panel that was reset counts from 1 again; so type and time are added.
 * Without an id, the text contains everything that the panel itself reported. Label, description and zone
 * name are left out, because they are in the user's language, which can change (field fact). Equal events of
 * the same second without ids have equal fingerprints.
 */
function fingerprint(serial: string, event: PanelEvent): string {
  const id = usableId(event)
  return id === null
    ? `${serial}--${event.type_id}-${event.datetime}-${event.zone}-${event.device_type}-${event.appointment}`
    : `${serial}-${id}-${event.type_id}-${event.datetime}`
}

/**
 * Returns the `eventKey` of the public contract: the fingerprint, and a number (`#2` and up) for every
 * further event with the same fingerprint, so that the keys differ.
 */
export function eventKey(serial: string, event: PanelEvent, occurrence: number): string {
  const text = fingerprint(serial, event)
  return occurrence === 1 ? text : `${text}#${occurrence}`
}

/**
 * Returns the fingerprint within one panel as a number of 53 bits, to store and compare long lists.
 *
 * It is written to disk, so its value for an event must never change. Two different events among 1,000 have
 * the same hash on one of ten billion panels.
 * @param datetime the time of the event in another form
 */
export function hash(event: PanelEvent, datetime = event.datetime): number {
  const { type_id: type, zone, device_type: device, appointment: actor } = event
  const id = usableId(event)
  // No array for each event: lists are long, and nearly always known.
  const one = id ?? 0
  const two = id === null ? (type ?? -1) : Math.floor(id / 2 ** 32)
  const three = (id === null ? zone : type) ?? -1
  let high = mixed(mixed(mixed(highFactor, one, highFactor), two, highFactor), three, highFactor)
  let low = mixed(mixed(mixed(lowFactor, one, lowFactor), two, lowFactor), three, lowFactor)
  const textCount = id === null ? 3 : 1
  for (let nth = 0; nth < textCount; nth += 1) {
    const text = nth === 0 ? datetime : nth === 1 ? device : actor
    for (let at = 0; at < text.length; at += 1) {
      const letter = text.charCodeAt(at)
      high = mixed(high, letter, highFactor)
      low = mixed(low, letter, lowFactor)
    }
    // The end of each text, which distinguishes `ab`, `c` from `a`, `bc`.
    high = mixed(high, 0, highFactor)
    low = mixed(low, 0, lowFactor)
  }
  return (high >>> 0) * 2 ** 21 + (low >>> 11)
}

const highFactor = 0x9e3779b1
const lowFactor = 0x85ebca77

/**
 * Mixes a value into a hash. The multiplication carries only upward; the rotation moves the high bits down
 * again.
 */
function mixed(hash: number, value: number, factor: number): number {
  const product = Math.imul(hash ^ value, factor)
  return (product << 13) | (product >>> 19)
}
