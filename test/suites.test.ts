import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'

const tests = new URL('./', import.meta.url)
const { spec }: { spec: string[] } = JSON.parse(readFileSync(new URL('../.mocharc.json', tests), 'utf8'))

/** The folders whose tests need Node alone: those of other suites have a configuration of their own. */
const folders = readdirSync(tests, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !existsSync(new URL(`${entry.name}/.mocharc.json`, tests)))
  .map(({ name }) => name)
  .filter((name) =>
    readdirSync(new URL(name, tests), { recursive: true }).some((file) => `${file}`.endsWith('.test.ts')),
  )

describe('npm test', () => {
  it('runs the tests of each folder exactly once', () => {
    // A file that fits two patterns would run twice side by side.
    const once = ['test/*.test.js', ...folders.map((name) => `test/${name}/**/*.test.js`)]
    assert.deepEqual(spec.toSorted(), once.toSorted())
  })
})
