import assert from 'node:assert/strict'
import { event } from '../../../harness/fixtures/samples.ts'
import { alignWithHistory, findNewEvents } from '../../../src/panel/events/new-events.ts'
import type { PanelEvent } from '../../../src/service/responses/events.ts'

/** Returns events without ids, one in each of these seconds. */
function list(...seconds: number[]): PanelEvent[] {
  return seconds.map((second) => event({ event: 0, datetime: `2026-01-02 03:04:0${second}` }))
}

/** Returns the rows of the first list in the history that match the second list. */
function rows(before: readonly PanelEvent[], after: readonly PanelEvent[]): readonly number[] {
  return alignWithHistory(findNewEvents(null, 'A1B2C3', before).memory, after).rows
}

describe('An event without an id that equals a known one', () => {
  it('is the known one if at most four entries of the list match the end of the history', () => {
    assert.deepEqual(rows(list(0, 1, 2, 3, 4), list(1, 2, 3, 4, 0)), [1, 2, 3, 4, 0])
  })

  it('is new if at least five entries of the list, and more than half of it, match the end of the history', () => {
    assert.deepEqual(rows(list(0, 1, 2, 3, 4, 5), list(1, 2, 3, 4, 5, 0)), [1, 2, 3, 4, 5, -1])
  })
})
