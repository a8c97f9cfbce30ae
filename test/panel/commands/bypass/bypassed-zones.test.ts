import assert from 'node:assert/strict'
import { type CommandEnd, CommandedPanel, setState } from '../../../../harness/panel/commanded-panel.ts'
import type { SetState } from '../../../../src/panel/commands/command.ts'
import { showsLate } from '../../../../src/simulator/faults/lag-faults.ts'
import { hang } from '../../../../src/simulator/faults/network-faults.ts'
import { status } from '../../../../src/simulator/faults/response-faults.ts'

const kitchen = { zone: 2, name: 'Kitchen window' }
const bedroom = { zone: 3, name: 'Bedroom window' }

const armPastOpenZones: SetState = { ...setState('AWAY'), openZones: 'bypass' }

const bypassedBy = ({ done, error }: CommandEnd) => (done === undefined ? error?.message : done.view.bypassed)

describe('The answer to an arming names as bypassed', () => {
  let at: CommandedPanel
  beforeEach(async () => {
    at = await CommandedPanel.open()
  })
  afterEach(async () => {
    await at.panel.close()
    await at.close()
  })

  it('the zones that somebody else has bypassed, whatever the command says about open zones', async () => {
    at.simulated.bypass(2, true)
    for (const command of [setState('AWAY'), armPastOpenZones]) {
      assert.deepEqual(bypassedBy(await at.run(command)), [kitchen])
      at.simulated.arm(1, 'HOME')
      at.simulated.disarm(1)
      at.simulated.bypass(2, true)
    }
  })

  it('those that it has bypassed itself and those of others, by number', async () => {
    at.simulated.open(2)
    at.simulated.bypass(3, true)
    assert.deepEqual(bypassedBy(await at.run(armPastOpenZones)), [kitchen, bedroom])
  })

  it('the zones of its partitions alone', async () => {
    at.simulated.bypass(2, true)
    at.simulated.bypass(9, true)
    assert.deepEqual(bypassedBy(await at.run(setState('AWAY', 2))), [{ zone: 9, name: 'Workshop door' }])
    await at.run(setState('DISARM', 2))
    at.simulated.bypass(9, true)
    const all = bypassedBy(await at.run(setState('AWAY', -1)))
    assert.deepEqual(all, [kitchen, { zone: 9, name: 'Workshop door' }])
  })

  it('the same zones if the panel was so already', async () => {
    at.simulated.bypass(2, true)
    at.simulated.arm(1, 'AWAY')
    await at.pass(60_000)
    const end = await at.run(setState('AWAY'))
    assert.deepEqual([end.done?.view.already, bypassedBy(end)], [true, [kitchen]])
  })

  it('no zone that was bypassed for an arming that has ended since', async () => {
    at.simulated.open(2)
    assert.deepEqual(bypassedBy(await at.run({ ...armPastOpenZones, state: 'HOME' })), [kitchen])
    at.simulated.disarm(1)
    at.simulated.close(2)
    at.simulated.arm(1, 'HOME')
    assert.deepEqual(bypassedBy(await at.run(armPastOpenZones)), [])
  })

  it('what the command has proved, also while the list does not show it yet', async () => {
    at.simulated.open(2)
    await at.pass(60_000)
    at.simulator.faults.start(showsLate({ devices: 30 }))
    assert.deepEqual(bypassedBy(await at.run(armPastOpenZones)), [kitchen])
  })

  it('nothing, by null, if the list cannot be read or does not come within three seconds', async () => {
    at.simulated.bypass(2, true)
    for (const [fault, longest] of [
      [status(500), 0],
      [hang('done'), 3000],
    ] as const) {
      const arming = at.command(setState('AWAY'))
      await at.harness.time.until(() => at.sent.includes('set_state'))
      const sentAt = at.harness.clock.monotonic()
      at.simulator.faults.start(fault, { operation: 'devices' })
      await at.waitFor(arming)
      assert.equal(arming.error, undefined)
      assert.equal(bypassedBy(arming), null)
      // The answer about the progress comes after a second.
      assert.ok((arming.at ?? 0) - sentAt <= longest + 2000, `${arming.at} ${sentAt}`)
      at.simulator.faults.clear()
      await at.panel.close()
      await at.close()
      at = await CommandedPanel.open({}, {}, { timeout: 20 })
      at.simulated.bypass(2, true)
    }
  })

  it('nothing, by null, if a disarm waits for it', async () => {
    at.simulated.bypass(2, true)
    const arming = at.command(setState('AWAY'))
    await at.harness.time.until(() => at.sent.includes('set_state'))
    at.simulator.faults.start(hang('done'), { operation: 'devices' })
    const disarm = at.command(setState('DISARM'))
    await at.waitFor(arming, disarm)
    assert.equal(bypassedBy(arming), null)
    assert.equal(disarm.error, undefined)
  })

  it('nothing for other commands: they have no such field', async () => {
    for (const command of [setState('DISARM'), { action: 'bypass', zone: 2, enabled: true }] as const) {
      const { done } = await at.run(command)
      assert.equal(done && 'bypassed' in done.view, false)
    }
  })
})
