import assert from 'node:assert/strict'
import { answerAt, device } from '../../../harness/fixtures/samples.ts'
import { KnownDevices } from '../../../src/panel/devices/known-devices.ts'
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
