/** A group of subtypes with the same flags (interface specification 2.8). */
type SubtypeGroup = 'A' | 'B' | 'C' | 'D'

/** The flags of the subtypes of a group. */
interface SubtypeFlags {
  enroll: boolean
  removing: boolean
  partitions_required: boolean
  /** False for all subtypes of the specification. */
  users_required: boolean
  is_zone_type_applicable: boolean
}

/** A kind of device. */
export interface DeviceSubtype {
  name: string
  /** First three digits of the enrollment id; empty if there are none. */
  enrollment_prefix: string
  group: SubtypeGroup
  /** False for a field fact: services use the name, but the interface specification does not list it. */
  specified: boolean
}

/** The flags of each group. */
export const subtypeFlags: Readonly<Record<SubtypeGroup, SubtypeFlags>> = {
  A: flags({ enroll: true, removing: true }),
  B: flags({}),
  C: flags({ partitions_required: true, is_zone_type_applicable: true }),
  D: flags({ partitions_required: true }),
}

/** Returns the flags of a group; those that are not named are false. */
function flags(set: Partial<SubtypeFlags>): SubtypeFlags {
  return {
    enroll: false,
    removing: false,
    partitions_required: false,
    users_required: false,
    is_zone_type_applicable: false,
    ...set,
  }
}

type Row = readonly [name: string, enrollmentPrefix: string]

const specified: Readonly<Record<SubtypeGroup, readonly Row[]>> = {
  A: [
    ['BASIC_KEYFOB', '300'],
    ['KEYFOB_ARM_LED', '301'],
    ['VENDORB_KEYFOB_1', '305'],
    ['VENDORB_KEYFOB_2', '306'],
    ['PGM_ON_ZONE', '073'],
    ['PGM_ON_PANEL', '070'],
  ],
  B: [
    ['VENDORA_PANEL', ''],
    ['POWER_LINK', ''],
    ['GENERIC_PROXY_TAG', ''],
    ['BASIC_REPEATER', '430'],
    ['GENERIC_PGM', ''],
  ],
  C: [
    ['MOTION', '120'],
    ['CURTAIN', '122'],
    ['MOTION_CAMERA', '140'],
    ['GLASS_BREAK', '160'],
    ['MOTION_V_ANTIMASK', '123'],
    ['MOTION_DUAL', '150'],
    ['MOTION_OUTDOOR', '130'],
    ['MOTION_OUTDOOR_CAMERA', '142'],
    ['GLASS_BREAK_SMART', '161'],
    ['FLAT_PIR_SMART', '126'],
    ['S_CEILING_SR', '127'],
    ['S_CEILING_LR', '128'],
    ['S_OUT_CURTAIN', '129'],
    ['SMOKE', '200'],
    ['SMOKE_HEAT', '201'],
    ['GAS', '230'],
    ['CO', '220'],
    ['FLOOD', '240'],
    ['TEMPERATURE', '250'],
    ['FLOOD_PROBE', '241'],
    ['S_CO_SENSOR', '221'],
    ['S_SMOKE_AND_HEAT', '202'],
    ['CONTACT', '100'],
    ['CONTACT_AUX', '101'],
    ['MC303_VANISH', '109'],
    ['CONTACT_V', '104'],
    ['CONTACT_IOS', '105'],
    ['CONTACT_4_IN', '106'],
    ['S_OUT_MC_1IN', '107'],
    ['SHOCK_AUX', '171'],
    ['SHOCK_CONTACT_G3', '172'],
    ['SHOCK_CONTACT_AUX_ANTIMASK', '170'],
    ['SHOCK_CONTACT_G2', '173'],
    ['HW_ZONE_CONNECTED_TO_WL_EXPANDER_IOV', '053'],
    ['HW_ZONE_CONNECTED_DIRECTLY_TO_THE_PANEL', '050'],
  ],
  D: [
    ['KEYPAD', '370'],
    ['PROXIMITY_KEYPAD', '371'],
    ['LCD_KEYPAD', '374'],
    ['LCD_PRG_KEYPAD', '375'],
    ['OUTDOOR', '410'],
    ['INDOOR', '400'],
    ['AC_OUTDOOR', '411'],
    ['SINGLE_BUTTON', '320'],
    ['TWO_BUTTON', '322'],
  ],
}

// Field facts: the real names of the three subtypes with neutral names above, and a siren in the group of the
// other sirens.
const fromTheField: Readonly<Partial<Record<SubtypeGroup, readonly Row[]>>> = {
  A: [
    ['DSC_KEYFOB_1', '305'],
    ['DSC_KEYFOB_2', '306'],
  ],
  B: [['VISONIC_PANEL', '']],
  D: [['SOUNDER', '412']],
}

function rows(groups: typeof fromTheField, isSpecified: boolean): [string, DeviceSubtype][] {
  return (['A', 'B', 'C', 'D'] as const).flatMap((group) =>
    (groups[group] ?? []).map(([name, enrollment_prefix]): [string, DeviceSubtype] => [
      name,
      { name, enrollment_prefix, group, specified: isSpecified },
    ]),
  )
}

/**
 * The device subtypes by name (interface specification 2.8); those known from the field are last.
 *
 * The set is open: services report subtypes that are in neither list, and such devices are accepted like any
 * other.
 */
export const deviceSubtypes: ReadonlyMap<string, DeviceSubtype> = new Map([
  ...rows(specified, true),
  ...rows(fromTheField, false),
])

/** The types of devices that the nodes know (interface specification 2.10, field facts); an open set. */
export const deviceTypes: ReadonlySet<string> = new Set([
  'CONTROL_PANEL',
  'POWER_LINK',
  'ZONE',
  'WL_SIREN',
  'WIRELESS_COMMANDER',
  'KEYFOB',
  'PROXY_TAG',
  'REPEATER',
  'PGM',
])

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
