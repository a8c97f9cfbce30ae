import assert from 'node:assert/strict'
import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { cursorFolder } from '../../../../harness/cursors/cursor-files.ts'
import {
  assertRecovered,
  assertReportedOnce,
  statuses,
} from '../../../../harness/cursors/unwritable-cursor.ts'
import { createEventLoad, noneLost } from '../../../../harness/node-red/event-load.ts'
import { type NodeRedHarness, startNodeRedHarness } from '../../../../harness/node-red.ts'

describe('A cursor file in a real Node-RED that cannot be written', () => {
  let harness: NodeRedHarness
  beforeEach(async () => {
    harness = await startNodeRedHarness()
  })
  afterEach(() => harness.close())

  const events = () => createEventLoad(harness, 'events')
  const furnish = () =>
    harness.writeFlows([{ id: 'events', type: 'keyholder-events', first: 'deliver' }], { every: 0.4 })

  it('since the start lets nothing be sent, is named in the error, and all is delivered when it can be written', async () => {
    await furnish()
    await writeFile(cursorFolder(harness), '')
    const told = events()
    told.addEvents()
    const nodeRed = harness.startNodeRed()
    const { error } = await harness.messages.from('tab catch').first()
    assert.equal(error.code, 'BAD_SETTING')
    assert.ok(error.message.includes(`The file ${cursorFolder(harness)}/user-`))
    assert.deepEqual(harness.simulator.requests, [])
    await rm(cursorFolder(harness))
    await assertRecovered(harness, nodeRed)
    await told.finish()
    await nodeRed.stop()
    harness.startNodeRed()
    await told.finish()
    assert.deepEqual(told.counts, noneLost)
  })

  it('while Node-RED runs is reported once and shown in the status, events continue, and the node recovers by itself', async () => {
    await furnish()
    // A link and a file replace each other in one step, so that Node-RED cannot create a folder in between.
    const folder = cursorFolder(harness)
    await mkdir(`${folder}.away`)
    await symlink(`${folder}.away`, folder)
    const told = events()
    told.addEvents()
    const nodeRed = harness.startNodeRed()
    await told.finish()
    await harness.messages.until(() => /^green/.test(statuses(harness).at(-1) ?? ''), 'a green status')
    await writeFile(`${folder}.file`, '')
    await rename(`${folder}.file`, folder)
    told.addEvents()
    await assertReportedOnce(harness, nodeRed, told, /cannot be written \((ENOTDIR|EEXIST)\)/)
    await symlink(`${folder}.away`, `${folder}.link`)
    await rename(`${folder}.link`, folder)
    await assertRecovered(harness, nodeRed)
    await told.finish()
    await nodeRed.kill()
    harness.startNodeRed()
    await told.finish()
    assert.deepEqual(told.counts, noneLost)
  })
})
