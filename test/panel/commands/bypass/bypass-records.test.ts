import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BypassRecords } from '../../../../src/panel/commands/bypass/bypass-records.ts'

describe('The records of bypasses', () => {
  it('are not written any more after their panel was closed: another process may have the file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'keyholder-'))
    try {
      const records = new BypassRecords(join(folder, 'panel.bypasses.json'), 'A1B2C3')
      await records.close()
      const at = { wall: 0, monotonic: 0 }
      const record = { partition: 1, state: 'AWAY', phase: 'arming', restore: true, zones: [2], at } as const
      await assert.rejects(records.put(record), { code: 'CLOSED' })
      assert.deepEqual(await readdir(folder), [])
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  it('of another process stay its own when this one writes a record', async () => {
    const record = { partition: 1, state: 'AWAY', phase: 'armed', restore: true, zones: [2] } as const
    const at = { wall: 0, monotonic: 0 }
    const owned = { ...record, at, owner: 'other', isOwn: false, isAlive: true }
    const written: ReadonlyMap<number, unknown>[] = []
    const shared = {
      read: async () => [owned],
      write: async (changes: ReadonlyMap<number, unknown>) => void written.push(changes),
      onChange: () => () => {},
    }
    const path = join(tmpdir(), 'none', 'panel.bypasses.json')
    const records = new BypassRecords(path, 'A1B2C3', undefined, shared)
    await records.refresh()
    const own = { ...record, partition: 2, at }
    await records.put(own)
    assert.deepEqual(written, [new Map([[2, own]])])
    assert.deepEqual(records.own, [own])
  })

  it('of another process are not taken over by one whose file has none', async () => {
    const record = { partition: 1, state: 'AWAY', phase: 'armed', restore: true, zones: [2] } as const
    const owned = { ...record, at: { wall: 0, monotonic: 0 }, owner: 'other', isOwn: false, isAlive: true }
    const written: unknown[] = []
    const shared = {
      read: async () => [owned],
      write: async (changes: unknown) => void written.push(changes),
      onChange: () => () => {},
    }
    const records = new BypassRecords(
      join(tmpdir(), 'none', 'panel.bypasses.json'),
      'A1B2C3',
      undefined,
      shared,
    )
    await records.refresh()
    await records.refresh()
    assert.deepEqual([records.all.length, records.own, written], [1, [], []])
  })
})
