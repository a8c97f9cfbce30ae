/**
 * Removes the prefix `EL_` from a family of events: the catalogue has `EL_BURGLER`, an event only `BURGLER`
 * (interface specification 2.12 and 6.3).
 */
export function bareLabel(label: string): string {
  return label.replace(/^EL_/i, '')
}

/** Converts a profile group to lower case without the prefix `EP_`: `alarm` for `EP_ALARM`. */
export function bareGroup(group: string): string {
  return group.replace(/^EP_/i, '').toLowerCase()
}
