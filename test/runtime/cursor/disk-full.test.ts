import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { cursorFile, cursorFolder, linesAbout } from '../../../harness/node-red/cursor-files.ts'
import { eventLoad, perfect } from '../../../harness/node-red/event-load.ts'
import { assertShownOnce, assertWellAgain, statuses } from '../../../harness/node-red/unwritable-cursor.ts'
import { Laboratory, panelId } from '../../../harness/node-red.ts'

const run = promisify(execFile)

describe('A full disk below a cursor file in a real Node-RED', function () {
  this.timeout(120_000)
  let laboratory: Laboratory
  beforeEach(async () => {
    laboratory = await Laboratory.open()
  })
  afterEach(() => laboratory.close())

  const file = () => cursorFile(laboratory, panelId)
  const events = () => eventLoad(laboratory, 'events')
  const furnish = () =>
    laboratory.furnish([{ id: 'events', type: 'keyholder-events', first: 'deliver' }], { every: 0.4 })

  it('is said once and shown, and it recovers by itself', async function () {
    if (process.platform !== 'linux') return this.skip()
    await furnish()
    await mkdir(cursorFolder(laboratory))
    // Whatever is written there does not fit, as on a disk where only the first bytes of a file do.
    await symlink('/dev/full', `${file()}.new`)
    const told = events()
    told.happen()
    const nodeRed = laboratory.start()
    await assertShownOnce(laboratory, nodeRed, told, /cannot be written \(ENOSPC\).*disk is not full/)
    await rm(`${file()}.new`)
    await assertWellAgain(laboratory, nodeRed)
    assert.deepEqual(told.verdict, perfect)
  })

  it('loses nothing that was confirmed, and recovers when there is room', async function () {
    await furnish()
    await mkdir(cursorFolder(laboratory))
    const isMounted = await run('mount', [
      '-t',
      'tmpfs',
      '-o',
      'size=256k',
      'tmpfs',
      cursorFolder(laboratory),
    ]).then(
      () => true,
      () => false,
    )
    if (!isMounted) return this.skip()
    try {
      const told = events()
      told.happen()
      const nodeRed = laboratory.start()
      await told.settled()
      await laboratory.sink.until('a green status', () => statuses(laboratory).at(-1) === 'green up to date')
      await writeFile(join(cursorFolder(laboratory), 'filler'), Buffer.alloc(1024 * 1024)).catch(() => {})
      // A file keeps room on its last page, which the first intents still find.
      for (let round = 0; statuses(laboratory).at(-1) !== 'red bad setting'; round += 1) {
        assert.ok(round < 20, 'it is full')
        told.happen(3)
        await told.toldAll()
      }
      await assertShownOnce(laboratory, nodeRed, told, /cannot be written \(ENOSPC\)/)
      await rm(join(cursorFolder(laboratory), 'filler'))
      await assertWellAgain(laboratory, nodeRed)
      await told.settled()
      await nodeRed.kill()
      const after = laboratory.start()
      await told.settled()
      assert.deepEqual(told.verdict, perfect)
      assert.deepEqual(linesAbout(after, file()), [])
      await after.kill()
    } finally {
      await run('umount', [cursorFolder(laboratory)])
    }
  })
})
