import assert from 'node:assert/strict'
import { useSimulatorHarness } from '../../../harness/simulator.ts'

const kitchen = 2
const livingRoom = 4
const smoke = 6
const frontDoor = 1

/** Zones of the house that are in the partitions House and Workshop together. */
describe('A zone of several partitions in the simulated panel', () => {
  const at = useSimulatorHarness(() => undefined)

  const types = () => at.panel.events.map(({ type_id }) => type_id)
  const alarmed = () => at.panel.incidents.map(({ device }) => device.device_number)
  const arm = (partition: number, state: 'AWAY' | 'HOME') => at.panel.arm(partition, state, { exitDelay: 0 })
  const states = () => at.panel.partitions.map(({ state }) => state)

  beforeEach(() => {
    for (const zone of [kitchen, livingRoom, smoke, frontDoor])
      Object.assign(at.panel.zone(zone), { partitions: [1, 2] })
  })

  // @spec shared-zones
  it('guards only when all of them are armed, and its alarm is one of all of them', () => {
    arm(1, 'AWAY')
    at.panel.open(kitchen)
    at.panel.close(kitchen)
    assert.deepEqual(alarmed(), [])
    arm(2, 'HOME')
    at.panel.open(kitchen)
    assert.deepEqual(at.panel.events.at(-1)?.partitions, [1, 2])
    assert.deepEqual(alarmed(), [kitchen])
  })

  it('guards again only when the partition that was disarmed is armed again', () => {
    arm(1, 'AWAY')
    arm(2, 'AWAY')
    at.panel.disarm(2)
    at.panel.open(kitchen)
    at.panel.close(kitchen)
    assert.deepEqual(alarmed(), [])
    arm(2, 'AWAY')
    at.panel.open(kitchen)
    assert.deepEqual(alarmed(), [kitchen])
  })

  it('guards not yet while one of them is in its exit delay', () => {
    arm(1, 'AWAY')
    at.panel.arm(2, 'AWAY', { exitDelay: 30 })
    at.panel.open(kitchen)
    assert.deepEqual(alarmed(), [])
  })

  it('guards inside only when all of them are armed away', () => {
    arm(1, 'AWAY')
    arm(2, 'HOME')
    at.panel.open(livingRoom)
    assert.deepEqual(alarmed(), [])
    arm(2, 'AWAY')
    at.panel.open(livingRoom)
    assert.deepEqual(alarmed(), [livingRoom])
  })

  it('starts no entry delay unless all of them are armed, then one of all of them', () => {
    arm(1, 'AWAY')
    at.panel.open(frontDoor)
    at.panel.close(frontDoor)
    assert.deepEqual(states(), ['AWAY', 'DISARM', 'DISARM'])
    arm(2, 'AWAY')
    at.panel.open(frontDoor)
    assert.deepEqual(states(), ['ENTRY_DELAY', 'ENTRY_DELAY', 'DISARM'])
    at.clock.advance(60_000)
    assert.deepEqual(
      [types(), states()],
      [
        [86, 86, 3],
        ['AWAY', 'AWAY', 'DISARM'],
      ],
    )
  })

  it('raises no alarm after an entry delay if one of them was disarmed in it', () => {
    arm(1, 'AWAY')
    arm(2, 'AWAY')
    at.panel.open(frontDoor)
    at.panel.disarm(2)
    at.clock.advance(60_000)
    assert.deepEqual(alarmed(), [])
  })

  it('is a delay zone at home, and a follower away, if its type is home delay', () => {
    Object.assign(at.panel.zone(kitchen), { zone_type: 'HOME_DELAY' })
    arm(1, 'AWAY')
    arm(2, 'HOME')
    at.panel.open(kitchen)
    assert.deepEqual(states(), ['ENTRY_DELAY', 'ENTRY_DELAY', 'DISARM'])
    at.panel.close(kitchen)
    at.panel.disarm(-1)
    arm(1, 'AWAY')
    arm(2, 'AWAY')
    at.panel.open(kitchen)
    assert.deepEqual(alarmed(), [kitchen])
  })

  it('is on the entry path of all of them in the entry delay of one of them', () => {
    Object.assign(at.panel.zone(livingRoom), { zone_type: 'INTERIOR_FOLLOW' })
    Object.assign(at.panel.zone(frontDoor), { partitions: [1] })
    arm(1, 'AWAY')
    arm(2, 'AWAY')
    at.panel.open(frontDoor)
    at.panel.open(livingRoom)
    assert.deepEqual(alarmed(), [])
  })

  // @spec always-on
  it('always tells a fire', () => {
    at.panel.open(smoke)
    assert.deepEqual([alarmed(), at.panel.events.at(-1)?.partitions], [[smoke], [1, 2]])
  })
})
