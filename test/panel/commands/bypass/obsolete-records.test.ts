import assert from 'node:assert/strict'
import { access, mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { CommandedPanel } from '../../../../harness/panel/commanded-panel.ts'

/** What version 0.2.0 has left after an arming past open zones. */
const record = { partition: 1, state: 'AWAY', phase: 'armed', restore: true, zones: [3, 2], at: {} }
const left = JSON.stringify({ format: 1, serial: 'A1B2C3', armings: [record, { ...record, zones: [9] }] })

describe('The records of bypasses that version 0.2.0 has left', () => {
  let at: CommandedPanel
  beforeEach(async () => {
    at = await CommandedPanel.open()
    await mkdir(dirname(at.bypassFile), { recursive: true })
  })
  afterEach(async () => {
    await at.panel.close()
    await at.close()
  })

  const isThere = () =>
    access(at.bypassFile).then(
      () => true,
      () => false,
    )

  it('are removed at the first start, with one line that names the zones, and nothing is sent', async () => {
    for (const zone of [2, 3]) at.simulated.bypass(zone, true)
    await writeFile(at.bypassFile, left)
    for (const _start of [1, 2]) await at.panel.start()
    assert.equal(await isThere(), false)
    assert.equal(at.notices.length, 1)
    assert.match(
      at.notices[0] ?? '',
      /^House: .* were removed: they named zones 2, 3, 9\. The panel ends such a bypass/,
    )
    assert.deepEqual([at.outages, at.sent, at.bypassed], [[], [], [2, 3]])
  })

  it('are removed also if they are damaged', async () => {
    await writeFile(at.bypassFile, '{"armings":[{"zones":["x"]}]}')
    await at.panel.start()
    assert.match(at.notices.join(), /they named no zone that could be read\./)
    assert.equal(await isThere(), false)
  })

  it('stay, without a word, if the file cannot be removed', async () => {
    await mkdir(at.bypassFile)
    await at.panel.start()
    assert.deepEqual([at.notices, await isThere()], [[], true])
  })

  it('are not mentioned where there are none', async () => {
    await at.panel.start()
    assert.equal(at.said, '')
  })
})
