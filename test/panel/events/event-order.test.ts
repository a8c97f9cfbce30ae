import assert from 'node:assert/strict'
import fc from 'fast-check'
import { createHistory, historyPlans, kinds } from '../../../harness/properties/event-histories.ts'
import { chronological, sortList } from '../../../src/panel/events/event-order.ts'
import type { PanelEvent } from '../../../src/service/responses/events.ts'

/** Returns events with these ids and seconds. */
function list(...entries: [id: number | null, second: number][]): PanelEvent[] {
  return entries.map(([event, second]) => ({
    event,
    type_id: 85,
    label: '',
    description: '',
    appointment: '',
    datetime: `2026-03-01 12:00:${String(second).padStart(2, '0')}`,
    video: false,
    device_type: 'USER',
    zone: 0,
    zone_name: '',
    partitions: [],
  }))
}

describe('The chronological order of a list', () => {
  // @spec event-order
  it('is oldest first, whatever the order of the service', () => {
    const events = list([3, 1], [4, 1], [8, 5], [9, 30])
    assert.deepEqual(chronological(events), events)
    assert.deepEqual(chronological(events.toReversed()), events)
  })

  it('keeps the order of events at the same time', () => {
    const events = list([0, 1], [0, 7], [0, 7], [0, 9])
    assert.deepEqual(chronological(events), events)
    assert.deepEqual(chronological(events.toReversed()), events)
  })

  it('keeps the order of the service across a reset of the ids and a change of the clock', () => {
    const reset = list([700, 1], [701, 2], [702, 3], [1, 4], [2, 5], [3, 6])
    const step = list([null, 40], [null, 41], [null, 42], [null, 43], [null, 20], [null, 21])
    for (const events of [reset, step]) {
      assert.deepEqual(chronological(events), events)
      assert.deepEqual(chronological(events.toReversed()), events)
    }
  })

  it('follows the ids in an unordered list, or the times if an id is missing', () => {
    const [one, two, three, four] = list([1, 9], [2, 9], [3, 10], [4, 11])
    assert.deepEqual(chronological([three, one, four, two] as PanelEvent[]), [one, two, three, four])
    const [five, six, seven, eight] = list([0, 1], [1, 2], [2, 3], [3, 4])
    assert.deepEqual(chronological([seven, five, eight, six] as PanelEvent[]), [five, six, seven, eight])
  })

  it('moves a late event to its place by id', () => {
    const [one, late, two, three] = list([1, 1], [2, 2], [3, 3], [4, 4])
    assert.deepEqual(chronological([one, two, three, late] as PanelEvent[]), [one, late, two, three])
  })

  it('is oldest first, or the previous order, for a list without any hints', () => {
    const alike = list([0, 1], [0, 1])
    assert.equal(sortList(alike).order, 'none')
    assert.deepEqual(chronological(alike), alike)
    assert.equal(sortList(alike, 'newest first').order, 'newest first')
    assert.deepEqual(chronological([]), [])
  })

  it('changes neither the list nor its events', () => {
    const anyCourse = fc
      .tuple(fc.constantFrom(...kinds), fc.constantFrom('oldest first' as const, 'shuffled' as const))
      .chain(([kind, order]) => historyPlans(kind, order))
    fc.assert(
      fc.property(anyCourse, (course) => {
        for (const { list: events } of createHistory(course).polls) {
          const before = [...events]
          assert.deepEqual(new Set(chronological(events)), new Set(events))
          assert.deepEqual(events, before)
        }
      }),
      { numRuns: 100 },
    )
  })
})
