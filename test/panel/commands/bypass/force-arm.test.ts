import assert from 'node:assert/strict'
import { type CommandEnd, CommandedPanel, setState } from '../../../../harness/panel/commanded-panel.ts'
import { requestsTo } from '../../../../harness/simulator.ts'
import type { SetState } from '../../../../src/panel/commands/command.ts'
import { zonesOfRefusal } from '../../../../src/panel/commands/not-ready.ts'
import { status } from '../../../../src/simulator/faults/response-faults.ts'

const frontDoor = { zone: 1, name: 'Front door' }
const kitchen = { zone: 2, name: 'Kitchen window' }
const bedroom = { zone: 3, name: 'Bedroom window' }

function armPastOpenZones(state = 'AWAY', partition = 1): SetState {
  return { ...setState(state, partition), openZones: 'bypass' }
}

const openBy = ({ done, error }: CommandEnd) => (done === undefined ? error?.message : done.view.open)

/** The time after which the exit delay is over, and the look at what is left out. */
const afterExit = 40_000

describe('A panel in the mode force arm', () => {
  let at: CommandedPanel
  beforeEach(async () => {
    at = await CommandedPanel.open()
    at.simulated.setOptions({ bypassMode: 'force-arm' })
  })
  afterEach(async () => {
    await at.panel.close()
    await at.close()
  })

  // @spec bypass-mode
  it('is armed past open zones by one command, whose answer names them', async () => {
    at.simulated.open(2)
    at.simulated.open(3)
    const end = await at.run(armPastOpenZones())
    assert.deepEqual([openBy(end), end.done?.view.bypassed], [[kitchen, bedroom], []])
    assert.deepEqual([at.sent, at.states[0]], [['set_state'], 'AWAY'])
  })

  it('is armed past open zones of the commanded partitions, one of which is ready', async () => {
    at.simulated.open(9)
    at.setZoneType(9, 'PERIMETER')
    assert.deepEqual(openBy(await at.run(armPastOpenZones('AWAY', -1))), [{ zone: 9, name: 'Workshop door' }])
  })

  it('is refused while a zone is open, unless the command says to arm past it, and the error tells that', async () => {
    at.simulated.open(2)
    const { error } = await at.run(setState('AWAY'))
    assert.equal(error?.code, 'NOT_SETTABLE')
    assert.equal(
      error.message,
      'House (partition 1) is not ready to arm. Close: Kitchen window (zone 2). Or choose "Bypass them and arm" as "Open zones" in the node, or send payload.openZones "bypass": this panel then arms and leaves out what is open at the end of the exit delay. (NotReady)',
    )
    assert.deepEqual([zonesOfRefusal(error), at.sent], [['Kitchen window'], []])
  })

  it('is armed past the door through which people leave', async () => {
    at.simulated.open(1)
    assert.deepEqual(openBy(await at.run(armPastOpenZones())), [frontDoor])
  })

  it('is not armed past a zone that must stay on, or that it cannot leave out', async () => {
    at.simulated.open(2)
    at.setZoneType(2, 'FLOOD')
    const stays = (await at.run(armPastOpenZones())).error
    assert.match(
      stays?.message ?? '',
      /^Kitchen window \(zone 2\) detects something and must stay on, .* FLOOD:/,
    )
    at.setZoneType(2, 'PERIMETER')
    const { traits } = at.simulated.zone(2)
    delete traits.bypass
    const fixed = (await at.run(armPastOpenZones())).error
    assert.match(fixed?.message ?? '', /^The panel does not allow a bypass of Kitchen window \(zone 2\)\./)
    assert.deepEqual([stays?.code, fixed?.code, at.sent], ['NOT_SETTABLE', 'NOT_SETTABLE', []])
  })

  it('is refused before anything is sent if it is not ready and no zone is open', async () => {
    at.simulated.jam()
    const { error } = await at.run(armPastOpenZones())
    assert.match(
      error?.message ?? '',
      /No zone is open or has a fault\. The panel reports a jammed radio .*\(NotReady\)$/,
    )
    assert.deepEqual(at.sent, [])
  })

  it('names its troubles if it refuses an arming past open zones, which are then no reason', async () => {
    at.simulated.open(2)
    at.simulated.jam()
    const { error } = await at.run(armPastOpenZones())
    assert.equal(error?.code, 'COMMAND_FAILED')
    assert.match(
      error.message,
      /is not ready to arm\. The panel reports a jammed radio \(.*\)\. .* Open zones, past which this panel can be armed: Kitchen window \(zone 2\)\. \(/,
    )
    assert.equal(requestsTo(at.simulator, 'troubles'), 1)
  })

  it('has no list of open zones in the answers to other commands', async () => {
    at.simulated.open(2)
    await at.run(armPastOpenZones())
    const again = await at.run(armPastOpenZones())
    assert.equal(again.done?.view.already, true)
    at.simulated.close(2)
    await at.pass(60_000)
    const disarmed = await at.run(setState('DISARM'))
    const closed = await at.run(armPastOpenZones())
    for (const { done, error } of [again, disarmed, closed])
      assert.equal(done && 'open' in done.view, false, error?.message)
  })

  it('refuses a bypass of one zone, and the error tells how to arm past it', async () => {
    const { error } = await at.run({ action: 'bypass', zone: 2, enabled: true })
    assert.match(
      error?.message ?? '',
      /"force_arm"\. To arm past open zones, choose "Bypass them and arm" as /,
    )
  })

  it('has its devices read once more after the exit delay, for all who want to know what is left out', async () => {
    const seen: number[][] = []
    const leave = at.panel.devices.subscribe({
      snapshot: ({ view }) => {
        const left = view.listed.filter(({ traits }) => traits.bypass?.enabled)
        seen.push(left.map(({ device_number }) => device_number ?? 0))
      },
      condition: () => {},
    })
    at.simulated.open(2)
    await at.run(armPastOpenZones())
    const reads = requestsTo(at.simulator, 'devices')
    await at.pass(afterExit)
    leave()
    assert.deepEqual([seen.at(-1), requestsTo(at.simulator, 'devices') - reads], [[2], 1])
    assert.deepEqual(at.outages, [])
  })

  it('has nothing more read if its mode is another one', async () => {
    at.simulated.setOptions({ bypassMode: 'manual' })
    at.simulated.open(2)
    await at.run(armPastOpenZones())
    const { length } = at.simulator.requests
    await at.pass(10 * 60_000)
    assert.equal(at.simulator.requests.length, length)
  })

  describe('that has left out a door of the way in and out', () => {
    const told = () => at.outages.map(({ code, reason, message }) => [code, reason, message])
    const error = [
      'COMMAND_FAILED',
      'DoorLeftOut',
      'House: The panel is armed without Front door (zone 1), because it was open at the end of the exit delay. It is a door through which people leave and enter (DELAY_1), so until the disarm anybody can open it without an alarm. Disarm, close the door, and arm again. (DoorLeftOut)',
    ]

    it('tells an error, once, also if the door is opened after the command', async () => {
      for (const command of [armPastOpenZones(), setState('AWAY')]) {
        const { error } = await at.run(command)
        assert.equal(error, undefined)
        at.simulated.open(1)
        await at.pass(afterExit)
        at.simulated.close(1)
        await at.run(setState('DISARM'))
        await at.pass(10 * 60_000)
      }
      assert.deepEqual(told(), [error, error])
    })

    it('tells it also if people stay at home', async () => {
      at.simulated.open(1)
      await at.run(armPastOpenZones('HOME'))
      await at.pass(afterExit)
      assert.deepEqual(told(), [error])
    })

    it('tells none of a door that is closed before the end of the exit delay, nor of a window', async () => {
      at.simulated.open(1)
      at.simulated.open(2)
      await at.run(armPastOpenZones())
      at.simulated.close(1)
      await at.pass(afterExit)
      assert.deepEqual([told(), at.bypassed], [[], [2]])
    })

    it('tells none of an arming that somebody has ended, of one before the latest, or of what is armed already', async () => {
      at.simulated.open(1)
      await at.run(armPastOpenZones())
      await at.run(setState('DISARM'))
      await at.pass(afterExit)
      assert.deepEqual(told(), [])
      await at.run(armPastOpenZones())
      await at.run(setState('DISARM'))
      await at.run(armPastOpenZones())
      await at.pass(2 * afterExit)
      assert.deepEqual(told(), [error])
      assert.equal((await at.run(armPastOpenZones())).done?.view.already, true)
      await at.pass(afterExit)
      assert.deepEqual(told(), [error])
    })

    it('tells it also if the first reads fail', async () => {
      at.simulated.open(1)
      await at.run(armPastOpenZones())
      for (const operation of ['status', 'devices']) {
        at.simulator.faults.start(status(500), { operation })
        await at.pass(afterExit)
        assert.deepEqual(told(), [])
        at.simulator.faults.clear()
      }
      await at.pass(60_000)
      assert.deepEqual(told(), [error])
    })

    it('tells it also if the exit delay has begun again', async () => {
      at.simulated.setOptions({ exitMode: 'restart' })
      await at.run(armPastOpenZones())
      await at.pass(16_000)
      at.simulated.open(1)
      at.simulated.close(1)
      at.simulated.open(1)
      await at.pass(18_000)
      assert.deepEqual(at.bypassed, [])
      await at.pass(afterExit)
      assert.deepEqual(told(), [error])
    })

    it('reads and tells nothing after a stop of the flow', async () => {
      const stop = new AbortController()
      at.simulated.open(1)
      const arming = at.command(armPastOpenZones(), stop.signal)
      await at.waitFor(arming)
      stop.abort()
      const { length } = at.simulator.requests
      await at.pass(10 * 60_000)
      assert.deepEqual([at.simulator.requests.length - length, told()], [0, []])
    })
  })
})

describe('A panel on which nobody can bypass a zone', () => {
  let at: CommandedPanel
  beforeEach(async () => {
    at = await CommandedPanel.open()
    at.simulated.setOptions({ bypassMode: 'none' })
    at.simulated.open(2)
  })
  afterEach(() => at.close())

  it('is not armed past an open zone, and its installer can change that', async () => {
    const { error } = await at.run(armPastOpenZones())
    assert.match(
      error?.message ?? '',
      /that of this panel is "no_bypass"\. Ask your installer to change it\.$/,
    )
    assert.deepEqual(at.sent, [])
  })

  it('is told to be not ready without the advice to bypass', async () => {
    const { error } = await at.run(setState('AWAY'))
    assert.equal(
      error?.message,
      'House (partition 1) is not ready to arm. Close: Kitchen window (zone 2). (NotReady)',
    )
  })
})
