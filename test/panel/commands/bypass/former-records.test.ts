import assert from 'node:assert/strict'
import promises, { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { listingOf } from '../../../../src/panel/commands/bypass/former-records.ts'

describe('The listing of a folder', () => {
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

  it('has the names of the JSON files by each of their beginnings', async () => {
    await add('bypasses-a.json', 'bypasses-a-b.json', 'user-a.log')
    const names = await listingOf(folder).get()
    assert.deepEqual(names.get('bypasses-')?.toSorted(), ['bypasses-a-b.json', 'bypasses-a.json'])
    assert.deepEqual(names.get('bypasses-a-'), ['bypasses-a-b.json'])
    assert.equal(names.get('user-'), undefined)
  })

  it('is made once for all panels that start together, and anew for one that starts later', async () => {
    await add('bypasses-a.json')
    const listings = Array.from({ length: 50 }, () => listingOf(folder))
    for (const listing of listings) await listing.get()
    assert.equal(readings, 1)
    await add('bypasses-b.json')
    assert.equal((await listingOf(folder).get()).get('bypasses-')?.length, 2)
    assert.equal(readings, 2)
  })
})
