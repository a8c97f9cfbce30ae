import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Documents, doWithout, failWith, quarantine } from '../src/documents.ts'

describe('Documents', () => {
  let parent: string
  let path: string
  beforeEach(async () => {
    parent = await mkdtemp(join(tmpdir(), 'keyholder-'))
    path = join(parent, 'keyholder', 'some.json')
  })
  afterEach(() => rm(parent, { recursive: true }))

  const strict = () => new Documents(failWith({ read: 'Nothing is read.', written: 'Nothing is kept.' }))

  it('leave only the latest content, in a folder and a file that only their owner can access', async () => {
    for (const flush of [undefined, 'file', 'folder'] as const)
      await strict().replace(path, `flush ${flush}`, flush && { flush })
    assert.equal(await readFile(path, 'utf8'), 'flush folder')
    assert.deepEqual(await readdir(join(path, '..')), ['some.json'])
    const modes = [join(path, '..'), path].map(async (name) => (await stat(name)).mode & 0o777)
    assert.deepEqual(await Promise.all(modes), [0o700, 0o600])
  })

  it('keep the content until the new one is on the disk, and what comes before that has happened', async () => {
    await strict().replace(path, 'first')
    const seen: (string | undefined)[] = []
    const before = async () => {
      seen.push(await strict().read(path), await strict().read(`${path}.new`))
      throw new Error('stop')
    }
    await assert.rejects(strict().replace(path, 'second', { before }), /cannot be written \(stop\)/)
    assert.deepEqual(seen, ['first', 'second'])
    assert.equal(await strict().read(path), 'first')
  })

  it('append a text that may depend on the size of the file', async () => {
    for (const flush of [false, true])
      await strict().append(path, (size) => `after ${size} bytes\n`, { flush })
    assert.equal(await strict().read(path), 'after 0 bytes\nafter 14 bytes\n')
    assert.equal((await stat(path)).mode & 0o777, 0o600)
  })

  it('return nothing for a file that is missing, or was removed', async () => {
    assert.equal(await strict().read(path), undefined)
    await strict().replace(path, 'some')
    await strict().remove(path)
    assert.equal(await strict().read(path), undefined)
  })

  it('name the file, the reason, the remedy and what does not work meanwhile', async () => {
    await mkdir(path, { recursive: true })
    await assert.rejects(strict().read(path), {
      code: 'BAD_SETTING',
      message: `The file ${path} cannot be read (EISDIR). Check that Node-RED has read permission for it, and that its disk answers. Nothing is read.`,
    })
    const written = {
      code: 'BAD_SETTING',
      message: `The file ${path} cannot be written (EISDIR). Check that Node-RED has write permission for its folder, and that the disk is not full. Nothing is kept.`,
    }
    await assert.rejects(strict().replace(path, 'some'), written)
    await assert.rejects(
      strict().append(path, () => 'some'),
      written,
    )
  })

  it('do without a file that cannot be read or written, if its store says so', async () => {
    await mkdir(path, { recursive: true })
    const documents = new Documents(doWithout)
    assert.equal(await documents.read(path), undefined)
    await documents.replace(path, 'some')
    await documents.append(path, () => 'some')
    await documents.remove(path)
  })

  it('run the works with a file one after another, also after one that fails', async () => {
    const documents = strict()
    const works = ['a', 'b', 'c'].map((content) =>
      documents.run(path, async () => {
        const before = await documents.read(path)
        await documents.replace(path, `${before ?? ''}${content}`)
        if (content === 'a') throw new Error(content)
      }),
    )
    const ends = await Promise.allSettled(works)
    assert.deepEqual(
      ends.map(({ status }) => status),
      ['rejected', 'fulfilled', 'fulfilled'],
    )
    assert.equal(await documents.read(path), 'abc')
  })

  it('put a damaged file aside alone, and keep the latest three of them', async () => {
    await strict().replace(join(parent, 'keyholder', 'other.json'), 'whole')
    for (let number = 1; number <= 5; number += 1) {
      await writeFile(path, `damaged ${number}`)
      assert.equal(await quarantine(path), `some.json.damaged-${number}`)
    }
    const kept = [3, 4, 5].map((number) => `some.json.damaged-${number}`)
    assert.deepEqual((await readdir(join(path, '..'))).toSorted(), ['other.json', ...kept])
    assert.equal(await quarantine(path), undefined)
  })
})
