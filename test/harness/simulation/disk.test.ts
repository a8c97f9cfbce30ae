import assert from 'node:assert/strict'
import { FakeClock } from '../../../harness/clock/fake-clock.ts'
import { Disk } from '../../../harness/simulation/disk/disk.ts'
import { createFileSystem, type FileSystem } from '../../../harness/simulation/disk/file-system.ts'
import { Random } from '../../../src/simulator/random.ts'

/** Does something on a disk. */
type Use = (files: FileSystem, disk: Disk, clock: FakeClock) => Promise<unknown>

const seeds = Array.from({ length: 400 }, (_, index) => index + 1)

/** Returns a new disk after some work. */
async function used(...uses: Use[]): Promise<Disk> {
  const clock = new FakeClock()
  const disk = new Disk(clock)
  const files = createFileSystem(disk, (work) => work())
  for (const use of uses) await use(files, disk, clock)
  return disk
}

/** Returns a disk as a text: each path with its content. */
function shown(disk: Disk): string {
  return [...disk.files()].map(([path, content]) => `${path.slice(disk.root.length)}=${content}`).join(' ')
}

/** Returns what power cuts after some work leave, each outcome once and in order. */
async function outcomes(...uses: Use[]): Promise<string[]> {
  const found = new Set<string>()
  for (const seed of seeds) {
    const disk = await used(...uses)
    disk.cutPower(new Random(seed))
    found.add(shown(disk))
  }
  return [...found].sort()
}

describe('The disk of a simulated machine, at a power cut', () => {
  const flushed: Use = (files) => files.writeFile('/machine/f', 'old', { flush: true })

  it('keeps what was flushed: a new file with its name and folder, and what was appended', async () => {
    const work: Use = async (files) => {
      await files.mkdir('/machine/new/deep', { recursive: true })
      await files.writeFile('/machine/new/deep/f', 'first', { flush: true })
      const file = await files.open('/machine/new/deep/f', 'a')
      await file.appendFile(' second')
      await file.datasync()
      await file.close()
    }
    assert.deepEqual(await outcomes(work), ['/new/deep/f=first second'])
  })

  it('keeps, loses or tears each write that was not flushed, also the earlier of two only', async () => {
    const work: Use = async (files) => {
      await files.appendFile('/machine/f', 'AB')
      await files.appendFile('/machine/f', 'CD')
    }
    const ends = ['', 'A', '\0B', 'AB', 'ABC', 'AB\0D', 'ABCD', '\0\0CD', '\0\0C', 'A\0CD']
    const found = await outcomes(flushed, work)
    for (const end of ends) assert.ok(found.includes(`/f=old${end}`), end)
    assert.ok(found.every((one) => one.startsWith('/f=old')))
  })

  it('leaves a file that was written over old, empty, new or in part, and never a mixture', async () => {
    const found = await outcomes(flushed, (files) => files.writeFile('/machine/f', 'NEW!'))
    for (const one of ['old', '', 'NEW!', 'N', 'NE', 'NEW', '\0EW!'])
      assert.ok(found.includes(`/f=${one}`), one)
    assert.ok(found.every((one) => one === '/f=old' || !/[old]/.test(one.slice(3))))
  })

  it('can leave a renamed file without its content', async () => {
    const replace = (flush: boolean): Use => {
      return async (files) => {
        await files.writeFile('/machine/f.new', 'new', { flush })
        await files.rename('/machine/f.new', '/machine/f')
      }
    }
    assert.ok((await outcomes(flushed, replace(false))).includes('/f='))
    assert.deepEqual(await outcomes(flushed, replace(true)), ['/f=new', '/f=old /f.new=new'])
  })

  it('keeps the first changes of names, and all of a folder that was flushed', async () => {
    const work: Use = async (files) => {
      await files.mkdir('/machine/a')
      await files.link('/machine/f', '/machine/a/f')
      await files.unlink('/machine/f')
    }
    const expected = ['/a/f=old', '/a/f=old /f=old', '/f=old']
    assert.deepEqual(await outcomes(flushed, work), expected)
    const flushFolder: Use = async (files) => {
      const folder = await files.open('/machine/a')
      await folder.sync()
      await folder.close()
    }
    assert.deepEqual(await outcomes(flushed, work, flushFolder), expected.slice(0, 2))
  })

  it('keeps the new name of a file by fsync, and not by fdatasync', async () => {
    const renamed = (flush: 'sync' | 'datasync'): Use => {
      return async (files) => {
        await files.rename('/machine/f', '/machine/g')
        const file = await files.open('/machine/g', 'a')
        await file[flush]()
      }
    }
    assert.deepEqual(await outcomes(flushed, renamed('sync')), ['/g=old'])
    assert.deepEqual(await outcomes(flushed, renamed('datasync')), ['/f=old', '/g=old'])
  })

  it('keeps what is older than the time after which the system writes everything', async () => {
    const write: Use = (files) => files.writeFile('/machine/f', 'text')
    const wait = (ms: number): Use => {
      return async (_files, _disk, clock) => clock.advance(ms)
    }
    assert.deepEqual(await outcomes(write, wait(40_000)), ['/f=text'])
    assert.ok((await outcomes(write, wait(39_999))).length > 3)
  })

  it('leaves the same disk for the same seed, and different ones for others', async () => {
    const work: Use = async (files) => {
      for (const text of 'abcdefgh')
        await files.appendFile(`/machine/${text}`, text.repeat(20), { mode: 0o600 })
    }
    const after = async (seed: number) => {
      const disk = await used(work)
      disk.cutPower(new Random(seed))
      return disk.snapshot()
    }
    const snapshots = await Promise.all(seeds.slice(0, 50).map(after))
    assert.deepEqual(await Promise.all(seeds.slice(0, 50).map(after)), snapshots)
    assert.ok(new Set(snapshots).size > 40)
  })

  it('keeps the contents and names of a clean shutdown', async () => {
    const work: Use = (files) => files.writeFile('/machine/f', 'text')
    assert.deepEqual(await outcomes(work, async (_files, disk) => disk.flushAll()), ['/f=text'])
  })
})

