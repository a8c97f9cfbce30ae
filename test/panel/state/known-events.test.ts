import assert from 'node:assert/strict'
import { answerAt, catalogue, event } from '../../../harness/fixtures/samples.ts'
import { inferredState } from '../../../src/panel/state/inferred-state.ts'
import { KnownEvents } from '../../../src/panel/state/known-events.ts'
import type { PanelEvent } from '../../../src/service/responses/events.ts'

const [arm, alarm, disarm] = [
  event({ event: 1, type_id: 86 }),
  event({ event: 2, type_id: 3, device_type: 'ZONE', zone: 2, datetime: '2026-01-02 03:05:00' }),
  event({ event: 3, type_id: 89, datetime: '2026-01-02 03:06:00' }),
]

describe('The events from which a state is inferred', () => {
  /** Returns the state after each of the lists. */
  function statesAfter(...lists: PanelEvent[][]) {
    const known = new KnownEvents()
    return lists.map((list, at) => {
      const events = known.note(list, answerAt(at, list), 10)
      return inferredState(events, catalogue, null, 'UTC').partitions[0]?.value
    })
  }

  it('keep an alarm, an arming and a disarming that one list lacks', () => {
    const all = [arm, alarm]
    assert.deepEqual(statesAfter(all, all, [arm], all), ['ALARM', 'ALARM', 'ALARM', 'ALARM'])
    assert.deepEqual(statesAfter(all, all, [], all), ['ALARM', 'ALARM', 'ALARM', 'ALARM'])
    assert.deepEqual(statesAfter([arm], [arm, alarm, disarm], [arm, alarm]).at(-1), 'DISARM')
  })

  it('lose what two lists in a row lack', () => {
    assert.deepEqual(statesAfter([arm, alarm], [arm, alarm], [arm], [arm]).slice(2), ['ALARM', 'AWAY'])
  })

  it('end an alarm with the first list that tells of a disarm', () => {
    assert.deepEqual(statesAfter([arm, alarm], [arm, alarm, disarm]), ['ALARM', 'DISARM'])
    assert.deepEqual(statesAfter([arm, alarm], [arm, alarm], [disarm]).at(-1), 'DISARM')
  })

  it('are remembered up to two hundred', () => {
    const many = Array.from({ length: 1000 }, (_, id) => event({ event: id + 10 }))
    const known = new KnownEvents()
    known.note(many, answerAt(0, many), 10)
    assert.equal(known.note([arm], answerAt(1, [arm]), 10).length, 201)
  })
})
