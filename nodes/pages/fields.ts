import { isTopic } from '../../src/home-assistant/topics.ts'
import { badSetting, number as numberOf, type RawSettings, text as textOf } from '../../src/settings.ts'
import {
  booleanOption,
  integerList,
  oneOf,
  positiveNumber,
  stringList,
  wordList,
} from '../shared/node-options.ts'

/** The bounds of a number; `max` is absent where there is none. */
export interface Bounds {
  min: number
  max?: number
  whole?: boolean
  /** True if the dialog refuses an empty one. */
  required?: boolean
}

/** The look of a field in a dialog, by its kind. */
export type Look =
  | { kind: 'node'; of: 'account' | 'panel' | 'cluster'; required: boolean | undefined }
  | { kind: 'choice'; words: readonly string[] }
  | { kind: 'flag' | 'text' | 'list' | 'ids' | 'topic' | 'language' | 'locale' | 'typed' | 'source' }
  | { kind: 'number'; bounds: Bounds }
  | { kind: 'boxes'; words: readonly string[] }
  | { kind: 'secret' }

/** The further properties of a field, which any kind can have. */
export interface Details {
  /** The name of its icon in Font Awesome 4. */
  icon?: string
  /** True if its row has an id, `keyholder-<node>-<field>`, with which the page shows and hides it. */
  isHidden?: boolean
  /** True for a setting of a later version than the node: the dialog of a node that lacks it shows its default. */
  isAdded?: boolean
  /** True if `rules` of `page.mjs` has its check. */
  hasRule?: boolean
  /** The function of `page.mjs` that says if the node uses it; only then it is checked. */
  onlyIf?: string
  /** The text below `invalid` with which the form refuses a value; without it, the name of the field. */
  says?: string
  /** The texts of its words, or of its unit; without it, the name of the field. */
  texts?: string
  /** True if the empty input shows the text below `placeholder`. */
  hasPlaceholder?: boolean
  /** The word of the box without which it means nothing: it stands among the boxes, and only while that one is ticked. */
  boxOf?: string
  /** True for a credential that the dialog shows, and not only whether there is one. */
  isReadable?: boolean
  /** The keyboard of a phone for a number; without it, that for decimal numbers. */
  inputMode?: 'numeric'
  /** Further attributes of its input. */
  attributes?: string
}

/** A setting of a node: its default, what the dialog shows, and what the node reads from a flow file. */
export type Field<V = unknown> = Look &
  Details & {
    /** The value in a new node. */
    value: unknown
    /**
     * Returns the value of a node in a flow file, which may lack it.
     * @throws KeyholderError BAD_SETTING
     */
    read(raw: RawSettings, field: string): V
  }

/** The fields of a node by their names, in the order of a flow file. */
export type Fields = Readonly<Record<string, Field>>

/** A part of a form: a field, a hint, or fields that stay folded until somebody opens them. */
export type Part = string | { tip: string } | { details: string; parts: readonly string[] }

/** All settings of a node but its name, which each node has. */
export interface Declaration<F extends Fields = Fields> {
  fields: F
  /** The form, if it differs from the fields in their order. */
  form?: readonly Part[]
  outputs?: number
  /** True for a config node, which is in no flow. */
  isConfig?: boolean
}

/** The settings of a node as its behavior uses them. */
export type Settings<D extends Declaration> = {
  [K in keyof D['fields']]: ReturnType<D['fields'][K]['read']>
}

/** The settings of a node as a flow file stores them. */
export type Stored<D extends Declaration> = Partial<Record<keyof D['fields'], unknown>>

/**
 * Returns the settings of a node in a flow file.
 * @throws KeyholderError BAD_SETTING
 */
export function readSettings<D extends Declaration>({ fields }: D, stored: object): Settings<D> {
  const read = Object.entries(fields).map(([name, field]) => [name, field.read({ ...stored }, name)])
  return Object.fromEntries(read)
}

/**
 * The panel, or another config node, with which the node works.
 * @param details.required undefined if a rule says it, which the editor calls for an empty field only then
 */
export function configNode(
  of: 'account' | 'panel' | 'cluster',
  details: Details & { required?: boolean | undefined } = {},
): Field<string> {
  const icon = { account: 'user', panel: 'shield', cluster: 'object-group' }[of]
  return { kind: 'node', of, required: true, value: '', icon, read: textOf, ...details }
}

/** One of several words; a missing or unknown one counts as the first. */
export function choice<const W extends string>(
  words: readonly [W, ...W[]],
  { value = words[0], ...details }: Details & { value?: W } = {},
): Field<W> {
  return { kind: 'choice', words, value, read: (raw, field) => oneOf(raw[field], words), ...details }
}

