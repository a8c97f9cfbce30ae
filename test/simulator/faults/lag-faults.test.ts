import assert from 'node:assert/strict'
import { FakeClock } from '../../../harness/clock/fake-clock.ts'
import { installerAt, signedIn } from '../../../harness/simulator/api-client.ts'
import { useSimulatorHarness } from '../../../harness/simulator.ts'
import { showsLate } from '../../../src/simulator/faults/lag-faults.ts'
import { startSimulator } from '../../../src/simulator/simulator.ts'
import { setWarning } from '../../../src/simulator/world/device.ts'

const frontDoor = 1
const window = 2

describe('A service that shows changes late', () => {
  const at = useSimulatorHarness(signedIn)

  const seconds = (count: number) => at.clock.advance(count * 1000)
  const state = async () => {
    const { state, status } = (await at.caller.get('status')).body.partitions[0]
    return `${state} ${status}`.trim()
  }
  const isOpen = async (zone: number) => {
    const devices: { device_type: string; device_number: number; warnings: { type: string }[] | null }[] = (
      await at.caller.get('devices')
    ).body
    const found = devices.find((one) => one.device_type === 'ZONE' && one.device_number === zone)
    return found?.warnings?.some(({ type }) => type === 'OPENED') ?? false
  }
  const alarms = async () => (await at.caller.get('alarms')).body.length
  const types = async () =>
    (await at.caller.get('events')).body.map((one: { type_id: number }) => one.type_id)

  it('shows each list after its own seconds, and all else at once', async () => {
    at.panel.arm(1, 'HOME', { exitDelay: 0 })
    at.simulator.faults.start(showsLate({ status: 4, devices: 30, events: 60 }))
    at.panel.open(window)
    at.panel.disarm(1)
    const shown = async () => [await state(), await isOpen(window), await alarms(), await types()]
    assert.deepEqual(await shown(), ['HOME', false, 1, [85]])
    seconds(3.9)
    assert.deepEqual(await shown(), ['HOME', false, 1, [85]])
    seconds(0.1)
    assert.deepEqual(await shown(), ['DISARM', false, 1, [85]])
    seconds(25.9)
    assert.equal(await isOpen(window), false)
    seconds(0.1)
    assert.equal(await isOpen(window), true)
    seconds(29.9)
    assert.deepEqual(await types(), [85])
    seconds(0.1)
    assert.deepEqual(await types(), [85, 2, 31, 173])
  })

  it('shows each moment of the past, also if nobody asked then', async () => {
    at.simulator.faults.start(showsLate({ status: 10 }))
    at.panel.arm(1, 'AWAY', { exitDelay: 5 })
    seconds(7)
    at.panel.disarm(1)
    seconds(5)
    const seen = []
    for (let count = 0; count < 7; count += 1) {
      seen.push(await state())
      seconds(1)
    }
    assert.deepEqual(seen, ['AWAY EXIT', 'AWAY EXIT', 'AWAY EXIT', 'AWAY', 'AWAY', 'DISARM', 'DISARM'])
  })

  it('tells at once that a command is done', async () => {
    at.simulator.faults.start(showsLate({ status: 8 }))
    const { body } = await at.caller.post('set_state', { partition: 1, state: 'AWAY', options: ['NOEXIT'] })
    seconds(2)
    const [progress] = (await at.caller.get(`process_status?process_tokens=${body.process_token}`)).body
    assert.deepEqual([progress.status, await state()], ['succeeded', 'DISARM'])
    seconds(8)
    assert.equal(await state(), 'AWAY')
  })

  it('is late with the connection, the test mode and the bypass of a zone, too', async () => {
    const bypassed = async () =>
      (await at.caller.get('devices')).body.filter(
        (one: { traits: { bypass?: { enabled: boolean } } }) => one.traits.bypass?.enabled,
      ).length
    at.simulator.faults.start(showsLate({ status: 5, devices: 5 }))
    at.panel.bypass(window, true)
    at.panel.goOffline()
    assert.deepEqual([(await at.caller.get('status')).body.connected, await bypassed()], [true, 0])
    seconds(5)
    assert.equal((await at.caller.get('status')).body.connected, false)
    at.panel.goOnline()
    seconds(5)
    assert.deepEqual([(await at.caller.get('status')).body.connected, await bypassed()], [true, 1])
  })

  it('is late with a device that changed without a word, from the next request on', async () => {
    at.simulator.faults.start(showsLate({ devices: 5 }))
    setWarning(at.panel.zone(frontDoor), 'OPENED')
    assert.equal(await isOpen(frontDoor), false)
    seconds(5)
    assert.equal(await isOpen(frontDoor), true)
  })

  it('is late for the installer, too', async () => {
    const installer = await installerAt(at.simulator)
    at.simulator.faults.start(showsLate({ status: 5, events: 5 }))
    at.panel.arm(1, 'AWAY')
    const shown = async () => [
      (await installer.get('status')).body.partitions[0].state,
      (await installer.get('events')).body.length,
    ]
    assert.deepEqual(await shown(), ['DISARM', 0])
    seconds(5)
    assert.deepEqual(await shown(), ['AWAY', 1])
  })

  it('can be late in one operation alone, and for a number of requests', async () => {
    at.simulator.faults.start(showsLate({ status: 30, devices: 30 }), { operation: 'devices' })
    const end = at.simulator.faults.start(showsLate({ alarms: 30 }), { operation: 'alarms', times: 1 })
    at.panel.arm(1, 'HOME', { exitDelay: 0 })
    at.panel.open(window)
    assert.deepEqual([await state(), await isOpen(window), await alarms()], ['HOME', false, 0])
    assert.equal(await alarms(), 1)
    end()
  })

  it('shows the present when it ends, and after the longest of several lags while they last', async () => {
    const end = at.simulator.faults.start(showsLate({ status: 30 }))
    const endOther = at.simulator.faults.start(showsLate({ status: 5 }))
    at.panel.arm(1, 'AWAY', { exitDelay: 0 })
    seconds(5)
    assert.equal(await state(), 'DISARM')
    end()
    assert.equal(await state(), 'AWAY')
    at.panel.disarm(1)
    assert.equal(await state(), 'AWAY')
    endOther()
    assert.equal(await state(), 'DISARM')
  })

  it('counts the seconds of the simulated world', async () => {
    at.simulator.world.time.setSpeed(10)
    at.simulator.faults.start(showsLate({ status: 30 }))
    at.panel.arm(1, 'AWAY', { exitDelay: 0 })
    seconds(2.9)
    assert.equal(await state(), 'DISARM')
    seconds(0.1)
    assert.equal(await state(), 'AWAY')
  })

  it('is late from the start with the option "lag", which the list of faults shows', async () => {
    const simulator = await startSimulator({ clock: new FakeClock(), lag: { status: 4 } })
    const caller = await signedIn(simulator)
    simulator.world.panels[0]?.arm(1, 'AWAY')
    assert.equal((await caller.get('status')).body.partitions[0].state, 'DISARM')
    simulator.faults.clear()
    assert.equal((await caller.get('status')).body.partitions[0].state, 'AWAY')
    await simulator.close()
  })
})
