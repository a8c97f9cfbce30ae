import { deviceSubtypes } from '../../service/catalogue/device-subtypes.ts'
import { deviceWarnings } from '../../service/catalogue/device-warnings.ts'
import { catalogueEnUs } from '../../service/catalogue/en-us.ts'
import { outputZoneType, zoneTypes } from '../../service/catalogue/zone-types.ts'
import { licenseFeatures } from '../../service/responses/license.ts'
import { knownFields } from './known-fields.ts'

const wordsIn = (text: string): string[] => text.trim().split(/\s+/)

const states = wordsIn('AWAY HOME DISARM ENTRY_DELAY PROGRAMMING ARMING ALARM')
const stateOptions = wordsIn('NOENTRY LATCHKEY')
const statuses = wordsIn('EXIT')
const subtypes = [...deviceSubtypes.keys()]
const warnings = [...deviceWarnings]
const labels = catalogueEnUs.map(({ label }) => label)
const roles = wordsIn('MASTER_USER USER INSTALLER master_user user installer')
const deviceTypes = wordsIn(
  'CONTROL_PANEL POWER_LINK ZONE WL_SIREN PGM KEYFOB WIRELESS_COMMANDER PROXY_TAG REPEATER GSM IPMP IPMP_SERVER USER',
)
const connections = wordsIn('online offline ok')
const inspections = wordsIn('pass fail not_available')
const signalWords = wordsIn('strong good poor 1-way')
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
  feature: licenseFeatures,
  id: catalogueEnUs.map(({ group }) => group),
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

const typeIds: ReadonlySet<number> = new Set(catalogueEnUs.map(({ typeId }) => typeId))

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
  return field === 'type_id' && typeIds.has(number)
}
