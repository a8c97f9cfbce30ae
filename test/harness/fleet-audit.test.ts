import assert from 'node:assert/strict'
import { auditEvents, auditPolls } from '../../harness/cluster/fleet/fleet-audit.ts'
import type { ToldEvent } from '../../harness/cluster/fleet/panel-fleet.ts'

const told = (event: string, isRedelivered = false): ToldEvent => ({ panel: 'A1', event, isRedelivered })

describe('The audit of a fleet', () => {
  it('counts the events that were never sent, and those that were sent again, with and without the flag', () => {
    const sent = [told('1'), told('2', true), told('1', true), told('1'), told('gap'), told('2', true)]
    const happened = [told('1'), told('2'), told('3'), { ...told('1'), panel: 'A2' }]
    assert.deepEqual(auditEvents(happened, sent), { events: 4, lost: 2, unflagged: 1, flagged: 2, gaps: 1 })
  })

  it('counts the polls within a time, those that came too soon, and the longest time without one', () => {
    const at = (panel: string, ms: number) => ({ operation: 'events', panel, at: ms })
    const polls = [
      at('A', 50),
      at('A', 150),
      at('A', 180),
      at('A', 280),
      at('B', 190),
      at('C', 200),
      at('A', 460),
    ]
    const { due, ...figures } = auditPolls(polls, ['A', 'B'], 100, 100, 400)
    assert.equal(due, 6)
    // A panel whose latest poll is long ago has its gap until the end.
    assert.deepEqual(figures, { polls: 4, doubles: 1, longestGap: 210 })
  })
})
