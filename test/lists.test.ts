import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { catalogue, languages } from '../harness/fixtures/locales.ts'
import { flowNodeNames, nodeNames as sets } from '../harness/fixtures/node-names.ts'

const root = new URL('../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')

/** Returns the part of a page from a heading to the next one of its level. */
function section(page: string, heading: string): string {
  const [, below = ''] = read(page).split(`\n## ${heading}\n`)
  return below.split('\n## ')[0] ?? ''
}

/** Returns the first cells of the rows of all tables in a text. */
function firstCells(text: string): string[] {
  return [...text.matchAll(/^\| ([^|]+) \|/gm)].map(([, cell = '']) => cell)
}

/** Returns the words in bold with which the items of a list begin. */
function boldItems(text: string): string[] {
  return [...text.matchAll(/^- \*\*(.+?)\*\*/gm)].map(([, name = '']) => name)
}

/** Returns what the pages call a node: the name in the palette, without the word by which the search finds it. */
function nameOf(set: string): string {
  const palette = catalogue('en-US', set).get(`${set}.palette`) ?? assert.fail(set)
  return palette.replace(/^alarm(: | (?=panel ))/, '')
}

const nodes = flowNodeNames.map(nameOf)
const heading = (name: string) => `${name[0]?.toUpperCase()}${name.slice(1)}`

/** The examples that show one node, of which the README says only that there is one for each node. */
const ofOneNode = [
  'Arm and disarm',
  'Ask the service',
  'Device readings',
  'Health and heartbeat',
  'New events',
  'Panel state',
]

describe('Each folder of a node', () => {
  it('has settings, and its node is registered', () => {
    const folders = readdirSync(new URL('nodes/', root), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
      .filter((name) => {
        const files = readdirSync(new URL(`nodes/${name}/`, root))
        return files.includes('settings.ts') || files.includes(`${name}.html`)
      })
    assert.deepEqual(folders.toSorted(), sets.toSorted())
  })

  for (const set of sets)
    it(`has its files by the names that they have in all of them: ${set}`, () => {
      const texts = ['en-US', 'de'].flatMap((language) =>
        ['json', 'html'].map((type) => `${language}.${type}`),
      )
      const expected = [
        ...texts.map((file) => `locales/${file}`),
        ...(flowNodeNames.includes(set) ? ['behavior.ts', 'icon.svg'] : ['register.ts']),
      ]
      assert.deepEqual(
        expected.filter((file) => !existsSync(new URL(`nodes/${set}/${file}`, root))),
        [],
      )
    })
})

describe('All nodes stand in the list', () => {
  const lists: [where: string, found: string[]][] = [
    ['Nodes of the README', boldItems(section('README.md', 'Nodes'))],
    [
      'Node status of docs/nodes.md',
      firstCells(section('docs/nodes.md', 'Node status').split('\n| node |')[1] ?? ''),
    ],
  ]
  for (const [where, found] of lists)
    it(where, () => {
      const listed = found.filter((name) => !/^(node|-+)$/.test(name))
      assert.deepEqual(listed.toSorted(), nodes.toSorted())
    })

  it('of docs/cluster.md, which names those that send in a way of their own', () => {
    const cells = firstCells(read('docs/cluster.md').split('\n## ')[0] ?? '')
    const named = cells.flatMap((cell) => cell.split(/, | and /)).filter((name) => !/^(node|-+)$/.test(name))
    assert.equal(named.at(-1), 'all others')
    assert.deepEqual(
      named.slice(0, -1).filter((name) => !nodes.includes(name)),
      [],
    )
  })

  it('of headings in docs/nodes.md, and with the config nodes in docs/settings.md', () => {
    const headings = (page: string) => [...read(page).matchAll(/^## (.+)$/gm)].map(([, name = '']) => name)
    const missing = (page: string, names: string[]) =>
      names.map(heading).filter((name) => !headings(page).includes(name))
    assert.deepEqual(missing('docs/nodes.md', nodes), [])
    assert.deepEqual(missing('docs/settings.md', sets.map(nameOf)), [])
  })
})

describe('All examples stand in the README', () => {
  it('with their names, except those that show one node', () => {
    const files = readdirSync(new URL('examples/', root)).flatMap(
      (file) => /^(.+)\.json$/.exec(file)?.[1] ?? [],
    )
    const listed = boldItems(section('README.md', 'Examples'))
    assert.deepEqual([...listed, ...ofOneNode].toSorted(), files.toSorted())
  })
})

describe('All languages', () => {
  it('stand in docs/translations.md with their names', () => {
    const names = new Intl.DisplayNames('en', { type: 'language' })
    const [, first = ''] = read('docs/translations.md').split('\n\n')
    const missing = languages
      .map((language) => names.of(new Intl.Locale(language).language) ?? language)
      .filter((name) => !first.includes(name))
    assert.deepEqual(missing, [])
  })

  it('have a recipe that names each file with a list of languages', () => {
    const recipe = read('CONTRIBUTING.md').split('\n## Add a language')[1]?.split('\n## ')[0] ?? ''
    const files = readdirSync(new URL('nodes/', root), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.html$|(?<!\.d)\.ts$/.test(file) && !/\blocales\b/.test(file))
      .map((file) => `nodes/${file}`)
      .filter((file) => read(file).includes('Deutsch'))
    assert.ok(files.length > 0)
    assert.deepEqual(
      files.filter((file) => !recipe.includes(`\`${file}\``)),
      [],
    )
  })
})
