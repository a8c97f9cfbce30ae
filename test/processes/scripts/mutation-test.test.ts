import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const script = fileURLToPath(new URL('../../../scripts/mutation/mutation-test.js', import.meta.url))
const source = `
export function isOld(age) {
  return age > 10
}
export function warn() {
  console.log('old')
}
`

/** Splits each line into the cells of a table. */
function readCells(report: string): string[][] {
  return report.split('\n').map((line) => line.trim().split(/ {2,}/))
}

describe('The mutation test', () => {
  let folder: string
  let project: string
  let temporary: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mutation-test-'))
    project = join(folder, 'project')
    temporary = join(folder, 'tmp')
    for (const path of [project, join(project, 'src'), join(project, 'test'), temporary]) await mkdir(path)
    await writeFile(join(project, 'package.json'), '{ "type": "module" }')
    await writeFile(join(project, 'src/age.js'), source)
  })
  after(() => rm(folder, { recursive: true }))

  /** Writes the list of equivalent mutants. */
  async function writeList(entries: object[]) {
    await mkdir(join(project, 'scripts/mutation'), { recursive: true })
    await writeFile(join(project, 'scripts/mutation/equivalent-mutants.json'), JSON.stringify(entries))
  }

  /** Runs it over the project, in which one test says whether 12 is old. */
  const run = (expected: boolean) =>
    runWith(`it('tells what is old', () => assert.equal(isOld(12), ${expected}))`)

  /** Runs it over all mutants of the project, with one test. */
  async function runWith(test: string) {
    await writeFile(
      join(project, 'test/age.test.js'),
      `import assert from 'node:assert/strict'
      import { existsSync, readFileSync, writeFileSync } from 'node:fs'
      import { isOld } from '../src/age.js'
      ${test}`,
    )
    const env = { ...process.env, TMPDIR: temporary }
    const all = [script, '--files', 'src', '--tests', 'test', '--all']
    return await promisify(execFile)(process.execPath, all, { cwd: project, env })
  }

  it('shows the surviving mutants, the mutants that no test runs, and the score', async () => {
    const { stdout } = await run(true)
    assert.deepEqual(readCells(stdout), [
      ['no coverage:'],
      ["src/age.js:6:3: console.log('old') -> (removed)"],
      ["src/age.js:6:15: 'old' -> ''"],
      [''],
      ['survived:'],
      ['src/age.js:3:10: age > 10 -> age >= 10'],
      ['src/age.js:3:16: 10 -> 11'],
      [''],
      ['mutants', 'killed', 'timed out', 'survived', 'no coverage', 'equivalent', 'score'],
      ['src', '6', '2', '0', '2', '2', '0', '33.3 %'],
      ['age.js', '6', '2', '0', '2', '2', '0', '33.3 %'],
      ['all', '6', '2', '0', '2', '2', '0', '33.3 %'],
      [''],
      ['mutation score: 33.3 % (goal 85 %)'],
      [''],
    ])
    assert.equal(await readFile(join(project, 'src/age.js'), 'utf8'), source)
    assert.deepEqual(await readdir(temporary), [])
  })

  it('names the mutants on the list of equivalent ones, and leaves them out of the score', async () => {
    const entry = { file: 'src/age.js', within: 'age > 10', original: '10', replacement: '11' }
    const moved = { ...entry, within: 'age > 20' }
    await writeList([
      { ...entry, reason: 'ages are even' },
      { ...moved, reason: 'gone' },
    ])
    try {
      const { stdout } = await run(true)
      const cells = readCells(stdout)
      assert.deepEqual(cells.slice(7, 12), [
        ['equivalent:'],
        ['src/age.js:3:16: 10 -> 11; ages are even'],
        [''],
        ['to remove from equivalent-mutants.json, since they name no mutant:'],
        ['src/age.js: 10 -> 11'],
      ])
      assert.deepEqual(cells.at(-2), ['mutation score: 40.0 % (goal 85 %)'])
    } finally {
      await writeList([])
    }
  })

  it('does not count a test that fails once only', async () => {
    const { stdout } = await runWith(
      `it('fails by chance', () => {
        const isOriginal = /age > 10/.test(readFileSync('src/age.js', 'utf8')) && isOld(12)
        if (isOriginal || existsSync('has-failed')) return
        writeFileSync('has-failed', '')
        assert.fail()
      })`,
    )
    assert.match(stdout, /^mutation score: 0\.0 %/m)
  })

  it('leaves out a test file that fails twice without mutants, and says so', async () => {
    const failing = join(project, 'test/failing.test.js')
    await writeFile(failing, "it('fails', () => { throw new Error() })")
    try {
      const { stdout, stderr } = await run(true)
      assert.match(stderr, /^test\/failing\.test\.js is left out, because it failed twice\.$/m)
      assert.match(stdout, /^mutation score: 33\.3 %/m)
    } finally {
      await rm(failing)
    }
  })

  it('keeps a test file that fails once without mutants', async () => {
    const { stdout, stderr } = await runWith(
      `it('fails at first', () => {
        const hasFailed = existsSync('has-failed')
        writeFileSync('has-failed', '')
        assert.equal(isOld(12) && hasFailed, true)
      })`,
    )
    assert.match(stderr, /^test file 1 of 1: test\/age\.test\.js, failed$/m)
    assert.match(stdout, /^mutation score: 33\.3 %/m)
  })

  it('refuses to run with a test that fails without mutants', async () => {
    await assert.rejects(run(false), {
      code: 1,
      stdout: '',
      stderr: /^test\/age\.test\.js failed without any change:$/m,
    })
  })
})
