import assert from 'node:assert/strict'
import { setupOf, warningOf, zoneOf } from '../../harness/home-assistant/setups.ts'
import { announcedDetector, detectorState } from '../../src/home-assistant/entities/detector.ts'
import type { Device } from '../../src/service/responses/devices.ts'

const faults = ['tamper', 'battery', 'problem']
const setup = setupOf({ groups: new Set(['zones']) })
const facts = { isAlarmed: false, timeZone: 'UTC' }

/** Returns a device of a type with these warnings. */
const deviceOf = (device_type: string, ...warnings: string[]): Device =>
  zoneOf(7, {
    ...{ device_type, zone_type: null, subtype: 'SINGLE_BUTTON' },
    warnings: warnings.map((type) => warningOf(type)),
  })

/** Returns the entities about faults that a device has. */
function faultsOf(device: Device, known: readonly string[] = []): string[] {
  const { components = [] } = announcedDetector(setup, device, known) ?? {}
  return components.map(({ key }) => key).filter((key) => faults.includes(key))
}

describe('A device in Home Assistant', () => {
  // @spec other-types
  it('of a type that nobody knows has its problem, and a pendant its battery as well', () => {
    for (const type of ['GSM', 'GUARD_KEYBOX', 'SOMETHING_NEW'])
      assert.deepEqual(faultsOf(deviceOf(type)), ['problem'], type)
    assert.deepEqual(faultsOf(deviceOf('PENDANT')), ['battery', 'problem'])
    const device = deviceOf('SOMETHING_NEW', 'INACTIVE')
    const announced = announcedDetector(setup, device) ?? assert.fail()
    assert.deepEqual(detectorState(announced, device, facts), {
      problem: 'ON',
      problem_attributes: { warnings: ['INACTIVE'] },
    })
  })

  it('of any type has an entity for each fault that it reports, and keeps it', () => {
    const tag = deviceOf('PROXY_TAG', 'LOW_BATTERY')
    assert.deepEqual(faultsOf(tag), ['battery'])
    assert.deepEqual(faultsOf(deviceOf('PROXY_TAG'), ['battery']), ['battery'])
    assert.deepEqual(faultsOf(deviceOf('PROXY_TAG')), [])
    assert.deepEqual(faultsOf(deviceOf('PGM', 'INACTIVE')), ['problem'])
    assert.deepEqual(faultsOf(deviceOf('GUARD_KEYBOX', 'TAMPER')), ['tamper', 'problem'])
  })

  it('of the types that are known has those of its type', () => {
    for (const type of ['WL_SIREN', 'WIRELESS_COMMANDER', 'REPEATER'])
      assert.deepEqual(faultsOf(deviceOf(type)), faults, type)
    assert.deepEqual(faultsOf(deviceOf('KEYFOB')), ['battery'])
  })
})