describe('The disk of a simulated machine, while', () => {
  const write: Use = (files) => files.writeFile('/machine/f', 'some text', { mode: 0o600 })
  const folder: Use = async (files) => {
    await files.mkdir('/machine/folder/deep', { recursive: true })
    await files.writeFile('/machine/folder/f', 'text')
  }

  it('it is full, writes what fits, and reads and removes', async () => {
    const disk = await used(write)
    const files = createFileSystem(disk, (work) => work())
    disk.faults.room = 4
    const full = { code: 'ENOSPC', syscall: 'write', message: 'ENOSPC: no space left on device, write' }
    await assert.rejects(files.appendFile('/machine/f', '123456'), full)
    assert.equal(await files.readFile('/machine/f', 'utf8'), 'some text1234')
    await assert.rejects(files.writeFile('/machine/g', 'x'), full)
    await assert.rejects(files.mkdir('/machine/folder'), { code: 'ENOSPC', syscall: 'mkdir' })
    await files.unlink('/machine/f')
    assert.equal(shown(disk), '/g=')
    disk.faults.room = Number.POSITIVE_INFINITY
    await files.writeFile('/machine/g', 'x')
  })

  it('it is read-only, changes nothing', async () => {
    const disk = await used(write, folder)
    const files = createFileSystem(disk, (work) => work())
    const before = disk.snapshot()
    disk.faults.isReadOnly = true
    const refused = { code: 'EROFS' }
    await assert.rejects(files.writeFile('/machine/f', 'x'), refused)
    await assert.rejects(files.appendFile('/machine/new', 'x'), refused)
    await assert.rejects(files.rename('/machine/f', '/machine/g'), refused)
    await assert.rejects(files.rm('/machine/folder', { recursive: true }), refused)
    await assert.rejects(files.mkdtemp('/machine/t'), refused)
    await files.mkdir('/machine/folder', { recursive: true })
    assert.equal(disk.snapshot(), before)
  })

  it('a file cannot be read, says so after it was opened', async () => {
    const disk = await used(write)
    const files = createFileSystem(disk, (work) => work())
    disk.faults.unreadable.add('/machine/f')
    await files.stat('/machine/f')
    const message = 'EIO: i/o error, read'
    await assert.rejects(files.readFile('/machine/f'), { code: 'EIO', errno: -5, message })
  })

  it('a folder is of another user, lets programs read it or not even that', async () => {
    const disk = await used(folder)
    const files = createFileSystem(disk, (work) => work())
    const refused = { code: 'EACCES' }
    disk.faults.denied.set('/machine/folder', 'change')
    await assert.rejects(files.writeFile('/machine/folder/f', 'x'), refused)
    await assert.rejects(files.mkdir('/machine/folder/deep/new'), refused)
    assert.deepEqual(await files.readdir('/machine/folder'), ['deep', 'f'])
    disk.faults.denied.set('/machine/folder', 'access')
    await assert.rejects(files.stat('/machine/folder/f'), refused)
    await assert.rejects(files.readdir('/machine/folder'), refused)
    await files.stat('/machine/folder')
  })
})
