import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { CommandedPanel, setState } from '../../../../harness/panel/commanded-panel.ts'
import type { SetState } from '../../../../src/panel/commands/command.ts'
import { panelRefuses } from '../../../../src/simulator/faults/service-faults.ts'
import type { HttpResponse } from '../../../../src/simulator/http/http-response.ts'

function armPastOpenZones(partition: number, state = 'AWAY', restoreBypass = true): SetState {
  return { ...setState(state, partition), openZones: 'bypass', restoreBypass }
}

describe('With several partitions, the bypasses of an arming', () => {
  let at: CommandedPanel
  beforeEach(async () => {
    at = await CommandedPanel.open()
  })
  afterEach(async () => {
    await at.panel.close()
    await at.close()
  })

  const armings = async () => {
    const content = await readFile(at.bypassFile, 'utf8').catch(() => '')
    const records = content === '' ? [] : JSON.parse(content).armings
    return records.map(({ partition, zones }: { partition: number; zones: number[] }) => [partition, zones])
  }

  it('of a zone that both share wait until both are disarmed, and are taken back with the next poll', async () => {
    Object.assign(at.simulated.zone(2), { partitions: [1, 2] })
    at.simulated.open(2)
    assert.equal((await at.run(armPastOpenZones(1))).error, undefined)
    assert.equal((await at.run(setState('AWAY', 2))).error, undefined)
    await at.pass(60_000)
    at.simulated.disarm(1)
    await at.pass(300_000)
    assert.deepEqual([at.bypassed, at.outages], [[2], []])
    assert.equal(at.sent.length, 3)
    at.simulated.disarm(2)
    await at.pass(40_000)
    assert.deepEqual([at.bypassed, await armings()], [[], []])
  })

  it('of a zone that both share are named in the answers of both', async () => {
    Object.assign(at.simulated.zone(2), { partitions: [1, 2] })
    at.simulated.open(2)
    at.simulated.open(3)
    for (const [partition, zones] of [
      [1, [2, 3]],
      [2, [2]],
    ] as const) {
      const { done } = await at.run(armPastOpenZones(partition))
      assert.deepEqual(
        done?.view.bypassed?.map(({ zone }) => zone),
        zones,
      )
    }
  })

  for (const isListed of [true, false])
    it(`are taken back before another partition is armed that ${isListed ? 'shares the zone' : 'may share it: a list lacks the zone'}`, async () => {
      Object.assign(at.simulated.zone(2), { partitions: [1, 2] })
      at.simulated.open(2)
      await at.run(armPastOpenZones(1))
      await at.pass(60_000)
      at.simulated.disarm(1)
      const answer = (getOriginal: () => HttpResponse) => {
        const devices = getOriginal().body as unknown as { name: string }[]
        return {
          ...getOriginal(),
          body: devices.filter(({ name }) => name !== at.simulated.zone(2).name),
        } as HttpResponse
      }
      if (!isListed) at.simulator.faults.start({ name: 'thin', answer }, { operation: 'devices', times: 1 })
      const { error } = await at.run(setState('AWAY', 2))
      assert.equal(error?.reason, 'NotReady')
      assert.deepEqual(at.bypassed, [])
    })

  it('are taken back, not kept for a disarm, if the panel no longer has the partition', async () => {
    at.setZoneType(9, 'PERIMETER')
    at.simulated.open(9)
    await at.run(armPastOpenZones(2))
    at.simulated.disarm(2)
    at.harness.killProcess()
    await at.panel.close()
    const content = JSON.parse(await readFile(at.bypassFile, 'utf8'))
    Object.assign(content.armings[0], { phase: 'restoring' })
    await writeFile(at.bypassFile, JSON.stringify(content))
    // The simulator has no action for it.
    const partitions = at.simulated.partitions as unknown[]
    partitions.splice(1, 1)
    const panel = await at.restart()
    await at.pass(100_000)
    assert.deepEqual([at.bypassed, await armings()], [[], []])
    await panel.close()
  })

  it('of one do not keep a disarm of another waiting for the list of devices', async () => {
    Object.assign(at.simulated.zone(2), { partitions: [1, 2] })
    at.simulated.open(2)
    await at.run(armPastOpenZones(1))
    await at.run(setState('AWAY', 2))
    await at.pass(60_000)
    at.simulator.hang('devices')
    assert.equal((await at.run(setState('DISARM', 2))).error, undefined)
  })

  it('of the whole panel are taken back in each partition when that is disarmed', async () => {
    at.simulated.open(2)
    at.setZoneType(9, 'PERIMETER')
    at.simulated.open(9)
    assert.equal((await at.run(armPastOpenZones(-1))).error, undefined)
    assert.deepEqual(at.bypassed, [2, 9])
    await at.pass(60_000)
    at.simulated.disarm(1)
    await at.pass(60_000)
    assert.deepEqual([at.bypassed, await armings()], [[9], [[-1, [9]]]])
    assert.match(at.said, /was taken back of Kitchen window \(zone 2\)\. Still bypassed, .*zone 9\./)
    const requests = at.simulator.requests.filter(({ path }) => path.endsWith('/devices')).length
    await at.pass(3600_000)
    assert.equal(at.simulator.requests.filter(({ path }) => path.endsWith('/devices')).length, requests)
    at.simulated.disarm(2)
    await at.pass(60_000)
    assert.deepEqual([at.bypassed, await armings(), at.outages], [[], [], []])
  })

  it('of the whole panel are taken back before one of its partitions is armed again', async () => {
    at.simulated.open(2)
    await at.run(armPastOpenZones(-1))
    await at.pass(60_000)
    at.simulated.disarm(1)
    const { error } = await at.run(setState('AWAY', 1))
    assert.equal(error?.reason, 'NotReady')
    assert.deepEqual(at.bypassed, [])
  })

  it('stay recorded if the whole panel is armed again while a part of it is, and other zones are open', async () => {
    at.setZoneType(9, 'PERIMETER')
    at.simulated.open(9)
    await at.run(armPastOpenZones(-1, 'HOME'))
    await at.pass(60_000)
    at.simulated.disarm(1)
    await at.pass(60_000)
    at.simulated.open(2)
    const sent = at.sent.length
    const { error } = await at.run(armPastOpenZones(-1))
    assert.equal(error?.code, 'NOT_SETTABLE')
    assert.match(error?.message ?? '', /zone 9 is still bypassed for the command HOME for the whole panel/)
    assert.deepEqual([at.sent.length, at.bypassed, await armings()], [sent, [9], [[-1, [9]]]])
  })

  it('of one are taken back although those of another cannot be', async () => {
    at.simulated.setOptions({ keepsBypass: true })
    at.simulated.open(2)
    at.setZoneType(9, 'PERIMETER')
    at.simulated.open(9)
    await at.run(armPastOpenZones(1))
    await at.run(armPastOpenZones(2))
    await at.pass(60_000)
    at.simulator.faults.start(panelRefuses('Jammed'), { operation: 'set_bypass_zone', times: 1 })
    at.simulated.disarm(-1)
    await at.pass(45_000)
    assert.deepEqual(at.bypassed, [2])
    assert.deepEqual(
      at.outages.map(({ message }) => message.slice(0, 37)),
      ['House: Zone 2 may still be bypassed, '],
    )
  })
})
