import assert from 'node:assert/strict'
import fc from 'fast-check'
import { createHistory, historyPlans, kinds } from '../../../harness/properties/event-histories.ts'
import { chronological, sortOrderOf } from '../../../src/panel/events/event-order.ts'
import type { PanelEvent } from '../../../src/service/responses/events.ts'

/** Events by id and second. */
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

describe('The chronology of a list', () => {
  // @spec event-order
  it('is oldest first, whichever way the service keeps it', () => {
    const events = list([3, 1], [4, 1], [8, 5], [9, 30])
    assert.deepEqual(chronological(events), events)
    assert.deepEqual(chronological(events.toReversed()), events)
  })

  it('leaves equal times of an ordered list as they are', () => {
    const events = list([0, 1], [0, 7], [0, 7], [0, 9])
    assert.deepEqual(chronological(events), events)
    assert.deepEqual(chronological(events.toReversed()), events)
  })

  it('keeps the order of the service over a reset of the ids and over a step of the clock', () => {
    const reset = list([700, 1], [701, 2], [702, 3], [1, 4], [2, 5], [3, 6])
    const step = list([null, 40], [null, 41], [null, 42], [null, 43], [null, 20], [null, 21])
    for (const events of [reset, step]) {
      assert.deepEqual(chronological(events), events)
      assert.deepEqual(chronological(events.toReversed()), events)
    }
  })

  it('goes by id in a list without order, or by time where an id lacks', () => {
    const [one, two, three, four] = list([1, 9], [2, 9], [3, 10], [4, 11])
    assert.deepEqual(chronological([three, one, four, two] as PanelEvent[]), [one, two, three, four])
    const [five, six, seven, eight] = list([0, 1], [1, 2], [2, 3], [3, 4])
    assert.deepEqual(chronological([seven, five, eight, six] as PanelEvent[]), [five, six, seven, eight])
  })

  it('puts an event that was appended late into its place by id', () => {
    const [one, late, two, three] = list([1, 1], [2, 2], [3, 3], [4, 4])
    assert.deepEqual(chronological([one, two, three, late] as PanelEvent[]), [one, late, two, three])
  })

  it('takes a list that says nothing for oldest first, or for what it was before', () => {
    const alike = list([0, 1], [0, 1])
    assert.equal(sortOrderOf(alike), 'none')
    assert.deepEqual(chronological(alike), alike)
    assert.equal(sortOrderOf(alike, 'newest first'), 'newest first')
    assert.deepEqual(chronological([]), [])
  })

  it('neither changes the list nor loses one of its events', () => {
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
