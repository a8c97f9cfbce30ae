import type { Declaration, Field } from './fields.ts'
import { indented, typeOf } from './form.ts'

/** The part of a page that no declaration describes: the text of `page.mjs`, and the names that it exports. */
export interface OwnPart {
  text: string
  /** `own`: members of the definition; `rules`: checks by field; `prepare` and `save`: called with the node. */
  names: ReadonlySet<string>
}

/** Returns the script of a page: the registration of the node in the editor, and what it calls. */
export function scriptOf(set: string, declaration: Declaration, own: OwnPart, dialog: string): string {
  const definition = `// Each \`validate\` has two parameters: only then does the editor show the text it returns.
RED.nodes.registerType('keyholder-${set}', {
${members(set, declaration, own)
  .map((member) => `${indented(member, '  ')},`)
  .join('\n')}
})`
  const parts = [
    usedFunctions(dialog, [own.text, definition].join('\n')).join('\n'),
    own.text.trim(),
    definition,
  ]
  const body = parts.filter((part) => part !== '').join('\n\n')
  return `<script type="text/javascript">\n  {\n${indented(body, '    ')}\n  }\n</script>\n`
}

/** Returns a module without its imports and exports, which a page cannot have, and the names that it exports. */
export function ownPart(module: string): OwnPart {
  const names = new Set([...module.matchAll(exported)].map(([, , name = '']) => name))
  return { text: module.replace(/^import [^\n]*\n+/gm, '').replace(exported, '$1$2'), names }
}

const exported = /^export ((?:const|function) )(\w+)/gm

/** Returns the functions of `dialog.mjs` that a script uses, and those that these use, in their order. */
function usedFunctions(module: string, script: string): string[] {
  const blocks = module.split('\n\n').filter((block) => block.includes('export '))
  const chosen: string[] = []
  for (const block of blocks.toReversed()) {
    const { text, names } = ownPart(block)
    const isUsed = [...names].some((name) =>
      new RegExp(`\\b${name}\\b`).test(`${script}\n${chosen.join('\n')}`),
    )
    if (isUsed) chosen.unshift(text.trim())
  }
  return chosen
}

