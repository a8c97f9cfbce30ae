import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'

const page = new URL('../docs/conformance.md', import.meta.url)
const text = readFileSync(page, 'utf8')

/** Every numbered part of the interface specification that says something. */
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

/** The tables of the page: for each its rows as lists of cells, heading and rule left out. */
const tables = [...text.matchAll(/(?:^\|.*\n)+/gm)].map(([table]) => {
  const [heading = [], , ...rows] = table
    .trim()
    .split('\n')
    .map((row) => row.split('|').slice(1, -1))
    .map((cells) => cells.map((cell) => cell.trim()))
  return { heading, rows }
})
const [conformance, choices] = tables

/** A link of the page, and the test titles that are quoted right behind it. */
interface Link {
  label: string
  target: string
  titles: string[]
}

const links: Link[] = [...text.matchAll(/\[([^\]]*)\]\(([^)]*)\)((?:\s"[^"]+")*)/g)].map(
  ([, label = '', target = '', quoted = '']) => ({ label, target, titles: unquoted(quoted) }),
)

function unquoted(quoted: string): string[] {
  return [...quoted.matchAll(/"([^"]+)"/g)].map(([, title = '']) => title)
}

/** The text of the file that a link leads to; empty where there is none. */
function linked({ target }: Link): string {
  const file = new URL(target, page)
  return file.protocol === 'file:' && existsSync(file) ? readFileSync(file, 'utf8') : ''
}

/** What a file exports by declaring it. */
function exported(source: string): string[] {
  const declarations =
    /^export (?:async |abstract )?(?:class|const|enum|function\*?|interface|let|type) (\w+)/gm
  return [...source.matchAll(declarations)].map(([, name = '']) => name)
}

/** The titles of a test file, with `…` for whatever a template fills in. */
function titlesOf(source: string): string[] {
  return [...source.matchAll(/\bit\(\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1/gs)].map(([, quote, title = '']) =>
    (quote === '`' ? title.replace(/\$\{[^}]*\}/g, '…') : title)
      .replace(/\\u([0-9a-f]{4})/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
      .replace(/\\(.)/g, '$1'),
  )
}

/** Whether the file exports the name, and has the row, where the name goes on with one behind a dot. */
function hasName(source: string, label: string): boolean {
  const [name = '', row] = label.slice(1, -1).split('.')
  return exported(source).includes(name) && (row === undefined || new RegExp(`^ +${row}:`, 'm').test(source))
}

const told = ({ label, target }: Link) => `[${label}](${target})`

describe('The conformance page', () => {
  it('has a row for each section of the interface specification, in its order', () => {
    assert.deepEqual(
      conformance?.rows.map(([section]) => section),
      sections,
    )
  })

  it('has every cell filled, and every row in one line with as many as the heading', () => {
    for (const { heading, rows } of tables) {
      for (const row of rows) {
        assert.equal(row.length, heading.length, row.join(' | '))
        assert.ok(!row.includes(''), row.join(' | '))
      }
    }
  })

  it('shows each section by a test, or says that there is none', () => {
    const column = conformance?.heading.indexOf('which test shows it') ?? -1
    const unshown = conformance?.rows.filter((row) => !/"[^"]+"|^none: /.test(row[column] ?? ''))
    assert.deepEqual(unshown, [])
  })

  it('names for each choice the sections that leave it open, and its ground', () => {
    const bad = choices?.rows.filter(
      ([open = '', , , ground = '']) =>
        !open.split(/, (?=\d)/).every((section) => sections.includes(section)) ||
        !/^(field fact, (several|few|one)|own choice)\b/.test(ground),
    )
    assert.deepEqual(bad, [])
  })

  it('has nothing but links that lead somewhere', () => {
    assert.ok(links.length > 200)
    assert.deepEqual(links.filter((link) => linked(link) === '').map(told), [])
  })

  it('links names in code style to the files that export them', () => {
    const names = links.filter(({ label }) => label.startsWith('`'))
    assert.ok(names.length > 150)
    assert.deepEqual(names.filter((link) => !hasName(linked(link), link.label)).map(told), [])
  })

  it('quotes the titles of tests as the linked files have them', () => {
    const wrong = links.flatMap((link) => {
      const titles = titlesOf(linked(link))
      return link.titles.filter((title) => !titles.includes(title)).map((title) => `${told(link)} "${title}"`)
    })
    assert.deepEqual(wrong, [])
  })

  it('quotes no title without its file, and links no test file without a title', () => {
    assert.equal(unquoted(text).length, links.flatMap(({ titles }) => titles).length)
    const bare = links.filter(({ target, titles }) => target.endsWith('.test.ts') && titles.length === 0)
    assert.deepEqual(bare.map(told), [])
  })
})
