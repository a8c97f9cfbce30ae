import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { testCursorStore } from '../../harness/contract/cursor-contract.ts'
import { testLease } from '../../harness/contract/lease-contract.ts'
import { localTestbeds } from '../../harness/contract/local-testbed.ts'
import { localPanelStores, nodeFile } from '../../src/panel/panel-stores.ts'

const testbeds = localTestbeds((folder) => {
  const stores = localPanelStores({ id: 'panel', serial: 'A1' }, folder)
  return { lease: stores.pollLease('events'), cursor: stores.cursor({ id: 'node', instances: 'one' }) }
})

describe('The lease of a process that is alone', () => testLease(testbeds))

describe('The cursor of a process that is alone', () => {
  testCursorStore(testbeds)

  it('of a node is one for each panel', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'keyholder-'))
    try {
      const [one, other] = ['A1', 'B2'].map((serial) =>
        localPanelStores({ id: `panel ${serial}`, serial }, folder).cursor({ id: 'node', instances: 'one' }),
      )
      await one?.load('A1')
      await one?.intend(['event'])
      assert.deepEqual([...((await other?.load('B2'))?.intended ?? ['unread'])], [])
      const next = localPanelStores({ id: 'panel A1', serial: 'A1' }, folder)
      const { intended } = await next.cursor({ id: 'node', instances: 'one' }).load('A1')
      assert.deepEqual([...intended], ['event'])
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  it('stays the same one of a node when the file is gone that it has from a cluster', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'keyholder-'))
    try {
      const [panel, node] = [
        { id: 'panel', serial: 'A1' },
        { id: 'node', instances: 'one' },
      ] as const
      const own = nodeFile(panel, node.id, folder, 'events')
      await writeFile(own, '')
      const stores = localPanelStores(panel, folder)
      const cursor = stores.cursor(node)
      await rm(own)
      assert.equal(stores.cursor(node), cursor)
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})
