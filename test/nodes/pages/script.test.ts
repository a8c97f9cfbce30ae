import assert from 'node:assert/strict'
import {
  amount,
  boxes,
  choice,
  configNode,
  type Declaration,
  flag,
  ids,
  instances,
  list,
  number,
  secret,
  topic,
} from '../../../nodes/pages/fields.ts'
import { ownPart, scriptOf } from '../../../nodes/pages/script.ts'

const dialog = `// Above all functions.

export const isId = (id) => Number.isInteger(id)

// Says what it is for.
export const areIds = (list) => list.every(isId)

export const isUnused = () => {}
`

/** Returns the script of a page of a node `lamp` with these fields. */
function scriptWith(fields: Declaration['fields'], own = '', outputs = 1): string {
  return scriptOf('lamp', { fields, outputs }, ownPart(own), dialog)
}

interface Checked {
  validate?(this: object, value: unknown, opt: object): unknown
}

interface Registered {
  defaults: Record<string, Checked & { value: unknown }>
  credentials?: Record<string, Checked & { type: string }>
  outputs: number
  onadd(): string
}

/** Returns what a script registers; without that module, a check calls one that is not there. */
function register(script: string): Registered {
  let found: Registered | undefined
  const RED = { nodes: { registerType: (_type: string, definition: Registered) => (found = definition) } }
  new Function('RED', script.replace(/<\/?script[^>]*>/g, ''))(RED)
  return found ?? assert.fail('nothing is registered')
}

describe('The script of a page', () => {
  it('registers the defaults of all fields after the name, and a secret as a credential', () => {
    const { defaults, credentials } = register(
      scriptWith({
        panel: configNode('panel'),
        numbers: ids(),
        words: list(),
        colors: boxes(['red', 'green'], { value: ['green'] }),
        mode: choice(['on', 'off'], { value: 'off' }),
        isLoud: flag(true),
        level: amount(),
        days: number(30, { min: 1, max: 366, whole: true }),
        base: topic('lamps'),
        key: secret(),
      }),
    )
    const values = Object.entries(defaults).map(([name, { value }]) => [name, value])
    assert.deepEqual(Object.fromEntries(values), {
      name: '',
      panel: '',
      numbers: [],
      words: [],
      colors: ['green'],
      mode: 'off',
      isLoud: true,
      level: 0,
      days: 30,
      base: 'lamps',
    })
    assert.equal(values[0]?.[0], 'name')
    assert.deepEqual(credentials, { key: { type: 'password' } })
  })

  it('contains the functions of dialogs that it uses, and those that these use, and no others', () => {
    const script = scriptWith({ numbers: ids() })
    const { defaults } = register(script)
    const texts = { _: (key: string) => key }
    assert.equal(defaults.numbers?.validate?.call(texts, [1, 2], {}), true)
    assert.equal(defaults.numbers?.validate?.call(texts, ['one'], {}), 'lamp.invalid.numbers')
    assert.ok(script.includes('// Says what it is for.'))
    assert.doesNotMatch(script, /isUnused|Above all|export/)
    assert.doesNotMatch(scriptWith({ isLoud: flag(true) }), /areIds|isId/)
  })

  it('checks a field by a rule of its own, with the text of the field', () => {
    const own = 'export const rules = { level: (node, value) => value > node.floor }\n'
    const { defaults } = register(scriptWith({ level: amount({ hasRule: true, says: 'low' }) }, own))
    const node = { floor: 3, _: (key: string) => key }
    assert.equal(defaults.level?.validate?.call(node, 4, {}), true)
    assert.equal(defaults.level?.validate?.call(node, 3, {}), 'lamp.invalid.low')
  })

  it('checks a field only if the node uses it, where that is not always so', () => {
    const own = `export const isLit = (node) => node.isLit\n\nexport const rules = { level: () => false }\n`
    const { defaults } = register(scriptWith({ level: amount({ hasRule: true, onlyIf: 'isLit' }) }, own))
    const checked = (isLit: boolean) =>
      defaults.level?.validate?.call({ isLit, _: (key: string) => key }, 4, {})
    assert.deepEqual([false, true].map(checked), [true, 'lamp.invalid.level'])
  })

  it('takes a member of its own instead of the usual one, without the imports of its module', () => {
    const own =
      "import { entered } from '../pages/dialog.mjs'\n\nexport const own = {\n  onadd() {\n    return 'mine'\n  },\n}\n"
    const script = scriptWith({}, own)
    assert.equal(register(script).onadd(), 'mine')
    assert.equal(script.match(/onadd\(/g)?.length, 1)
    assert.doesNotMatch(script, /import/)
  })

  it('fills and saves what Node-RED itself does not', () => {
    const own = 'export function prepare() {}\n\nexport function save() {}\n'
    const fields = {
      numbers: ids(),
      words: list(),
      colors: boxes(['red']),
      instances: instances(),
      isLoud: flag(true),
    }
    const script = scriptWith(fields, own)
    const body = (name: string) =>
      new RegExp(`${name}\\(\\) \\{\\n([^}]*)\\}`)
        .exec(script)?.[1]
        ?.trim()
        .split(/\s*\n\s*/)
    assert.deepEqual(body('oneditprepare'), [
      "fillList(this, 'numbers')",
      "fillList(this, 'words')",
      "fillBoxes(this, 'colors')",
      "showInstances('lamp')",
      'prepare(this)',
    ])
    assert.deepEqual(body('oneditsave'), [
      "this.numbers = typedList('numbers', toId)",
      "this.words = typedList('words', String)",
      "this.colors = ticked('colors')",
      'save(this)',
    ])
    assert.doesNotMatch(scriptWith({ isLoud: flag(true) }), /onedit/)
  })

  it('shows the default of a setting that a node of an earlier version lacks', () => {
    const script = scriptWith({
      mode: choice(['on', 'off'], { isAdded: true }),
      isLoud: flag(true, { isAdded: true }),
    })
    assert.ok(script.includes(`$('#node-input-mode').val(this.mode || 'on')`), script)
    assert.ok(script.includes(`$('#node-input-isLoud').prop('checked', this.isLoud ?? true)`), script)
  })

  it('gives a config node no ports and no look of a node in a flow, and its form empty credentials', () => {
    const fields = { user: secret({ isReadable: true, hasRule: true }), key: secret() }
    const own = 'export const rules = { user: (node, value) => value !== node.banned }\n'
    const script = scriptOf('lamp', { fields, isConfig: true }, ownPart(own), dialog)
    const { defaults, credentials = {}, ...others } = register(script)
    assert.deepEqual(Object.keys(others), ['category', 'paletteLabel', 'labelStyle', 'oneditprepare'])
    assert.deepEqual(Object.keys(defaults), ['name'])
    const { user, key } = credentials
    assert.deepEqual([user?.type, key], ['text', { type: 'password' }])
    const node = { banned: 'guest', _: (text: string) => text }
    assert.equal(user?.validate?.call(node, 'anna', {}), true)
    assert.equal(user?.validate?.call(node, 'guest', {}), 'lamp.invalid.user')
    assert.ok(script.includes("fillCredentials(this, { user: '', has_key: false })"), script)
  })

  it('has the outputs of the declaration', () => {
    assert.equal(register(scriptWith({}, '', 3)).outputs, 3)
  })
})
