import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** Node runs the TypeScript itself; else it is compiled first. */
const runsSources = Boolean((process.features as { typescript?: unknown }).typescript)

const files = {
  'package.json': '{ "type": "module" }',
  '.mocharc.json': '{ "spec": ["test/**/*.test.js"], "timeout": 20000, "forbid-only": true, "require": [] }',
  'src/age.ts': `
    export function isOld(age: number): boolean { return age > 10 }
    export function isNew(age: number): boolean { return age < 1 }`,
  'src/name.ts': 'export const name: string = "none"',
  'test/age.test.ts': `
    import { isOld } from '../src/age.ts'
    it('tells what is old', () => { if (!isOld(11)) throw new Error('11 is not old') })`,
  'test/costly.test.ts': `
    import { isOld } from '../src/age.ts'
    it('computes', () => {
      const used = () => process.cpuUsage().user + process.cpuUsage().system
      const end = used() + 2.5e6
      while (used() < end) isOld(1)
    })`,
  'test/house/new.test.ts': `
    import { isNew } from '../../src/age.ts'
    it('tells what is new', () => { if (!isNew(0)) throw new Error('0 is not new') })`,
}

describe('npm run try', () => {
  let project: string
  before(async () => {
    project = await mkdtemp(join(tmpdir(), 'try-'))
    for (const [path, text] of Object.entries(files)) await write(path, text)
    await cp(join(root, 'scripts'), join(project, 'scripts'), { recursive: true })
    await cp(join(root, 'tsconfig.json'), join(project, 'tsconfig.json'))
    // The cache is the project's own.
    await mkdir(join(project, 'node_modules'))
    for (const name of ['mocha', 'typescript', '@typescript', '@types', 'acorn'])
      await symlink(join(root, 'node_modules', name), join(project, 'node_modules', name), 'junction')
  })
  after(() => rm(project, { recursive: true }))

  async function write(path: string, text: string) {
    await mkdir(dirname(join(project, path)), { recursive: true })
    await writeFile(join(project, path), text)
  }

  /** Runs it; returns its exit code and its output. */
  function run(...args: string[]): Promise<{ code: number; out: string; err: string }> {
    const { INIT_CWD: _, SEED: __, NODE_OPTIONS: ___, ...env } = process.env
    return new Promise((resolve) => {
      execFile(
        process.execPath,
        [join(project, 'scripts/try/try.js'), ...args],
        { cwd: project, env },
        (error, out, err) => resolve({ code: Number(error?.code ?? 0), out, err }),
      )
    })
  }

  it('runs the tests that import a source, without a map, and says why', async () => {
    const { code, out } = await run('src/age.ts')
    assert.equal(code, 0, out)
    assert.match(out, /3 passing/)
    assert.match(
      out,
      /^Ran in [\d.]+ s: test\/age\.test\.ts, test\/costly\.test\.ts, test\/house\/new\.test\.ts$/m,
    )
    assert.match(out, /A map of coverage would choose better: npm run try -- --map/)
  })

  it('fails as the tests do', async () => {
    await write('src/age.ts', files['src/age.ts'].replace('> 10', '> 11'))
    try {
      const { code, out } = await run('test/age.test.ts')
      assert.deepEqual([code, /11 is not old/.test(out)], [1, true])
    } finally {
      await write('src/age.ts', files['src/age.ts'])
    }
  })

  it('names a source that no test is about, and the remedy for a name of nothing', async () => {
    const none = await run('src/name.ts')
    assert.deepEqual(
      [none.code, none.err],
      [1, 'No test that needs only its own process is about src/name.ts.\n'],
    )
    const nothing = await run('src/ages.ts')
    assert.deepEqual([nothing.code, nothing.err], [1, 'There is no src/ages.ts.\n'])
    const unnamed = await run()
    assert.deepEqual([unnamed.code, /^Name what you have changed/.test(unnamed.err)], [1, true])
  })

  it('runs no compiled module that a change has made old', async function () {
    if (!runsSources) this.skip()
    await write('src/age.js', 'export const isOld = () => true; export const isNew = () => true')
    await write('test/old.test.ts', "it('runs it', () => import('../src/age.js'))")
    try {
      await write('src/age.ts', files['src/age.ts'].replace('> 10', '> 11'))
      assert.equal((await run('test/age.test.ts')).code, 1)
      const { code, out } = await run('test/old.test.ts')
      assert.equal(code, 1)
      assert.match(out, /src\/age\.js is compiled, and may be older than its source/)
    } finally {
      await rm(join(project, 'src/age.js'))
      await rm(join(project, 'test/old.test.ts'))
      await write('src/age.ts', files['src/age.ts'])
    }
  })

  describe('with a map of coverage', () => {
    before(async () => {
      const { code, out, err } = await run('--map')
      assert.equal(code, 0, err)
      assert.match(out, /^The map has 3 test files and 1 sources\.$/m)
    })

    it('runs the cheapest tests that run all functions, and says what is left out', async () => {
      const { code, out } = await run('src/age.ts')
      assert.equal(code, 0, out)
      assert.match(out, /^Ran in [\d.]+ s: test\/age\.test\.ts, test\/house\/new\.test\.ts$/m)
      assert.match(out, /They run all 2 functions that any test runs there/)
      assert.match(out, /^Left out: 1 more files .*: npm run try -- --all src\/age\.ts$/m)
    })

    it('runs all of them if it is asked to', async () => {
      const { out } = await run('--all', 'src/age.ts')
      assert.match(out, /^Ran in [\d.]+ s: test\/age.*, test\/house\/new.*, test\/costly\.test\.ts$/m)
      assert.doesNotMatch(out, /Left out/)
    })

    it('is the base of the list of npm run quick', async () => {
      const quick = join(project, 'scripts/try/quick.js')
      const call = (...args: string[]) =>
        new Promise((resolve) =>
          execFile(process.execPath, [quick, ...args], { cwd: project }, (_, out) => resolve(out)),
        )
      assert.match(`${await call('--choose')}`, /^test\/quick\.json has 2 files now/)
      const list = JSON.parse(await readFile(join(project, 'test/quick.json'), 'utf8'))
      assert.deepEqual(list, ['test/age.test.ts', 'test/house/new.test.ts'])
      assert.match(`${await call()}`, /^Ran 2 files of test\/quick\.json/m)
    })
  })
})
