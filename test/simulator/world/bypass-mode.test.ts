import assert from 'node:assert/strict'
import { signedIn } from '../../../harness/simulator/api-client.ts'
import { useSimulatorHarness } from '../../../harness/simulator.ts'
import { isBypassed } from '../../../src/simulator/world/alarms/bypasses.ts'

const frontDoor = 1
const kitchen = 2
const bedroom = 3
const smoke = 6
const workshopDoor = 9

describe('The bypass mode of the simulated panel', () => {
  const at = useSimulatorHarness(signedIn)

  const bypassed = () => at.panel.devices.filter(isBypassed).map(({ device_number }) => device_number)
  const mode = async () => (await at.caller.get('panel_info')).body.bypass_mode
  const request = async (operation: string, body: object) => {
    const { process_token } = (await at.caller.post(operation, body)).body
    at.clock.advance(3000)
    const [{ status, message }] = (await at.caller.get(`process_status?process_tokens=${process_token}`)).body
    return `${status} ${message}`.trim()
  }
  const bypass = (zone: number, set: boolean) => request('set_bypass_zone', { zone, set })

  // @spec bypass-mode
  it('is manual, unless another one is chosen', async () => {
    assert.equal(await mode(), 'manual_bypass')
    assert.equal(await bypass(kitchen, true), 'succeeded')
  })

  for (const [option, word] of [
    ['none', 'no_bypass'],
    ['force-arm', 'force_arm'],
  ] as const)
    it(`is told as ${word} and lets nobody bypass a zone if it is ${option}`, async () => {
      at.panel.setOptions({ bypassMode: option })
      assert.equal(await mode(), word)
      assert.equal(await bypass(kitchen, true), 'failed BypassNotAllowed')
      at.panel.bypass(kitchen, true)
      assert.deepEqual(bypassed(), [])
    })

  it('refuses to arm past an open zone if it is none', () => {
    at.panel.setOptions({ bypassMode: 'none' })
    at.panel.open(kitchen)
    assert.equal(at.panel.arm(1, 'AWAY'), false)
  })

  it('ends a bypass of the mode before it only', async () => {
    at.panel.bypass(kitchen, true)
    at.panel.setOptions({ bypassMode: 'none' })
    assert.equal(await bypass(kitchen, false), 'succeeded')
    assert.deepEqual(bypassed(), [])
  })
})

describe('A simulated panel that forces the arming', () => {
  const at = useSimulatorHarness(signedIn)

  const bypassed = () => at.panel.devices.filter(isBypassed).map(({ device_number }) => device_number)
  const types = () => at.panel.events.map(({ type_id }) => type_id)
  const alarmed = () => at.panel.incidents.map(({ device }) => device.device_number)

  beforeEach(() => at.panel.setOptions({ bypassMode: 'force-arm' }))

  it('arms past an open zone, which it shows as not ready, and reports it', async () => {
    at.panel.open(kitchen)
    assert.equal((await at.caller.get('status')).body.partitions[0].ready, false)
    assert.equal(at.panel.arm(1, 'AWAY', { user: 'Ben' }), true)
    assert.deepEqual([types(), at.panel.events[0]?.appointment], [[93], 'Ben'])
  })

  // @spec force-arm
  it('bypasses at the end of the exit delay what is open then, until the disarm', () => {
    at.panel.open(kitchen)
    at.panel.open(bedroom)
    at.panel.arm(1, 'AWAY')
    at.clock.advance(19_000)
    assert.deepEqual(bypassed(), [])
    at.panel.close(kitchen)
    at.panel.open(frontDoor)
    at.clock.advance(1000)
    assert.deepEqual(bypassed(), [frontDoor, bedroom])
    at.panel.close(bedroom)
    at.panel.open(bedroom)
    assert.deepEqual(alarmed(), [])
    at.panel.open(kitchen)
    assert.deepEqual(alarmed(), [kitchen])
    at.panel.disarm(1)
    assert.deepEqual(bypassed(), [])
  })

  it('bypasses nothing that was closed before the end of the exit delay, and nothing after a disarm in it', () => {
    at.panel.open(kitchen)
    at.panel.arm(1, 'AWAY')
    at.panel.disarm(1)
    at.clock.advance(60_000)
    assert.deepEqual(bypassed(), [])
  })

  it('bypasses at once if it is armed without an exit delay', () => {
    at.panel.open(kitchen)
    at.panel.arm(1, 'HOME', { exitDelay: 0 })
    assert.deepEqual([bypassed(), types()], [[kitchen], [85]])
  })

  it('bypasses no zone of another partition', () => {
    at.panel.open(workshopDoor)
    at.panel.open(kitchen)
    at.panel.arm(1, 'AWAY', { exitDelay: 0 })
    assert.deepEqual(bypassed(), [kitchen])
  })

  it('ends its bypasses with the disarm also if it keeps those of people', () => {
    at.panel.setOptions({ keepsBypass: true })
    at.panel.open(kitchen)
    at.panel.arm(1, 'HOME', { exitDelay: 0 })
    at.panel.disarm(1)
    assert.deepEqual(bypassed(), [])
  })

  it('arms as usual if nothing is open', () => {
    at.panel.arm(1, 'AWAY', { exitDelay: 0 })
    assert.deepEqual([bypassed(), types()], [[], [86]])
  })

  it('does not arm past a zone that cannot be bypassed, a jammed radio or a missing device', () => {
    Object.assign(at.panel.zone(smoke), { subtype: 'CONTACT' })
    const armed = () => at.panel.arm(1, 'AWAY')
    at.panel.open(smoke)
    assert.equal(armed(), false)
    at.panel.close(smoke)
    at.panel.jam()
    assert.equal(armed(), false)
    at.panel.endJam()
    at.panel.loseDevice(at.panel.zone(kitchen).id)
    assert.equal(armed(), false)
  })
})
