import {
  type Check,
  capitalsOrEmpty,
  capitalsOrNull,
  flagOrFalse,
  idOrNull,
  list,
  partitionIds,
  record,
  textOrEmpty,
  textOrNull,
} from '../schema.ts'

/** The fields that an alarm and an alert share (field fact). */
interface AlarmDetails {
  device_type: string
  /** `YYYY-MM-DD HH:MM:SS` without a zone. */
  datetime: string
  has_video: boolean
  /** Id of the event that reported it. */
  evt_id: number | null
  location: string
  /** Ids; empty means the whole panel. */
  partitions: number[]
  zone: number | null
  zone_name: string
  zone_type: string
}

/** The checks of these fields. No field is required: an alarm with little information is still an alarm. */
const alarmDetails = {
  device_type: capitalsOrEmpty,
  datetime: textOrEmpty,
  has_video: flagOrFalse,
  evt_id: idOrNull,
  location: textOrEmpty,
  partitions: partitionIds,
  zone: idOrNull,
  zone_name: textOrEmpty,
  zone_type: capitalsOrEmpty,
}

/** Returns the type of the device that an entry of a list is about: with the number of a zone and no type, it is the zone. */
export function typeOfSource({ device_type, zone }: { device_type: string; zone: number | null }): string {
  return device_type === '' && zone !== null && zone > 0 ? 'ZONE' : device_type
}

/**
 * An active alarm or one in memory. Field fact: the interface specification does not name the operation. The
 * state of a partition stays AWAY or HOME during an alarm, and only this list shows the alarm.
 */
export interface PanelAlarm extends AlarmDetails {
  /** `ALARM_IN_MEMORY` and other names ending in `_MEMORY` are past alarms that no user has looked at yet. */
  alarm_type: string
}

/** Returns true for a past alarm, which the panel only remembers. */
export function isInMemory({ alarm_type }: PanelAlarm): boolean {
  return alarm_type.endsWith('_MEMORY')
}

const panelAlarm: Check<PanelAlarm> = record({ alarm_type: capitalsOrEmpty, ...alarmDetails })

/** The maximum length of the list, far more than the zones of a panel, which raise the alarms. */
const maxAlarms = 1000

/** The answer to GET /alarms (field fact). */
export const alarms: Check<PanelAlarm[]> = list(panelAlarm, maxAlarms)

/**
 * A condition that needs attention but is not an alarm. Field fact: the interface specification does not name
 * the operation, and only `alert_type` of its entries was seen. The other fields are assumed to be those of
 * an alarm.
 */
export interface PanelAlert extends AlarmDetails {
  alert_type: string
}

const panelAlert: Check<PanelAlert> = record({ alert_type: capitalsOrEmpty, ...alarmDetails })

/** The answer to GET /alerts (field fact). */
export const alerts: Check<PanelAlert[]> = list(panelAlert)

/** A malfunction. Field fact: the interface specification does not name the operation. */
export interface Trouble {
  /** `INACTIVE`, `LOW_BATTERY`, `1_WAY`, `AC_FAILURE` and others; an open set. */
  trouble_type: string
  device_type: string
  /** Null for the control panel, as for the next three members. */
  zone_type: string | null
  zone: number | null
  location: string | null
  zone_name: string | null
  /** Ids; empty means the whole panel. */
  partitions: number[]
}

const trouble: Check<Trouble> = record({
  trouble_type: capitalsOrEmpty,
  device_type: capitalsOrEmpty,
  zone_type: capitalsOrNull,
  zone: idOrNull,
  location: textOrNull,
  zone_name: textOrNull,
  partitions: partitionIds,
})

/** The answer to GET /troubles (field fact). */
export const troubles: Check<Trouble[]> = list(trouble)
