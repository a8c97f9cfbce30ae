import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path/posix'
import { fileURLToPath } from 'node:url'
import type { LeftOutFields } from '../harness/fixtures/left-out-fields.ts'
import { languages } from '../harness/fixtures/locales.ts'
import { defaultsOf, nodeFields } from '../harness/fixtures/node-fields.ts'
import { page } from '../harness/fixtures/pages.ts'
import { neededPalettes } from '../harness/node-red/npm.ts'
import type { FlowNode } from '../harness/node-red/recorded-flow.ts'
import { registrations } from '../nodes/keyholder.ts'
import { readingKinds } from '../src/panel/devices/readings.ts'
import { queryable } from '../src/service/operations.ts'

const root = new URL('../', import.meta.url)

const { fieldsToLeaveOut, withoutDefaults }: LeftOutFields = await import(
  new URL('scripts/examples/left-out-fields.js', root).href
)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')
const exists = (path: string) => existsSync(new URL(path, root))

interface Manifest {
  name: string
  type: string
  license: string
  keywords: string[]
  files: string[]
  bin: Record<string, string>
  engines: { node: string }
  dependencies: Record<string, string>
  publishConfig: { access: string }
  'node-red': { version: string; nodes: Record<string, string> }
}
const manifest: Manifest = JSON.parse(read('package.json'))

type Validate = (this: object, value: unknown, opt: object) => unknown

interface Field {
  value: unknown
  type?: string
  validate?: Validate
  required?: boolean
}

interface Definition {
  category: string
  color?: string
  icon?: string
  inputs?: number
  outputs?: number
  defaults: Record<string, Field>
  credentials?: Record<string, { type: string; validate?: Validate }>
  oneditprepare?: (this: object) => void
  oneditsave?: (this: object) => void
}

/** The parts of an editor page: what the attributes of its script tags say they are. */
function scripts(html: string, attribute: RegExp): { named: string; source: string }[] {
  return [...html.matchAll(/<script([^>]*)>([\s\S]*?)<\/script>/g)].flatMap(([, tag = '', source = '']) => {
    const [, named = ''] = attribute.exec(tag) ?? []
    return attribute.test(tag) ? [{ named, source }] : []
  })
}

/** The form of a node as its script sees it: a text by the selector of its input. */
type Form = (selector: string) => {
  val(text?: string): string | undefined
  on(event: string, listener: () => void): void
  toggle(isShown: boolean): void
}

const ignored = { on: () => {}, toggle: () => {} }

const noForm: Form = () => ({ val: () => undefined, ...ignored })

function openForm(): Form {
  const texts = new Map<string, string>()
  return (selector) => ({
    ...ignored,
    val(text) {
      if (text !== undefined) texts.set(selector, text)
      return texts.get(selector)
    },
  })
}

/** Returns the registrations of a page in an editor with these nodes and settings. */
function registered(
  html: string,
  nodes: Record<string, object> = {},
  settings: Record<string, unknown> = {},
  form = noForm,
): Map<string, Definition> {
  const found = new Map<string, Definition>()
  const registerType = (type: string, definition: Definition) => found.set(type, definition)
  const editor = {
    nodes: { registerType, node: (id: string) => nodes[id] ?? null },
    editor: { getEditStack: () => [] },
    events: { on: () => {} },
    settings,
  }
  for (const { source } of scripts(html, /^ type="text\/javascript"$/)) {
    new Function('RED', '$', source)(editor, form)
  }
  return found
}

const sets = Object.keys(registrations).map((name) => ({ name, html: page(name) }))
const definitions = new Map(sets.flatMap(({ html }) => [...registered(html)]))
const flowTypes = [...definitions].filter(([, { category }]) => category !== 'config').map(([type]) => type)

