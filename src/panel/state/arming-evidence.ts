import type { Catalogue } from '../../service/catalogue/catalogue.ts'
import { bareGroup } from '../../service/catalogue/event-words.ts'
import type { PanelEvent } from '../../service/responses/events.ts'

/**
 * The meaning of an event for a partition: a state that it entered, an alarm that began, or canceled alarms.
 */
export type Evidence = 'AWAY' | 'HOME' | 'DISARM' | 'ALARM' | 'CANCEL' | null

// Type ids of the catalogue (interface specification 6.3; 41 and 85 to 96 are field facts). A label decides
// nothing: `BURGLER` is on alarms and on their restores, and `ARM` on a failure to arm.
const evidenceByType: ReadonlyMap<number, Evidence> = new Map([
  [85, 'HOME'], // Arm Home
  [87, 'HOME'], // Quick Arm Home
  [86, 'AWAY'], // Arm Away
  [88, 'AWAY'], // Quick Arm Away
  [93, 'AWAY'], // Force Arm Away: armed although a zone was open
  [94, 'AWAY'], // Auto Arm Away
  [95, 'AWAY'], // Auto Arm Away, under its other Contact ID
  [96, 'AWAY'], // Instant Away: armed without entry delay
  [41, 'DISARM'],
  [89, 'DISARM'],
  [173, 'DISARM'], // Disarm after alarm, filed among the restores
  [31, 'CANCEL'], // Cancel Alarm: says nothing about arming, so the state from before the alarm applies again
  [18, null], // Fast zone open event: filed among the alarms, but only a zone was opened
  [35, null], // Recent Close: a remark that an alarm came soon after arming; the alarm has its own event
  [997, null], // Event pending: announces that something follows
])

/**
 * Returns the meaning of an event for arming, by its type id first, then by its group.
 *
 * Every other type of the group EP_ALARM begins an alarm, also a type that only the service's own catalogue
 * has. Duress is a separate group and gives no evidence: a person who threatens the user must not be able to
 * read it.
 */
export function evidenceOf({ type_id }: PanelEvent, catalogue: Catalogue): Evidence {
  if (type_id === null) return null
  const evidence = evidenceByType.get(type_id)
  if (evidence !== undefined) return evidence
  return bareGroup(catalogue.get(type_id)?.group ?? '') === 'alarm' ? 'ALARM' : null
}
