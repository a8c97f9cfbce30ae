import { KeyholderError } from './service/error.ts'
import { isFindingText } from './service/finding-texts.ts'

/** Settings from the flow file: any of them may be missing, and any number may be a text. */
export type RawSettings = Partial<Record<string, unknown>>

/** A value, and its place as errors name it: `payload.zone`, or the label in the dialog of a node. */
export interface SourcedValue {
  source: string
  value: unknown
}

/** Those labels of settings in the English dialogs that are not the names of their fields in words. */
export const labels: Readonly<Record<string, string>> = {
  url: 'Service address',
  email: 'E-mail',
  requestsPerMinute: 'Request limit',
  locale: 'Language',
  api: 'Account type',
  apiVersion: 'API version',
  deviceInfo: 'Device name',
  caFile: 'CA certificate',
  appId: 'App ID',
  serial: 'Serial number',
  master: 'Sentinel group',
  username: 'User name',
  instance: 'Instance name',
  stateEvery: 'Poll state every',
  eventsEvery: 'Poll events every',
  devicesEvery: 'Poll devices every',
  allowCommands: 'Allow flows to send commands to this panel',
  allowRehearsal: 'Allow messages to start a rehearsal of this panel',
  emit: 'Send',
  instances: 'With several instances',
  vocabulary: 'Payload format',
  kinds: 'Readings',
  temperatureDelta: 'Temperature change',
  brightnessDelta: 'Brightness change',
  typeIds: 'Type IDs',
  first: 'First run',
  missed: 'Missed events',
  maxAge: 'Cache for',
  every: 'Heartbeat',
  enabled: 'Bypass the zone',
  conditions: 'In the list',
  offlineAfter: 'Panel offline, only after',
  lineAfter: 'Way to the service lost, only after',
  tamperAfter: 'Tamper, only after',
  lostAfter: 'Lost devices, only after',
  troubleAfter: 'Troubles, only after',
  batteryAfter: 'Low batteries, only after',
  memoryAfter: 'Alarms in memory, only after',
  openAfter: 'Open doors and windows, only after',
  bypassedAfter: 'Bypassed zones, only after',
  inspectionDays: 'Inspection failed, or older than',
  backupDays: 'Backup older than',
  testDays: 'Test every',
  testHour: 'From hour',
  answerMinutes: 'Answer within',
  watcherUrl: 'Watcher address',
  watcherMinutes: 'Call it every',
  prefix: 'Discovery prefix',
  base: 'Base topic',
  form: 'Announce',
  instantNight: 'Offer night as HOME without entry delay',
}

/** Returns the label of a setting in the English dialogs, as which errors name it: `openZones` is "Open zones". */
export function labelOf(field: string): string {
  const words = field.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return labels[field] ?? words.replace(/^./, (first) => first.toUpperCase())
}

/** Returns a text setting trimmed, a number as its digits, a missing setting as an empty text. */
export function text(raw: RawSettings, field: string): string {
  const value = raw[field]
  return typeof value === 'string' ? value.trim() : typeof value === 'number' ? String(value) : ''
}

/** Returns a number setting, or the default if it is empty. */
export function number(
  raw: RawSettings,
  field: string,
  fallback: number,
  { min, max, whole = false }: { min: number; max: number; whole?: boolean },
): number {
  const entered = text(raw, field)
  if (entered === '') return fallback
  const value = Number(entered)
  if (!(value >= min && value <= max) || (whole && !Number.isInteger(value))) {
    throw badSetting(field, `"${entered}" is not a ${whole ? 'whole ' : ''}number from ${min} to ${max}`)
  }
  return value
}

/** The text that the editor of Node-RED shows in place of a stored password. Imports and copies can bring it into the stored values (field fact). */
export const passwordPlaceholder = '__PWRD__'

/** Returns true for the name of an environment variable in the form in which Node-RED replaces it by its value. */
export function isVariable(value: unknown): value is string {
  return typeof value === 'string' && /^\$(\{\S+\}|\(\S+\))$/.test(value.trim())
}

/**
 * Throws if a setting is an environment variable that Node-RED has not filled in because it is not set, or its placeholder of a
 * password. Lists are searched too; `info` is the documentation of a node.
 * @param place what a dialog writes before the name of the field, if it is that of another node
 * @throws KeyholderError NOT_CONFIGURED
 */
export function refuseUnsetVariables(settings: object, place = ''): void {
  for (const [field, value] of Object.entries(settings)) {
    for (const item of field === 'info' ? [] : [value].flat()) {
      if (typeof item === 'string' && item.trim() === passwordPlaceholder) throw notStored(place, field)
      if (!isVariable(item)) continue
      const name = item.trim().slice(2, -1)
      throw new KeyholderError(
        'NOT_CONFIGURED',
        `${labelOf(field)}: the environment variable ${name} is not set. Set it, or enter the value itself.`,
        {},
        { text: 'finding.variableUnset', fields: [place + field], values: { name } },
      )
    }
  }
}

function notStored(place: string, field: string): KeyholderError {
  return new KeyholderError(
    'NOT_CONFIGURED',
    `${labelOf(field)}: Node-RED has stored its placeholder ${passwordPlaceholder} here and not the value. Enter the value again, and deploy.`,
    {},
    { text: 'finding.notStored', fields: [place + field] },
  )
}

/** Hides the numbers in a text that could be a user code, typed into the wrong field. */
export function hideNumbers(text: string): string {
  return text.replace(/(?<!\d)\d{4,8}(?!\d)/g, '(number hidden)')
}

/**
 * Returns the error for an invalid setting.
 * @param why what is wrong and the remedy, without the full stop
 * @param form key of the text with which the form of the dialog refuses the value
 */
export function badSetting(field: string, why: string, form = `invalid.${field}`): KeyholderError {
  const detail = isFindingText(form) ? { text: form } : {}
  return new KeyholderError('BAD_SETTING', `${labelOf(field)}: ${why}.`, {}, detail)
}

/**
 * Returns the error for an empty setting.
 * @param where the node in whose dialog it is
 */
export function missingSetting(field: string, where: string): KeyholderError {
  const label = labelOf(field)
  const isNode = field === 'account' || field === 'panel'
  const sentence = isNode
    ? `${label} is not selected, or was deleted: choose one in ${where}.`
    : `${label} is empty: enter it in ${where}.`
  return new KeyholderError('NOT_CONFIGURED', sentence, {}, { text: 'finding.missing', fields: [field] })
}
