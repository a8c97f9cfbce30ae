import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type BypassRecord,
  BypassRecords,
  type OwnedRecord,
} from '../../../../src/panel/commands/bypass/bypass-records.ts'

const record = {
  partition: 1,
  state: 'AWAY',
  phase: 'armed',
  restore: true,
  zones: [2],
  at: { wall: 0, monotonic: 0 },
} as const
const ofOther = { ...record, owner: 'other', isOwn: false, isAlive: true }

/** A store that several processes share, as this one sees it. */
class SharedRecords {
  /** What this process has written, in order. */
  readonly written: { changes: ReadonlyMap<number, BypassRecord | undefined>; isGivenUp: boolean }[] = []
  kept: readonly OwnedRecord[]

  constructor(...kept: readonly OwnedRecord[]) {
    this.kept = kept
  }

  async read(): Promise<readonly OwnedRecord[]> {
    return this.kept
  }

  async write(changes: ReadonlyMap<number, BypassRecord | undefined>, isGivenUp = false): Promise<void> {
    this.written.push({ changes, isGivenUp })
  }

  onChange(): () => void {
    return () => {}
  }
}

describe('The records of bypasses', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keyholder-'))
  })
  afterEach(() => rm(folder, { recursive: true }))

  /** Returns the records of a process, in their own file or in a shared store. */
  const open = (shared?: SharedRecords) =>
    new BypassRecords(join(folder, 'panel.bypasses.json'), 'A1B2C3', undefined, shared)

  it('are not written any more after their panel was closed: another process may have the file', async () => {
    const records = open()
    await records.close()
    await assert.rejects(records.put(record), { code: 'CLOSED' })
    assert.deepEqual(await readdir(folder), [])
  })

  it('of another process stay its own when this one writes a record', async () => {
    const shared = new SharedRecords(ofOther)
    const records = open(shared)
    await records.refresh()
    const own = { ...record, partition: 2 }
    await records.put(own)
    assert.deepEqual(shared.written, [{ changes: new Map([[2, own]]), isGivenUp: false }])
    assert.deepEqual(records.own, [own])
  })

  it('of another process are not taken over by one whose file has none', async () => {
    const shared = new SharedRecords(ofOther)
    const records = open(shared)
    await records.refresh()
    await records.refresh()
    assert.deepEqual([records.all.length, records.own, shared.written], [1, [], []])
  })

  it('of another process lose a zone about which somebody has decided, also if it wrote them since the last read', async () => {
    const shared = new SharedRecords()
    const records = open(shared)
    await records.refresh()
    shared.kept = [{ ...ofOther, zones: [2, 3] }]
    await records.release(2)
    assert.deepEqual(
      shared.written.map(({ changes }) => changes.get(1)?.zones),
      [[3]],
    )
  })

  it('of a file are in the shared store after the first read, and the file is gone', async () => {
    await open().put(record)
    const shared = new SharedRecords(ofOther, { ...ofOther, partition: 2 })
    const records = open(shared)
    await records.refresh()
    assert.deepEqual([shared.written[0]?.changes.has(1), await readdir(folder)], [true, []])
    assert.deepEqual(
      records.own.map(({ partition }) => partition),
      [1],
    )
  })

  it('are given up in the shared store when their panel is closed, those of others are not', async () => {
    const shared = new SharedRecords({ ...ofOther, partition: 2 })
    const records = open(shared)
    await records.refresh()
    await records.put(record)
    await records.close()
    assert.deepEqual(shared.written.at(-1), { changes: new Map([[1, record]]), isGivenUp: true })
  })
})
