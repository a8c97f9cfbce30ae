import assert from 'node:assert/strict'
import fc from 'fast-check'
import { type OwnAttempt, OwnAttempts } from '../../../../src/cluster/stores/rate-limit/own-attempts.ts'

const times = { window: 60, margin: 1 }

describe('The attempts of one instance of a cluster', () => {
  it('are known as long as they count, in whatever order they end', () => {
    const moves = fc.array(fc.record({ ends: fc.nat(3), after: fc.nat(90) }), { maxLength: 60 })
    fc.assert(
      fc.property(moves, (run) => {
        const own = new OwnAttempts(times)
        const all: OwnAttempt[] = []
        let now = 0
        for (const [nth, { ends, after }] of run.entries()) {
          const attempt: OwnAttempt = { id: `${nth}`, lane: 'poll', endsBy: now + 310, endedAt: undefined }
          own.add(attempt, now)
          all.push(attempt)
          now += after
          const ending = all.filter(({ endedAt }) => endedAt === undefined).at(-ends)
          if (ends > 0 && ending !== undefined) own.end(ending, now)
          const counting = all.filter(({ endsBy, endedAt }) => (endedAt ?? endsBy) + 61 > now)
          assert.deepEqual(new Set(own.of(now)), new Set(counting))
        }
      }),
    )
  })
})
