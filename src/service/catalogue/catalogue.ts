/** One row of the event-type catalogue (interface specification 6.3). */
export interface EventType {
  /** Catalogue type id: the key that events use. */
  typeId: number
  /** Profile group such as `EP_ALARM`; only this, not the label, distinguishes alarm, alert and restore. */
  group: string
  /** Visonic code as text; several type ids may have the same code. */
  vis: string
  /** Contact ID, 3 or 4 digits as text; `000` or `0000` if there is none. */
  contactId: string
  /** SIA code, 3 characters; `000` if there is none. */
  sia: string
  /** Family of the event without the `EL_` prefix, for example `BURGLER`. */
  label: string
  /** Text in the language of the catalogue. */
  description: string
  /** Text in the service's own language. */
  descriptionOriginal: string
}

/** Event types by type id. */
export type Catalogue = ReadonlyMap<number, EventType>

/**
 * Removes the prefix `EL_` from a family of events: the catalogue has `EL_BURGLER`, an event only `BURGLER`
 * (interface specification 2.12 and 6.3).
 */
export function stripLabelPrefix(label: string): string {
  return label.replace(/^EL_/i, '')
}

/** Converts a profile group to lower case without the prefix `EP_`: `alarm` for `EP_ALARM`. */
export function groupName(group: string): string {
  return group.replace(/^EP_/i, '').toLowerCase()
}

/** Returns a Contact ID or SIA code; null if it is absent or has zeros only, which mean none (6.3). */
export function codeOrNull(code = ''): string | null {
  return /^0*$/.test(code) ? null : code
}
