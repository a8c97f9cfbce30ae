import assert from 'node:assert/strict'
import promises, { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { formerFilesOf } from '../../../../src/panel/commands/bypass/former-records.ts'

describe('The list of the files with records of single nodes', () => {
  const original = promises.readdir
  let folder: string
  let readings: number
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keyholder-'))
    readings = 0
    const counting = (...args: Parameters<typeof original>) => {
      readings += 1
      return original(...args)
    }
    Object.assign(promises, { readdir: counting })
    syncBuiltinESMExports()
  })
  afterEach(async () => {
    Object.assign(promises, { readdir: original })
    syncBuiltinESMExports()
    await rm(folder, { recursive: true, force: true, maxRetries: 10 })
  })

  const add = (...names: string[]) => Promise.all(names.map((name) => writeFile(join(folder, name), '')))

  it('has the names of these files alone', async () => {
    await add(
      'bypasses-a.json',
      'bypasses-a-b.json',
      'bypasses-a.json.damaged-1',
      'user-a.log',
      'panel-a.bypasses.json',
    )
    const names = await formerFilesOf(folder).get()
    assert.deepEqual(names.toSorted(), ['bypasses-a-b.json', 'bypasses-a.json'])
  })

  it('is made once for all panels that start together, and anew for one that starts later', async () => {
    await add('bypasses-a.json')
    const lists = Array.from({ length: 50 }, () => formerFilesOf(folder))
    for (const list of lists) await list.get()
    assert.equal(readings, 1)
    await add('bypasses-b.json')
    assert.equal((await formerFilesOf(folder).get()).length, 2)
    assert.equal(readings, 2)
  })
})
