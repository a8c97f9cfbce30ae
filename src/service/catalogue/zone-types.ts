/** The zone types, which define a zone's behavior, ordered as in interface specification 2.9; an open set. */
export const zoneTypes: readonly string[] = [
  'NON_ALARM',
  'EMERGENCY',
  'FLOOD',
  'GAS',
  'DELAY_1',
  'DELAY_2',
  'INTERIOR_FOLLOW',
  'PERIMETER',
  'PERIMETER_FOLLOW',
  'H24_SILENT',
  'H24_AUDIBLE',
  'FIRE',
  'INTERIOR',
  'HOME_DELAY',
  'TEMPERATURE',
  'ARMING_KEY',
  'GUARD_KEYBOX',
  'OUTDOOR',
  'INTERIOR_DELAY',
  'TAMPER',
  'LINE_FAIL',
  'PSU_FAIL',
  'PANIC',
  'CUSTOM_1',
  'CUSTOM_2',
]

/** The zone type of devices of type PGM in the list of devices (interface specification 2.9). */
export const outputZoneType = 'OUTPUT'
