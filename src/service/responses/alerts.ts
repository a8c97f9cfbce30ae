import { textOrEmpty } from '../optional-fields.ts'
import { type Check, list, record } from '../schema.ts'
import { type AlarmDetails, alarmDetails } from './alarms.ts'

/**
 * A condition that needs attention but is not an alarm. Field fact: the interface specification does not name
 * the operation, and only `alert_type` of its entries was seen. The other fields are assumed to be those of
 * an alarm.
 */
export interface PanelAlert extends AlarmDetails {
  alert_type: string
}

const panelAlert: Check<PanelAlert> = record({ alert_type: textOrEmpty, ...alarmDetails })

/** The answer to GET /alerts (field fact). */
export const alerts: Check<PanelAlert[]> = list(panelAlert)
