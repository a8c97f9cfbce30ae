import assert from 'node:assert/strict'
import { copyFile, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CommandedPanel, setState } from '../../../../harness/panel/commanded-panel.ts'
import type { SetState } from '../../../../src/panel/commands/command.ts'
import type { Panel } from '../../../../src/panel/panel.ts'

describe('The bypasses of an arming belong to the panel: they', () => {
  let at: CommandedPanel
  const panels: Panel[] = []
  beforeEach(async () => {
    at = await CommandedPanel.open()
    at.simulated.open(2)
  })
  afterEach(async () => {
    for (const panel of [at.panel, ...panels.splice(0)]) await panel.close()
    await at.close()
  })

  const arming = (restoreBypass = true): SetState => ({
    ...setState('AWAY'),
    openZones: 'bypass',
    restoreBypass,
  })

  /** Arms past the open kitchen window, and ends the process. */
  const armAndEnd = async () => {
    assert.equal((await at.run(arming())).error, undefined)
    at.harness.killProcess()
    await at.panel.close()
  }

  const restart = async (id: string, settings: Parameters<CommandedPanel['restart']>[0] = {}) => {
    const panel = await at.restart({ ...settings, id })
    panels.push(panel)
    await at.pass(100_000)
    return panel
  }

  /** Adds a second config node of the panel in the same process. */
  const addNode = async (id: string, settings: Parameters<CommandedPanel['openPanel']>[0] = {}) => {
    const panel = at.openPanel({ ...settings, id })
    panels.push(panel)
    await panel.commands.start()
    return panel
  }

  it('are taken back if its node has another id since', async () => {
    await armAndEnd()
    await restart('p2')
    assert.deepEqual(at.bypassed, [2])
    at.simulated.disarm(1)
    await at.pass(60_000)
    assert.deepEqual([at.bypassed, at.outages], [[], []])
  })

  for (const isCut of [false, true])
    it(`are found under the id of a node, where earlier versions saved them${isCut ? ', after a crash on the way' : ''}`, async () => {
      await armAndEnd()
      const former = join(at.harness.folder, 'bypasses-p7.json')
      if (isCut) await writeFile(former, '{"format":1,"serial":"other","armings":[]}')
      else await rename(at.bypassFile, former)
      await writeFile(join(at.harness.folder, 'bypasses-p8.json'), '')
      if (isCut) await copyFile(at.bypassFile, join(at.harness.folder, 'bypasses-p9.json'))
      await restart('p1')
      const names = (await readdir(at.harness.folder)).filter((name) => name.includes('bypasses'))
      const left = isCut ? ['bypasses-p7.json', 'bypasses-p8.json'] : ['bypasses-p8.json']
      assert.deepEqual(names.toSorted(), [...left, at.bypassFile.split('/').at(-1)])
      at.simulated.disarm(1)
      await at.pass(60_000)
      assert.deepEqual([at.bypassed, at.outages], [[], []])
    })

  it('of two nodes, saved by earlier versions, are all taken back', async () => {
    at.simulated.open(9)
    at.setZoneType(9, 'PERIMETER')
    for (const partition of [1, 2]) await at.run({ ...arming(), partition })
    at.harness.killProcess()
    await at.panel.close()
    const { armings, ...rest } = JSON.parse(await readFile(at.bypassFile, 'utf8'))
    await rm(at.bypassFile)
    for (const [index, arming] of armings.entries()) {
      const path = join(at.harness.folder, `bypasses-p${index}.json`)
      await writeFile(path, JSON.stringify({ ...rest, armings: [arming] }))
    }
    for (const partition of [1, 2]) at.simulated.disarm(partition)
    await restart('p1')
    assert.deepEqual(at.bypassed, [])
  })

  it('are taken back by another node of the panel when that of the arming is gone', async () => {
    await addNode('p2')
    assert.equal((await at.run(arming())).error, undefined)
    await at.panel.close()
    await at.pass(60_000)
    at.simulated.disarm(1)
    await at.pass(60_000)
    assert.deepEqual([at.bypassed, at.outages, at.notices.length], [[], [], 1])
  })

  it('are named, and taken back before, by an arming through another node', async () => {
    const other = await addNode('p2')
    assert.equal((await at.run(arming())).error, undefined)
    const again = at.command(arming(), new AbortController().signal, other)
    await at.waitFor(again)
    assert.deepEqual(again.done?.view.bypassed, [{ zone: 2, name: 'Kitchen window' }])
    await at.pass(60_000)
    at.simulated.disarm(1)
    at.simulated.close(2)
    const plain = at.command(setState('AWAY'), new AbortController().signal, other)
    await at.waitFor(plain)
    assert.deepEqual([plain.error, at.bypassed], [undefined, []])
  })

  it('are taken back by the node that lets flows send commands, and reported by it alone', async () => {
    await at.panel.close()
    await addNode('p2', { allowCommands: false })
    const allowed = await addNode('p3')
    const ending = at.command(arming(), new AbortController().signal, allowed)
    await at.waitFor(ending)
    await at.pass(60_000)
    at.simulated.disarm(1)
    await at.pass(60_000)
    assert.deepEqual([at.bypassed, at.outages, at.notices.length], [[], [], 1])
  })
})
