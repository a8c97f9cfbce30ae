import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The part of the build that knows of what dist/ is made. */
interface Inputs {
  listInputs(root: string): Promise<string[]>
  digestInputs(root: string): Promise<string>
  isMadeOf(root: string, digest: string): Promise<boolean>
  noteInputs(root: string, digest: string): Promise<void>
}

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** A file for each kind of thing that dist/ is made of. */
const kinds = {
  'a source': 'src/clock.ts',
  'a module of a node': 'nodes/state/behavior.ts',
  'a form': 'nodes/conditions/page.html',
  'the script of a page': 'nodes/state/page.mjs',
  'texts of a language': 'nodes/state/locales/de.json',
  'help in a language': 'nodes/state/locales/de.html',
  'an icon': 'nodes/state/icon.svg',
  'a module of the console': 'src/simulator/console/page/main.mjs',
  'an example': 'examples/Panel state.json',
  'its German texts': 'scripts/examples/german.json',
  'a step of the build': 'scripts/build/bundle.js',
  'the settings of the compiler': 'tsconfig.json',
  'those for the declarations': 'tsconfig.types.json',
  'the version': 'package.json',
  'the versions of packages': 'package-lock.json',
}

describe('What dist/ is made of', () => {
  let inputs: Inputs
  before(async () => {
    inputs = await import(new URL('../../../scripts/build/inputs.js', import.meta.url).href)
  })

  let project: string
  const change = (path: string) => writeFileSync(join(project, path), 'other', { flag: 'a' })
  beforeEach(() => {
    project = mkdtempSync(join(tmpdir(), 'build-'))
    for (const path of ['dist', ...Object.values(kinds).map(dirname)])
      mkdirSync(join(project, path), { recursive: true })
    for (const path of Object.values(kinds)) cpSync(join(root, path), join(project, path))
  })
  afterEach(() => rmSync(project, { recursive: true }))

  for (const [kind, path] of Object.entries(kinds)) {
    it(`is other, so that dist/ is made again, after a change of ${kind}`, async () => {
      const digest = await inputs.digestInputs(project)
      await inputs.noteInputs(project, digest)
      assert.ok(await inputs.isMadeOf(project, await inputs.digestInputs(project)))
      change(path)
      assert.ok(!(await inputs.isMadeOf(project, await inputs.digestInputs(project))))
    })
  }

  it('is other after a file came, went or was renamed', async () => {
    const digests = [await inputs.digestInputs(project)]
    writeFileSync(join(project, 'src/some.ts'), '')
    digests.push(await inputs.digestInputs(project))
    cpSync(join(project, 'src/some.ts'), join(project, 'src/other.ts'))
    rmSync(join(project, 'src/some.ts'))
    digests.push(await inputs.digestInputs(project))
    assert.equal(new Set(digests).size, 3)
    rmSync(join(project, 'src/other.ts'))
    assert.equal(await inputs.digestInputs(project), digests[0])
  })

  it('is the same after the compiler has written modules and declarations beside their sources', async () => {
    const digest = await inputs.digestInputs(project)
    for (const path of ['src/clock.js', 'src/clock.d.ts', 'nodes/state/behavior.js'])
      writeFileSync(join(project, path), '')
    assert.equal(await inputs.digestInputs(project), digest)
  })

  it('is unknown where there is no dist/', async () => {
    const digest = await inputs.digestInputs(project)
    rmSync(join(project, 'dist'), { recursive: true })
    assert.ok(!(await inputs.isMadeOf(project, digest)))
  })

  it('has each file of src/ and nodes/ that is not compiled', async function () {
    if (!existsSync(join(root, '.git'))) this.skip()
    const kept = execFileSync('git', ['ls-files', 'src', 'nodes'], { cwd: root, encoding: 'utf8' })
    const listed = new Set(await inputs.listInputs(root))
    const missing = kept
      .trim()
      .split('\n')
      .filter((path) => existsSync(join(root, path)) && !listed.has(path))
    assert.deepEqual(missing, [])
  })
})

describe('The package', () => {
  it('has no record of what dist/ was made of', () => {
    const { files }: { files: string[] } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    assert.ok(files.includes('!dist/.inputs'))
  })

  it('is built whole, with the check of types, before it is published', () => {
    const { scripts }: { scripts: Record<string, string> } = JSON.parse(
      readFileSync(join(root, 'package.json'), 'utf8'),
    )
    assert.deepEqual([scripts.prepack, scripts.build], ['npm run build', 'node scripts/build/build.js'])
  })
})
