import assert from 'node:assert/strict'
import { until } from '../../../../harness/clock/until.ts'
import { withoutOptions } from '../../../../harness/fixtures/missing-options.ts'
import { type CommandEnd, CommandedPanel, setState } from '../../../../harness/panel/commanded-panel.ts'
import { requestsTo } from '../../../../harness/simulator.ts'
import type { SetState } from '../../../../src/panel/commands/command.ts'
import { zonesOfRefusal } from '../../../../src/panel/commands/not-ready.ts'
import type { Device } from '../../../../src/service/responses/devices.ts'
import type { Fault } from '../../../../src/simulator/faults/active-faults.ts'
import { showsLate } from '../../../../src/simulator/faults/lag-faults.ts'
import { reset } from '../../../../src/simulator/faults/network-faults.ts'
import { status } from '../../../../src/simulator/faults/response-faults.ts'
import { commandLost, panelRefuses, tokenRevoked } from '../../../../src/simulator/faults/service-faults.ts'

const kitchen = { zone: 2, name: 'Kitchen window' }
const bedroom = { zone: 3, name: 'Bedroom window' }

function armPastOpenZones(state = 'AWAY', partition = 1): SetState {
  return { ...setState(state, partition), openZones: 'bypass' }
}

/** The sentence about a zone that nobody takes back. */
const mayStay =
  /Kitchen window \(zone 2\) may still be bypassed\. The panel ends that with the disarm after its next arming, or you end it before\.$/

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
    assert.deepEqual(at.sent, ['set_state'])
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

  // @spec open-zones, bypass-set
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

  // @spec open-zones, always-on
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
    assert.deepEqual([at.states[0], at.bypassed], ['DISARM', []])
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
    assert.deepEqual(at.bypassed, [])
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
    assert.deepEqual(at.bypassed, [])
    // The third zone is not bypassed, so nothing is sent about it again.
    assert.deepEqual(at.sent, Array(5).fill('set_bypass_zone'))
  })

  it('is not done for the night if the panel is armed without the option', async () => {
    at.simulated.open(2)
    at.simulator.faults.start(withoutOptions, { operation: 'status' })
    const { error } = await at.run({ ...armPastOpenZones('HOME'), options: ['NOENTRY'] })
    assert.equal(error?.reason, 'Unknown')
    assert.match(
      error.message,
      /does not show all options of it: NOENTRY\..*Kitchen window \(zone 2\) is bypassed for it\.$/,
    )
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
      assert.deepEqual([at.states[0], at.bypassed], ['DISARM', []], `after ${wait} ms`)
    }
    assert.equal(at.sent.filter((one) => one === 'set_state').length, 4, 'the disarms')
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

  it('takes back only what it has bypassed itself', async () => {
    at.simulated.open(2)
    at.simulated.bypass(2, true)
    at.simulated.open(3)
    at.simulator.faults.start(panelRefuses('Jammed'), { operation: 'set_state', times: 1 })
    const { error } = await at.run(armPastOpenZones())
    assert.match(error?.message ?? '', /taken back of Bedroom window \(zone 3\)\.$/)
    assert.deepEqual(at.bypassed, [2])
  })

  it('names the zones also if the panel goes on from HOME to AWAY', async () => {
    at.simulated.open(2)
    await at.run(armPastOpenZones('HOME'))
    await at.pass(30_000)
    assert.deepEqual(bypassedBy(await at.run(armPastOpenZones('AWAY'))), [kitchen])
  })

  // @spec bypass-ends
  it('sends nothing and reads nothing for the bypasses afterwards: the panel ends them with the disarm', async () => {
    for (const keepsBypass of [false, true]) {
      at.simulated.setOptions({ keepsBypass })
      at.simulated.open(2)
      assert.deepEqual(bypassedBy(await at.run(armPastOpenZones())), [kitchen])
      await at.pass(60_000)
      assert.equal(at.panel.state.hasSubscribers, false)
      await at.run(setState('DISARM'))
      await at.pass(60_000)
      const { length } = at.simulator.requests
      await at.pass(3600_000)
      assert.equal(at.simulator.requests.length, length)
      assert.deepEqual(at.bypassed, keepsBypass ? [2] : [])
    }
    const commands = ['set_bypass_zone', 'set_state', 'set_state']
    // The zone that is still bypassed needs no further bypass.
    assert.deepEqual(at.sent, [...commands, ...commands])
    assert.equal(at.said, '')
  })

  it('takes the bypasses back if the arming is lost, which may still come', async () => {
    at.simulated.open(2)
    at.simulator.faults.start(commandLost(), { operation: 'set_state', times: 1 })
    const { error } = await at.run(armPastOpenZones())
    assert.equal(error?.reason, 'Unknown')
    assert.match(error.message, /The bypass was taken back of Kitchen window \(zone 2\)\.$/)
    assert.deepEqual([at.states[0], at.bypassed], ['DISARM', []])
    const disarm = await at.run(setState('DISARM'))
    assert.equal(disarm.done?.view.already, false, 'the panel may be armed by now')
  })

  it('is done if the panel shows it after a minute in which nothing could be read', async () => {
    at.simulated.open(2)
    const arming = at.command(armPastOpenZones())
    await at.harness.time.until(() => at.sent.includes('set_state'))
    at.simulator.faults.start(status(500), { operation: 'process_status' })
    at.simulator.faults.start(status(500), { operation: 'status', times: 1 })
    await at.waitFor(arming)
    assert.deepEqual([bypassedBy(arming), at.states[0]], [[kitchen], 'AWAY'])
  })

  it('sends nothing about a zone that stays bypassed because people arm the panel as it refuses, and names it', async () => {
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
    assert.match(
      error?.message ?? '',
      /Kitchen window \(zone 2\) is still bypassed, until the panel is disarmed\.$/,
    )
    assert.deepEqual(at.sent, ['set_bypass_zone', 'set_state'])
    assert.deepEqual([at.states[0], at.bypassed], ['AWAY', [2]])
  })

  it('names what may stay if the list does not prove that it was taken back, and tries it once', async () => {
    at.simulated.open(2)
    at.simulator.faults.start(showsLate({ devices: 30 }))
    at.simulator.faults.start(panelRefuses('Jammed'), { operation: 'set_state' })
    const arming = at.command(armPastOpenZones())
    await at.pass(2000)
    await until(() => at.sent.includes('set_state'))
    at.simulator.faults.start(reset('not done'), { operation: 'set_bypass_zone', times: 1 })
    await at.waitFor(arming)
    assert.equal(arming.error?.reason, 'Jammed')
    assert.match(arming.error.message, mayStay)
    await at.pass(5 * 60_000)
    assert.deepEqual(at.bypassed, [2])
    assert.deepEqual(at.sent.length, 3)
  })

  it('takes a bypass back by the proof of the list if the answer is lost', async () => {
    at.simulated.open(2)
    at.simulator.faults.start(panelRefuses('Jammed'), { operation: 'set_state' })
    const arming = at.command(armPastOpenZones())
    await at.harness.time.until(() => at.sent.includes('set_state'))
    at.simulator.faults.start(reset('done'), { operation: 'set_bypass_zone', times: 1 })
    await at.waitFor(arming)
    assert.match(arming.error?.message ?? '', /The bypass was taken back of Kitchen window \(zone 2\)\.$/)
    assert.equal(at.sent.length, 3)
  })

  it('lets a disarm go first that comes while bypasses are taken back', async () => {
    at.simulated.open(2)
    at.simulated.open(3)
    at.simulator.faults.start(panelRefuses('Jammed'), { operation: 'set_state', times: 1 })
    const arming = at.command(armPastOpenZones())
    await at.harness.time.until(() => at.sent.length === 4)
    const disarm = at.command(setState('DISARM'))
    await at.waitFor(arming, disarm)
    assert.match(arming.error?.message ?? '', /are taken back after the disarm\.$/)
    await at.pass(60_000)
    assert.deepEqual(at.sent.slice(3), ['set_bypass_zone', 'set_state', 'set_bypass_zone'])
    assert.deepEqual([at.bypassed, at.said], [[], ''])
  })

  it('names what may stay if the service refuses to take it back, or the panel cannot be read', async () => {
    for (const [fault, operation] of [
      [status(500), 'set_bypass_zone'],
      [status(403), 'set_bypass_zone'],
      [status(500), 'devices'],
      [status(500), 'status'],
    ] as const) {
      at.simulated.open(2)
      at.simulator.faults.start(panelRefuses('Jammed'), { operation: 'set_state' })
      const arming = at.command(armPastOpenZones())
      await at.harness.time.until(() => at.sent.includes('set_state'))
      at.simulator.faults.start(fault, { operation })
      await at.waitFor(arming)
      assert.match(arming.error?.message ?? '', mayStay, operation)
      await at.panel.close()
      await at.close()
      at = await CommandedPanel.open()
    }
  })

  it('never sends a rejected code again to take a bypass back', async () => {
    at.simulated.open(2)
    at.simulator.faults.start(panelRefuses('Jammed'), { operation: 'set_state' })
    const arming = at.command(armPastOpenZones())
    await at.harness.time.until(() => at.sent.includes('set_state'))
    const before = requestsTo(at.simulator, 'panel/login')
    at.simulator.accounts.setUserCode('4711')
    at.simulator.faults.start(tokenRevoked('session'), { operation: 'set_bypass_zone', times: 1 })
    await at.waitFor(arming)
    assert.match(arming.error?.message ?? '', mayStay)
    await at.pass(3600_000)
    assert.equal(requestsTo(at.simulator, 'panel/login'), before + 1)
  })

  it('names what a disarm has canceled and what stays, because people arm the panel meanwhile', async () => {
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
    end()
    assert.deepEqual([arming.error?.reason, at.states[0], at.bypassed], ['Replaced', 'AWAY', [2]])
    assert.deepEqual(
      at.outages.map(({ message }) => message),
      [
        'House: The command AWAY for partition 1 was canceled by a disarm. Kitchen window (zone 2) is still bypassed, until the panel is disarmed.',
      ],
    )
  })

  it('names the zones that a stop of the flow leaves bypassed', async () => {
    at.simulated.open(2)
    const flow = new AbortController()
    const arming = at.command(armPastOpenZones(), flow.signal)
    await at.harness.time.until(() => at.sent.length > 0)
    await at.pass(500)
    flow.abort()
    await at.waitFor(arming)
    assert.equal(arming.error?.code, 'CLOSED')
    assert.match(arming.error.message, /was not sent, because the flow was stopped\./)
    assert.match(arming.error.message, mayStay)
    await at.pass(600_000)
    assert.deepEqual([at.sent, at.bypassed], [['set_bypass_zone'], [2]])
  })
})
