import assert from 'node:assert/strict'
import { signedIn } from '../../../harness/simulator/api-client.ts'
import { useSimulatorHarness } from '../../../harness/simulator.ts'
import { isBypassed } from '../../../src/simulator/world/alarms/bypasses.ts'

const kitchen = 2
const bedroom = 3
const workshopDoor = 9

describe('A bypass in the simulated panel', () => {
  const at = useSimulatorHarness(signedIn)

  const bypassed = () => at.panel.devices.filter(isBypassed).map(({ device_number }) => device_number)

  beforeEach(() => at.panel.bypass(kitchen, true))

  // @spec bypass-ends
  it('ends with the disarm after an arming, and the zone guards again', () => {
    at.panel.arm(1, 'HOME', { exitDelay: 0 })
    assert.deepEqual(bypassed(), [kitchen])
    at.panel.disarm(1)
    assert.deepEqual(bypassed(), [])
    at.panel.arm(1, 'HOME', { exitDelay: 0 })
    at.panel.open(kitchen)
    assert.equal(at.panel.incidents.length, 1)
  })

  it('ends with a disarm in the exit delay', () => {
    at.panel.arm(1, 'AWAY')
    at.panel.disarm(1)
    assert.deepEqual(bypassed(), [])
  })

  it('ends with a disarm by the service, and the devices show it', async () => {
    at.panel.arm(1, 'HOME', { exitDelay: 0 })
    await at.caller.post('set_state', { partition: 1, state: 'DISARM' })
    at.clock.advance(2000)
    const shown = (await at.caller.get('devices')).body.filter(
      ({ traits }: { traits: { bypass?: { enabled: boolean } } }) => traits.bypass?.enabled,
    )
    assert.deepEqual(shown, [])
  })

  it('stays while the zone was never armed, also with a disarm', () => {
    at.panel.disarm(1)
    at.clock.advance(7 * 86_400_000)
    assert.deepEqual(bypassed(), [kitchen])
    at.panel.arm(2, 'AWAY', { exitDelay: 0 })
    at.panel.disarm(-1)
    assert.deepEqual(bypassed(), [kitchen])
  })

  it('stays with a change from home to away, which is no disarm', () => {
    at.panel.arm(1, 'HOME', { exitDelay: 0 })
    at.panel.arm(1, 'AWAY', { exitDelay: 0 })
    assert.deepEqual(bypassed(), [kitchen])
  })

  it('ends for the zones of the disarmed partition only', () => {
    at.panel.bypass(workshopDoor, true)
    at.panel.arm(-1, 'AWAY', { exitDelay: 0 })
    at.panel.disarm(1)
    assert.deepEqual(bypassed(), [workshopDoor])
  })

  it('ends for a zone of several partitions when the last of them is disarmed', () => {
    Object.assign(at.panel.zone(kitchen), { partitions: [1, 2] })
    at.panel.arm(1, 'AWAY', { exitDelay: 0 })
    at.panel.arm(2, 'AWAY', { exitDelay: 0 })
    at.panel.disarm(1)
    assert.deepEqual(bypassed(), [kitchen])
    at.panel.disarm(2)
    assert.deepEqual(bypassed(), [])
  })

  it('outlives the disarm on a panel that keeps bypasses', () => {
    at.panel.setOptions({ keepsBypass: true })
    at.panel.bypass(bedroom, true)
    at.panel.arm(1, 'HOME', { exitDelay: 0 })
    at.panel.disarm(1)
    assert.deepEqual(bypassed(), [kitchen, bedroom])
  })
})
