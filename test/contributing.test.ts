import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'

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
