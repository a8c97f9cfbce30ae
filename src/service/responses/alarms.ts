import { type Check, list, record } from './check.ts'
import { flagOrFalse, integerOrNull, integers, textOrEmpty } from './fallbacks.ts'

/**
 * An alarm that stands, or is kept in memory. Field fact: the interface specification does not name the
 * operation; the state of a partition stays AWAY or HOME during an alarm, and only this list tells.
 *
 * No field is required: an alarm of which little is known is still an alarm.
 */
export interface PanelAlarm {
  device_type: string
  /** `ALARM_IN_MEMORY` and other words ending in `_MEMORY` are past alarms that nobody has looked at yet. */
  alarm_type: string
  /** `YYYY-MM-DD HH:MM:SS` without a zone. */
  datetime: string
  has_video: boolean
  /** Id of the event that reported it. */
  evt_id: number | null
  location: string
  /** Empty means the whole panel. */
  partitions: number[]
  zone: number | null
  zone_name: string
  zone_type: string
}

const panelAlarm: Check<PanelAlarm> = record({
  device_type: textOrEmpty,
  alarm_type: textOrEmpty,
  datetime: textOrEmpty,
  has_video: flagOrFalse,
  evt_id: integerOrNull,
  location: textOrEmpty,
  partitions: integers,
  zone: integerOrNull,
  zone_name: textOrEmpty,
  zone_type: textOrEmpty,
})

/** Far more than a panel has zones to raise them. */
const mostAlarms = 1000

/** The answer to GET /alarms (field fact). */
export const alarms: Check<PanelAlarm[]> = list(panelAlarm, mostAlarms)
