/**
 * The known types of device warnings; an open set.
 *
 * Field fact: the interface specification 2.10 shows warnings only as null. The first rows were seen on
 * devices; the others are names from the vendor's own app.
 */
export const deviceWarnings: ReadonlySet<string> = new Set([
  ...['OPENED', 'INACTIVE', '1_WAY', 'LOW_BATTERY', 'TAMPER', 'TAMPER_MEMORY', 'ALARM_IN_MEMORY', 'BYPASS'],
  ...['PREENROLL_NO_CODE'],
  ...['AC_FAILURE', 'CLEAN_ME', 'COLD_ALERT', 'COMM_FAILURE', 'EMERGENCY', 'FIRE', 'FREEZER_ALERT'],
  ...['FREEZING_ALERT', 'FUSE', 'HEAT_MEMORY', 'HEAT_OPEN', 'HEAT_TROUBLE', 'HOT_ALERT', 'JAMMED'],
  ...['LINE_FAILURE', 'MARK_FOR_SERVICE', 'MASKING_TROUBLE', 'NETWORK_TROUBLE', 'NO_ACTIVE', 'PANIC'],
  ...['REPORTED_1_WAY', 'RSSI_LOW', 'RSSI_POOR_OR_LESS_24H', 'RSSI_POOR_OR_LESS_NOW', 'SIM_NOT_VERIFIED'],
  ...['SMOKE_MEMORY', 'SMOKE_OPEN', 'SMOKE_TROUBLE', 'SOAK_FAILED', 'TROUBLE', 'WENT_OFFLINE'],
  ...['WORKING_1_WAY'],
])