/** A check box of its own. */
export function flag(value: boolean, details: Details = {}): Field<boolean> {
  return { kind: 'flag', value, read: (raw, field) => booleanOption(raw[field], value), ...details }
}

/** A number in bounds; an empty one is the default, unless `empty` says what it is. */
export function number(
  value: number,
  bounds: Bounds & { max: number },
  details: Details & { empty?: number } = {},
): Field<number> {
  const { empty = value, ...others } = details
  const fallback = (raw: RawSettings, field: string) => (raw[field] === '' ? empty : value)
  const read = (raw: RawSettings, field: string) => numberOf(raw, field, fallback(raw, field), bounds)
  return { kind: 'number', bounds, value, read, ...others }
}

/** A number in bounds, or none. */
export function optionalNumber(
  bounds: Bounds & { max: number },
  details: Details = {},
): Field<number | undefined> {
  const read = (raw: RawSettings, field: string) =>
    textOf(raw, field) === '' ? undefined : numberOf(raw, field, bounds.min, bounds)
  return { kind: 'number', bounds, value: '', read, ...details }
}

/** A number from 0 up; another one counts as 0. */
export function amount(details: Details = {}): Field<number> {
  return {
    kind: 'number',
    bounds: { min: 0 },
    value: 0,
    read: (raw, field) => positiveNumber(raw[field]),
    ...details,
  }
}

/** A list of integers to type, or to choose from what is there; empty for all. */
export function ids(details: Details = {}): Field<number[]> {
  return { kind: 'ids', value: [], hasPlaceholder: true, read: integerList, ...details }
}

/** A list of texts to type, or to choose from what is there; empty for all. */
export function list(details: Details = {}): Field<string[]> {
  return { kind: 'list', value: [], hasPlaceholder: true, read: stringList, ...details }
}

/**
 * Some of these words, each with a check box. The node reads them in the order of `words`.
 * @param details.first what the dialog shows before the others
 * @param details.none what counts as chosen if nothing is
 */
export function boxes<const W extends string>(
  words: readonly W[],
  details: Details & { value?: readonly W[]; first?: readonly W[]; none?: readonly W[] } = {},
): Field<readonly W[]> {
  const { value = [], first = [], none = [], ...others } = details
  return {
    kind: 'boxes',
    words: [...new Set([...first, ...words])],
    value,
    read: (raw, field) => {
      const chosen = wordList(raw, field, words)
      return chosen.length > 0 ? chosen : none
    },
    ...others,
  }
}

/** The language of texts; empty for that of the account. */
export function language(): Field<string> {
  return { kind: 'language', value: '', icon: 'language', read: textOf }
}

/**
 * A value of the dialog, or one from elsewhere when a message arrives: then it is the name or the expression of it, and the
 * field `<name>Type` says from where, see `source`.
 */
export function typed(value: string | number, details: Details = {}): Field<unknown> {
  return { kind: 'typed', value, read: (raw, field) => raw[field] ?? value, ...details }
}

/** From where a typed value is; its row is that of the value. */
export function source(): Field<string> {
  return { kind: 'source', value: 'fixed', read: (raw, field) => textOf(raw, field) || 'fixed' }
}

/** The language and region of what the service says, such as `en_US`. */
export function locale(value: string, details: Details = {}): Field<string> {
  return { kind: 'locale', value, icon: 'language', hasPlaceholder: true, read: textOr(value), ...details }
}

/** A text in which anything may stand; an empty one is the default. */
export function text(value = '', details: Details = {}): Field<string> {
  return { kind: 'text', value, read: textOr(value), ...details }
}

function textOr(value: string): Field<string>['read'] {
  return (raw, field) => textOf(raw, field) || value
}

/** A text that is stored as a credential. */
export function secret(details: Details = {}): Field<string> {
  return { kind: 'secret', value: '', read: textOf, ...details }
}

/** The beginning of topics, which the node reads without the slash at its end. */
export function topic(value: string, details: Details = {}): Field<string> {
  const read = (raw: RawSettings, field: string) => {
    const entered = (textOf(raw, field) || value).replace(/\/+$/, '')
    if (isTopic(entered)) return entered
    throw badSetting(
      field,
      `"${entered.slice(0, 40)}" is not a topic. Enter words with / between them, such as ${value}`,
    )
  }
  return { kind: 'topic', value, read, ...details }
}

/**
 * Which of several instances of Node-RED send. A flow of before there were clusters has no such setting.
 */
export function instances(): Field<'one' | 'every'> {
  const read = ({ instances: stored }: RawSettings) => {
    if (stored === undefined || stored === '' || stored === 'one') return 'one'
    if (stored === 'every') return stored
    throw badSetting('instances', 'this is neither "one" nor "every". Choose which instances send')
  }
  return { kind: 'choice', words: ['one', 'every'], value: 'one', icon: 'clone', isHidden: true, read }
}
