import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { nodeFields } from '../harness/fixtures/node-fields.ts'
import { conditionKinds } from '../src/panel/conditions/condition.ts'
import { errorCodes } from '../src/service/error.ts'

const root = new URL('../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')
const readme = read('README.md')

/** Returns the cells of every table row below a heading, without the row that rules off the table's head. */
function rowsBelow(text: string, heading: string): string[][] {
  const [, section = ''] = text.split(`\n## ${heading}\n`)
  const [own = ''] = section.split('\n## ')
  return [...own.matchAll(/^\|(.*)\|$/gm)]
    .map(([, row = '']) => row.split('|').map((cell) => cell.trim()))
    .filter(([first = '']) => !/^-+$/.test(first))
}

/** Returns the anchors that GitHub gives to the headings of a page. */
function anchors(page: string): string[] {
  const headings = [...page.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => heading.toLowerCase())
  return headings.map((heading) => heading.replace(/[^\w\- ]/g, '').replaceAll(' ', '-'))
}

describe('The README on npm and in the flow library', () => {
  const folder = 'https://github.com/keyholder/node-red-alarm-panel/blob/main/'
  const links = [...readme.matchAll(/(?<!!)\[[^\]]*\]\(([^)]*)\)/g)].map(([, target = '']) => target)

  it('can be read in ten minutes', () => {
    assert.ok(readme.split(/\s+/).length <= 1800)
  })

  it('links with full URLs to existing files and headings', () => {
    assert.ok(links.length > 10)
    for (const link of links) assert.match(link, /^https:\/\//)
    for (const link of links.filter((target) => target.startsWith(folder))) {
      const [path = '', anchor] = link.slice(folder.length).split('#')
      assert.ok(existsSync(new URL(path, root)), link)
      assert.ok(anchor === undefined || anchors(read(path)).includes(anchor), link)
    }
  })

  it('shows the commands for the demo and the tests right after the section Install', () => {
    const [, install = ''] = readme.split('\n## Install\n')
    const [, next = ''] = install.split('\n## ')
    const commands = [...next.matchAll(/^```\n(.*)\n```$/gm)].map(([, command]) => command)
    assert.deepEqual(commands, ['npm start', 'npm cit'])
  })

  it('names the systems that the keywords of the package name', () => {
    const { keywords }: { keywords: string[] } = JSON.parse(read('package.json'))
    for (const word of ['visonic', 'powermaster', 'powermax', 'powermanage', 'alarm']) {
      assert.ok(keywords.includes(word) && readme.toLowerCase().includes(word), word)
    }
  })
})

describe('The page of errors', () => {
  it('has one row for each error code', () => {
    const rows = rowsBelow(read('docs/errors.md'), 'Error codes').slice(1)
    const codes = rows.flatMap(([code = '']) => [...code.matchAll(/`(\w+)`/g)].map(([, name = '']) => name))
    assert.deepEqual(codes.toSorted(), [...errorCodes].toSorted())
  })

  it('has the text below a node for each code', () => {
    const texts: Record<string, string> = JSON.parse(read('nodes/account/locales/en-US.json')).account.status
      .error
    for (const [codes = '', below] of rowsBelow(read('docs/errors.md'), 'Error codes').slice(1)) {
      const shown = [...codes.matchAll(/`(\w+)`/g)].map(([, code = '']) => texts[code])
      assert.equal(below, shown.join(', '))
    }
  })
})

describe('The other pages', () => {
  const pages = [
    'SECURITY.md',
    'CONTRIBUTING.md',
    ...readdirSync(new URL('docs/', root)).map((name) => `docs/${name}`),
  ]

  for (const page of pages.filter((path) => path.endsWith('.md'))) {
    it(`link to existing files, pictures and headings: ${page}`, () => {
      const targets = [...read(page).matchAll(/\[[^\]]*\]\(([^)\s]*)\)/g)].map(([, target = '']) => target)
      for (const target of targets.filter((link) => !link.startsWith('https://'))) {
        const [path = '', anchor] = target.split('#')
        const linked = new URL(path, new URL(page, root))
        assert.ok(existsSync(linked), target)
        assert.ok(anchor === undefined || anchors(readFileSync(linked, 'utf8')).includes(anchor), target)
      }
    })
  }
})

describe('The page for owners of real panels', () => {
  const page = 'https://github.com/keyholder/node-red-alarm-panel/blob/main/docs/real-panels.md'

  for (const place of [
    'README.md',
    'nodes/panel/page.html',
    '.github/ISSUE_TEMPLATE/bug.yml',
    '.github/ISSUE_TEMPLATE/trace.yml',
  ])
    it(`is linked from ${place}`, () => assert.ok(read(place).includes(page)))
})

