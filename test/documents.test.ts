import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { replaceFile } from '../src/documents.ts'

describe('replaceFile', () => {
  let parent: string
  beforeEach(async () => {
    parent = await mkdtemp(join(tmpdir(), 'keyholder-'))
  })
  afterEach(() => rm(parent, { recursive: true }))

  it('leaves only the latest content, in a folder and a file that only their owner can access', async () => {
    const folder = join(parent, 'keyholder')
    const path = join(folder, 'some.json')
    await replaceFile(path, 'first')
    await replaceFile(path, 'second', { flush: true })
    assert.equal(await readFile(path, 'utf8'), 'second')
    assert.deepEqual(await readdir(folder), ['some.json'])
    const modes = [folder, path].map(async (name) => (await stat(name)).mode & 0o777)
    assert.deepEqual(await Promise.all(modes), [0o700, 0o600])
  })
})
