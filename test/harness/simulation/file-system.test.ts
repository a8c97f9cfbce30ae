import assert from 'node:assert/strict'
import fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { FakeClock } from '../../../harness/clock/fake-clock.ts'
import { threadedFiles } from '../../../harness/clock/files-in-turn.ts'
import { Disk } from '../../../harness/simulation/disk/disk.ts'
import {
  createFileSystem,
  createSyncFileSystem,
  type FileSystem,
} from '../../../harness/simulation/disk/file-system.ts'

/** A call of a function of `node:fs/promises` or of some steps with an open file. */
interface Call {
  name: string
  paths: readonly string[]
  rest: readonly unknown[]
}

type Files = Record<string, (...values: unknown[]) => Promise<unknown>>

const names = ['a', 'b', 'folder', 'folder/c', 'folder/deep', 'folder/deep/d', 'a/in-a-file', 'none/e']

const path = fc.constantFrom(...names)
const text = fc.constantFrom('', 'short', 'ä longer text\n', 'x'.repeat(5000))
const mode = fc.constantFrom({}, { mode: 0o600 }, { mode: 0o600, flush: true })
const flag = fc.constantFrom({}, { flag: 'w' }, { flag: 'wx' }, { flag: 'a' })
const openFlag = fc.constantFrom('r', 'r+', 'w', 'wx', 'w+', 'a', 'a+')

const one = (name: string, ...rest: fc.Arbitrary<unknown>[]): fc.Arbitrary<Call> =>
  fc.record({ name: fc.constant(name), paths: fc.tuple(path), rest: fc.tuple(...rest) })
const two = (name: string): fc.Arbitrary<Call> =>
  fc.record({ name: fc.constant(name), paths: fc.tuple(path, path), rest: fc.constant([]) })

const call = fc.oneof(
  one('access'),
  one('stat'),
  one('lstat'),
  one('readdir'),
  one('readFile', fc.constantFrom('utf8', undefined, { encoding: 'utf8' })),
  one(
    'writeFile',
    text,
    fc.tuple(mode, flag).map(([some, other]) => ({ ...some, ...other })),
  ),
  one('appendFile', text, mode),
  one('mkdir', fc.constantFrom(undefined, { recursive: true }, { recursive: true, mode: 0o700 }, 0o700)),
  one('makeTemporaryFolder'),
  one('unlink'),
  one('rmdir'),
  one('rm', fc.constantFrom({}, { force: true }, { recursive: true }, { recursive: true, force: true })),
  one('useOpenFile', openFlag, text),
  two('copyFile'),
  two('link'),
  two('rename'),
)

/** Does several things with an open file, and returns what each of them has given. */
async function useOpenFile(files: FileSystem, at: string, flag: never, data: string) {
  const file = await files.open(at, flag, 0o600)
  const outcome = async (work: () => Promise<unknown>) => {
    try {
      return await work()
    } catch (thrown) {
      return describeError(thrown, '')
    }
  }
  const results = [
    await outcome(() => file.appendFile(data)),
    await outcome(async () => (await file.stat()).isDirectory()),
    await outcome(() => file.sync()),
    await outcome(() => file.writeFile('again')),
    await outcome(() => file.datasync()),
    await outcome(async () => {
      const { bytesRead, buffer } = await file.read(Buffer.alloc(7), 1, 5, 2)
      return `${bytesRead} ${buffer}`
    }),
    await outcome(() => file.readFile('utf8')),
  ]
  await file.close()
  await file.close()
  return [...results, file.fd, await outcome(() => file.stat()), await outcome(() => file.readFile())]
}

/** Makes a folder with a random name and removes it; returns its path without the random part. */
async function makeTemporaryFolder(files: FileSystem, prefix: string): Promise<unknown> {
  const withoutEnd = (path: string) => path.replace(new RegExp(`(${prefix}).{6}`), '$1')
  try {
    const folder = await files.mkdtemp(prefix)
    const { mode } = await files.stat(folder)
    await files.rmdir(folder)
    return { folder: withoutEnd(folder), mode }
  } catch (thrown) {
    const { message, path = '', ...fields } = thrown as NodeJS.ErrnoException
    throw Object.assign(new Error(withoutEnd(message)), { ...fields, path: withoutEnd(path) })
  }
}

/** Returns an error with the fields that programs look at, and the folder of the comparison left out. */
function describeError(thrown: unknown, root: string) {
  const { message, code, errno, syscall, path, dest } = thrown as NodeJS.ErrnoException & { dest?: string }
  const inRoot = (value: string | undefined) => value?.replaceAll(root, '')
  return { message: inRoot(message), code, errno, syscall, path: inRoot(path), dest: inRoot(dest) }
}

