import assert from 'node:assert/strict'
import { useSimulatorHarness } from '../../../harness/simulator.ts'
import { isBypassed } from '../../../src/simulator/world/alarms/bypasses.ts'

const frontDoor = 1
const kitchen = 2
const bedroom = 3
const smoke = 6
const water = 7

const hour = 3_600_000

describe('A zone of the simulated panel that is opened again and again', () => {
  const at = useSimulatorHarness(() => undefined)

  const types = () => at.panel.events.map(({ type_id }) => type_id)
  const bypassed = () => at.panel.devices.filter(isBypassed).map(({ device_number }) => device_number)
  const listed = () => at.panel.report().alarms.map(({ zone, evt_id }) => [zone, evt_id])
  const arm = () => at.panel.arm(1, 'HOME', { exitDelay: 0 })
  const openTimes = (count: number, zone = kitchen) => {
    for (let nth = 0; nth < count; nth += 1) {
      at.panel.open(zone)
      at.panel.close(zone)
    }
  }

  it('raises an alarm each time on a panel without a swinger stop, and the list shows the latest one', () => {
    at.panel.setOptions({ swingerStop: 0 })
    arm()
    openTimes(4)
    assert.deepEqual(types(), [85, 2, 20, 2, 20, 2, 20, 2, 20])
    assert.deepEqual(listed(), [[kitchen, at.panel.events[7]?.event]])
    assert.deepEqual(bypassed(), [])
  })

  it('raises no further alarm while it is open', () => {
    arm()
    at.panel.open(kitchen)
    at.panel.open(kitchen)
    assert.deepEqual(types(), [85, 2])
  })

  // @spec swinger-stop
  it('is bypassed by the panel with its first alarm, which goes on, and guards again after the disarm', () => {
    at.panel.setOptions({ swingerStop: 1 })
    arm()
    openTimes(4)
    assert.deepEqual([types(), bypassed()], [[85, 2, 20], [kitchen]])
    assert.equal(at.panel.incidents[0]?.active, true)
    at.panel.disarm(1)
    assert.deepEqual(bypassed(), [])
    arm()
    openTimes(1)
    assert.deepEqual(types(), [85, 2, 20, 31, 173, 85, 2, 20])
  })

  it('is bypassed with its third alarm, whatever another zone does', () => {
    at.panel.setOptions({ swingerStop: 3 })
    arm()
    openTimes(2)
    openTimes(1, bedroom)
    assert.deepEqual(bypassed(), [])
    openTimes(3)
    assert.deepEqual([types().filter((type) => type === 2).length, bypassed()], [4, [kitchen]])
  })

  it('counts anew in each arming', () => {
    at.panel.setOptions({ swingerStop: 2 })
    arm()
    openTimes(1)
    at.panel.disarm(1)
    arm()
    openTimes(1)
    assert.deepEqual(bypassed(), [])
  })

  it('guards again after 48 hours, although nobody has disarmed', () => {
    at.panel.setOptions({ swingerStop: 1 })
    arm()
    openTimes(1)
    at.clock.advance(48 * hour - 1000)
    assert.deepEqual(bypassed(), [kitchen])
    at.clock.advance(1000)
    assert.deepEqual(bypassed(), [])
    openTimes(1)
    assert.deepEqual(types(), [85, 2, 20, 2, 20])
    assert.deepEqual(bypassed(), [kitchen])
  })

  it('is not bypassed by people for less than their arming, if the 48 hours end in a later one', () => {
    at.panel.setOptions({ swingerStop: 1 })
    arm()
    openTimes(1)
    at.panel.disarm(1)
    at.panel.bypass(kitchen, true)
    arm()
    at.clock.advance(48 * hour)
    assert.deepEqual(bypassed(), [kitchen])
  })

  it('is counted when an entry delay ends in its alarm', () => {
    at.panel.setOptions({ swingerStop: 1 })
    arm()
    at.panel.open(frontDoor)
    assert.deepEqual(bypassed(), [])
    at.clock.advance(60_000)
    assert.deepEqual(bypassed(), [frontDoor])
  })

  it('raises no alarm of its own in the abort time of its first one', () => {
    at.panel.setOptions({ abortTime: 30 })
    arm()
    openTimes(3)
    at.clock.advance(30_000)
    assert.deepEqual(types(), [85, 2, 20])
    openTimes(1)
    at.clock.advance(30_000)
    assert.deepEqual(types(), [85, 2, 20, 2, 20])
  })

  it('leaves the alarm in memory, and canceled, that it repeats in its abort time', () => {
    at.panel.setOptions({ abortTime: 30 })
    arm()
    openTimes(1)
    at.clock.advance(40_000)
    openTimes(1)
    at.panel.disarm(1)
    at.clock.advance(60_000)
    assert.deepEqual(types(), [85, 2, 20, 31, 173])
    assert.deepEqual(
      at.panel.report().alarms.map(({ alarm_type, zone }) => [alarm_type, zone]),
      [['ALARM_IN_MEMORY', kitchen]],
    )
  })

  it('is never bypassed if it guards also while the panel is disarmed', () => {
    at.panel.setOptions({ swingerStop: 1 })
    arm()
    openTimes(2, smoke)
    openTimes(2, water)
    assert.deepEqual([types(), bypassed()], [[85, 36, 37, 36, 37, 81, 82, 81, 82], []])
  })
})
