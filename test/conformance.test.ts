import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = new URL('../', import.meta.url)
const page = new URL('docs/conformance.md', root)
const text = readFileSync(page, 'utf8')

/** Every numbered part of the interface specification that has content of its own. */
const sections = [
  '1',
  ...['2', ...numbered('2.', 14)],
  ...['3', ...numbered('3, rule ', 5)],
  ...['4', ...numbered('4.', 11)],
  ...numbered('5.', 8),
  ...numbered('6.', 3),
  '7',
  ...numbered('8.', 4),
  '9',
]

function numbered(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}${index + 1}`)
}

/** The tables of the page: the headings and the rows, each a list of cells. */
const tables = [...text.matchAll(/(?:^\|.*\n)+/gm)].map(([table]) => {
  const [heading = [], , ...rows] = table
    .trim()
    .split('\n')
    .map((row) => row.split('|').slice(1, -1))
    .map((cells) => cells.map((cell) => cell.trim()))
  return { heading, rows }
})
const [sectionTable, openPoints] = tables

/** A link of the page. */
interface Link {
  label: string
  target: string
}

const links: Link[] = [...text.matchAll(/\[([^\]]*)\]\(([^)]*)\)/g)].map(([, label = '', target = '']) => ({
  label,
  target,
}))

/** Returns the text of the linked file; empty if it does not exist. */
function linked({ target }: Link): string {
  const file = new URL(target, page)
  return file.protocol === 'file:' && existsSync(file) ? readFileSync(file, 'utf8') : ''
}

/** Returns the names that a file declares and exports. */
function exported(source: string): string[] {
  const declarations =
    /^export (?:async |abstract )?(?:class|const|enum|function\*?|interface|let|type) (\w+)/gm
  return [...source.matchAll(declarations)].map(([, name = '']) => name)
}

/** Returns true if the file exports the name; for `name.row`, it must also have the row. */
function hasName(source: string, label: string): boolean {
  const [name = '', row] = label.slice(1, -1).split('.')
  return exported(source).includes(name) && (row === undefined || new RegExp(`^ +${row}:`, 'm').test(source))
}

const inWords = ({ label, target }: Link) => `[${label}](${target})`

const script = fileURLToPath(new URL('scripts/conformance.js', root))

/** Runs the script that writes the columns with the tests, and returns its output. */
function run(project: string, ...args: string[]): string {
  const { stdout, stderr } = spawnSync(process.execPath, [script, ...args], {
    cwd: project,
    encoding: 'utf8',
  })
  return stdout + stderr
}

describe('The conformance page', () => {
  it('has a row for each section of the interface specification, in its order', () => {
    assert.deepEqual(
      sectionTable?.rows.map(([section]) => section),
      sections,
    )
  })

  it('says "by query only" of no operation that the code uses otherwise', () => {
    const claims =
      sectionTable?.rows.filter((cells) => cells.some((cell) => cell.includes('by query only'))) ?? []
    const names = claims.flatMap(([, , code = '']) =>
      [...code.matchAll(/`operations\.(\w+)`/g)].map(([, name]) => name),
    )
    const own = /^src\/service\/(operations|queryable)\.ts$/
    const sources = ['src', 'nodes'].flatMap((folder) =>
      readdirSync(new URL(`${folder}/`, root), { recursive: true, encoding: 'utf8' })
        .map((path) => `${folder}/${path}`)
        .filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts') && !own.test(path)),
    )
    const code = sources.map((path) => readFileSync(new URL(path, root), 'utf8')).join('\n')
    assert.ok(names.length > 0)
    assert.deepEqual(
      names.filter((name) => new RegExp(`operations\\.${name}\\b`).test(code)),
      [],
    )
  })

  it('has no empty cells, and as many cells in each row as in the heading', () => {
    for (const { heading, rows } of tables) {
      for (const row of rows) {
        assert.equal(row.length, heading.length, row.join(' | '))
        assert.ok(!row.includes(''), row.join(' | '))
      }
    }
  })

  it('has the tests of each row as their tags say, or a reason why there are none', () => {
    assert.equal(run(fileURLToPath(root), '--check'), '')
  })

  it('gives a tag, existing sections and a reason for each open point', () => {
    const bad = openPoints?.rows.filter(
      ([tag = '', open = '', , , ground = '']) =>
        !/^`[a-z-]+`$/.test(tag) ||
        !open.split(/, (?=\d)/).every((section) => sections.includes(section)) ||
        !/^(field fact, (several|few|one)|own choice)\b/.test(ground),
    )
    assert.deepEqual(bad, [])
    const tags = openPoints?.rows.map(([tag]) => tag)
    assert.equal(new Set(tags).size, tags?.length)
  })

  it('links only files that exist', () => {
    assert.ok(links.length > 200)
    assert.deepEqual(links.filter((link) => linked(link) === '').map(inWords), [])
  })

  it('links names in code style to the files that export them', () => {
    const names = links.filter(({ label }) => label.startsWith('`'))
    assert.ok(names.length > 150)
    assert.deepEqual(names.filter((link) => !hasName(linked(link), link.label)).map(inWords), [])
  })
})

