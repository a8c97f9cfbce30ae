import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { cursorFile, cursorFolder, linesAbout } from '../../../../harness/cursors/cursor-files.ts'
import {
  assertRecovered,
  assertReportedOnce,
  statuses,
} from '../../../../harness/cursors/unwritable-cursor.ts'
import { createEventLoad, noneLost } from '../../../../harness/node-red/event-load.ts'
import { type NodeRedHarness, panelId, startNodeRedHarness } from '../../../../harness/node-red.ts'

const run = promisify(execFile)

describe('A full disk below a cursor file in a real Node-RED', () => {
  let harness: NodeRedHarness
  beforeEach(async () => {
    harness = await startNodeRedHarness()
  })
  afterEach(() => harness.close())

  const file = () => cursorFile(harness, panelId)
  const events = () => createEventLoad(harness, 'events')
  const furnish = () =>
    harness.writeFlows([{ id: 'events', type: 'keyholder-events', first: 'deliver' }], { every: 0.4 })

  it('is reported once and shown in the status, and the node recovers by itself', async function () {
    if (process.platform !== 'linux') return this.skip()
    await furnish()
    await mkdir(cursorFolder(harness))
    // Whatever is written there does not fit, as on a disk where only the first bytes of a file do.
    await symlink('/dev/full', `${file()}.new`)
    const told = events()
    told.addEvents()
    const nodeRed = harness.startNodeRed()
    await assertReportedOnce(harness, nodeRed, told, /cannot be written \(ENOSPC\).*disk is not full/)
    await rm(`${file()}.new`)
    await assertRecovered(harness, nodeRed)
    assert.deepEqual(told.counts, noneLost)
  })

  it('loses no confirmed position, and the node recovers when there is space', async function () {
    await furnish()
    await mkdir(cursorFolder(harness))
    const isMounted = await run('mount', [
      '-t',
      'tmpfs',
      '-o',
      'size=256k',
      'tmpfs',
      cursorFolder(harness),
    ]).then(
      () => true,
      () => false,
    )
    if (!isMounted) return this.skip()
    try {
      const told = events()
      told.addEvents()
      const nodeRed = harness.startNodeRed()
      await told.finish()
      await harness.messages.until(() => /^green/.test(statuses(harness).at(-1) ?? ''), 'a green status')
      await writeFile(join(cursorFolder(harness), 'filler'), Buffer.alloc(1024 * 1024)).catch(() => {})
      // A file keeps room on its last page, which the first intents still find.
      for (let round = 0; statuses(harness).at(-1) !== 'red cannot write file'; round += 1) {
        assert.ok(round < 20, 'it is full')
        told.addEvents(3)
        await told.waitForAll()
      }
      await assertReportedOnce(harness, nodeRed, told, /cannot be written \(ENOSPC\)/)
      await rm(join(cursorFolder(harness), 'filler'))
      await assertRecovered(harness, nodeRed)
      await told.finish()
      await nodeRed.kill()
      const after = harness.startNodeRed()
      await told.finish()
      assert.deepEqual(told.counts, noneLost)
      assert.deepEqual(linesAbout(after, file()), [])
      await after.kill()
    } finally {
      await run('umount', [cursorFolder(harness)])
    }
  })
})
