import { flagOrFalse, integerOrNull, integers, textOrEmpty } from '../optional-fields.ts'
import { type Check, list, record } from '../schema.ts'

/**
 * An active alarm or one in memory. Field fact: the interface specification does not name the operation. The
 * state of a partition stays AWAY or HOME during an alarm, and only this list shows the alarm.
 *
 * No field is required: an alarm with little information is still an alarm.
 */
export interface PanelAlarm {
  device_type: string
  /** `ALARM_IN_MEMORY` and other names ending in `_MEMORY` are past alarms that no user has looked at yet. */
  alarm_type: string
  /** `YYYY-MM-DD HH:MM:SS` without a zone. */
  datetime: string
  has_video: boolean
  /** Id of the event that reported the alarm. */
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

/** The maximum length of the list, far more than the zones of a panel, which raise the alarms. */
const maxAlarms = 1000

/** The answer to GET /alarms (field fact). */
export const alarms: Check<PanelAlarm[]> = list(panelAlarm, maxAlarms)