/** Returns what a call has given, without what differs on each machine. */
async function outcomeOf(files: FileSystem, root: string, { name, paths, rest }: Call): Promise<unknown> {
  const at = paths.map((one) => join(root, one))
  try {
    if (name === 'useOpenFile')
      return await useOpenFile(files, ...([...at, ...rest] as [string, never, string]))
    if (name === 'makeTemporaryFolder')
      return JSON.stringify(await makeTemporaryFolder(files, at[0] ?? '')).replaceAll(root, '')
    const result = await (files as unknown as Files)[name]?.(...at, ...rest)
    if (typeof result === 'string') return result.replaceAll(root, '')
    if (typeof result !== 'object' || Array.isArray(result) || Buffer.isBuffer(result)) return result
    const { size, mode, isFile } = result as fs.Stats
    return isFile.call(result) ? { size, mode } : { mode }
  } catch (thrown) {
    return describeError(thrown, root)
  }
}

/** Returns the contents of all files of a real folder, by their paths in it. */
function contentsIn(folder: string): Record<string, string> {
  const entries = fs.readdirSync(folder, { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return Object.fromEntries(paths.map((one) => [one.slice(folder.length), fs.readFileSync(one, 'utf8')]))
}

describe('The file system of a simulated machine', () => {
  const queue = (work: () => void) => queueMicrotask(work)

  it('gives the results, contents and errors of the real one, for random calls', async function () {
    // Other systems have other sentences and numbers for some errors.
    if (process.platform !== 'linux') this.skip()
    await fc.assert(
      fc.asyncProperty(fc.array(call, { maxLength: 60, size: 'max' }), async (calls) => {
        const root = fs.mkdtempSync(join(tmpdir(), 'keyholder-disk-'))
        const disk = new Disk(new FakeClock(), { root: '/machine' })
        const files = createFileSystem(disk, queue)
        try {
          for (const [index, each] of calls.entries()) {
            const real = await outcomeOf(threadedFiles as unknown as FileSystem, root, each)
            const simulated = await outcomeOf(files, disk.root, each)
            assert.deepEqual(simulated, real, `${index}: ${each.name} ${each.paths}`)
          }
          const contents = [...disk.files()].map(([at, content]) => [
            at.slice(disk.root.length),
            `${content}`,
          ])
          assert.deepEqual(Object.fromEntries(contents), contentsIn(root))
        } finally {
          fs.rmSync(root, { recursive: true, force: true })
        }
      }),
    )
  })

  it('does a call completely in a step that the queue chooses, and never for a process that is killed', async () => {
    const disk = new Disk(new FakeClock())
    const steps: (() => void)[] = []
    const files = createFileSystem(disk, (work) => steps.push(work))
    const written = files.writeFile('/machine/some', 'text')
    void files.writeFile('/machine/killed', 'text')
    assert.deepEqual([...disk.files()], [])
    steps[0]?.()
    await written
    assert.deepEqual([...disk.files().keys()], ['/machine/some'])
  })

  it('takes the delay of a slow disk', async () => {
    const clock = new FakeClock()
    const disk = new Disk(clock)
    disk.faults.delay = 30
    const written = createFileSystem(disk, queue).writeFile('/machine/some', 'text')
    clock.advance(29)
    await Promise.resolve()
    assert.equal(disk.files().size, 0)
    clock.advance(1)
    await written
    assert.equal(disk.files().size, 1)
  })

  it('reads the real files elsewhere, and changes none of them', async () => {
    const files = createFileSystem(new Disk(new FakeClock()), queue)
    const real = new URL('../../../package.json', import.meta.url)
    assert.equal(await files.readFile(real, 'utf8'), fs.readFileSync(real, 'utf8'))
    await assert.rejects(files.rm(join(tmpdir(), 'none'), { force: true }), /is not on its disk \/machine/)
  })

  it('has functions that work at once on the same files', async () => {
    const disk = new Disk(new FakeClock())
    const sync = createSyncFileSystem(disk, queue)
    sync.mkdirSync('/machine/user', { recursive: true, mode: 0o700 })
    sync.writeFileSync('/machine/user/marks.new', '{}', { mode: 0o600 })
    sync.renameSync('/machine/user/marks.new', '/machine/user/marks')
    assert.equal(await createFileSystem(disk, queue).readFile('/machine/user/marks', 'utf8'), '{}')
    assert.equal(sync.readFileSync('/machine/user/marks', 'utf8'), '{}')
    assert.deepEqual(sync.readdirSync('/machine/user'), ['marks'])
    assert.equal(sync.existsSync('/machine/user/marks'), true)
    assert.equal(sync.existsSync(new URL('../../../package.json', import.meta.url)), true)
    sync.rmSync('/machine/user/marks', { force: true })
    assert.equal(sync.existsSync('/machine/user/marks'), false)
  })
})
