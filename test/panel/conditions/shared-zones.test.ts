import assert from 'node:assert/strict'
import { device, panelDevices, partitionState } from '../../../harness/fixtures/samples.ts'
import { type ConditionBook, newBook } from '../../../src/panel/conditions/condition-book.ts'
import { withSharedZones } from '../../../src/panel/conditions/shared-zones.ts'
import type { PanelDevices } from '../../../src/panel/devices/readings.ts'
import type { PartitionState, StateView } from '../../../src/panel/state/partition-state.ts'

const start = Date.parse('2026-11-22T12:00:00Z')
const names = ['House', 'Workshop', '']

/** A state of the partitions House, Workshop and 3, each with its value or further fields. */
const stateOf = (...values: readonly (string | Partial<PartitionState>)[]): StateView => ({
  online: true,
  hasAllPartitions: true,
  partitions: values.map((value, index) =>
    partitionState({
      ...{ id: index + 1, name: names[index] ?? '' },
      ...(typeof value === 'string' ? { value } : value),
    }),
  ),
})

const hall = (zone_type: string | null, partitions: readonly number[] = [1, 2]) =>
  device({ id: 1, device_number: 4, name: 'Hall', zone_type, partitions: [...partitions] })

/** Returns the book after states, in which the hall has a type. */
const bookAfter = (devices: PanelDevices, ...states: readonly StateView[]) =>
  states.reduce((book, state, index) => withSharedZones(book, devices, state, start + index), newBook(start))
const told = ({ conditions }: ConditionBook) => conditions.map(({ says, what }) => [says, what])
const toldOf = (type: string | null, ...states: readonly StateView[]) =>
  told(bookAfter(panelDevices([hall(type)]), ...states))

const disarmed = [['unguarded', 'Workshop']]
const notAway = [['unguardedInside', 'Workshop']]

// @spec shared-zones
describe('A zone of several partitions', () => {
  it('guards nothing while one of them is disarmed and another one armed, and says which one is disarmed', () => {
    for (const type of ['DELAY_1', 'DELAY_2', 'HOME_DELAY', 'PERIMETER', 'PERIMETER_FOLLOW', 'OUTDOOR']) {
      for (const armed of ['AWAY', 'HOME', 'NIGHT', 'ENTRY_DELAY', { value: 'ALARM', isArmed: true }])
        assert.deepEqual(toldOf(type, stateOf(armed, 'DISARM')), disarmed, type)
      for (const state of [stateOf('AWAY', 'HOME'), stateOf('DISARM', 'DISARM')])
        assert.deepEqual(toldOf(type, state), [], type)
    }
  })

  it('guards nothing inside while one of them is not armed away and another one is', () => {
    for (const type of ['INTERIOR', 'INTERIOR_FOLLOW', 'INTERIOR_DELAY']) {
      for (const other of ['DISARM', 'HOME', 'NIGHT'])
        assert.deepEqual(toldOf(type, stateOf('AWAY', other)), notAway, type)
      for (const state of [stateOf('AWAY', 'AWAY'), stateOf('HOME', 'HOME'), stateOf('HOME', 'DISARM')])
        assert.deepEqual(toldOf(type, state), [], type)
    }
  })

  it('says nothing if its type always guards, or if nobody knows when', () => {
    for (const type of [
      'FIRE',
      'GAS',
      'FLOOD',
      'EMERGENCY',
      'H24_AUDIBLE',
      'NON_ALARM',
      'CUSTOM_1',
      'NEW',
      null,
    ])
      assert.deepEqual(toldOf(type, stateOf('AWAY', 'DISARM')), [], `${type}`)
  })

  it('says nothing of partitions that are none of its own or not in use, of a device that is no zone or has not joined', () => {
    const state = stateOf('AWAY', 'DISARM')
    const of = (fields: object) => told(bookAfter(panelDevices([{ ...hall('PERIMETER'), ...fields }]), state))
    assert.deepEqual(of({}), disarmed)
    for (const fields of [
      { partitions: [1] },
      { partitions: [] },
      { preenroll: true },
      { device_type: 'PGM' },
    ])
      assert.deepEqual(of(fields), [], JSON.stringify(fields))
    assert.deepEqual(toldOf('PERIMETER', stateOf('AWAY', { value: 'DISARM', active: false })), [])
  })

  it('names all partitions that keep it from guarding, by their number if they have no name', () => {
    const devices = panelDevices([hall('PERIMETER', [1, 2, 3])])
    assert.deepEqual(told(bookAfter(devices, stateOf('AWAY', 'DISARM', 'DISARM'))), [
      ['unguarded', 'Workshop, 3'],
    ])
    // That partition 3 alone keeps it is another condition.
    const both = bookAfter(devices, stateOf('AWAY', 'DISARM', 'DISARM'), stateOf('AWAY', 'AWAY', 'DISARM'))
    assert.deepEqual(told(both), [['unguarded', '3']])
  })

  it('keeps its condition and the begin until the state tells that it guards or need not: not in an exit delay or in doubt', () => {
    const unguarded = stateOf('AWAY', 'DISARM')
    for (const doubtful of ['ARMING', 'PROGRAMMING', 'UNKNOWN', { value: 'ARMING', isArmed: true }]) {
      assert.deepEqual(toldOf('PERIMETER', stateOf('AWAY', doubtful)), [])
      const { conditions } = bookAfter(
        panelDevices([hall('PERIMETER')]),
        unguarded,
        stateOf('AWAY', doubtful),
      )
      assert.deepEqual(
        conditions.map(({ says, since }) => [says, since]),
        [['unguarded', start]],
      )
    }
    // How a partition was armed is not known in its alarm: inside, that decides.
    const alarm = stateOf({ value: 'ALARM', isArmed: true }, 'DISARM')
    assert.deepEqual(toldOf('INTERIOR', unguarded, alarm), notAway)
    assert.deepEqual(toldOf('INTERIOR', alarm), [])
    for (const decided of [stateOf('AWAY', 'HOME'), stateOf('DISARM', 'DISARM')])
      assert.deepEqual(toldOf('PERIMETER', unguarded, decided), [])
  })

  it('keeps its condition while one answer lacks the zone or a partition, and while the panel is offline', () => {
    const state = stateOf('AWAY', 'DISARM')
    const begun = bookAfter(panelDevices([hall('PERIMETER')]), state)
    const lists = (fields: Partial<PanelDevices>) =>
      withSharedZones(begun, panelDevices([], fields), state, start)
    assert.deepEqual(told(lists({ hasAll: false })), disarmed)
    assert.deepEqual(told(lists({ isCurrent: false })), disarmed)
    assert.deepEqual(told(lists({ held: [hall('PERIMETER')] })), disarmed)
    assert.deepEqual(told(lists({})), [])
    const devices = panelDevices([hall('PERIMETER')])
    const lacks = (hasAllPartitions: boolean) =>
      told(withSharedZones(begun, devices, { ...stateOf('AWAY'), hasAllPartitions }, start))
    assert.deepEqual([lacks(false), lacks(true)], [disarmed, []])
    assert.equal(withSharedZones(begun, devices, state, start), begun, 'nothing is written without a change')
  })
})
