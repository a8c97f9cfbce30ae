import assert from 'node:assert/strict'
import { useSimulatorHarness } from '../../../harness/simulator.ts'
import { hasWarning } from '../../../src/simulator/world/device.ts'
import { factoryOptions } from '../../../src/simulator/world/panel-options.ts'

const kitchen = 2
const bedroom = 3
const livingRoom = 4
const smoke = 6
const water = 7
const winterGarden = 8

describe('An alarm of the simulated panel', () => {
  const at = useSimulatorHarness(() => undefined)

  const seconds = (count: number) => at.clock.advance(count * 1000)
  const types = () => at.panel.events.map(({ type_id }) => type_id)
  const listed = () =>
    at.panel.report().alarms.map(({ alarm_type, zone, evt_id }) => [alarm_type, zone, evt_id])

  beforeEach(() => {
    at.panel.setOptions({ abortTime: factoryOptions.abortTime })
    at.panel.arm(1, 'HOME', { exitDelay: 0 })
  })

  // @spec abort-time
  it('sounds and is listed at once, and is reported after the abort time of 30 s, with its own time', () => {
    seconds(10)
    at.panel.open(kitchen)
    assert.deepEqual([at.panel.siren.sounding, listed()], [true, [['BURGLER', kitchen, 0]]])
    seconds(29.9)
    assert.deepEqual(types(), [85])
    seconds(0.1)
    const event = at.panel.events.at(-1)
    assert.deepEqual([event?.type_id, event?.zone, event?.datetime], [2, kitchen, '2026-11-20 12:00:10'])
    assert.deepEqual(listed(), [['BURGLER', kitchen, event?.event]])
  })

  it('leaves no event but that of the disarm, and no memory, if it is disarmed in the abort time', () => {
    at.panel.open(kitchen)
    at.panel.close(kitchen)
    seconds(29)
    at.panel.disarm(1)
    assert.deepEqual([listed(), at.panel.siren.sounding], [[], false])
    assert.equal(hasWarning(at.panel.zone(kitchen), 'ALARM_IN_MEMORY'), false)
    seconds(3600)
    assert.deepEqual(types(), [85, 89])
  })

  it('is restored after it is reported, if its zone was closed in the abort time', () => {
    at.panel.open(kitchen)
    seconds(5)
    at.panel.close(kitchen)
    assert.deepEqual(types(), [85])
    seconds(25)
    assert.deepEqual(types(), [85, 2, 20])
    const [, alarm, restore] = at.panel.events
    assert.deepEqual([alarm?.datetime, restore?.datetime], ['2026-11-20 12:00:00', '2026-11-20 12:00:05'])
  })

  it('is aborted alone, if another one is reported already', () => {
    at.panel.open(kitchen)
    seconds(30)
    at.panel.open(bedroom)
    seconds(10)
    at.panel.disarm(1)
    seconds(60)
    assert.deepEqual(types(), [85, 2, 31, 173])
    assert.deepEqual(listed(), [['ALARM_IN_MEMORY', kitchen, at.panel.events[1]?.event]])
  })

  it('is canceled by a disarm within five minutes after its report', () => {
    at.panel.open(kitchen)
    seconds(30 + 299)
    at.panel.disarm(1, { user: 'Ben' })
    assert.deepEqual(types(), [85, 2, 31, 173])
    assert.equal(at.panel.events[2]?.appointment, 'Ben')
  })

  // @spec cancel-window
  it('is ended by a later disarm with the event of a usual disarm, and of one after an alarm', () => {
    at.panel.open(kitchen)
    seconds(30 + 301)
    at.panel.disarm(1, { user: 'Ben' })
    assert.deepEqual(types(), [85, 2, 89, 173])
    assert.equal(at.panel.events[2]?.appointment, 'Ben')
  })

  it('is never canceled on a panel without cancel messages', () => {
    at.panel.setOptions({ cancelWindow: 0 })
    at.panel.open(kitchen)
    seconds(31)
    at.panel.disarm(1)
    assert.deepEqual(types(), [85, 2, 89, 173])
  })

  it('is reported at once where there is no abort time', () => {
    at.panel.setOptions({ abortTime: 0 })
    at.panel.open(kitchen)
    assert.deepEqual(types(), [85, 2])
  })

  it('has an abort time of the moment in which it began', () => {
    at.panel.open(kitchen)
    at.panel.setOptions({ abortTime: 240 })
    seconds(30)
    assert.deepEqual(types(), [85, 2])
  })

  for (const [what, zone_type, type, hasAbortTime] of [
    ['fire', 'FIRE', 36, false],
    ['a silent alarm around the clock', 'H24_SILENT', 4, false],
    ['an emergency', 'EMERGENCY', 39, false],
    ['a flood', 'FLOOD', 81, false],
    ['gas', 'GAS', 77, false],
    ['a loud alarm around the clock', 'H24_AUDIBLE', 6, true],
    ['an alarm outdoors', 'OUTDOOR', 134, true],
  ] as const)
    it(`has ${hasAbortTime ? 'an' : 'no'} abort time if it is ${what}`, () => {
      Object.assign(at.panel.zone(winterGarden), { zone_type })
      at.panel.open(winterGarden)
      assert.deepEqual(types(), hasAbortTime ? [85] : [85, type])
      seconds(30)
      assert.deepEqual(types(), [85, type])
    })

  it('has no abort time if a panic button was pressed', () => {
    at.panel.panic(at.panel.devices.find(({ device_type }) => device_type === 'KEYFOB')?.id ?? 0)
    assert.deepEqual(types(), [85, 13])
  })

  it('is silent if its zone is silent, and a flood is no alarm of the siren', () => {
    Object.assign(at.panel.zone(winterGarden), { zone_type: 'H24_SILENT' })
    at.panel.open(winterGarden)
    at.panel.open(water)
    assert.equal(at.panel.siren.sounding, false)
    at.panel.open(smoke)
    assert.equal(at.panel.siren.sounding, true)
  })

  it('sounds until all partitions in alarm are disarmed, for four minutes at most, which another one does not prolong', () => {
    at.panel.arm(2, 'AWAY', { exitDelay: 0 })
    Object.assign(at.panel.zone(livingRoom), { partitions: [2] })
    at.panel.open(kitchen)
    at.panel.open(livingRoom)
    at.panel.disarm(1)
    assert.equal(at.panel.siren.sounding, true)
    seconds(200)
    at.panel.open(smoke)
    seconds(39)
    assert.equal(at.panel.siren.sounding, true)
    seconds(1)
    assert.equal(at.panel.siren.sounding, false)
    at.panel.disarm(-1)
  })
})