describe('The package', () => {
  it('is a public ES module with a license and the palette keyword', () => {
    assert.equal(manifest.type, 'module')
    assert.equal(manifest.publishConfig.access, 'public')
    assert.ok(manifest.license && exists('LICENSE'))
    assert.ok(manifest.keywords.includes('node-red'))
    assert.match(manifest.name, /^@[a-z\d][\w.-]+\/node-red-[\w.-]+$/)
  })

  it('runs on Node.js 20.19, Node-RED 4.1 and later versions', () => {
    assert.equal(manifest.engines.node, '>=20.19')
    assert.equal(manifest['node-red'].version, '>=4.1.0')
  })

  it('has at most six dependencies, without Node-RED', () => {
    const names = Object.keys(manifest.dependencies)
    assert.ok(names.length <= 6)
    assert.ok(!names.includes('node-red'))
  })

  it('ships examples, and all the files that it lists exist', () => {
    assert.ok(manifest.files.includes('examples'))
    for (const path of manifest.files.filter((entry) => !entry.startsWith('!'))) assert.ok(exists(path), path)
    for (const path of Object.values(manifest.bin)) assert.ok(exists(path), path)
  })

  it('names config nodes before the nodes that need them', () => {
    const categories = sets.map(({ html }) => [...registered(html).values()][0]?.category)
    assert.deepEqual(
      categories,
      [...categories].sort((one, other) => Number(other === 'config') - Number(one === 'config')),
    )
  })
})

describe('The node set that Node-RED loads', () => {
  const [file = '', ...others] = Object.values(manifest['node-red'].nodes)
  const beside = (ending: string) => file.replace(/\.js$/, ending)

  it('has its script, its page and its texts in the same folder', () => {
    assert.deepEqual(others, [])
    for (const path of [file, beside('.html')]) assert.ok(exists(path), path)
    for (const language of languages) {
      const path = join(dirname(file), 'locales', language, 'keyholder.json')
      // A language may lack the texts of a new node.
      const written = sets.map(({ name }) => `nodes/${name}/locales/${language}.json`).filter(exists)
      const texts = written.flatMap((one) => Object.keys(JSON.parse(read(one))))
      assert.deepEqual(new Set(Object.keys(JSON.parse(read(path)))), new Set(texts))
    }
  })

  it('has all types, in the order of their registration', () => {
    assert.deepEqual([...registered(read(beside('.html'))).keys()], [...definitions.keys()])
  })

  it('has the help of all types, in the languages in which it is written', () => {
    for (const language of ['en-US', 'de']) {
      const page = read(join(dirname(file), 'locales', language, 'keyholder.html'))
      const help = scripts(page, /data-help-name="([^"]+)"/).map(({ named }) => named)
      assert.deepEqual(help, [...definitions.keys()])
    }
  })
})

for (const { name, html } of sets) {
  describe(`The node ${name}`, () => {
    it('has one script with a type that palette tools know', () => {
      const tags = [...html.matchAll(/<script[^>]*>/g)].map(([tag]) => tag)
      assert.equal(tags.filter((tag) => tag === '<script type="text/javascript">').length, 1)
      assert.ok(tags.every((tag) => !tag.includes('src=')))
    })

    it('registers the types of its forms by literal names', () => {
      const literal = [...html.matchAll(/registerType\('([^']+)', \{/g)].map(([, type]) => type)
      const forms = scripts(html, /data-template-name="([^"]+)"/).map(({ named }) => named)
      assert.deepEqual(literal, [...registered(html).keys()])
      assert.deepEqual(forms, literal)
      assert.ok(literal.every((type) => type?.startsWith('keyholder-')))
    })

    it('has help for every type', () => {
      const help = scripts(read(`nodes/${name}/locales/en-US.html`), /data-help-name="([^"]+)"/)
      assert.deepEqual(
        help.map(({ named }) => named),
        [...registered(html).keys()],
      )
      assert.ok(help.every(({ source }) => source.trim() !== ''))
    })
  })
}

