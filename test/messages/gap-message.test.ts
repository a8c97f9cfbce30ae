import assert from 'node:assert/strict'
import { source } from '../../harness/fixtures/samples.ts'
import { gapMessage } from '../../src/messages/gap-message.ts'

describe('A gap message', () => {
  it('contains the last known event and the oldest one that the service still shows', () => {
    const gap = {
      lastKnown: { id: 700, typeId: 85, time: '2026-01-02 03:04:05' },
      oldestShown: { id: 900, typeId: 89, time: '' },
    }
    assert.deepEqual(gapMessage(gap, source, 'Europe/Berlin'), {
      topic: 'House/gap',
      payload: {
        lastKnown: {
          id: 700,
          typeId: 85,
          time: '2026-01-02T02:04:05.000Z',
          timeRaw: '2026-01-02 03:04:05',
        },
        oldestShown: { id: 900, typeId: 89, time: null, timeRaw: '' },
      },
      panel: { serial: '00C0DE', alias: 'Home', online: true },
      fetchedAt: '2026-01-02T03:04:06.000Z',
      stale: false,
    })
  })

  it('has null for a missing event and for a missing id', () => {
    const gap = { lastKnown: { id: 0, typeId: null, time: '' }, oldestShown: null }
    assert.deepEqual(gapMessage(gap, source, 'UTC').payload, {
      lastKnown: { id: null, typeId: null, time: null, timeRaw: '' },
      oldestShown: null,
    })
  })
})
