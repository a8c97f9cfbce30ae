import assert from 'node:assert/strict'
import { lstat, readFile, symlink, writeFile } from 'node:fs/promises'
import { CommandedPanel, setState } from '../../../../harness/panel/commanded-panel.ts'
import { requestsTo } from '../../../../harness/simulator.ts'
import type { SetState } from '../../../../src/panel/commands/command.ts'
import type { Panel } from '../../../../src/panel/panel.ts'
import type { Fault } from '../../../../src/simulator/faults/active-faults.ts'
import { hang } from '../../../../src/simulator/faults/network-faults.ts'
import { status } from '../../../../src/simulator/faults/response-faults.ts'

function armPastOpenZones(restoreBypass = true): SetState {
  return { ...setState('AWAY'), openZones: 'bypass', restoreBypass }
}

/** Changes the body of an answer. */
function changed(change: (body: unknown) => unknown): Fault {
  return {
    name: 'another body',
    answer: (getOriginal) => ({
      ...getOriginal(),
      body: change(structuredClone(getOriginal().body)) as never,
    }),
  }
}

describe('In doubt, the bypass of an arming', () => {
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

  const file = () => at.bypassFile
  const recorded = () => readFile(file(), 'utf8').catch(() => '')

  for (const [what, change] of [
    ['has no traits', (body: unknown) => (body as object[]).map((device) => ({ ...device, traits: {} }))],
    ['is empty', () => []],
  ] as const)
    it(`is taken back although the list of devices ${what}`, async () => {
      await at.run(armPastOpenZones())
      await at.pass(120_000)
      at.simulator.faults.start(changed(change), { operation: 'devices' })
      at.simulated.disarm(1)
      await at.pass(60_000)
      assert.deepEqual([at.bypassed, await recorded(), at.outages], [[], '', []])
    })

  it('is over if the panel no longer has the zone, which the log says', async () => {
    await at.run(armPastOpenZones())
    await at.pass(120_000)
    // A list of one device is complete, as any other.
    for (const { id } of at.simulated.devices.slice(0, -1)) at.simulated.removeDevice(id)
    assert.equal(at.simulated.devices.length, 1)
    at.simulated.disarm(1)
    await at.pass(3600_000)
    assert.deepEqual([await recorded(), at.outages, at.sent.length], ['', [], 3])
    assert.match(at.said, /The panel no longer has zone 2\./)
    assert.doesNotMatch(at.said, /taken back/)
  })

  it('is taken back later if a list lacks its zone and the panel refuses the command once', async () => {
    await at.run(armPastOpenZones())
    await at.pass(120_000)
    const without = (body: unknown) =>
      (body as { device_type: string; device_number: number }[]).filter(
        ({ device_type, device_number }) => device_type !== 'ZONE' || device_number !== 2,
      )
    at.simulator.faults.start(changed(without), { operation: 'devices', times: 1 })
    at.simulator.respondOnce('set_bypass_zone', { status: 404 })
    at.simulated.disarm(1)
    await at.pass(600_000)
    assert.deepEqual([at.bypassed, await recorded()], [[], ''])
    assert.doesNotMatch(at.said, /no longer has zone 2/)
  })

  it('stays recorded while all lists are empty and the panel refuses to end it, which a Catch node is told', async () => {
    await at.run(armPastOpenZones())
    await at.pass(120_000)
    at.simulator.faults.start(
      changed(() => []),
      { operation: 'devices' },
    )
    at.simulator.faults.start(status(404), { operation: 'set_bypass_zone' })
    at.simulated.disarm(1)
    await at.pass(120_000)
    assert.match(at.outages[0]?.message ?? '', /The answers of the service lack zone 2, and are incomplete\./)
    assert.match(await recorded(), /"zones":\[2\]/)
    at.simulator.faults.clear()
    await at.pass(3600_000)
    assert.deepEqual([at.bypassed, await recorded()], [[], ''])
  })

  it('stays while the service still shows the panel disarmed after the arming', async () => {
    let before: unknown
    const late = changed((body) => {
      if (at.states[0] === 'DISARM') before = body
      return before
    })
    at.simulator.faults.start(late, { operation: 'status' })
    assert.equal((await at.run(armPastOpenZones())).error, undefined)
    await at.pass(20_000)
    at.simulator.faults.clear()
    assert.deepEqual([at.states[0], at.bypassed], ['AWAY', [2]])
    await at.pass(120_000)
    assert.deepEqual([at.sent.length, at.bypassed], [2, [2]])
    at.simulated.disarm(1)
    await at.pass(60_000)
    assert.deepEqual(at.bypassed, [])
  })

  it('is not taken back by a settlement that waited behind the arming', async () => {
    at.simulated.setOptions({ keepsBypass: true })
    await at.run(armPastOpenZones())
    await at.pass(60_000)
    at.simulated.disarm(1)
    let before: unknown
    const late = changed((body) => {
      if (at.states[0] === 'DISARM') before = body
      return before
    })
    at.simulator.faults.start(late, { operation: 'status' })
    const again = at.command(armPastOpenZones())
    at.panel.polls.settle()
    await at.waitFor(again)
    await at.pass(15_000)
    at.simulator.faults.clear()
    await at.pass(60_000)
    assert.equal(again.error, undefined)
    assert.deepEqual([at.states[0], at.bypassed], ['AWAY', [2]])
    assert.equal(at.sent.filter((one) => one === 'set_bypass_zone').length, 3)
  })

  for (const phase of ['armed', 'bypassing'])
    it(`is taken back after a restart with a clock that is years behind, in the phase ${phase}`, async () => {
      await at.run(armPastOpenZones())
      at.harness.killProcess()
      await at.panel.close()
      at.simulated.disarm(1)
      const content = JSON.parse(await recorded())
      Object.assign(content.armings[0], { phase, at: { wall: 4e12, monotonic: 4e12, boot: 'another' } })
      await writeFile(file(), JSON.stringify(content))
      panels.push(await at.restart())
      await at.pass(100_000)
      assert.deepEqual(at.bypassed, [])
    })

  it('is not taken back for a minute after a restart: the request may have waited before it was sent', async () => {
    at.simulator.faults.start(hang('not done'), { operation: 'set_state', times: 1 })
    at.command(armPastOpenZones())
    await at.pass(3000)
    at.harness.killProcess()
    await at.panel.close()
    await at.pass(50_000)
    at.simulated.arm(1, 'AWAY')
    panels.push(await at.restart())
    at.simulated.disarm(1)
    const sent = at.sent.length
    await at.pass(50_000)
    assert.equal(at.sent.length, sent)
    await at.pass(30_000)
    assert.deepEqual(at.bypassed, [])
  })

  it('keeps the next arming from being sent as long as that of an interrupted one may take effect', async () => {
    at.simulator.faults.start(hang('not done'), { operation: 'set_state', times: 1 })
    const flow = new AbortController()
    at.command(armPastOpenZones(), flow.signal)
    await at.pass(4000)
    flow.abort()
    await at.pass(1000)
    const sent = at.sent.length
    const { error } = await at.run(setState('AWAY'))
    assert.deepEqual([error?.code, error?.reason, at.sent.length], ['COMMAND_FAILED', undefined, sent])
    assert.match(
      error?.message ?? '',
      /Less than a minute ago the panel got the command AWAY for partition 1, .* Send this command again in a minute\./,
    )
    await at.pass(70_000)
    assert.deepEqual(at.bypassed, [])
  })

  it('belongs to the flow from its own command about the zone on', async () => {
    at.simulated.setOptions({ keepsBypass: true })
    await at.run(armPastOpenZones())
    assert.equal((await at.run({ action: 'bypass', zone: 2, enabled: true })).done?.view.already, true)
    at.simulated.disarm(1)
    await at.pass(120_000)
    assert.deepEqual([at.bypassed, await recorded()], [[2], ''])
    assert.equal(at.panel.state.hasSubscribers, false)
  })

  it('is taken back after the disarm also if only the second of two armings says so', async () => {
    await at.run(armPastOpenZones(false))
    await at.run(armPastOpenZones(true))
    await at.run(setState('DISARM'))
    await at.pass(30_000)
    assert.deepEqual(at.bypassed, [])
  })

  it('that stays after a disarm is named in the log at the next arming', async () => {
    await at.run(armPastOpenZones(false))
    await at.run(setState('DISARM'))
    await at.run(armPastOpenZones(false))
    assert.deepEqual(at.notices, [
      'House: The command AWAY for partition 1 has ended. Zone 2 is left as the panel has it.',
    ])
  })

  it('does not begin if the file of the last process cannot be read, and the file stays', async () => {
    await symlink(file(), file())
    const { error } = await at.run(armPastOpenZones())
    assert.equal(error?.code, 'BAD_SETTING')
    assert.match(error?.message ?? '', /cannot be read \(ELOOP\)/)
    assert.deepEqual([at.sent, at.bypassed], [[], []])
    assert.ok((await lstat(file())).isSymbolicLink())
  })

  it('tells a Catch node if its file is damaged', async () => {
    await writeFile(file(), 'no record')
    await at.panel.commands.start()
    assert.deepEqual(
      at.outages.map(({ code }) => code),
      ['BAD_SETTING'],
    )
    assert.equal(requestsTo(at.simulator, 'status'), 0)
  })
})