for (const [type, definition] of definitions) {
  const page = sets.find(({ html }) => registered(html).has(type))?.html ?? ''
  const form = scripts(page, /data-template-name="([^"]+)"/).find(({ named }) => named === type)?.source ?? ''

  describe(`The node ${type}`, () => {
    it('has the fields, defaults and credentials of the contract', () => {
      const expected = nodeFields[type] ?? assert.fail('declare the settings')
      const defaults = Object.entries(definition.defaults).map(([field, { value }]) => [field, value])
      const credentials = Object.entries(definition.credentials ?? {}).map(([field, { type }]) => [
        field,
        type,
      ])
      assert.deepEqual(Object.fromEntries(defaults), expected.fields)
      assert.deepEqual(Object.fromEntries(credentials), expected.credentials)
    })

    it('has an input for every field, and a label for every input', () => {
      const prefix = definition.category === 'config' ? 'node-config-input' : 'node-input'
      const fields = Object.keys({ ...definition.defaults, ...definition.credentials })
      const ids = [...form.matchAll(/\bid="([^"]+)"/g)].map(([, id = '']) => id)
      for (const field of fields) {
        assert.ok(ids.includes(`${prefix}-${field}`) || ids.includes(`${prefix}-${field}-list`), field)
      }
      const visible = /<(?:input|select)\b(?! type="hidden")[^>]*\bid="([^"]+)"/g
      const controls = [...form.matchAll(visible)].map(([, id = '']) => id)
      const labelled = [...form.matchAll(/<label for="([^"]+)"/g)].map(([, id = '']) => id)
      assert.deepEqual(labelled.toSorted(), controls.toSorted())
      assert.equal(new Set(ids).size, ids.length)
    })

    it('describes each field with a unit by it, for those who do not see it beside the field', () => {
      const units = [...form.matchAll(/<span([^>]*) data-i18n="\w+\.unit\./g)].map(([, attributes = '']) => {
        return /\bid="([^"]+)"/.exec(attributes)?.[1] ?? ''
      })
      const described = [...form.matchAll(/<input [^>]*\baria-describedby="([^"]+)"/g)].map(([, id]) => id)
      for (const unit of units) assert.ok(described.includes(unit), unit)
    })

    it('gives a reason for every invalid value', () => {
      for (const { validate } of Object.values({ ...definition.defaults, ...definition.credentials })) {
        assert.ok(validate === undefined || validate.length === 2)
      }
    })

    if (definition.category === 'config') return

    it('has the look of all our nodes: category, color, icon, one input, and one output or those of a chain test', () => {
      assert.equal(definition.category, 'alarm panel')
      assert.equal(definition.color, definitions.get('keyholder-state')?.color)
      assert.equal(definition.icon, `${type}.svg`)
      assert.ok(exists(`dist/icons/${definition.icon}`))
      const outputs = type === 'keyholder-chain-test' ? 3 : 1
      assert.deepEqual([definition.inputs, definition.outputs], [1, outputs])
    })
  })
}

describe('The README', () => {
  const readme = read('README.md')
  // Whole addresses: npm and the flow library show the README too, and the pictures are not in the tarball.
  const folder = 'https://raw.githubusercontent.com/keyholder/node-red-alarm-panel/main/docs/images/'
  const markdown = [...readme.matchAll(/!\[([^\]]*)\]\(([^)]*)\)/g)].map(([, said, source]) => ({
    said,
    source,
  }))
  const html = [...readme.matchAll(/<img src="([^"]*)"[^>]* alt="([^"]*)">/g)].map(([, source, said]) => ({
    said,
    source,
  }))
  const pictures = [...markdown, ...html]

  it('shows every picture with an alternative text', () => {
    const shown = pictures.map(({ source = '' }) => source)
    const names = readdirSync(new URL('docs/images', root))
    // Drawings and some pictures belong to the pages of docs; that of the rehearsal is here and there.
    const onPages = ['docs/cluster.md', 'docs/nodes.md'].map(read).join()
    const taken = names
      .filter((name) => name.endsWith('.png') && !onPages.includes(`images/${name}`))
      .map((name) => folder + name)
    assert.deepEqual(shown.toSorted(), taken.toSorted())
    for (const { said = '', source } of pictures) assert.ok(said.length > 20, source)
  })

  it('loads fast because no picture is larger than 200 kB', () => {
    for (const { source = '' } of pictures) {
      const { size } = statSync(new URL(source.replace(folder, 'docs/images/'), root))
      assert.ok(size <= 200_000, source)
    }
  })
})

