import assert from 'node:assert/strict'
import { event } from '../../../harness/fixtures/samples.ts'
import { alignWithHistory } from '../../../src/panel/events/event-matching.ts'
import { findNewEvents } from '../../../src/panel/events/new-events.ts'
import type { PanelEvent } from '../../../src/service/responses/events.ts'

/** Events without ids, one in each of these seconds. */
function list(...seconds: number[]): PanelEvent[] {
  return seconds.map((second) => event({ event: 0, datetime: `2026-01-02 03:04:0${second}` }))
}

/** The rows of a list in the memory of another one. */
function rows(before: readonly PanelEvent[], after: readonly PanelEvent[]): readonly number[] {
  return alignWithHistory(findNewEvents(null, 'A1B2C3', before).memory, after).rows
}

describe('An event without an id that equals an old one', () => {
  it('is the old one where no more than four of the list equal the end of the memory', () => {
    assert.deepEqual(rows(list(0, 1, 2, 3, 4), list(1, 2, 3, 4, 0)), [1, 2, 3, 4, 0])
  })

  it('is new where five of the list, and more than half, equal the end of the memory', () => {
    assert.deepEqual(rows(list(0, 1, 2, 3, 4, 5), list(1, 2, 3, 4, 5, 0)), [1, 2, 3, 4, 5, -1])
  })
})
