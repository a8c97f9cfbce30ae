import { flagOrFalse, integerOrNull, integers, textOrEmpty } from '../optional-fields.ts'
import { type Check, list, record } from '../schema.ts'

/**
 * A condition that needs attention but is not an alarm. Field fact: the interface specification does not name
 * the operation, and only `alert_type` of its entries was seen. The other fields are assumed to be those of
 * an alarm.
 */
export interface PanelAlert {
  alert_type: string
  device_type: string
  /** `YYYY-MM-DD HH:MM:SS` without a zone. */
  datetime: string
  has_video: boolean
  /** Id of the event that reported the alert. */
  evt_id: number | null
  location: string
  /** Ids; empty means the whole panel. */
  partitions: number[]
  zone: number | null
  zone_name: string
  zone_type: string
}

const panelAlert: Check<PanelAlert> = record({
  alert_type: textOrEmpty,
  device_type: textOrEmpty,
  datetime: textOrEmpty,
  has_video: flagOrFalse,
  evt_id: integerOrNull,
  location: textOrEmpty,
  partitions: integers,
  zone: integerOrNull,
  zone_name: textOrEmpty,
  zone_type: textOrEmpty,
})

/** The answer to GET /alerts (field fact). */
export const alerts: Check<PanelAlert[]> = list(panelAlert)