describe('The page of nodes', () => {
  const page = read('docs/nodes.md')
  const [ofMessages = ''] = read('src/index.ts').split('export type GapMessage')

  /** Returns the names of the fields of an exported type, also of those in its braces; a type ends before the next declaration. */
  function fieldsOf(type: string, path: string): string[] {
    const source = read(`src/${path}`).replace(/\/\*[\s\S]*?\*\/|\/\/.*|'[^']*'/g, '')
    const [, below = assert.fail(type)] = source.split(RegExp(`^export (?:interface|type) ${type}\\b`, 'm'))
    const [declaration = ''] = below.split(/^(?:export|import|function|const|class|interface|type)\b/m)
    return [...declaration.matchAll(/(?<=[{;\n]\s*)(?:readonly )?(\w+)\??:/g)].map(([, name = '']) => name)
  }

  it('names every field of the messages whose types the package exports', () => {
    // A mark of the readings that no message has.
    const internal = ['isUnread']
    const exports = [
      ...ofMessages.matchAll(/export type \{([^}]*)\} from '\.\/((?:messages|panel|account)\/[^']*)'/g),
    ]
    const fields = exports.flatMap(([, types = '', path = '']) =>
      types.split(',').flatMap((type) => fieldsOf(type.trim(), path)),
    )
    assert.ok(fields.length > 100)
    const missing = fields.filter((name) => !RegExp(`\\b${name}\\b`).test(page) && !internal.includes(name))
    assert.deepEqual(missing, [])
  })

  it('has one row for each kind of condition, in the order of the list', () => {
    const [, ...rows] = rowsBelow(page, 'Conditions').filter((cells) => cells.length === 3)
    assert.deepEqual(
      rows.map(([kind]) => kind),
      conditionKinds.map((kind) => `\`${kind}\``),
    )
  })
})

describe('The page of quality', () => {
  const page = read('docs/quality.md')
  const states = ['done', 'todo', 'exempt']
  const [summary = '', ...scales] = page.split('\n## ')
  const rowsOf = (text: string) =>
    [...text.matchAll(/^\| (.+?) \| (.+?) \| (.+) \|$/gm)]
      .map(([, rule = '', state = '', reason = '']) => ({ rule, state, reason }))
      .filter(({ rule }) => rule !== 'rule' && rule !== 'scale')

  for (const scale of scales) {
    const [name = ''] = scale.split('\n')
    const rules = rowsOf(scale)
    it(`names a file for each rule that is done, and a sentence for each other one: ${name}`, () => {
      assert.ok(rules.length > 10)
      assert.equal(new Set(rules.map(({ rule }) => rule)).size, rules.length)
      for (const { rule, state, reason } of rules) {
        assert.ok(states.includes(state), rule)
        assert.match(
          reason,
          state === 'done' ? /^(?:\[[^\]]+\]\([^)]+\)(?:, (?=\[))?)+$/ : /^[A-Z`][^.]*.*\.$/,
          rule,
        )
      }
    })

    it(`counts them at its top: ${name}`, () => {
      const counts = states.map((state) => rules.filter((rule) => rule.state === state).length)
      assert.ok(summary.includes(`| [${name}](#${anchors(`# ${name}`)}) | ${counts.join(' | ')} |`))
    })
  }

  it('is linked from the page for contributors', () =>
    assert.ok(read('CONTRIBUTING.md').includes('(docs/quality.md)')))
})

describe('The page of settings', () => {
  const page = read('docs/settings.md')

  /** Returns a default as the page shows it: empty, on or off, or the value. */
  function shown(value: unknown): string {
    if (typeof value === 'boolean') return value ? 'on' : 'off'
    return value === '' || Array.isArray(value) ? '' : `\`${value}\``
  }

  for (const [type, { fields, credentials }] of Object.entries(nodeFields)) {
    it(`has every field of ${type} with the label of the dialog and the default`, () => {
      const name = type.replace('keyholder-', '')
      const { label: labels, palette: inPalette } = JSON.parse(read(`nodes/${name}/locales/en-US.json`))[name]
      // The label begins with a word by which the search finds it; the pages call the node by what follows.
      const palette = inPalette.replace(/^alarm(: | (?=panel ))/, '')
      // A hint follows a bracket or a semicolon in some labels; the type of a field is selected beside it.
      const label = (field: string) => String(labels[field.replace(/Type$/, '')]).split(/ \(|;/)[0]
      const expected = [
        ...Object.entries(fields).map(([field, value]) => [label(field), `\`${field}\``, shown(value)]),
        // No field of a dialog shows it.
        ...Object.keys(credentials)
          .filter((field) => field !== 'storedFor')
          .map((field) => [label(field), `\`${field}\``, '']),
      ]
      const rows = rowsBelow(page, palette[0].toUpperCase() + palette.slice(1)).slice(1)
      const found = rows.map((row) => row.slice(0, 3))
      assert.deepEqual(new Set(found.map(String)), new Set(expected.map(String)))
      assert.equal(found.length, expected.length)
    })
  }
})

describe('The page of limits and times', () => {
  const page = read('docs/limits.md')

  it('has each limit of the code with its value and its reason, as npm run limits writes them', () => {
    const { stderr } = spawnSync(process.execPath, ['scripts/limits.js', '--check'], {
      cwd: fileURLToPath(root),
      encoding: 'utf8',
    })
    assert.equal(stderr, '')
  })

  it('has the numbers that people meet: the wait of a disarm, the size of an answer, the times of a lease', () => {
    for (const row of [
      /^\| 5 seconds \|.*`maxDisarmWait`/m,
      /^\| 4 MB \|.*`maxBodyBytes`/m,
      /^\| heartbeat: 500 ms, lease: 5 seconds/m,
    ])
      assert.match(page, row)
    assert.ok((page.match(/^\| [^|]+ \| [^|]+ \| `/gm) ?? []).length > 150)
  })
})
