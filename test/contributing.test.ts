import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const root = new URL('../', import.meta.url)
const text = readFileSync(new URL('CONTRIBUTING.md', root), 'utf8')

/** The files and folders of the project that the page names. */
const paths = [...text.matchAll(/`((?:src|nodes|test|docs|\.github)\/[^`\s]+)`/g)].map(
  ([, path = '']) => path,
)

/** The part of a path that is there before anything is added: an example of a language, or the folder of a new file. */
function existingPart(path: string): string {
  return path.replace('<language>', 'en-US').replace(/<.*/, '')
}

describe('The page for contributors', () => {
  it('names only files that exist', () => {
    assert.ok(paths.length > 0)
    assert.deepEqual(
      paths.filter((path) => !existsSync(new URL(existingPart(path), root))),
      [],
    )
  })
})

/** For each recipe a word of something that was added by it: it stands in every folder in which something must be done. */
const samples = {
  'Add a reading': 'brightness',
  'Add an operation': 'rri_results',
  'Add an error code': 'PANEL_OFFLINE',
  'Add a kind of condition': 'unguarded',
  'Add a node': 'chainTestTexts',
}

/** The files in which somebody who follows a recipe may have to write. */
const written = ['src', 'nodes', 'harness', 'test'].flatMap((folder) =>
  readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' })
    .map((file) => join(folder, file))
    .filter(
      (file) =>
        /(?<!\.d)\.ts$|\.(html|json)$/.test(file) && !/^test\/(contributing\.test\.ts|releases\/)/.test(file),
    ),
)

/** Folders in which a sample stands for reasons of its own; languages that may lag. */
const others = /^(test\/(processes|long)\/|nodes\/[\w-]+\/locales\/(?!(en-US|de)\.))/

describe('The recipe', () => {
  for (const [heading, word] of Object.entries(samples)) {
    it(`"${heading}" names each folder in which ${word} stands`, () => {
      const [, recipe = ''] = text.split(`\n## ${heading}`)
      const [own = ''] = recipe.split('\n## ')
      const named = [...own.matchAll(/`([\w.<>/-]+)`/g)].flatMap(([, path = '']) =>
        ['en-US', 'de'].map((language) =>
          path.replace('<language>', language).replace('<name>', 'chain-test'),
        ),
      )
      const folders = new Set(named.map((path) => (path.endsWith('/') ? path.slice(0, -1) : dirname(path))))
      const found = written.filter((file) =>
        RegExp(`\\b${word}\\b`).test(readFileSync(new URL(file, root), 'utf8')),
      )
      const missing = found
        .filter((file) => !folders.has(dirname(file)) && !others.test(file))
        .map((file) => dirname(file))
      assert.deepEqual([...new Set(missing)], [])
    })
  }
})
