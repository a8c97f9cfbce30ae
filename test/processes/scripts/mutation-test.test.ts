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

  /** Runs it over the project, in which one test says whether 12 is old. */
  async function run(expected: boolean, ...args: string[]) {
    await writeFile(
      join(project, 'test/age.test.js'),
      `import assert from 'node:assert/strict'
      import { isOld } from '../src/age.js'
      it('tells what is old', () => assert.equal(isOld(12), ${expected}))`,
    )
    const env = { ...process.env, TMPDIR: temporary }
    const all = [script, '--files', 'src', '--tests', 'test', ...args]
    return await promisify(execFile)(process.execPath, all, { cwd: project, env })
  }

  it('shows the surviving mutants, the mutants that no test runs, and the score', async () => {
    const { stdout } = await run(true, '--all')
    const cells = stdout.split('\n').map((line) => line.trim().split(/ {2,}/))
    assert.deepEqual(cells, [
      ['no coverage:'],
      ["src/age.js:6:3: console.log('old') -> (removed)"],
      ["src/age.js:6:15: 'old' -> ''"],
      [''],
      ['survived:'],
      ['src/age.js:3:10: age > 10 -> age >= 10'],
      ['src/age.js:3:16: 10 -> 11'],
      [''],
      ['mutants', 'killed', 'timed out', 'survived', 'no coverage', 'score'],
      ['src', '6', '2', '0', '2', '2', '33.3 %'],
      ['age.js', '6', '2', '0', '2', '2', '33.3 %'],
      ['all', '6', '2', '0', '2', '2', '33.3 %'],
      [''],
      ['mutation score: 33.3 % (goal 85 %)'],
      [''],
    ])
    assert.equal(await readFile(join(project, 'src/age.js'), 'utf8'), source)
    assert.deepEqual(await readdir(temporary), [])
  })

  it('refuses to run with a test that fails without mutants', async () => {
    await assert.rejects(run(false, '--all'), {
      code: 1,
      stdout: '',
      stderr: /^test\/age\.test\.js failed without any mutant:$/m,
    })
  })
})
