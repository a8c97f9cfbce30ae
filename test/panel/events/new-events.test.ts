import assert from 'node:assert/strict'
import fc from 'fast-check'
import { faultyMethods, serial } from '../../../harness/properties/detection-methods.ts'
import {
  countErrors,
  createHistory,
  type DetectionMethod,
  type HistoryKind,
  historyPlans,
  noErrors,
} from '../../../harness/properties/event-histories.ts'
import { testNewEvents } from '../../../harness/properties/new-events-properties.ts'
import { remember } from '../../../src/panel/events/event-history.ts'
import { findNewEvents } from '../../../src/panel/events/new-events.ts'
import type { PanelEvent } from '../../../src/service/responses/events.ts'

describe('The feed of a panel', () => {
  testNewEvents(100)

  it('takes the very first list as known, and an empty one as a panel without events', () => {
    const [first, second] = lists([1, 2], [1, 2, 3])
    assert.deepEqual(findNewEvents(null, serial, first ?? []).fresh, [])
    const { memory } = findNewEvents(null, serial, [])
    assert.equal(memory.next, 1)
    assert.equal(findNewEvents(memory, serial, second ?? []).fresh.length, 3)
    assert.equal(findNewEvents(memory, serial, second ?? []).gap, undefined)
  })

  // @spec event-list-length
  it('tells the edges of a gap', () => {
    const [first, second] = lists([1, 2], [8, 9])
    const { memory } = findNewEvents(null, serial, first ?? [])
    assert.deepEqual(findNewEvents(memory, serial, second ?? []).gap, {
      lastKnown: { id: 2, typeId: 85, time: '2026-03-01 12:00:02' },
      oldestShown: { id: 8, typeId: 85, time: '2026-03-01 12:00:08' },
    })
  })

  it('forgets nothing of a list of 1,000 when one answer is cut to a few entries', () => {
    const numbers = Array.from({ length: 1000 }, (_, at) => at + 1)
    const [whole, few] = lists(numbers, numbers.slice(-3))
    const { memory } = findNewEvents(null, serial, whole ?? [])
    const after = findNewEvents(memory, serial, few ?? [])
    assert.deepEqual(findNewEvents(after.memory, serial, whole ?? []).fresh, [])
  })
})

describe('The memory of the feed', () => {
  const table = (...hashes: number[]) => ({ hashes, occurrences: hashes.map(() => 1), sequences: hashes })

  it('keeps what a list does not show in its old place', () => {
    const { hashes } = remember(table(1, 2, 3, 4, 5), { ...table(2, 4, 6), rows: [1, 3, -1] })
    assert.deepEqual([...hashes], [1, 2, 3, 4, 5, 6])
  })

  it('believes a list in another order, and takes what it does not show for older', () => {
    const { hashes } = remember(table(1, 2, 3, 4), { ...table(4, 2, 5), rows: [3, 1, -1] })
    assert.deepEqual([...hashes], [1, 3, 4, 2, 5])
  })
})

describe('The histories that the feed is tested by', () => {
  const isCaught = (method: () => DetectionMethod, kind: HistoryKind) => {
    const property = fc.property(historyPlans(kind, 'oldest first', 8), (course) => {
      assert.deepEqual(countErrors(createHistory(course), method()), noErrors)
    })
    return fc.check(property, { numRuns: 300, endOnFailure: true }).failed
  }

  for (const [name, { method, fails }] of Object.entries(faultyMethods())) {
    it(`catch the method "${name}"`, () => {
      for (const kind of fails) assert.ok(isCaught(method, kind), kind)
    })
  }
})

function lists(...numbers: number[][]): PanelEvent[][] {
  return numbers.map((list) =>
    list.map((number) => ({
      event: number,
      type_id: 85,
      label: '',
      description: '',
      appointment: '',
      datetime: `2026-03-01 12:${String(Math.floor(number / 60)).padStart(2, '0')}:${String(number % 60).padStart(2, '0')}`,
      video: false,
      device_type: 'USER',
      zone: 0,
      zone_name: '',
      partitions: [],
    })),
  )
}
