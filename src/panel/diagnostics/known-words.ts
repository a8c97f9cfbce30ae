import {
  deviceSubtypes,
  deviceWarnings,
  outputZoneType,
  zoneTypes,
} from '../../service/catalogue/device-types.ts'
import { bundled, catalogueEnUs } from '../../service/catalogue/en-us.ts'
import { errorTable } from '../../service/error-table.ts'
import { noTraits } from '../../service/responses/devices.ts'
import { licenseFeatures } from '../../service/responses/license.ts'

/**
 * The names of all fields of the service that are known, from the interface specification, field facts and the
 * errors. A name that is not here may be data, such as the name of a person.
 */
export const knownFields: ReadonlySet<string> = new Set([
  ...Object.keys(noTraits),
  ...wordsIn(`
  active alarm_type alert_type alerts alias all allowed android appointment apptype average
  backup bba bba_over_gprs brightness bypass_mode
  cameras can_disable can_enable can_get can_set changed channel class code_cid code_length code_sia code_vis colors
  completed configuration connected connected_status created current current_user customization
  data date datetime default delivery description description_original description_placeholder_arguments
  detail_name details device_number device_type devices diagnostic disabling disabling_siren discovery
  dls_versions
  editable_features email emergency emergency_actions enabled enabling enabling_siren enroll enrollment_id
  enrollment_prefix error error_message error_reason_code event events evt_id exit_delay exit_delay_time extras
  failed family faults feature features firmware force_discovery
  gprs gradient gsm gsm_rssi_level_on_request has_alarms has_alerts has_troubles has_upgrade has_video hel_id hmac
  home_automation_devices id in_memory in_queue indoor_temperature info installer_allowed_to_remove_panels installer_versions ios
  is_basic_available is_connected is_default is_discoverable is_downloadable is_editable is_enabled is_enrollable
  is_labels_editable is_labels_enabled is_linkable is_support_specified_partitions is_uploadable is_zone_applicable
  is_zone_type_applicable
  key
  label label_description last_discovery last_updated level license limit limits local_wakeup_needed
  locations logs manufacturer max_partitions max_users_count model name network not_after not_before
  options outputs_setup panel_hw_version panel_model panel_serial panel_sw_last_upgraded panel_sw_version
  partition partitions partitions_required phone port powerlink_hw_version powerlink_sw_last_upgraded
  powerlink_sw_version preenroll preview_path primary process_status process_token processing profile push_format_versions
  queue ready remote_inspections remote_switch_to_programming_mode_requires_user_acceptance removable
  removing renamable repeater reserved_ids rest_versions retry role rri_timestamp
  serial server session_token set_date_time settable setting severity signal_level sirens stage stages state state_set
  state_sets status statuses subtype success supported_commands supported_timezones
  temperature test_type tests themes time timestamp toggling traits transitions triggered trouble_type type type_id
  types usb user user_names user_token users users_required valid validation_rules value verified_at version video
  video_on_demand virtual_panel_support vod
  walktest warnings wi_fi_connection wifi zone zone_name zone_type zone_types
  `),
])

/** The fields whose numbers have a known meaning and are small: numbers on the panel, counts, seconds, degrees. */
export const numberFields: ReadonlySet<string> = new Set(
  wordsIn(`
  channel code_length device_number error event evt_id exit_delay exit_delay_time failed hel_id id in_queue limit
  max_partitions max_users_count partitions port processing queue repeater reserved_ids retry stages success
  test_type type_id value zone
  `),
)

function wordsIn(text: string): string[] {
  return text.trim().split(/\s+/)
}

const states = wordsIn('AWAY HOME DISARM ENTRY_DELAY PROGRAMMING ARMING ALARM')
const stateOptions = wordsIn('NOENTRY LATCHKEY')
const statuses = wordsIn('EXIT')
const subtypes = [...deviceSubtypes.keys()]
const warnings = [...deviceWarnings]
const labels = catalogueEnUs.map(({ label }) => label)
const roles = wordsIn('MASTER_USER USER INSTALLER master_user user installer')
const deviceTypes = wordsIn(
  'CONTROL_PANEL POWER_LINK ZONE WL_SIREN PGM KEYFOB WIRELESS_COMMANDER PROXY_TAG REPEATER PENDANT GUARD_KEYBOX GSM IPMP IPMP_SERVER USER',
)
const connections = wordsIn('online offline ok')
const inspections = wordsIn('pass fail not_available')
const signalWords = wordsIn('strong good poor 1-way')
const reasons = errorTable.flatMap((row) => row.reasons ?? [])
/** Reasons that the service gives beside those that have a meaning of their own here. */
const otherReasons = wordsIn(
  'InvalidRequestFormat LoginTemporaryBlocked MethodNotAllowed NotFound SessionTokenNotFound Unauthorized',
)
/** Groups of events that services have beside those of the catalogue (field fact). */
const otherGroups = wordsIn(
  'EP_ALL EP_ZONE_OPEN_CLOSE EP_TEMPERATURE EP_ILLUMINANCE EP_RRI EP_CAMERA_VIEWED EP_CAMERA_TROUBLE EP_HOME_DEVICES_ON_OFF EP_HOME_DEVICES_TROUBLE EP_SYSTEM_PUSH_MSG EP_SYSTEM_EMAIL',
)
const descriptions = catalogueEnUs.flatMap((type) => [type.description, type.descriptionOriginal])

