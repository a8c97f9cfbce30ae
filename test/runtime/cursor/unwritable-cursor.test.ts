import assert from 'node:assert/strict'
import { rename, rm, writeFile } from 'node:fs/promises'
import { cursorFolder } from '../../../harness/node-red/cursor-files.ts'
import { eventLoad, perfect } from '../../../harness/node-red/event-load.ts'
import { assertShownOnce, assertWellAgain, statuses } from '../../../harness/node-red/unwritable-cursor.ts'
import { Laboratory } from '../../../harness/node-red.ts'

describe('A cursor file in a real Node-RED that cannot be written', function () {
  this.timeout(120_000)
  let laboratory: Laboratory
  beforeEach(async () => {
    laboratory = await Laboratory.open()
  })
  afterEach(() => laboratory.close())

  const events = () => eventLoad(laboratory, 'events')
  const furnish = () =>
    laboratory.furnish([{ id: 'events', type: 'keyholder-events', first: 'deliver' }], { every: 0.4 })

  it('is said once at the start and shown, the events go on, and it recovers by itself', async () => {
    await furnish()
    await writeFile(cursorFolder(laboratory), '')
    const told = events()
    told.happen()
    const nodeRed = laboratory.start()
    await assertShownOnce(laboratory, nodeRed, told, /cannot be written \((ENOTDIR|EEXIST)\)/)
    await rm(cursorFolder(laboratory))
    await assertWellAgain(laboratory, nodeRed)
    await told.settled()
    await nodeRed.stop()
    laboratory.start()
    await told.settled()
    assert.deepEqual(told.verdict, perfect)
  })

  it('while Node-RED runs is said once and shown, the events go on, and it recovers by itself', async () => {
    await furnish()
    const told = events()
    told.happen()
    const nodeRed = laboratory.start()
    await told.settled()
    await laboratory.sink.until('a green status', () => statuses(laboratory).at(-1) === 'green up to date')
    await rename(cursorFolder(laboratory), `${cursorFolder(laboratory)}.away`)
    await writeFile(cursorFolder(laboratory), '')
    told.happen()
    await assertShownOnce(laboratory, nodeRed, told, /cannot be written \((ENOTDIR|EEXIST)\)/)
    await rm(cursorFolder(laboratory))
    await rename(`${cursorFolder(laboratory)}.away`, cursorFolder(laboratory))
    await assertWellAgain(laboratory, nodeRed)
    await told.settled()
    await nodeRed.kill()
    laboratory.start()
    await told.settled()
    assert.deepEqual(told.verdict, perfect)
  })
})
