import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { mkdir, readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { until } from '../../../../harness/clock/until.ts'
import { withoutOptions } from '../../../../harness/fixtures/missing-options.ts'
import { type CommandEnd, CommandedPanel, setState } from '../../../../harness/panel/commanded-panel.ts'
import { requestsTo } from '../../../../harness/simulator.ts'
import type { SetState } from '../../../../src/panel/commands/command.ts'
import { zonesOfRefusal } from '../../../../src/panel/commands/preconditions.ts'
import type { Device } from '../../../../src/service/responses/devices.ts'
import type { Fault } from '../../../../src/simulator/faults/active-faults.ts'
import { showsLate } from '../../../../src/simulator/faults/lag-faults.ts'
import { hang, reset } from '../../../../src/simulator/faults/network-faults.ts'
import { status } from '../../../../src/simulator/faults/response-faults.ts'
import { commandLost, panelRefuses, tokenRevoked } from '../../../../src/simulator/faults/service-faults.ts'

const kitchen = { zone: 2, name: 'Kitchen window' }
const bedroom = { zone: 3, name: 'Bedroom window' }

function armPastOpenZones(state = 'AWAY', partition = 1, restoreBypass?: boolean): SetState {
  const restore = restoreBypass === undefined ? {} : { restoreBypass }
  return { ...setState(state, partition), openZones: 'bypass', ...restore }
}

const bypassedBy = ({ done, error }: CommandEnd) => done?.view.bypassed ?? error?.message

describe('An arming with open zones, if the command says to bypass them,', () => {
  let at: CommandedPanel
  beforeEach(async () => {
    at = await CommandedPanel.open()
  })
  afterEach(async () => {
    await at.panel.close()
    await at.close()
  })

  const recorded = async () => {
    const names = (await readdir(at.harness.folder)).filter((name) => name.endsWith('.bypasses.json'))
    return names.length === 0 ? '' : readFile(join(at.harness.folder, names[0] as string), 'utf8')
  }

  it('bypasses them, arms, and names them', async () => {
    at.simulated.open(2)
    at.simulated.open(3)
    assert.deepEqual(bypassedBy(await at.run(armPastOpenZones())), [kitchen, bedroom])
    assert.deepEqual(at.sent, ['set_bypass_zone', 'set_bypass_zone', 'set_state'])
    assert.deepEqual([at.states[0], at.bypassed], ['AWAY', [2, 3]])
  })

  it('bypasses nothing if all is closed, or bypassed already by somebody else', async () => {
    at.simulated.open(2)
    at.simulated.bypass(2, true)
    assert.deepEqual(bypassedBy(await at.run(armPastOpenZones())), [kitchen])
    assert.deepEqual([at.sent, await recorded()], [['set_state'], ''])
  })

  it('bypasses only what nobody else has bypassed, and takes only that back', async () => {
    at.simulated.setOptions({ keepsBypass: true })
    at.simulated.open(2)
    at.simulated.bypass(2, true)
    at.simulated.open(3)
    assert.deepEqual(bypassedBy(await at.run(armPastOpenZones('AWAY', 1, true))), [kitchen, bedroom])
    assert.deepEqual(at.sent, ['set_bypass_zone', 'set_state'])
    await at.pass(60_000)
    at.simulated.disarm(1)
    await at.pass(60_000)
    assert.deepEqual(at.bypassed, [2])
  })

  it('bypasses only zones of the partitions that it arms', async () => {
    at.simulated.open(2)
    at.setZoneType(9, 'PERIMETER')
    at.simulated.open(9)
    assert.deepEqual(bypassedBy(await at.run(armPastOpenZones('AWAY', 2))), [
      { zone: 9, name: 'Workshop door' },
    ])
    assert.deepEqual(at.bypassed, [9])
  })

  it('names the zones again if it is repeated', async () => {
    at.simulated.open(2)
    await at.run(armPastOpenZones())
    const again = await at.run(armPastOpenZones())
    assert.deepEqual([again.done?.view.already, bypassedBy(again)], [true, [kitchen]])
  })

  it('names the zones also if the panel goes on from HOME to AWAY, and keeps their record', async () => {
    at.simulated.open(2)
    await at.run(armPastOpenZones('HOME', 1, true))
    await at.pass(30_000)
    assert.deepEqual(bypassedBy(await at.run(armPastOpenZones('AWAY', 1, true))), [kitchen])
    await at.run(setState('DISARM'))
    await at.pass(30_000)
    assert.deepEqual(at.bypassed, [])
  })

  // @spec open-zones
  it('is refused before anything is sent if an open zone must stay on or cannot be bypassed', async () => {
    for (const zone of [6, 7]) {
      const warnings = [{ type: 'OPENED', severity: 'TROUBLE', in_memory: false }]
      const device = at.simulated.zone(zone)
      device.warnings = warnings
      at.simulated.open(2)
      const { error } = await at.run(armPastOpenZones())
      assert.equal(error?.code, 'NOT_SETTABLE')
      assert.match(error?.message ?? '', new RegExp(`\\(zone ${zone}\\)`))
      device.warnings = null
    }
    assert.deepEqual([at.sent, at.bypassed], [[], []])
  })

  // @spec open-zones
  it('is refused if a zone is open that also protects while the panel is disarmed', async () => {
    at.simulated.open(2)
    const fires = ['FIRE', 'GAS', 'FLOOD', 'TEMPERATURE', 'EMERGENCY', 'PANIC']
    const others = [
      'H24_SILENT',
      'H24_AUDIBLE',
      'TAMPER',
      'ARMING_KEY',
      'GUARD_KEYBOX',
      'LINE_FAIL',
      'PSU_FAIL',
    ]
    for (const type of [...fires, ...others]) {
      at.setZoneType(2, type)
      const { error } = await at.run(armPastOpenZones())
      assert.ok(error?.message.includes(`must stay on, because its type is ${type}:`), type)
    }
    assert.deepEqual([at.sent, at.bypassed], [[], []])
  })

  // @spec open-zones
  it('is refused, and nothing is bypassed, if a door is open through which people leave and enter', async () => {
    at.simulated.open(1)
    at.simulated.open(2)
    for (const type of ['DELAY_1', 'DELAY_2', 'HOME_DELAY', 'INTERIOR_DELAY']) {
      at.setZoneType(1, type)
      const { error } = await at.run(armPastOpenZones())
      assert.equal(error?.code, 'NOT_SETTABLE')
      assert.ok(error.message.startsWith('Front door (zone 1) is open.'))
      assert.ok(error.message.includes(`(${type})`) && error.message.endsWith('Close the door.'))
      assert.deepEqual(zonesOfRefusal(error), ['Front door'])
    }
    at.setZoneType(2, 'DELAY_1')
    const { error } = await at.run(armPastOpenZones())
    assert.equal(
      error?.message,
      'Front door (zone 1), Kitchen window (zone 2) are open. They are doors through which people leave and enter (INTERIOR_DELAY, DELAY_1), so the nodes do not bypass them to arm the panel. Close the doors.',
    )
    assert.deepEqual([at.sent, at.bypassed, at.states[0]], [[], [], 'DISARM'])
    at.setZoneType(2, 'PERIMETER_FOLLOW')
    at.setZoneType(1, 'PERIMETER_FOLLOW')
    assert.deepEqual(bypassedBy(await at.run(armPastOpenZones())), [{ zone: 1, name: 'Front door' }, kitchen])
  })

  it('is refused, and nothing is bypassed, if more zones are open than the nodes bypass', async () => {
    at.simulated.open(2)
    let count = 129
    const many: Fault = {
      name: 'many open windows',
      answer: (getOriginal) => {
        const devices = structuredClone(getOriginal().body) as unknown as Device[]
        const window = devices.find(({ device_number }) => device_number === 2) ?? assert.fail()
        const windows = Array.from({ length: count }, (_, place) => ({
          ...window,
          id: 1000 + place,
          device_number: 100 + place,
        }))
        return { ...getOriginal(), body: windows as never }
      },
    }
    at.simulator.faults.start(many, { operation: 'devices' })
    const { error } = await at.run(armPastOpenZones())
    assert.deepEqual(
      [error?.code, error?.message],
      ['NOT_SETTABLE', '129 zones are open, and the nodes bypass 128 at most. Close some of them.'],
    )
    assert.deepEqual([at.sent, at.states[0]], [[], 'DISARM'])
    count = 128
    assert.doesNotMatch((await at.run(armPastOpenZones())).error?.message ?? '', /at most/)
  })

  it('takes the bypasses back if the panel refuses to arm, and says so', async () => {
    at.simulated.open(2)
    at.simulator.faults.start(panelRefuses('Jammed'), { operation: 'set_state', times: 1 })
    const { error } = await at.run(armPastOpenZones())
    assert.deepEqual([error?.code, error?.reason], ['COMMAND_FAILED', 'Jammed'])
    assert.match(error?.message ?? '', /The bypass was taken back of Kitchen window \(zone 2\)\.$/)
    assert.deepEqual([at.states[0], at.bypassed, await recorded()], ['DISARM', [], ''])
    assert.deepEqual(at.sent, ['set_bypass_zone', 'set_state', 'set_bypass_zone'])
  })

  it('takes the bypasses back also while the service does not show them yet', async () => {
    at.simulated.open(2)
    const shown = JSON.stringify(at.simulated.devices)
    const late: Fault = {
      name: 'devices of a minute ago',
      answer: (getOriginal) => ({ ...getOriginal(), body: JSON.parse(shown) }),
    }
    at.simulator.faults.start(late, { operation: 'devices' })
    at.simulator.faults.start(panelRefuses('Jammed'), { operation: 'set_state', times: 1 })
    const { error } = await at.run(armPastOpenZones())
    assert.equal(error?.reason, 'Jammed')
    assert.deepEqual([at.bypassed, await recorded()], [[], ''])
  })

  it('takes all bypasses back if the last zone cannot be bypassed', async () => {
    at.setZoneType(1, 'PERIMETER_FOLLOW')
    for (const zone of [1, 2, 3]) at.simulated.open(zone)
    let bypasses = 0
    at.simulator.faults.start(
      {
        name: 'third bypass refused',
        answer: (original, context) => {
          bypasses += 1
          const { answer } = panelRefuses('BypassNotAllowed')
          return bypasses === 3 && answer ? answer(original, context) : original()
        },
      },
      { operation: 'set_bypass_zone' },
    )
    const { error } = await at.run(armPastOpenZones())
    assert.match(
      error?.message ?? '',
      /did not carry out the command to bypass zone 3.*AWAY for partition 1 was not sent/,
    )
    assert.deepEqual([at.bypassed, await recorded()], [[], ''])
    // The third zone is not bypassed, so nothing is sent about it again.
    assert.deepEqual(at.sent, Array(5).fill('set_bypass_zone'))
  })

  it('takes the bypasses back if the arming is lost', async () => {
    at.simulated.open(2)
    at.simulator.faults.start(commandLost(), { operation: 'set_state', times: 1 })
    const { error } = await at.run(armPastOpenZones())
    assert.equal(error?.reason, 'Unknown')
    assert.deepEqual([at.states[0], at.bypassed, await recorded()], ['DISARM', [], ''])
  })

  it('takes the bypasses back only after the next disarm if people arm the panel as it refuses, and says so', async () => {
    at.simulated.open(2)
    const armedByPeople: Fault = {
      name: 'people arm first',
      answer: (getOriginal, context) => {
        at.simulated.arm(1, 'AWAY')
        return panelRefuses('Jammed').answer?.(getOriginal, context) ?? assert.fail()
      },
    }
    at.simulator.faults.start(armedByPeople, { operation: 'set_state', times: 1 })
    const { error } = await at.run(armPastOpenZones())
    assert.match(error?.message ?? '', /Zone 2 is still bypassed, until the panel is disarmed\.$/)
    assert.deepEqual([at.states[0], at.bypassed], ['AWAY', [2]])
    at.simulated.disarm(1)
    await at.pass(60_000)
    assert.deepEqual([at.bypassed, await recorded()], [[], ''])
  })

  it('does not say that a bypass was taken back because a late list of devices does not show it yet', async () => {
    at.simulated.open(2)
    at.simulator.faults.start(showsLate({ devices: 30 }))
    at.simulator.faults.start(panelRefuses('Jammed'), { operation: 'set_state' })
    const arming = at.command(armPastOpenZones())
    await at.pass(2000)
    await until(() => at.sent.includes('set_state'))
    at.simulator.faults.start(reset('not done'), { operation: 'set_bypass_zone', times: 1 })
    await at.waitFor(arming)
    assert.equal(arming.error?.reason, 'Jammed')
    assert.match(
      arming.error.message,
      /Kitchen window \(zone 2\) may still be bypassed\. The nodes try to take that back\.$/,
    )
    assert.deepEqual(at.bypassed, [2])
    await at.pass(5 * 60_000)
    assert.deepEqual([at.bypassed, await recorded()], [[], ''])
  })

  it('is not done for the night if the panel is armed without the option', async () => {
    at.simulated.open(2)
    at.simulator.faults.start(withoutOptions, { operation: 'status' })
    const { error } = await at.run({ ...armPastOpenZones('HOME'), options: ['NOENTRY'] })
    assert.equal(error?.reason, 'Unknown')
    assert.match(error.message, /does not show all options of it: NOENTRY\..*Zone 2 is bypassed for it\.$/)
  })

  it('takes the bypasses back if a zone is opened that it has not seen', async () => {
    at.simulated.open(2)
    at.simulator.faults.start(
      {
        name: 'opens the bedroom',
        answer: (original) => {
          at.simulated.open(3)
          return original()
        },
      },
      { operation: 'set_bypass_zone', times: 1 },
    )
    const { error } = await at.run(armPastOpenZones())
    assert.match(error?.message ?? '', /Close or bypass: Bedroom window \(zone 3\)/)
    assert.deepEqual(error && zonesOfRefusal(error), ['Bedroom window'])
    assert.deepEqual([at.bypassed, at.sent.includes('set_state')], [[], false])
  })

  it('loses against a disarm that comes in between: nothing is armed, and the bypasses are taken back', async () => {
    for (const wait of [0, 1000, 2500, 3900]) {
      at.simulated.open(2)
      at.simulated.open(3)
      const arming = at.command(armPastOpenZones())
      await at.pass(wait)
      const disarm = at.command(setState('DISARM'))
      await at.waitFor(arming, disarm)
      await at.pass(60_000)
      assert.equal(arming.error?.reason, 'Replaced', `after ${wait} ms`)
      assert.equal(
        arming.error?.message,
        'The command AWAY for partition 1 was not sent, because a later disarm canceled it. (Replaced) The zones that were bypassed for it are taken back after the disarm.',
      )
      assert.deepEqual([at.states[0], at.bypassed, await recorded()], ['DISARM', [], ''], `after ${wait} ms`)
    }
    assert.equal(at.sent.filter((one) => one === 'set_state').length, 4, 'the disarms')
  })

  it('names the zones in the log that stay bypassed because people arm the panel as a disarm cancels it, until they disarm it', async () => {
    at.simulated.open(2)
    const end = at.simulator.faults.start(
      {
        name: 'people arm past the bypassed window',
        answer: (original) => {
          if (at.bypassed.length > 0) at.simulated.arm(1, 'AWAY')
          return original()
        },
      },
      { operation: 'process_status' },
    )
    at.simulator.respondOnce('set_state', { status: 403 })
    const arming = at.command(armPastOpenZones())
    await at.pass(1000)
    await at.waitFor(arming, at.command(setState('DISARM')))
    await at.pass(60_000)
    assert.deepEqual([arming.error?.reason, at.states[0], at.bypassed], ['Replaced', 'AWAY', [2]])
    assert.deepEqual(at.notices, [
      'House: The command AWAY for partition 1 is still in effect. Zone 2 is still bypassed, until the panel is disarmed.',
    ])
    end()
    at.simulated.disarm(1)
    await at.pass(60_000)
    assert.deepEqual([at.bypassed, await recorded()], [[], ''])
  })

  it('is one command for the others: an arming that waits behind it finds no bypass of it', async () => {
    at.simulated.open(2)
    at.simulator.faults.start(panelRefuses('Jammed'), { operation: 'set_state', times: 1 })
    const [first, second] = [at.command(armPastOpenZones()), at.command(setState('AWAY'))]
    await at.waitFor(first, second)
    assert.equal(first.error?.reason, 'Jammed')
    assert.equal(second.error?.reason, 'NotReady')
    assert.equal(at.states[0], 'DISARM')
  })

  it('keeps the bypasses after the disarm, unless it says to take them back', async () => {
    at.simulated.setOptions({ keepsBypass: true })
    for (const isRestored of [undefined, false, true]) {
      at.simulated.open(2)
      await at.run(armPastOpenZones('AWAY', 1, isRestored))
      await at.pass(60_000)
      at.simulated.disarm(1)
      await at.pass(60_000)
      assert.deepEqual(at.bypassed, isRestored ? [] : [2])
      at.simulated.bypass(2, false)
    }
    assert.match(at.notices.join(), /The bypass was taken back of Kitchen window \(zone 2\)/)
    assert.deepEqual([at.outages, await recorded()], [[], ''])
  })

  it('takes the bypasses back right after a disarm by a command', async () => {
    at.simulated.open(2)
    await at.run(armPastOpenZones('AWAY', 1, true))
    await at.run(setState('DISARM'))
    await at.pass(10_000)
    assert.deepEqual(at.bypassed, [])
  })

  it('takes the bypasses back within the minute after the arming if people disarm what was seen armed', async () => {
    await at.panel.close()
    const panel = at.openPanel({ stateEvery: 10_000 })
    at.simulated.open(2)
    await at.waitFor(at.command(armPastOpenZones('AWAY', 1, true), undefined, panel))
    await at.pass(15_000)
    at.simulated.disarm(1)
    await at.pass(25_000)
    assert.deepEqual(at.bypassed, [])
    await panel.close()
  })

  it('polls the state only while bypasses wait for a disarm', async () => {
    at.simulated.open(2)
    await at.run(armPastOpenZones())
    assert.equal(at.panel.state.hasSubscribers, false)
    await at.run(setState('DISARM'))
    at.simulated.bypass(2, false)
    await at.run(armPastOpenZones('HOME', 1, true))
    assert.equal(at.panel.state.hasSubscribers, true)
    await at.run(setState('DISARM'))
    await at.pass(10_000)
    assert.equal(at.panel.state.hasSubscribers, false)
  })

  it('sends nothing if the record cannot be written', async () => {
    at.simulated.open(2)
    await mkdir(`${at.bypassFile}.new`)
    const { error } = await at.run(armPastOpenZones())
    assert.equal(error?.code, 'BAD_SETTING')
    assert.match(error?.message ?? '', /\.bypasses\.json cannot be written \(EISDIR\)/)
    assert.deepEqual([at.sent, at.bypassed], [[], []])
  })

  it('takes the bypasses back also if the record can no longer be written', async () => {
    at.simulated.open(2)
    at.simulated.open(3)
    at.simulator.faults.start(
      {
        name: 'the disk is full',
        answer: (getOriginal) => {
          mkdirSync(`${at.bypassFile}.new`, { recursive: true })
          return getOriginal()
        },
      },
      { operation: 'set_bypass_zone', times: 1 },
    )
    const { error } = await at.run(armPastOpenZones())
    assert.equal(error?.code, 'BAD_SETTING')
    assert.deepEqual([at.states[0], at.bypassed], ['DISARM', []])
    const sent = at.sent.length
    await at.pass(600_000)
    assert.equal(at.sent.length, sent)
  })

  it('sends no command again and again if the record can no longer be written after the disarm', async () => {
    at.simulated.open(2)
    at.simulated.open(3)
    await at.run(armPastOpenZones('AWAY', 1, true))
    await mkdir(`${at.bypassFile}.new`)
    await at.run(setState('DISARM'))
    await at.pass(3600_000)
    assert.ok(at.sent.length <= 6, `${at.sent}`)
    assert.deepEqual(
      at.outages.map(({ code }) => code),
      ['BAD_SETTING'],
    )
    assert.match(
      at.outages[0]?.message ?? '',
      /^House: Zones 2, 3 may still be bypassed.*Look at the panel\.$/,
    )
  })

  it('tries again after growing pauses while a bypass cannot be taken back, and reports that once', async () => {
    await at.panel.close()
    await at.close()
    // Hours have few polls then.
    at = await CommandedPanel.open({}, { stateEvery: 120_000 })
    at.simulated.setOptions({ keepsBypass: true })
    at.simulated.open(2)
    await at.run(armPastOpenZones('AWAY', 1, true))
    at.simulator.faults.start(panelRefuses('Jammed'), { operation: 'set_bypass_zone' })
    await at.run(setState('DISARM'))
    await at.pass(2 * 3600_000)
    assert.deepEqual(
      at.outages.map(({ code }) => code),
      ['COMMAND_FAILED'],
    )
    assert.match(at.outages[0]?.message ?? '', /^House: Zone 2 may still be bypassed/)
    const attempts = at.sent.length - 3
    assert.ok(attempts >= 3 && attempts <= 7, `${attempts} attempts in two hours`)
    at.simulator.faults.clear()
    await at.pass(3600_000)
    assert.deepEqual(at.bypassed, [])
  })

  it('says if the nodes try again to take the bypasses back after a failed arming', async () => {
    for (const [fault, remedy] of [
      [status(500), /Kitchen window \(zone 2\) may still be bypassed\. The nodes try to take that back\.$/],
      [status(403), /Kitchen window \(zone 2\) may still be bypassed\. Look at the panel\.$/],
    ] as const) {
      at.simulated.open(2)
      at.simulator.faults.start(panelRefuses('Jammed'), { operation: 'set_state' })
      const arming = at.command(armPastOpenZones())
      await at.harness.time.until(() => at.sent.includes('set_state'))
      at.simulator.faults.start(fault, { operation: 'set_bypass_zone' })
      await at.waitFor(arming)
      assert.match(arming.error?.message ?? '', remedy)
      at.simulator.faults.clear()
      await at.panel.close()
      await at.close()
      at = await CommandedPanel.open()
    }
  })

  it('never sends a rejected code again to take a bypass back', async () => {
    at.simulated.open(2)
    await at.run(armPastOpenZones('AWAY', 1, true))
    const before = requestsTo(at.simulator, 'panel/login')
    at.simulator.accounts.setUserCode('4711')
    at.simulator.faults.start(tokenRevoked('session'), { operation: 'status', times: 1 })
    at.simulated.disarm(1)
    await at.pass(3600_000)
    assert.equal(requestsTo(at.simulator, 'panel/login'), before + 1)
    assert.equal(at.sent.length, 2)
    assert.ok(at.outages.some(({ code }) => code === 'WRONG_USER_CODE'))
  })

  it('keeps a file that only its owner can read, and without the code', async () => {
    at.simulated.open(2)
    await at.run(armPastOpenZones())
    const { mode } = await stat(at.bypassFile)
    assert.equal(mode & 0o777, 0o600)
    const content = await recorded()
    assert.match(content, /"phase":"armed"/)
    assert.ok(!content.includes(at.harness.panel.userCode))
  })

  it('is undone after the stop of the flow, when its requests can no longer take effect', async () => {
    at.simulated.open(2)
    const flow = new AbortController()
    const arming = at.command(armPastOpenZones(), flow.signal)
    at.simulator.faults.start(hang('done'), { operation: 'set_bypass_zone', times: 1 })
    await at.pass(1500)
    flow.abort()
    await at.waitFor(arming)
    assert.equal(arming.error?.code, 'CLOSED')
    await at.pass(30_000)
    assert.deepEqual(at.bypassed, [2])
    await at.pass(60_000)
    assert.deepEqual([at.states[0], at.bypassed], ['DISARM', []])
    assert.equal(at.outages[0]?.code, 'CLOSED')
    assert.match(at.outages[0]?.message ?? '', /AWAY for partition 1 was not carried out to its end/)
  })
})
