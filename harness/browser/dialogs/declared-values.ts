import type { Declaration, Field } from '../../../nodes/pages/fields.ts'
import { declarations } from '../../fixtures/declarations.ts'
import type { Values } from './dialog.ts'
import { type FieldRule, variable } from './field-rules.ts'

/** Returns a new value for each field of a node, as somebody enters it; the config nodes are `office`, its panel `store` and its cluster `both`. */
export function enteredValues(set: string): Values {
  const { fields, form } = declarationOf(set)
  const parts = form?.map((part) => (typeof part === 'string' ? [part] : 'tip' in part ? [] : part.parts))
  // Nobody enters what a page itself writes, or what stands beside a field.
  const isEntered = ([name, { kind, attributes }]: [string, Field]) =>
    kind !== 'source' && name !== 'storedFor' && attributes !== 'readonly'
  const order =
    parts?.flat() ??
    Object.entries(fields)
      .filter(isEntered)
      .map(([name]) => name)
  const entered = order.flatMap((name) => {
    const field = fields[name]
    return field === undefined ? [] : [[inputOf(name, field), enteredValue(field)] as const]
  })
  return { ...Object.fromEntries(entered), name: `Own ${set}` }
}

function inputOf(name: string, { kind }: Field): string {
  return ['ids', 'list', 'boxes'].includes(kind) ? `${name}-list` : name
}

function enteredValue(field: Field): string | boolean | string[] {
  switch (field.kind) {
    case 'node':
      return { account: 'office', panel: 'store', cluster: 'both' }[field.of]
    case 'choice':
      return field.words.find((word) => word !== field.value) ?? ''
    case 'flag':
      return field.value !== true
    case 'ids':
      return '1, 2'
    case 'list':
      return 'BURGLARY, FIRE'
    case 'boxes':
      return field.words.filter((word) => word !== field.words[1])
    case 'number':
      return String(
        Math.min(
          Math.max(Number(field.value) + 1, field.bounds.min),
          field.bounds.max ?? Number.POSITIVE_INFINITY,
        ),
      )
    case 'typed':
      return 'flow:own.value'
    case 'locale':
      return 'de_DE'
    case 'language':
      return 'de'
    case 'secret':
      return 'https://secret.example.com/canary'
    default:
      return 'own/text'
  }
}

/** The rules of those numbers that have a sentence of their own and no check of their own, by the nodes that have some. */
export const numberRules: Readonly<Record<string, readonly FieldRule[]>> = Object.fromEntries(
  [...declarations]
    .map(
      ([set, { fields }]) =>
        [set, Object.entries(fields).flatMap(([field, of]) => rulesOf(field, of))] as const,
    )
    .filter(([, rules]) => rules.length > 0),
)

function rulesOf(field: string, declared: Field): FieldRule[] {
  if (declared.kind !== 'number' || declared.says !== undefined || declared.hasRule) return []
  const { min, max, whole, required } = declared.bounds
  const beyond = max === undefined ? [] : [String(max + 1)]
  const broken = whole ? [String(min + 0.5)] : []
  const wrong = [String(min - 1), 'warm', ...beyond, ...broken, ...(required ? [''] : [])]
  const right = [...(required ? [] : ['']), String(min), String(max ?? 0.5), variable]
  return [{ field, wrong, right, says: field }]
}

function declarationOf(set: string): Declaration {
  const declaration = declarations.get(set)
  if (declaration === undefined) throw new Error(`nodes/${set}/settings.ts declares no settings.`)
  return declaration
}
