import assert from 'node:assert/strict'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { incompleteAnswer } from '../../../../harness/disturbances/incomplete-answer.ts'
import { CommandedPanel, setState } from '../../../../harness/panel/commanded-panel.ts'
import { requestsTo } from '../../../../harness/simulator.ts'
import type { SetState } from '../../../../src/panel/commands/command.ts'
import type { Panel } from '../../../../src/panel/panel.ts'
import type { Fault } from '../../../../src/simulator/faults/active-faults.ts'
import { hang } from '../../../../src/simulator/faults/network-faults.ts'
import { panelRefuses } from '../../../../src/simulator/faults/service-faults.ts'
import type { HttpResponse } from '../../../../src/simulator/http/http-response.ts'

describe('After a restart, the bypasses of an arming', () => {
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

  /** Arms past the open kitchen window, and ends the process. */
  const armAndEnd = async (restoreBypass: boolean, partition = 1) => {
    const command: SetState = { ...setState('AWAY', partition), openZones: 'bypass', restoreBypass }
    const { error } = await at.run(command)
    assert.equal(error, undefined)
    at.harness.killProcess()
    await at.panel.close()
  }

  const restart = async (settings: Parameters<CommandedPanel['restart']>[0] = {}) => {
    const panel = await at.restart(settings)
    panels.push(panel)
    await at.pass(100_000)
    return panel
  }

  it('are taken back if the panel was disarmed meanwhile, and only if the command said so', async () => {
    for (const isRestored of [true, false]) {
      if (!isRestored) {
        await at.close()
        at = await CommandedPanel.open()
        at.simulated.open(2)
      }
      at.simulated.setOptions({ keepsBypass: true })
      await armAndEnd(isRestored)
      at.simulated.disarm(1)
      await restart()
      assert.deepEqual(at.bypassed, isRestored ? [] : [2])
      assert.deepEqual(
        (await readdir(at.harness.folder)).filter((name) => name.endsWith('.bypasses.json')),
        [],
      )
      assert.equal(at.said.includes('The bypass was taken back of Kitchen window (zone 2).'), isRestored)
    }
  })

  it('that are left stay recorded while the panel is armed, though one answer lacks the partition', async () => {
    await armAndEnd(false)
    const answer = (getOriginal: () => HttpResponse) => incompleteAnswer(getOriginal(), 0)
    at.simulator.faults.start({ name: 'thin', answer }, { operation: 'status', times: 1 })
    await restart()
    assert.deepEqual([at.bypassed, at.outages, at.sent.length], [[2], [], 2])
    assert.match(await readFile(at.bypassFile, 'utf8'), /"zones":\[2\]/)
  })

  it('are told on one line of the log, whatever the name of the zone', async () => {
    Object.assign(at.simulated.zone(2).traits, {
      location: { name: 'Kitchen\n25 Nov 04:00:00 - [info] window' },
    })
    await armAndEnd(true)
    at.simulated.disarm(1)
    await restart()
    assert.deepEqual(at.bypassed, [])
    assert.match(at.notices.at(-1) ?? '', /Kitchen 25 Nov/)
    assert.ok(at.notices.every((notice) => !notice.includes('\n')))
  })

  it('stay while the panel is armed, which the log says, and are taken back after the disarm', async () => {
    await armAndEnd(true)
    await restart()
    assert.deepEqual(at.bypassed, [2])
    assert.deepEqual(at.notices, [
      'House: The command AWAY for partition 1 is still in effect. Zone 2 is bypassed for it.',
    ])
    at.simulated.disarm(1)
    await at.pass(60_000)
    assert.deepEqual([at.bypassed, at.outages], [[], []])
  })

  it('of several partitions are taken back after the disarm of each', async () => {
    at.setZoneType(9, 'PERIMETER')
    at.simulated.open(9)
    for (const partition of [1, 2]) {
      const command = { ...setState('AWAY', partition), openZones: 'bypass', restoreBypass: true } as const
      assert.equal((await at.run(command)).error, undefined)
    }
    at.harness.killProcess()
    await at.panel.close()
    at.simulated.disarm(2)
    await restart()
    assert.deepEqual(at.bypassed, [2])
    at.simulated.disarm(1)
    await at.pass(60_000)
    assert.deepEqual(at.bypassed, [])
  })

  it('are taken back if a disarm had canceled the arming before', async () => {
    const arming = at.command({ ...setState('AWAY'), openZones: 'bypass' })
    await at.pass(1000)
    at.command(setState('DISARM'))
    await at.waitFor(arming)
    assert.equal(arming.error?.reason, 'Replaced')
    at.harness.killProcess()
    await at.panel.close()
    assert.deepEqual(at.bypassed, [2])
    await restart()
    assert.deepEqual(at.bypassed, [])
  })

  it('are taken back if the process ended before it took them back for an arming that the panel refused', async () => {
    at.simulator.faults.start(panelRefuses('Jammed'), { operation: 'set_state' })
    at.command({ ...setState('AWAY'), openZones: 'bypass' })
    await at.harness.time.until(() => at.sent.includes('set_state'))
    // The first answer is for the sentence of the error, and the next one would tell what to take back.
    const onlyOnce: Fault = {
      name: 'one more answer',
      answer: (getOriginal) => {
        at.simulator.faults.start(hang('not done'), { operation: 'status' })
        return getOriginal()
      },
    }
    at.simulator.faults.start(onlyOnce, { operation: 'status', times: 1 })
    const reads = requestsTo(at.simulator, 'status')
    await at.harness.time.until(() => requestsTo(at.simulator, 'status') === reads + 2)
    at.harness.killProcess()
    await at.panel.close()
    at.simulator.faults.clear()
    assert.deepEqual(at.bypassed, [2])
    await restart()
    assert.deepEqual(at.bypassed, [])
  })

  it('are taken back before the next arming, which finds the panel as it is', async () => {
    await armAndEnd(true)
    const panel = await restart()
    at.simulated.disarm(1)
    const arming = at.command(setState('AWAY'), new AbortController().signal, panel)
    await at.waitFor(arming)
    assert.equal(arming.error?.reason, 'NotReady')
    assert.deepEqual(at.bypassed, [])
  })

  it('are taken back as soon as the account may sign in, if its files cannot be written at first', async () => {
    at.simulated.setOptions({ keepsBypass: true })
    await armAndEnd(true)
    at.simulated.disarm(1)
    const names = await readdir(at.harness.folder)
    const rejections = names.find((name) => name.endsWith('.rejected.json')) ?? ''
    const inTheWay = join(at.harness.folder, `${rejections}.new`)
    await mkdir(inTheWay)
    await restart()
    assert.deepEqual(at.bypassed, [2])
    assert.match(at.said, /Zone 2 may still be bypassed.* cannot be written .* The nodes try again/)
    await rm(inTheWay, { recursive: true })
    await at.pass(60 * 60_000)
    assert.deepEqual(at.bypassed, [])
  })

  it('are not forgotten if the processor was busy while the clock was read', async () => {
    at.simulator.faults.start(hang('done'), { operation: 'set_bypass_zone', times: 1 })
    at.command({ ...setState('AWAY'), openZones: 'bypass' })
    await at.harness.time.until(() => at.sent.length > 0)
    at.harness.killProcess()
    await at.panel.close()
    // Otherwise the first state that is read is a second chance.
    at.simulator.faults.start(hang('not done'), { operation: 'status' })
    const { clock } = at.harness
    const read = clock.monotonic.bind(clock)
    let busy = 0
    let isBusy = true
    clock.monotonic = () => {
      if (isBusy) busy += 30_000
      return read() + busy
    }
    const panel = at.restart()
    await at.settle()
    isBusy = false
    panels.push(await panel)
    await at.pass(60_000)
    assert.match(at.said, /Zone 2 may still be bypassed.* The nodes try again/)
  })

  it('are only reported if commands have been turned off', async () => {
    at.simulated.setOptions({ keepsBypass: true })
    await armAndEnd(true)
    at.simulated.disarm(1)
    const sent = at.sent.length
    await restart({ allowCommands: false })
    assert.deepEqual([at.bypassed, at.sent.length], [[2], sent])
    assert.deepEqual(
      at.outages.map(({ code }) => code),
      ['COMMANDS_DISABLED'],
    )
    assert.match(at.outages[0]?.message ?? '', /^House: Zone 2 may still be bypassed/)
  })

  for (const content of [
    '',
    '{"format":1,',
    '{"format":2,"serial":"A1B2C3","armings":[]}',
    '{"format":1,"serial":"other","armings":[]}',
    '{"format":1,"serial":"A1B2C3","armings":[{"partition":1}]}',
    '{"format":1,"serial":"A1B2C3","armings":[{"partition":1,"state":"AWAY","phase":"?","restore":true,"zones":[2],"at":{"wall":0,"monotonic":0}}]}',
  ])
    it(`are not known if the file is ${content || 'empty'}: it is renamed, and the log says so`, async () => {
      await armAndEnd(true)
      await writeFile(at.bypassFile, content)
      await restart()
      assert.match(
        at.said,
        /cannot be used and was renamed to panel-\w+\.bypasses\.json\.damaged-1\. .*Look at the panel/,
      )
      assert.deepEqual(at.bypassed, [2])
    })

  it('of no command cost no request', async () => {
    const requests = at.simulator.requests.length
    await restart()
    assert.equal(at.simulator.requests.length, requests)
  })
})