/**
 * The vocabularies of the service by field. A text of such a field stays in the diagnostics if it is one of these
 * words. A field for names that people give, such as `alias` or `zone_name`, has no vocabulary.
 *
 * `name` is here for the names of states and subtypes.
 */
const vocabularies: Readonly<Record<string, Iterable<string>>> = {
  alarm_type: [...warnings, ...labels],
  alert_type: [...warnings, ...labels],
  average: signalWords,
  brightness: ['light', 'dark'],
  bypass_mode: wordsIn('manual_bypass no_bypass force_arm'),
  class: ['pgm'],
  code_cid: catalogueEnUs.map(({ contactId }) => contactId),
  code_sia: catalogueEnUs.map(({ sia }) => sia),
  code_vis: catalogueEnUs.map(({ vis }) => vis),
  current: signalWords,
  current_user: roles,
  description: descriptions,
  description_original: descriptions,
  device_type: deviceTypes,
  editable_features: wordsIn(
    'UEF_CODE UEF_CREATE_USER UEF_LABEL UEF_NAME UEF_PARTITIONS UEF_REMOVE_USER UEF_ROLE',
  ),
  emergency_actions: wordsIn('E_FIRE E_PANIC E_EMERGENCY'),
  enrollment_prefix: [...deviceSubtypes.values()].map((subtype) => subtype.enrollment_prefix),
  error_reason_code: [...reasons.map(String), ...otherReasons],
  feature: licenseFeatures,
  id: [...catalogueEnUs.map(({ group }) => group), ...otherGroups],
  key: wordsIn(
    'app_id device_id email installer_code language locale panel_serial password timeout user_code',
  ),
  label: labels.flatMap((label) => [label, `EL_${label}`]),
  label_description: labels.map((label) => `EL_${label}`),
  level: connections,
  limit: wordsIn('central_station_num panels panels_dual_path panels_neo'),
  name: [...states, ...subtypes],
  options: stateOptions,
  role: roles,
  severity: wordsIn('TROUBLE ALARM ALERT'),
  state: [...states, ...connections, ...inspections, 'AVAILABLE'],
  state_set: knownFields,
  status: statuses,
  statuses,
  subtype: subtypes,
  transitions: states,
  trouble_type: warnings,
  type: [...warnings, ...wordsIn('POWER_MASTER POWER_MAX Neo NEO')],
  types: ['STANDARD'],
  zone_type: [...zoneTypes, outputZoneType],
  zone_types: zoneTypes,
}

const known: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries(vocabularies).map(([field, words]) => [field, new Set(words)]),
)

/** Returns true if the texts of this field are words of the service. */
export function hasVocabulary(field: string): boolean {
  // Most names and descriptions are texts of people.
  return known.has(field) && !['name', 'id', 'description', 'description_original'].includes(field)
}

/** Returns true if the text is a word of the service in this field. */
export function isKnownWord(field: string, text: string): boolean {
  return known.get(field)?.has(text) ?? false
}

/** Returns true if the number is the id of a known type of events. */
export function isKnownTypeId(field: string, number: number): boolean {
  return field === 'type_id' && bundled.has(number)
}

/** The words in a message of the service that tell errors apart; the rest of the message is for people. */
const phrases = errorTable.flatMap(({ says }) => says ?? [])

/** Returns the known words in the message of an error; undefined if it has none. */
export function knownPhrase(message: string): string | undefined {
  for (const phrase of phrases) {
    const [found] = phrase.exec(message) ?? []
    if (found !== undefined) return found.toLowerCase()
  }
  return undefined
}

/** Returns true if the number is one that the service has for the reason of an error. */
export function isKnownReason(field: string, number: number): boolean {
  return field === 'error' && reasons.includes(number)
}
