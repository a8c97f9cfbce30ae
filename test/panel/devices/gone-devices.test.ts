import assert from 'node:assert/strict'
import fc from 'fast-check'
import { device } from '../../../harness/fixtures/samples.ts'
import { GoneDevices } from '../../../src/panel/devices/gone-devices.ts'
import type { Device } from '../../../src/service/responses/devices.ts'

const minute = 60_000
const minAbsence = 1.5 * minute
const [door, siren] = [device({ name: 'Door' }), device({ id: 12, device_type: 'WL_SIREN' })]
const both = [door, siren]

describe('A device that lists lack', () => {
  /** Returns the ids that are gone after each of the lists, which come at these minutes. */
  function goneAfter(...lists: [at: number, list: readonly Device[], isReliable?: boolean][]) {
    const devices = new GoneDevices()
    return lists.map(([at, list, isReliable = true]) =>
      devices.note(list, at * minute, minAbsence, isReliable).map(({ id }) => id),
    )
  }

  // @spec thin-device-lists
  it('is gone when three polls in a row lack it, and stays gone', () => {
    assert.deepEqual(goneAfter([0, both], [1, [door]], [2, [door]], [3, [door]], [60, [door]]), [
      [],
      [],
      [],
      [siren.id],
      [siren.id],
    ])
  })

  it('is not gone because of many lists within a moment', () => {
    const moments = Array.from({ length: 50 }, (_, at): [number, Device[]] => [1 + at / 100, [door]])
    assert.deepEqual(goneAfter([0, both], ...moments).flat(), [])
  })

  it('is not gone because the first list after a long silence lacks it', () => {
    assert.deepEqual(goneAfter([0, both], [600, [door]], [601, both]).flat(), [])
  })

  it('begins anew with each list that has it', () => {
    assert.deepEqual(goneAfter([0, both], [1, [door]], [2, both], [3, [door]], [4, [door]]).flat(), [])
  })

  it('is back with the first list that has it', () => {
    assert.deepEqual(goneAfter([0, both], [1, [door]], [3, [door]], [4, both]).slice(2), [[siren.id], []])
  })

  it('is not gone because of empty lists, or of lists of an offline panel', () => {
    assert.deepEqual(goneAfter([0, both], [1, []], [2, []], [9, []]).flat(), [])
    assert.deepEqual(goneAfter([0, both], [1, [door], false], [9, [door], false], [10, [door]]).flat(), [])
  })

  it('keeps what the last list with it said about it', () => {
    const devices = new GoneDevices()
    devices.note([door], 0, minAbsence, true)
    devices.note([device({ name: 'New door' })], minute, minAbsence, true)
    devices.note([siren], 2 * minute, minAbsence, true)
    const gone = devices.note([siren], 4 * minute, minAbsence, true)
    assert.deepEqual(
      gone.map(({ name }) => name),
      ['New door'],
    )
  })

  it('is forgotten when a thousand others came after it', () => {
    const devices = new GoneDevices()
    for (let id = 0; id < 5000; id += 1) devices.note([{ ...door, id }], id * minute, minAbsence, true)
    assert.equal(devices.note([door], 6000 * minute, minAbsence, true).length < 1001, true)
  })

  it('is never gone for less than one and a half intervals, in any history', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.integer({ min: 1, max: 90 }), fc.boolean())), (lists) => {
        const devices = new GoneDevices()
        let at = 0
        let lastSeen = 0
        devices.note(both, at, minAbsence, true)
        for (const [seconds, isThin] of lists) {
          at += seconds * 1000
          if (!isThin) lastSeen = at
          const gone = devices.note(isThin ? [door] : both, at, minAbsence, true)
          assert.ok(gone.length === 0 || at - lastSeen > minAbsence)
          if (!isThin) assert.deepEqual(gone, [])
        }
      }),
    )
  })
})