describe('The examples', () => {
  const core = [
    'tab',
    'comment',
    'inject',
    'debug',
    'catch',
    'status',
    'change',
    'switch',
    'function',
    'template',
    'trigger',
    'rbe',
    'join',
    'mqtt-broker',
    'mqtt in',
    'mqtt out',
    'global-config',
    'http request',
    'http in',
    'http response',
    'websocket in',
    'websocket-client',
    'link in',
    'link out',
    'subflow',
  ]
  const examples = readdirSync(new URL('examples', root), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.json'))
    .map((path): [string, FlowNode[]] => [path, JSON.parse(read(`examples/${path}`))])

  const isGerman = (path: string) => path.startsWith('Deutsch')

  it('show every node', () => {
    const shown = new Set(examples.flatMap(([, nodes]) => nodes.map(({ type }) => type)))
    for (const type of flowTypes) assert.ok(shown.has(type), type)
  })

  it('share one account and one panel with the demo flow, as new nodes have them, and no other id is used twice', () => {
    const demoFlow: FlowNode[] = JSON.parse(read('scripts/demo-flows.json'))
    const all = [...examples.flatMap(([, nodes]) => nodes), ...demoFlow]
    assert.ok(all.every(({ id }) => /^[0-9a-f]{16}$/.test(id)))
    const isShared = ({ type }: FlowNode) => type === 'keyholder-account' || type === 'keyholder-panel'
    // Each language has an account of its own: that of a new node in an editor of this language.
    const english = [...examples.flatMap(([path, nodes]) => (isGerman(path) ? [] : nodes)), ...demoFlow]
    const [account, panel, ...others] = new Map(
      english.filter(isShared).map((node) => [node.id, node]),
    ).values()
    assert.deepEqual(others, [])
    assert.ok(account !== undefined && panel !== undefined)
    const inGerman = { ...account, locale: 'de_DE' }
    for (const [path, nodes] of [...examples, ['demo', demoFlow] as const])
      for (const node of nodes.filter(isShared))
        assert.deepEqual(node, node.type === panel.type ? panel : isGerman(path) ? inGerman : account)
    const { id, type } = account
    assert.deepEqual(
      [account, panel],
      withoutDefaults(
        [
          { id, type, ...defaultsOf(type), source: 'demo' },
          { id: panel.id, type: panel.type, ...defaultsOf(panel.type), account: id },
        ],
        defaultsOf,
      ),
    )
    const ids = all.filter((node) => !isShared(node)).map((node) => node.id)
    assert.equal(new Set(ids).size, ids.length)
  })

  it('have all their texts in German, and no field that they leave out, as npm run examples writes them', () => {
    const { stderr } = spawnSync(process.execPath, ['scripts/examples/check-examples.js', '--check'], {
      cwd: fileURLToPath(root),
      encoding: 'utf8',
    })
    assert.equal(stderr, '')
  })

  it('name in German only buttons, nodes and fields that are there', () => {
    const sets = Object.keys(registrations)
    const dialogs = sets.map((name) => read(`nodes/${name}/locales/de.json`)).join()
    for (const [path, nodes] of examples.filter(([path]) => isGerman(path))) {
      const names = nodes.flatMap(({ name, label }) => [`${name}`, `${label}`])
      const quoted = nodes.flatMap(({ name, info }) => [...`${name} ${info}`.matchAll(/„([^“]+)“/g)])
      for (const [, text = ''] of quoted)
        assert.ok(
          names.some((name) => name.endsWith(text)) || dialogs.includes(`"${text}"`),
          `${path}: ${text}`,
        )
    }
  })

  it('send only events from now on, except to a list on a page', () => {
    for (const [path, nodes] of examples) {
      const runs = nodes.filter(({ type }) => type === 'keyholder-events').map(({ first }) => first)
      assert.ok(/^(Deutsch.)?Dashboard\.json$/.test(path) || runs.every((first) => first === 'skip'), path)
    }
  })

  for (const [path, nodes] of examples) {
    describe(path, () => {
      it('contains only our nodes, core nodes and nodes of palettes that it names, without credentials', () => {
        assert.ok(Array.isArray(nodes))
        const palettes = neededPalettes(nodes).map((palette) => palette.replace(/@[^@]+$/, ''))
        const comments = nodes.filter(({ type }) => type === 'comment').map(({ name }) => name)
        for (const palette of palettes) {
          assert.ok(read('README.md').includes(palette), palette)
          assert.match(String(comments[0]), new RegExp(`^(Needs|Braucht) ${palette} `))
        }
        for (const node of nodes) {
          const isKnown = definitions.has(node.type) || core.includes(node.type.replace(/:.*/, ''))
          assert.ok(isKnown || palettes.length > 0, node.type)
          const { credentials = {} } = definitions.get(node.type) ?? {}
          for (const secret of ['credentials', ...Object.keys(credentials)])
            assert.ok(!(secret in node), secret)
        }
      })

      it('has every field of our nodes but those that it leaves out, and references only its own nodes', () => {
        const ids = new Set(nodes.map(({ id }) => id))
        // The properties of a subflow, as its nodes name them.
        for (const { env = [] } of nodes.filter(({ type }) => type === 'subflow'))
          for (const { name } of env as { name: string }[]) ids.add(`\${${name}}`)
        for (const node of nodes) {
          const { defaults = {} } = definitions.get(node.type) ?? {}
          const leftOut = fieldsToLeaveOut(node.type, defaultsOf(node.type))
          for (const [field, { type, required }] of Object.entries(defaults)) {
            assert.ok(field in node || leftOut.includes(field), field)
            const isOptional = required === false && !node[field]
            if (type !== undefined && !isOptional) assert.ok(ids.has(String(node[field])), field)
          }
          for (const id of [...(node.wires ?? []).flat(), ...(node.z ? [node.z] : [])])
            assert.ok(ids.has(id), id)
        }
      })

      it('runs on the demo panel without changes', () => {
        const accounts = nodes.filter(({ type }) => type === 'keyholder-account')
        assert.ok(accounts.length > 0 && accounts.every(({ source }) => source === 'demo'))
      })

      it('does not allow commands to the panel of its user', () => {
        const panels = nodes.filter(({ type }) => type === 'keyholder-panel')
        assert.ok(panels.every(({ allowCommands }) => allowCommands === undefined))
      })

      it('has a button, and shows its messages and its errors', () => {
        const types = nodes.map(({ type }) => type)
        // The node that tests the alarm chain has a button of its own.
        assert.ok(types.some((type) => ['inject', 'keyholder-chain-test'].includes(type)))
        for (const type of ['debug', 'catch']) assert.ok(types.includes(type), type)
      })
    })
  }
})

describe('At the start of Node-RED', () => {
  /** The modules that one imports at once, with all that these import; what is imported later is not among them. */
  const importedBy = (path: string, found = new Set<string>()): Set<string> => {
    if (found.has(path)) return found
    found.add(path)
    for (const [, from = ''] of read(path).matchAll(/^(?:import|export)\s[^;]*?from '([^']+)'/gm)) {
      if (from.startsWith('.')) importedBy(new URL(from, new URL(path, 'file:///')).pathname.slice(1), found)
      else found.add(from)
    }
    return found
  }

  it('no library is loaded, and no code that sends requests, creates messages or handles dialogs', () => {
    const loaded = [...importedBy('nodes/keyholder.js')]
    const later =
      /^(nodes\/[a-z-]+\/behavior|nodes\/admin\/(?!(form-route|console-routes)\.js)|src\/(account|messages|home-assistant|simulator))/
    assert.deepEqual(
      loaded.filter((path) => later.test(path) || !/^(nodes\/|src\/|node:)/.test(path)),
      [],
    )
    assert.ok(loaded.includes('src/service/error.js'))
  })

  it('the code is in ASCII, because one other character would double its size in memory', () => {
    for (const file of readdirSync(new URL('dist/', root)).filter((name) => name.endsWith('.js')))
      assert.doesNotMatch(read(`dist/${file}`), /[^\n\t -~]/, file)
  })

  it('the package loads one file beside the one that Node-RED names', () => {
    const named = Object.values(manifest['node-red'].nodes)
    const loaded = new Set(named.flatMap((path) => [...importedBy(path)]))
    const own = [...loaded].filter((path) => !path.startsWith('node:'))
    assert.deepEqual(own, [...named, 'dist/registration.js'])
  })
})

