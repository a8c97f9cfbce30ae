import assert from 'node:assert/strict'
import { answerAt, device } from '../../../harness/fixtures/samples.ts'
import { type FaultLists, KnownDevices, KnownFaults } from '../../../src/panel/devices/known-devices.ts'
import type { Device } from '../../../src/service/responses/devices.ts'

const [door, siren] = [device({ name: 'Door' }), device({ id: 12, device_type: 'WL_SIREN' })]
const both = [door, siren]
const ids = (devices: readonly Device[]) => devices.map(({ id }) => id)

describe('A device that lists lack', () => {
  /** Returns the ids that are held and gone after each of the lists. */
  function lackedAfter(...lists: [list: readonly Device[], isCurrent?: boolean][]) {
    const devices = new KnownDevices()
    return lists.map(([list, isCurrent = true], at) => {
      const { held, gone } = devices.note(answerAt(at, list), isCurrent, 10)
      return [ids(held), ids(gone)]
    })
  }

  it('is held after the first list, gone after the second, and stays gone', () => {
    assert.deepEqual(lackedAfter([both], [both], [[door]], [[door]], [[door]]).slice(2), [
      [[siren.id], []],
      [[], [siren.id]],
      [[], [siren.id]],
    ])
  })

  it('is back with the first list that has it', () => {
    assert.deepEqual(lackedAfter([both], [both], [[door]], [[door]], [both]).at(-1), [[], []])
  })

  it('is held, and not gone, after empty lists and those of an offline panel', () => {
    assert.deepEqual(lackedAfter([both], [both], [[]], [[]], [[]]).at(-1), [ids(both), []])
    const offline = [[door], false] as [Device[], boolean]
    assert.deepEqual(lackedAfter([both], [both], offline, offline, offline).at(-1), [[siren.id], []])
  })

  it('keeps what the last list with it said about it', () => {
    const devices = new KnownDevices()
    for (const [at, list] of [both, [device({ name: 'New door' }), siren], [siren], [siren]].entries())
      devices.note(answerAt(at, list), true, 10)
    const { gone } = devices.note(answerAt(4, [siren]), true, 10)
    assert.deepEqual(
      gone.map(({ name }) => name),
      ['New door'],
    )
  })

  it('is forgotten when five hundred others have gone after it', () => {
    const devices = new KnownDevices()
    let gone: readonly Device[] = []
    for (let id = 0; id < 1500; id += 1)
      for (const again of [0, 1])
        ({ gone } = devices.note(answerAt(2 * id + again, [{ ...door, id }]), true, 10))
    assert.equal(gone.length, 500)
  })
})

describe('The faults that a panel reports of itself', () => {
  it('are those of the troubles and of the alerts, which have times, without those of other devices and of the past', () => {
    const entry = { device_type: 'CONTROL_PANEL', datetime: '2026-01-02 03:04:05' }
    const faults = new KnownFaults()
    const lists = (troubles: object[], alerts: object[]) =>
      ({ troubles: answerAt(0, troubles), alerts: answerAt(0, alerts) }) as FaultLists
    const { present } = faults.note(
      lists(
        [{ ...entry, trouble_type: 'AC_FAILURE' }],
        [
          { ...entry, alert_type: 'TAMPER' },
          { ...entry, alert_type: 'TAMPER_MEMORY' },
          { ...entry, alert_type: 'FLOOD', device_type: 'ZONE' },
        ],
      ),
      true,
      10,
      'UTC',
    )
    assert.deepEqual(present, [
      { type: 'AC_FAILURE', since: null },
      { type: 'TAMPER', since: '2026-01-02T03:04:05.000Z' },
    ])
  })

  it('are not those of a zone whose entry has no type of device', () => {
    const entry = { device_type: '', datetime: '', zone: 5, zone_name: ' ', location: 'Hall' }
    const lists = {
      troubles: answerAt(0, [{ ...entry, trouble_type: 'INACTIVE' }]),
      alerts: answerAt(0, [
        { ...entry, alert_type: 'INACTIVE', zone: 6 },
        { ...entry, alert_type: 'JAMMED', zone: null },
      ]),
    } as unknown as FaultLists
    const { present, ofZones } = new KnownFaults().note(lists, true, 10, 'UTC')
    assert.deepEqual(
      present.map(({ type }) => type),
      ['JAMMED'],
    )
    assert.deepEqual(ofZones, [
      { type: 'INACTIVE', since: null, zone: 5, name: 'Hall' },
      { type: 'INACTIVE', since: null, zone: 6, name: 'Hall' },
    ])
  })
})
