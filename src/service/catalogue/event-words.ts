/**
 * A family of events without the prefix `EL_`: the catalogue writes `EL_BURGLER`, an event only `BURGLER`
 * (interface specification 2.12 and 6.3).
 */
export function bareLabel(label: string): string {
  return label.replace(/^EL_/i, '')
}

/** A profile group without the prefix `EP_` and in lower case: `alarm` for `EP_ALARM`. */
export function bareGroup(group: string): string {
  return group.replace(/^EP_/i, '').toLowerCase()
}