describe('The forms', () => {
  const nodes = {
    real: { source: 'service' },
    demo: { source: 'demo' },
    ofReal: { account: 'real' },
    ofDemo: { account: 'demo', valid: true },
    wrong: { account: 'real', valid: false },
  }

  /** Returns the verdict of the editor on a value: true, or the key of the reason. */
  function verdict(
    type: string,
    field: string,
    value: unknown,
    node: object = {},
    settings: Record<string, unknown> = {},
  ): unknown {
    const { html = '' } = sets.find((set) => registered(set.html).has(type)) ?? {}
    const { defaults = {}, credentials = {} } = registered(html, nodes, settings).get(type) ?? {}
    const { validate } = defaults[field] ?? credentials[field] ?? {}
    return validate?.call({ ...node, _: (key: string) => key }, value, {})
  }
  const onAccount = (field: string, value: unknown, source = 'service') =>
    verdict('keyholder-account', field, value, { source })
  const onPanel = (field: string, value: unknown, account: string, settings = {}) =>
    verdict('keyholder-panel', field, value, { account }, settings)

  it('accept https for any host and http for this machine only', () => {
    const good = [
      'https://alarm.example.com',
      'https://alarm.example.com/rest_api/14.0',
      'http://localhost:8080',
    ]
    for (const url of [...good, 'http://127.0.0.1:1', 'http://[::1]:1'])
      assert.equal(onAccount('url', url), true)
    assert.equal(onAccount('url', ''), 'account.invalid.urlMissing')
    assert.equal(onAccount('url', 'alarm.example.com'), 'account.invalid.url')
    assert.equal(onAccount('url', 'ftp://alarm.example.com'), 'account.invalid.url')
    assert.equal(onAccount('url', 'http://alarm.example.com'), 'account.invalid.urlPlain')
    assert.equal(onAccount('url', 'https://me:secret@alarm.example.com'), 'account.invalid.urlParts')
  })

  it('check the other fields of an account', () => {
    const wrong = {
      apiVersion: 'newest',
      locale: 'en-US',
      timeZone: 'Berlin',
      requestsPerMinute: '0',
      timeout: '0',
      email: '',
      password: '',
    }
    for (const [field, value] of Object.entries(wrong)) {
      assert.equal(onAccount(field, value), `account.invalid.${field}`)
      assert.equal(onAccount(field, value, 'demo'), true)
    }
    const right = {
      apiVersion: '14.0',
      locale: 'de_AT',
      timeZone: 'Europe/Vienna',
      requestsPerMinute: '1',
      timeout: 0.5,
    }
    for (const [field, value] of Object.entries(right)) assert.equal(onAccount(field, value), true, field)
  })

  it('accept the defaults, and demand the address of a cluster, which has none', () => {
    for (const [type, { defaults }] of definitions) {
      for (const [field, { value, validate }] of Object.entries(defaults)) {
        if (validate !== undefined)
          assert.equal(
            verdict(type, field, value, { source: 'demo', account: 'demo' }),
            field === 'address' ? 'cluster.invalid.address' : true,
          )
      }
    }
  })

  it('require serial and user code for a real panel, and neither for a demo panel', () => {
    for (const field of ['serial', 'userCode']) {
      assert.equal(onPanel(field, '', 'real'), `panel.invalid.${field}`)
      assert.equal(onPanel(field, '0012', 'real'), true)
      assert.equal(onPanel(field, '', 'demo'), true)
    }
  })

  it('limit polls to the minimum interval, which settings.js can lower', () => {
    for (const field of ['stateEvery', 'eventsEvery', 'devicesEvery']) {
      assert.equal(onPanel(field, '10', 'real'), true)
      assert.equal(onPanel(field, '9', 'real'), `panel.invalid.${field}`)
      assert.equal(onPanel(field, '', 'real'), true)
      assert.equal(onPanel(field, '1', 'real', { keyholderPanelPollFloor: 0.5 }), true)
    }
  })

  it('accept numbers and environment variables in lists of ids', () => {
    const lists = { state: 'partitions', readings: 'devices', events: 'typeIds' }
    for (const [name, field] of Object.entries(lists)) {
      assert.equal(verdict(`keyholder-${name}`, field, [-1, 2, `\${IDS}`]), true)
      assert.equal(verdict(`keyholder-${name}`, field, ['two']), `${name}.invalid.${field}`)
    }
  })

  it('offer a checkbox for every kind of reading', () => {
    const { html = '' } = sets.find(({ name }) => name === 'readings') ?? {}
    const offered = [...html.matchAll(/<input type="checkbox" value="(\w+)">/g)].map(([, kind]) => kind)
    assert.deepEqual(offered.toSorted(), [...readingKinds].toSorted())
  })

  it('offer every operation, and require a language only for the event catalogue', () => {
    const { html = '' } = sets.find(({ name }) => name === 'query') ?? {}
    const [, list = ''] = /const operations = \[([\s\S]*?)\n *\]\n/.exec(html) ?? []
    const offered = [...list.matchAll(/'(\w+)'/g)].map(([, operation]) => operation)
    assert.deepEqual(offered.toSorted(), [...Object.keys(queryable), 'session'].toSorted())
    const onQuery = (field: string, value: unknown, operation: string) =>
      verdict('keyholder-query', field, value, { operation })
    assert.equal(onQuery('locale', 'German', 'event_profiles'), 'query.invalid.locale')
    assert.equal(onQuery('locale', 'German', 'devices'), true)
    for (const locale of ['', 'de_DE']) assert.equal(onQuery('locale', locale, 'event_profiles'), true)
    const wrong = ['yesterday', '20260131', '2026-01-31']
    for (const since of wrong) assert.equal(onQuery('since', since, 'standard_log'), 'query.invalid.since')
    assert.equal(onQuery('since', 'yesterday', 'devices'), true)
    for (const since of ['', '2026-01-31T12:00:00Z', '1763740000000', `\${SINCE}`])
      assert.equal(onQuery('since', since, 'standard_log'), true)
    for (const age of ['', '0', 2.5]) assert.equal(onQuery('maxAge', age, 'devices'), true)
    for (const age of ['-1', 'long']) assert.equal(onQuery('maxAge', age, 'devices'), 'query.invalid.maxAge')
  })

  it('require a panel or an account in a query', () => {
    const onQuery = (panel: unknown, account: unknown) =>
      verdict('keyholder-query', 'panel', panel, { account })
    for (const account of ['', '_ADD_', 'real']) assert.equal(onQuery('ofReal', account), true)
    for (const panel of ['', '_ADD_']) {
      assert.equal(onQuery(panel, 'real'), true)
      for (const account of ['', '_ADD_', undefined])
        assert.equal(onQuery(panel, account), 'query.invalid.panel')
    }
    for (const panel of ['gone', 'wrong']) assert.equal(onQuery(panel, 'real'), 'query.invalid.panel')
  })

  it('accept no panel or a panel of the same account, and no heartbeat or one from a second to a week', () => {
    const onHealth = (field: string, value: unknown, account = 'real') =>
      verdict('keyholder-health', field, value, { account })
    for (const panel of ['', '_ADD_', 'ofReal']) assert.equal(onHealth('panel', panel), true)
    for (const panel of ['ofDemo', 'gone', 'wrong']) {
      assert.equal(onHealth('panel', panel), 'health.invalid.panel')
    }
    assert.equal(onHealth('panel', 'ofDemo', 'demo'), true)
    for (const every of [0, '', '30', 604_800]) assert.equal(onHealth('every', every), true)
    for (const every of ['-1', 0.5, 'often', 604_801])
      assert.equal(onHealth('every', every), 'health.invalid.every')
  })

  it('require partition and zone as a number or a variable if the action has them', () => {
    const onCommand = (field: string, value: unknown, action: string) =>
      verdict('keyholder-command', field, value, { action })
    for (const partition of [-1, '2', `\${PARTITION}`]) {
      assert.equal(onCommand('partition', partition, 'set_state'), true)
    }
    for (const partition of ['', 'House', '1, 2']) {
      assert.equal(onCommand('partition', partition, 'set_state'), 'command.invalid.partition')
      assert.equal(onCommand('partition', partition, 'siren_on'), true)
    }
    // The message may name the zone.
    for (const zone of ['', '3', `\${ZONE}`]) assert.equal(onCommand('zone', zone, 'bypass'), true)
    assert.equal(onCommand('zone', 'Kitchen', 'bypass'), 'command.invalid.zone')
    assert.equal(onCommand('zone', 'Kitchen', 'set_state'), true)
  })

  it('store a list of ids as numbers, invalid ids as text, and a single variable unchanged', () => {
    const { html = '' } = sets.find(({ name }) => name === 'state') ?? {}
    const stored = (typed: string) => {
      const form = openForm()
      const definition = registered(html, {}, {}, form).get('keyholder-state')
      const node = { partitions: [3, 4] }
      definition?.oneditprepare?.call(node)
      assert.equal(form('#node-input-partitions-list').val(), '3, 4')
      form('#node-input-partitions-list').val(typed)
      definition?.oneditsave?.call(node)
      return node.partitions
    }
    assert.deepEqual(stored(' 1, -1;2 '), [1, -1, 2])
    assert.deepEqual(stored('1, two'), [1, 'two'])
    assert.deepEqual(stored(''), [])
    assert.equal(stored(`\${IDS}`), `\${IDS}`)
  })
})