function members(set: string, declaration: Declaration, { text, names }: OwnPart): string[] {
  const { fields, outputs = 1, isConfig } = declaration
  const entries = Object.entries(fields)
  const secrets = entries.filter(([, { kind }]) => kind === 'secret')
  const stored = entries.filter(([, { kind }]) => kind !== 'secret')
  const definitions = (of: typeof entries) =>
    of.map(([name, field]) => `  ${name}: ${indented(defaultOf(set, name, field), '  ').trim()},\n`).join('')
  const empty = secrets.map(([name, field]) => (field.isReadable ? `${name}: ''` : `has_${name}: false`))
  const filled = [
    ...(isConfig && empty.length > 0 ? [`fillCredentials(this, { ${empty.join(', ')} })`] : []),
    ...entries.flatMap((entry) => filling(set, ...entry)),
    ...(names.has('prepare') ? ['prepare(this)'] : []),
  ]
  const saved = [
    ...entries.flatMap((entry) => saving(...entry)),
    ...(names.has('save') ? ['save(this)'] : []),
  ]
  // A method of its own takes the place of the usual one.
  const isReplaced = (member: string) => {
    const [, method] = /^(\w+)\(\) \{/.exec(member) ?? []
    return method !== undefined && new RegExp(`^  ${method}\\(`, 'm').test(text)
  }
  return [
    `category: '${isConfig ? 'config' : 'alarm panel'}'`,
    "color: '#8CC6BD'",
    `icon: 'keyholder-${set}.svg'`,
    `defaults: {\n  name: { value: '' },\n${definitions(stored)}}`,
    ...(secrets.length > 0 ? [`credentials: {\n${definitions(secrets)}}`] : []),
    'inputs: 1',
    `outputs: ${outputs}`,
    method('inputLabels()', [`return this._('${set}.port.input')`]),
    method('outputLabels()', [`return this._('${set}.port.output')`]),
    method('onadd()', [
      "this.panel ||= RED.nodes.getType('keyholder-panel')?.findSole(this, 'keyholder-panel') ?? ''",
    ]),
    method('paletteLabel()', [`return this._('${set}.palette')`]),
    method('label()', [
      'const panel = RED.nodes.node(this.panel)?.name',
      `return this.name || (panel ? this._('${set}.named', { panel }) : this._('${set}.palette'))`,
    ]),
    method('labelStyle()', ["return this.name ? 'node_label_italic' : ''"]),
    ...(filled.length > 0 ? [method('oneditprepare()', filled)] : []),
    ...(saved.length > 0 ? [method('oneditsave()', saved)] : []),
    ...(names.has('own') ? ['...own'] : []),
  ].filter((member) => !isReplaced(member) && !(isConfig && ofFlow.test(member)))
}

/** The members that only a node in a flow has; the label of a config node is always of its own. */
const ofFlow = /^(?:color|icon|inputs|outputs|inputLabels|outputLabels|onadd|label)\b/

function method(head: string, lines: readonly string[]): string {
  return `${head} {\n${lines.map((line) => `  ${line}`).join('\n')}\n}`
}

/** Returns the default of a field, or the type of a credential, and its check as the editor wants them. */
function defaultOf(set: string, name: string, field: Field): string {
  const type = field.kind === 'node' ? `, type: 'keyholder-${field.of}'` : ''
  const isRequired = field.kind === 'node' && field.required !== undefined
  const node = isRequired ? `${type}, required: ${field.required}` : type
  const isSecret = field.kind === 'secret'
  const value = isSecret ? `type: '${typeOf(field)}'` : `value: ${literal(field.value)}${node}`
  const content = checkOf(name, field)
  const check = content && field.onlyIf ? `!${field.onlyIf}(this) || ${content}` : content
  if (check === undefined) return `{ ${value} }`
  // Its rule says the text, because the editor asks it for the fixed value too.
  if (field.kind === 'typed') return `{\n  ${value},\n  validate(value, opt) {\n    return ${check}\n  },\n}`
  const { says = name } = field
  const bounds =
    field.kind === 'number' && says === 'number'
      ? `, ${literal({ least: field.bounds.min, most: field.bounds.max })}`
      : ''
  return `{
  ${value},
  validate(value, ${check.includes('opt') ? 'opt' : '_opt'}) {
    return ${check} || this._('${set}.invalid.${says}'${bounds})
  },
}`
}

function checkOf(name: string, field: Field): string | undefined {
  if (field.kind === 'typed')
    return `checkTyped(this, '${name}', value, opt${field.hasRule ? `, rules.${name}` : ''})`
  if (field.hasRule) return `rules.${name}(this, value, opt)`
  if (field.kind === 'ids') return 'areIds(value)'
  if (field.kind === 'topic') return 'isTopic(value.trim())'
  if (field.kind === 'number') return `isNumber(value, ${literal(field.bounds)})`
  return undefined
}

/** Returns the statements that show the stored value of a field which Node-RED itself does not show. */
function filling(set: string, name: string, field: Field): string[] {
  if (field.kind === 'ids' || field.kind === 'list') return [`fillList(this, '${name}')`]
  if (field.kind === 'boxes') return [`fillBoxes(this, '${name}')`]
  if (name === 'instances') return [`showInstances('${set}')`]
  if (!field.isAdded) return []
  return [
    '// A node of an earlier version has no such field.',
    field.kind === 'flag'
      ? `$('#node-input-${name}').prop('checked', this.${name} ?? ${field.value})`
      : `$('#node-input-${name}').val(this.${name} || ${literal(field.value)})`,
  ]
}

/** Returns the statements that store the entered value of a field which Node-RED itself does not store. */
function saving(name: string, { kind }: Field): string[] {
  if (kind === 'boxes') return [`this.${name} = ticked('${name}')`]
  if (kind === 'list') return [`this.${name} = typedList('${name}', String)`]
  return kind === 'ids' ? [`this.${name} = typedList('${name}', toId)`] : []
}

/** Returns a value as a literal of JavaScript. */
function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  if (typeof value === 'object' && value !== null)
    return `{ ${Object.entries(value)
      .map(([key, one]) => `${key}: ${literal(one)}`)
      .join(', ')} }`
  return typeof value === 'string' ? `'${value}'` : String(value)
}