describe('The script that writes the tests into the conformance page', () => {
  let project: string
  beforeEach(() => {
    project = mkdtempSync(join(tmpdir(), 'conformance-'))
  })
  afterEach(() => rmSync(project, { recursive: true }))

  function write(file: string, ...lines: string[]): void {
    mkdirSync(dirname(join(project, file)), { recursive: true })
    writeFileSync(join(project, file), lines.join('\n'))
  }

  function writePage(...rows: string[]): void {
    write('docs/conformance.md', '| section | tests | note |', '|---|---|---|', ...rows, '')
  }

  const readRows = () =>
    readFileSync(join(project, 'docs/conformance.md'), 'utf8').trim().split('\n').slice(2)

  it('links each tagged file once, sorted by name, and keeps reasons and other cells', () => {
    write(
      'test/b.test.ts',
      '// @spec 1, units',
      "it('tests', () => {})",
      '// @spec 1',
      'it(`tests`, () => {})',
    )
    write(
      'test/deep/a-property.ts',
      "describe('all', () => {",
      '  // @spec 1, 3-rule-2',
      "  it('tests')",
      '})',
    )
    write('harness/b.test.ts', '// @spec units', "describe('tests', () => {})")
    write('harness/other.ts', '// @spec 9', "it('is not a test file')")
    writePage(
      '| 1 | - | kept |',
      '| 3, rule 2 | none: gone | x |',
      '| 4 | none: a reason | y |',
      '| `units` | - | z |',
    )
    assert.equal(run(project), '')
    assert.deepEqual(readRows(), [
      '| 1 | [a](../test/deep/a-property.ts), [b](../test/b.test.ts) | kept |',
      '| 3, rule 2 | [a](../test/deep/a-property.ts) | x |',
      '| 4 | none: a reason | y |',
      '| `units` | [harness/b](../harness/b.test.ts), [test/b](../test/b.test.ts) | z |',
    ])
    assert.equal(run(project, '--check'), '')
  })

  it('fails with --check if the page differs from the tags, and does not change it', () => {
    write('test/a.test.ts', '// @spec 1', "it('tests')")
    writePage('| 1 | [old](../test/old.test.ts) | x |')
    assert.match(run(project, '--check'), /run npm run conformance/)
    assert.deepEqual(readRows(), ['| 1 | [old](../test/old.test.ts) | x |'])
  })

  it('fails for a tag that the page does not have', () => {
    write('test/a.test.ts', '// @spec 1, 9.9', "it('tests')")
    writePage('| 1 | [a](../test/a.test.ts) | x |')
    assert.match(run(project), /^test\/a\.test\.ts: .*"@spec 9\.9"/)
  })

  it('fails for a row without a tagged test and without a reason', () => {
    write('test/a.test.ts', '// @spec 1', "it('tests')")
    writePage('| 1 | [a](../test/a.test.ts) | x |', '| 2 | [b](../test/b.test.ts) | x |')
    assert.match(run(project), /^docs\/conformance\.md: .*"@spec 2"/)
  })

  it('fails for a tag that is not directly above a test', () => {
    write('test/a.test.ts', '// @spec 1', '', "it('tests')")
    writePage('| 1 | [a](../test/a.test.ts) | x |')
    assert.match(run(project), /^test\/a\.test\.ts: move the tag "@spec 1"/)
  })
})
