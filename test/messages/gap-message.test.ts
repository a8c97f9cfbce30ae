import assert from 'node:assert/strict'
import { source } from '../../harness/fixtures/samples.ts'
import { gapMessage } from '../../src/messages/gap-message.ts'

describe('A gap message', () => {
  it('has the times from the configured time zone, and null for a missing one', () => {
    const gap = {
      lastKnown: { id: 700, typeId: 85, time: '2026-01-02 03:04:05' },
      oldestShown: { id: 900, typeId: 89, time: '' },
    }
    const { lastKnown, oldestShown } = gapMessage(gap, source, 'Europe/Berlin').payload
    assert.deepEqual([lastKnown?.time, oldestShown?.time], ['2026-01-02T02:04:05.000Z', null])
  })

  it('has null for a missing event and for a missing id', () => {
    const gap = { lastKnown: { id: 0, typeId: null, time: '' }, oldestShown: null }
    assert.deepEqual(gapMessage(gap, source, 'UTC').payload, {
      lastKnown: { id: null, typeId: null, time: null, timeRaw: '' },
      oldestShown: null,
    })
  })
})
