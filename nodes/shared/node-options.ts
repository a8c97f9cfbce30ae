import type { Node, NodeAPI, NodeMessage } from 'node-red'
import { KeyholderError } from '../../src/service/error.ts'
import {
  badSetting,
  hideNumbers,
  labelOf,
  type RawSettings,
  type SourcedValue,
  text,
} from '../../src/settings.ts'

/**
 * Reads settings of a flow node from a flow file: a list may be missing, contain numbers as strings, or be a
 * single string (the value of an environment variable).
 */

/**
 * Returns a list of strings; empty if nothing is selected.
 * @throws KeyholderError BAD_SETTING if the setting is no list: an empty list would select everything
 */
export function stringList(def: RawSettings, field: string): string[] {
  return list(def, field, ',')
}

/**
 * Returns a list of integers; empty if nothing is selected.
 * @throws KeyholderError BAD_SETTING if the setting is no list of integers
 */
export function integerList(def: RawSettings, field: string): number[] {
  return list(def, field, /[\s,;]+/).map((item) => {
    if (Number.isInteger(Number(item))) return Number(item)
    throw badSetting(
      field,
      `"${shown(item)}" is not a number. Enter numbers separated by commas, such as 1, 2, or leave the field empty for all`,
    )
  })
}

/**
 * Returns the selected words; empty if nothing is selected.
 * @throws KeyholderError BAD_SETTING if the setting contains other words
 */
export function wordList<const W extends string>(
  def: RawSettings,
  field: string,
  words: readonly W[],
): readonly W[] {
  const chosen = stringList(def, field)
  const unknown = chosen.find((item) => !words.some((word) => word === item))
  if (unknown !== undefined)
    throw badSetting(
      field,
      `"${shown(unknown)}" is unknown. Enter one of ${words.join(', ')}, or leave the field empty for all`,
    )
  return words.filter((word) => chosen.includes(word))
}

function list(def: RawSettings, field: string, separator: string | RegExp): string[] {
  const value = def[field] ?? []
  if (value === '') return []
  const items: unknown[] = Array.isArray(value)
    ? value
    : typeof value === 'string'
      ? value.split(separator).filter((item) => item.trim() !== '')
      : [value]
  const texts = items.map((item) => (typeof item === 'number' ? String(item) : item))
  const isList = texts.every((item): item is string => typeof item === 'string' && item.trim() !== '')
  if (!isList || (typeof value === 'string' && texts.length === 0))
    throw badSetting(
      field,
      'this is not a list. Enter values separated by commas, or leave the field empty for all',
    )
  return texts.map((item) => item.trim())
}

function shown(item: string): string {
  return item.slice(0, 40)
}

/** The types of a TypedInput that take the value from elsewhere. */
const sources = ['msg', 'flow', 'global', 'env', 'jsonata']

/** Returns true if the value of a field is the one in the flow file. A flow of 0.1.0 has no other ones. */
export function isFixedValue(def: RawSettings, field: string): boolean {
  return ['', 'fixed'].includes(text(def, `${field}Type`))
}

/**
 * Returns the values of those fields that take theirs from the message, a context, an environment variable or a JSONata
 * expression. The type of a field is in another one, `<field>Type`.
 * @throws KeyholderError BAD_SETTING if there is no value: such a field must never count as one that is not set
 */
export async function typedValues(
  RED: NodeAPI,
  node: Node,
  def: RawSettings,
  fields: readonly string[],
  message: NodeMessage,
): Promise<Record<string, SourcedValue>> {
  const values: Record<string, SourcedValue> = {}
  for (const field of fields) {
    const setting = { field, type: text(def, `${field}Type`), of: text(def, field) }
    if (!isFixedValue(def, field)) values[field] = await typedValue(RED, node, setting, message)
  }
  return values
}

async function typedValue(
  RED: NodeAPI,
  node: Node,
  { field, type, of }: { field: string; type: string; of: string },
  message: NodeMessage,
): Promise<SourcedValue> {
  if (!sources.includes(type))
    throw badSetting(field, `"${shown(type)}" is no source of values. Select another one in the node`)
  const place = type === 'jsonata' ? 'expression' : `${type}.${RED.util.parseContextStore(of).key}`
  const source = `${labelOf(field)} (${place})`
  const refuse = (why: string) => new KeyholderError('BAD_SETTING', `${source}: ${why}`)
  let value: unknown
  try {
    value = await new Promise((resolve, reject) => {
      RED.util.evaluateNodeProperty(of, type, node, message, (error, result) =>
        error ? reject(error) : resolve(result),
      )
    })
  } catch (thrown) {
    // What JSONata throws is not an Error.
    const why = hideNumbers(String((thrown as { message?: unknown } | null)?.message).slice(0, 100))
    throw refuse(`this cannot be read (${why}). Correct it in the node.`)
  }
  if (value === undefined || value === null || (typeof value === 'string' && value.trim() === ''))
    throw refuse('this is empty. Set it before the message arrives, or select a fixed value in the node.')
  return { source, value }
}

/** Returns a boolean; a missing value counts as `fallback`. */
export function booleanOption(value: unknown, fallback: boolean): boolean {
  return value === undefined || value === '' ? fallback : value === true || value === 'true'
}

/** Returns one of several words; a missing or unknown value counts as the first. */
export function oneOf<const W extends string>(value: unknown, choices: readonly [W, ...W[]]): W {
  return choices.find((choice) => choice === value) ?? choices[0]
}

/** Returns a number from 0 up; a missing, negative or invalid value counts as 0. */
export function positiveNumber(value: unknown): number {
  const number = Number(value ?? 0)
  return Number.isFinite(number) && number > 0 ? number : 0
}
