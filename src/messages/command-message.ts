import type { Bypass, Command, SetState, Siren } from '../panel/commands/command.ts'
import type { BypassedZone, CompletedCommand } from '../panel/commands/command-queue.ts'
import type { Source } from '../panel/snapshot.ts'
import { KeyholderError } from '../service/error.ts'
import { wholePanel } from '../service/responses/status.ts'
import { hideNumbers, labelOf, type SourcedValue } from '../settings.ts'
import { type Message, message } from './message.ts'
import { parseStateWord, requestableStates } from './state-words.ts'

/**
 * The settings of a node or the fields of a payload: any values, by the field names of the public contract.
 */
type Fields = Readonly<Record<string, unknown>>

/** The message that the panel has executed a command, on the topic `<panel>/command`. */
export type CommandMessage = Message<
  {
    ok: true
    already?: true
    bypassed?: BypassedZone[] | null
    open?: BypassedZone[]
    tookMs: number
  } & CommandFields
>

type CommandFields = Pick<SetState, 'action' | 'partition' | 'state'> | Bypass | Siren

/** A field of version 0.2.0 that has no effect: the panel ends a bypass with the disarm after the arming. */
export const ignoredField = 'restoreBypass'

/** The fields that each action accepts. */
const fieldsOf: Record<Command['action'], readonly string[]> = {
  set_state: ['partition', 'state', 'options', 'openZones', ignoredField],
  bypass: ['zone', 'enabled'],
  siren_on: [],
  siren_off: [],
}

const everyField = ['action', ...Object.values(fieldsOf).flat()]
const offeredFields = everyField.filter((name) => name !== ignoredField).join(', ')

const removePayload = 'remove the payload: in an inject node, delete the row msg.payload.'
const withoutPayload = `To run the command set in the node, ${removePayload}`

/** The effect of a message with each action, for a sentence. */
const effects: Record<Command['action'], string> = {
  set_state: 'arm or disarm',
  bypass: 'bypass a zone or remove a bypass',
  siren_on: 'turn the siren on',
  siren_off: 'turn the siren off',
}

/**
 * Returns the fields of a command that come from the node's settings, because the payload does not name them.
 * @throws KeyholderError BAD_SETTING if payload or action is not understood
 */
export function fieldsOfNode(settings: Fields, payload: unknown): string[] {
  const parsed = parsePayload(payload)
  const source = Object.hasOwn(parsed, 'action') ? 'payload.action' : labelOf('action')
  const action = actionOf({ source, value: parsed.action ?? settings.action ?? 'set_state' })
  return fieldsOf[action].filter((name) => !Object.hasOwn(parsed, name))
}

/**
 * Returns the command that a node's settings and a message's payload describe; the payload overrides the
 * settings.
 *
 * A payload that is not fully understood is rejected, so that a typing error cannot arm or disarm anything.
 * @param values the values of settings that are not fixed, instead of these
 * @throws KeyholderError BAD_SETTING, NOT_SETTABLE
 */
export function parseCommand(
  settings: Fields,
  payload: unknown,
  values: Readonly<Record<string, SourcedValue>> = {},
): Command {
  const parsed = parsePayload(payload)
  const pathOf = (name: string) => (isPlainObject(payload) ? `payload.${name}` : 'payload')
  const field = (name: string, fallback?: unknown): SourcedValue =>
    Object.hasOwn(parsed, name)
      ? { source: pathOf(name), value: parsed[name] }
      : (values[name] ?? { source: labelOf(name), value: settings[name] ?? fallback })
  const action = actionOf(field('action', 'set_state'))
  const foreign = Object.keys(parsed).find((name) => name !== 'action' && !fieldsOf[action].includes(name))
  if (foreign !== undefined) throw bad(pathOf(foreign), unused(action, foreign, payload))
  switch (action) {
    case 'set_state': {
      const state = stateOf(field('state', ''))
      // The options set in the node are meant for arming, so they do not apply to a disarm.
      const isOwn = state === 'DISARM' && !Object.hasOwn(parsed, 'options')
      const options = isOwn ? [] : optionsOf(field('options', []))
      const partition = wholeNumber(field('partition', wholePanel))
      const isBypass = openZonesOf(field('openZones', 'refuse')) === 'bypass' && state !== 'DISARM'
      return { action, partition, state, options, ...(isBypass && { openZones: 'bypass' }) }
    }
    case 'bypass':
      return { action, zone: zoneOf(field('zone', '')), enabled: flagOf(field('enabled', true)) }
    default:
      return { action }
  }
}

/** Returns a sentence about a field that the action does not use; its removal would run the action. */
function unused(action: Command['action'], field: string, payload: unknown): string {
  if (!isPlainObject(payload))
    return `this node is set to ${effects[action]}, which needs no ${field} as payload. To arm or disarm, choose "Arm or disarm" as "${labelOf('action')}" in the node. To ${effects[action]}, ${removePayload}`
  const effect = `this message would ${effects[action]} (action "${action}"), which needs no ${field}.`
  const user = fieldsOf.bypass.includes(field) ? 'bypass' : 'set_state'
  return `${effect} To ${effects[user]}, set payload.action to "${user}". To ${effects[action]}, remove payload.${field}.`
}

