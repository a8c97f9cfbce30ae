import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

interface Hunk {
  before: string
  after: string
}

interface Fault {
  name: string
  says: string
  found: string
  patch: { file: string; hunks: Hunk[] }[]
}

interface Modules {
  readPatch(text: string): Fault['patch']
  applyHunks(source: string, hunks: readonly Hunk[]): string | undefined
  readFaults(root: string): Fault[]
  bringBack(fault: Fault, root: string): { sources: Map<string, string>; failure: string | undefined }
  worlds: { name: string; files?: string[] }[]
  plainTests: string
  describeTable(
    faults: Fault[],
    sentences: { says: string; found: string }[],
    resultOf: (fault: Fault, column: string) => Result | undefined,
  ): string
}

interface Result {
  inputs?: number
  first?: number | null
  failure?: string
  file?: string | null
  isReached?: false
  changed?: number
  measured: string
}

const root = fileURLToPath(new URL('../../../', import.meta.url))
const read = (path: string) => readFileSync(`${root}${path}`, 'utf8')

let modules: Modules
before(async () => {
  const load = (name: string) =>
    import(new URL(`../../../scripts/design-faults/${name}.js`, import.meta.url).href)
  modules = {
    ...(await load('patch')),
    ...(await load('faults')),
    ...(await load('worlds')),
    ...(await load('table')),
  }
})

describe('A patch', () => {
  const text = [
    'A sentence.',
    'Found: in a test',
    '',
    '--- a/src/one.ts',
    '+++ b/src/one.ts',
    '@@ -1,3 +1,2 @@',
    ' const a = 1',
    '-const b = 2',
    '-',
    '+const b = 3',
    '',
  ].join('\n')
  const hunks = () => modules.readPatch(text)[0]?.hunks ?? []

  it('names its files, with the lines before and after', () => {
    const [before, after] = ['const a = 1\nconst b = 2\n\n', 'const a = 1\nconst b = 3\n']
    assert.deepEqual(modules.readPatch(text), [{ file: 'src/one.ts', hunks: [{ before, after }] }])
  })

  it('fits wherever its lines are', () => {
    const source = '// first\nconst a = 1\nconst b = 2\n\nconst c = 4\n'
    const changed = '// first\nconst a = 1\nconst b = 3\nconst c = 4\n'
    assert.equal(modules.applyHunks(source, hunks()), changed)
  })

  it('fits no source that lacks one of its lines, or has them twice', () => {
    assert.equal(modules.applyHunks('const a = 1\nconst b = 5\n\n', hunks()), undefined)
    assert.equal(modules.applyHunks('const a = 1\nconst b = 2\n\n'.repeat(2), hunks()), undefined)
    assert.equal(modules.applyHunks('  const a = 1\nconst b = 2\n\n', hunks()), undefined)
  })
})

describe('The faults of design in test/design-faults', () => {
  it('can each be brought back in the sources as they are now', () => {
    const failures: string[] = []
    for (const fault of modules.readFaults(root)) {
      const { sources, failure } = modules.bringBack(fault, root)
      if (failure !== undefined) failures.push(failure)
      for (const [file, text] of sources) assert.notEqual(text, read(file), fault.name)
    }
    assert.deepEqual(failures, [])
  })

  it('say what goes wrong and where they were found, and change only src and nodes', () => {
    for (const { name, says, found, patch } of modules.readFaults(root)) {
      assert.match(says, /^[A-Z].*\.$/, name)
      assert.ok(found.length > 0, name)
      assert.deepEqual(
        patch.filter(({ file }) => !/^(src|nodes)\//.test(file)),
        [],
        name,
      )
    }
  })

  it('stand in docs/design-faults.md, each with a row', () => {
    const rows = [...read('docs/design-faults.md').matchAll(/^\| ([a-z\d-]+) \| [A-Z]/gm)].map(
      ([, name]) => name,
    )
    assert.deepEqual(
      rows,
      modules.readFaults(root).map(({ name }) => name),
      'Write the table again: npm run design-faults -- --table',
    )
  })

  it('are shown to worlds whose files exist', () => {
    const files = modules.worlds.flatMap((world) => world.files ?? [])
    assert.ok(files.length > 0)
    assert.deepEqual(
      files.filter((file) => !existsSync(`${root}${file.replace(/js$/, 'ts')}`)),
      [],
    )
  })
})

describe('The table of who notices a fault', () => {
  it('says where nobody has looked, what was tried in vain, and the first input that notices', () => {
    const fault = { name: 'lost', says: 'It is lost.', found: 'in a test', patch: [] }
    const [unseen, seen, unreached, same] = modules.worlds.map(({ name }) => name)
    const measured = '2026-11-28, 0123abcd'
    const results: Record<string, Result> = {
      [modules.plainTests]: { file: 'test/panel/lock.test.js', measured },
      [`${unseen}`]: { inputs: 20, first: null, measured },
      [`${seen}`]: { inputs: 10, first: 7, measured },
      [`${unreached}`]: { isReached: false, measured },
      [`${same}`]: { inputs: 20, first: null, changed: 0, measured },
    }
    const untried = { ...fault, name: 'untried' }
    const page = modules.describeTable([fault, untried], [], ({ name }, column) =>
      name === 'lost' ? results[column] : undefined,
    )
    assert.match(page, /^\| lost \| It is lost\. \| in a test \| panel\/lock \| > 20 \| 7 \| - \| = 20 \|/m)
    assert.match(page, /^\| untried \| It is lost\. \| in a test( \| not run){5} \|/m)
    const summary = (column: string | undefined, ...numbers: number[]) =>
      assert.ok(page.includes(`\n| ${column} | ${numbers.join(' | ')} |\n`), column)
    summary(unseen, 0, 1, 0)
    summary(seen, 1, 0, 0)
    summary(unreached, 0, 0, 1)
    summary(same, 0, 1, 0)
    assert.match(page, /2026-11-28, 0123abcd, with 10 to 20 random inputs/)
  })
})
