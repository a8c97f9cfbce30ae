/** Subtype, enrollment prefix and what applies to it (interface specification 2.8). */
export interface DeviceType {
  readonly name: string
  readonly prefix: string
  readonly enroll: boolean
  readonly partitions: boolean
  readonly zoneType: boolean
}

const enrollable = `BASIC_KEYFOB 300, KEYFOB_ARM_LED 301, VENDORB_KEYFOB_1 305, VENDORB_KEYFOB_2 306, PGM_ON_ZONE 073,
  PGM_ON_PANEL 070`
const fixed = 'VENDORA_PANEL, POWER_LINK, GENERIC_PROXY_TAG, BASIC_REPEATER 430, GENERIC_PGM'
const zones = `MOTION 120, CURTAIN 122, MOTION_CAMERA 140, GLASS_BREAK 160, MOTION_V_ANTIMASK 123, MOTION_DUAL 150,
  MOTION_OUTDOOR 130, MOTION_OUTDOOR_CAMERA 142, GLASS_BREAK_SMART 161, FLAT_PIR_SMART 126, S_CEILING_SR 127,
  S_CEILING_LR 128, S_OUT_CURTAIN 129, SMOKE 200, SMOKE_HEAT 201, GAS 230, CO 220, FLOOD 240, TEMPERATURE 250,
  FLOOD_PROBE 241, S_CO_SENSOR 221, S_SMOKE_AND_HEAT 202, CONTACT 100, CONTACT_AUX 101, MC303_VANISH 109,
  CONTACT_V 104, CONTACT_IOS 105, CONTACT_4_IN 106, S_OUT_MC_1IN 107, SHOCK_AUX 171, SHOCK_CONTACT_G3 172,
  SHOCK_CONTACT_AUX_ANTIMASK 170, SHOCK_CONTACT_G2 173, HW_ZONE_CONNECTED_TO_WL_EXPANDER_IOV 053,
  HW_ZONE_CONNECTED_DIRECTLY_TO_THE_PANEL 050`
const partitioned = `KEYPAD 370, PROXIMITY_KEYPAD 371, LCD_KEYPAD 374, LCD_PRG_KEYPAD 375, OUTDOOR 410, INDOOR 400,
  AC_OUTDOOR 411, SINGLE_BUTTON 320, TWO_BUTTON 322`

function group(text: string, applies: Omit<DeviceType, 'name' | 'prefix'>): DeviceType[] {
  return text.split(',').map((entry) => {
    const [name = '', prefix = ''] = entry.trim().split(' ')
    return { name, prefix, ...applies }
  })
}

/** The device types that a panel knows, in the order of the interface specification 2.8. */
export const deviceTypes: readonly DeviceType[] = [
  ...group(enrollable, { enroll: true, partitions: false, zoneType: false }),
  ...group(fixed, { enroll: false, partitions: false, zoneType: false }),
  ...group(zones, { enroll: false, partitions: true, zoneType: true }),
  ...group(partitioned, { enroll: false, partitions: true, zoneType: false }),
]

/** The zone types that a panel offers (interface specification 2.9). */
export const zoneTypes: readonly string[] =
  `NON_ALARM EMERGENCY FLOOD GAS DELAY_1 DELAY_2 INTERIOR_FOLLOW PERIMETER
  PERIMETER_FOLLOW H24_SILENT H24_AUDIBLE FIRE INTERIOR HOME_DELAY TEMPERATURE ARMING_KEY GUARD_KEYBOX OUTDOOR
  INTERIOR_DELAY TAMPER LINE_FAIL PSU_FAIL PANIC CUSTOM_1 CUSTOM_2`.split(/\s+/)
