import assert from 'node:assert/strict'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../..', import.meta.url)).replace(/[\\/]$/, '')

type FindPlaces = (names: string[], root: string, folder: string) => { sources: string[]; tests: string[] }

let findPlaces: FindPlaces
before(async () => {
  const { href } = new URL('../../../scripts/try/places.js', import.meta.url)
  ;({ findPlaces } = await import(href))
})

const find = (...names: string[]) => findPlaces(names, root, root)

describe('What somebody tries', () => {
  it('is a source or a test, by its path, with or without a line, or what is compiled of it', () => {
    const expected = { sources: ['src/clock.ts'], tests: ['test/clock.test.ts'] }
    for (const names of [
      ['src/clock.ts', 'test/clock.test.ts'],
      ['src/clock.ts:12:3', 'test/clock.test.ts:7'],
      ['./src/clock.js', './test/clock.test.js'],
      [join(root, 'src/clock.ts'), join(root, 'test/clock.test.ts')],
    ])
      assert.deepEqual(find(...names), expected)
    assert.deepEqual(findPlaces(['clock.ts'], root, join(root, 'src')).sources, ['src/clock.ts'])
  })

  it('is all sources or all tests of a folder', () => {
    const { sources, tests } = find('src/panel/polling', 'test/panel/polling/')
    assert.ok(
      sources.includes('src/panel/polling/pace.ts') && sources.every((file) => /^src.*\.ts$/.test(file)),
    )
    assert.ok(tests.includes('test/panel/polling/pace.test.ts'))
    assert.ok(tests.every((file) => file.endsWith('.test.ts')))
  })

  for (const [what, name, message] of [
    ['that does not exist', 'src/nowhere.ts', 'There is no src/nowhere.ts.'],
    ['in the wrong folder', 'src/pace.ts', 'There is no src/pace.ts. There is src/panel/polling/pace.ts.'],
    ['outside the project', join(root, '..'), `There is no ${join(root, '..')}.`],
    [
      'that no test runs',
      'docs/nodes.md',
      'docs/nodes.md is neither a test nor in src/, nodes/, harness/, bench/: no test runs it. npm test runs all tests.',
    ],
    [
      'of the editor',
      'nodes/conditions/page.html',
      'nodes/conditions/page.html is no TypeScript: only npm test tells if it is right.',
    ],
    [
      'beside the tests',
      'test/traces/burglary.jsonl',
      'test/traces/burglary.jsonl is no test: only npm test tells if it is right.',
    ],
    ['in which no source is', 'nodes/state/locales', 'There is no TypeScript in nodes/state/locales.'],
  ] as const)
    it(`is not a file or folder ${what}, and the error says so`, () => {
      assert.throws(() => find(name), { message })
    })
})