/**
 * Builds the message that the panel has executed the command, or that it already was so; `tookMs` counts from
 * the arrival of the command.
 */
export function commandMessage(
  source: Source,
  command: Command,
  { tookMs, already, bypassed, open }: CompletedCommand,
): CommandMessage {
  const zones = bypassed === undefined ? {} : { bypassed: bypassed && structuredClone([...bypassed]) }
  const payload = {
    ok: true,
    ...(already && { already }),
    ...commandFields(command),
    ...zones,
    ...(open !== undefined && { open: structuredClone([...open]) }),
    tookMs,
  } as const
  return message(source, 'command', payload)
}

function commandFields(command: Command): CommandFields {
  if (command.action !== 'set_state') return { ...command }
  const { action, partition, state } = command
  return { action, partition, state }
}

/** Returns the payload by field; a single word or number is the state. */
function parsePayload(payload: unknown): Fields {
  if (payload === undefined || payload === null || payload === '') return {}
  if (typeof payload === 'string' || typeof payload === 'number') return { state: payload }
  if (!isPlainObject(payload)) {
    throw bad(
      'payload',
      `send a state, or an object with some of these fields: ${offeredFields}. ${requestableStates} ${withoutPayload}`,
    )
  }
  const unknown = Object.keys(payload).find((name) => !everyField.includes(name))
  if (unknown === undefined) return payload
  const sentence = `"${shown(unknown)}" is not a field of a command. Use one of: ${offeredFields}.`
  throw bad('payload', sentence)
}

/**
 * Returns true for a plain object: a Date or a Buffer is no command. The prototype does not matter, because objects
 * from a function node belong to another JavaScript realm.
 */
function isPlainObject(value: unknown): value is Fields {
  return Object.prototype.toString.call(value) === '[object Object]'
}

function actionOf({ source, value }: SourcedValue): Command['action'] {
  if (typeof value === 'string' && Object.hasOwn(fieldsOf, value)) return value as Command['action']
  const known = Object.keys(fieldsOf).join(', ')
  throw bad(source, `"${shown(value)}" is not a known action. Use one of: ${known}.`)
}

function stateOf({ source, value }: SourcedValue): string {
  if (value === '') throw bad(source, `choose one in the node, or send one as payload. ${requestableStates}`)
  const request = typeof value === 'string' || typeof value === 'number' ? parseStateWord(value) : 'unknown'
  if (request === 'unknown') {
    const remedy = source.startsWith('payload') ? ` ${withoutPayload}` : ''
    throw bad(source, `"${shown(value)}" is not a known state. ${requestableStates}${remedy}`)
  }
  if (request !== 'report') return request.request
  const sentence = `${source}: only the panel itself sets the state "${shown(value)}". ${requestableStates}`
  throw new KeyholderError('NOT_SETTABLE', sentence)
}

/** Accepts a list, or a single text as an environment variable contains it. */
function optionsOf({ source, value }: SourcedValue): string[] {
  const list = typeof value === 'string' ? value.split(/[\s,;]+/) : value
  if (Array.isArray(list) && list.every((option) => typeof option === 'string')) {
    return [...list].map((option) => option.trim()).filter((option) => option !== '')
  }
  throw bad(source, 'this must be a list of words, such as ["NOENTRY"].')
}

function openZonesOf({ source, value }: SourcedValue): 'refuse' | 'bypass' {
  if (value === 'refuse' || value === 'bypass') return value
  throw bad(source, `"${shown(value)}" is not a known choice. Use refuse or bypass.`)
}

function zoneOf(field: SourcedValue): number {
  if (field.value === '')
    throw bad(field.source, 'enter the number of a zone in the node, or send it as payload.zone.')
  return wholeNumber(field)
}

function wholeNumber({ source, value }: SourcedValue): number {
  const text = typeof value === 'number' || typeof value === 'string' ? String(value).trim() : ''
  if (/^-?\d{1,9}$/.test(text)) return Number(text)
  throw bad(source, `"${shown(value)}" is not a whole number, such as 3.`)
}

function flagOf({ source, value }: SourcedValue): boolean {
  if (value === true || value === 'true') return true
  if (value === false || value === 'false') return false
  throw bad(source, `"${shown(value)}" is not true or false.`)
}

/**
 * Returns a value for an error message. Numbers that could be a user code, typed into the wrong field, are
 * hidden.
 */
function shown(value: unknown): string {
  if (typeof value === 'object' && value !== null) return 'an object'
  return hideNumbers(String(value).slice(0, 40))
}

function bad(source: string, why: string): KeyholderError {
  return new KeyholderError('BAD_SETTING', `${source}: ${why}`)
}