describe('The modules of the dialogs', () => {
  const address = /^\.?\/?resources\/@keyholder\/node-red-alarm-panel\/([\w./-]+)$/
  const files = readdirSync(new URL('resources', root), { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.includes('.'),
  )
  const asked = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, path = '']) => path)
  const byPages = sets.flatMap(({ html }) => [
    ...asked(html, /\bimport\('([^']+)'\)/g),
    ...asked(html, /<link [^>]*href="([^"]+)"/g),
  ])
  const byModules = files.flatMap((file) =>
    asked(read(`resources/${file}`), /\b(?:from |URL\()'(\.[^']+)'/g).map((path) =>
      join(dirname(file), path),
    ),
  )

  it('are shipped, and loaded relative to the URL of the editor', () => {
    assert.ok(manifest.files.includes('resources'))
    for (const path of byPages) assert.match(path, address)
  })

  it('exist if they are loaded, and are loaded if they exist', () => {
    const wanted = [...byPages.map((path) => path.replace(address, '$1')), ...byModules]
    assert.deepEqual([...new Set(wanted)].toSorted(), files.toSorted())
  })

  it('contain no colors because light and dark themes have their own', () => {
    const pages = sets.map(({ html }) => html.replace(/^ +color: '#\w+',$/m, ''))
    for (const text of [...pages, ...files.map((file) => read(`resources/${file}`))]) {
      assert.doesNotMatch(text, /#[\da-f]{3,8}\b|\b(rgb|hsl)a?\(/i)
    }
  })
})
