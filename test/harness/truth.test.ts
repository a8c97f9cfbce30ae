import assert from 'node:assert/strict'
import { BlindTimes, fixedIntervals } from '../../harness/simulation/blind-times.ts'
import { localTimes } from '../../harness/simulation/service/local-times.ts'
import { FactHistory } from '../../harness/simulation/world/fact-history.ts'
import { ok } from '../../src/simulator/http/http-response.ts'

const minute = 60_000

describe('The truth that nodes are compared with', () => {
  it('has the values that a fact had between two moments', () => {
    const facts = new FactHistory()
    facts.note(10, new Map([['door', 'open']]))
    facts.note(20, new Map([['door', 'closed']]))
    facts.note(30, new Map())
    assert.deepEqual(facts.values('door', 12, 25), ['closed', 'open'])
    assert.deepEqual(facts.values('door', 0, 9), [''])
    assert.deepEqual(facts.values('door', 0, 10), ['open', ''])
    assert.deepEqual(
      [facts.stayed('door', 'closed', 20, 29), facts.stayed('door', 'closed', 20, 30)],
      [true, false],
    )
  })

  it('reaches back to what was known before a time in which nobody could know it', () => {
    const blind = new BlindTimes(fixedIntervals)
    const bound = 100 * minute - blind.earliest('state', 100 * minute, 2)
    assert.ok(bound > 2 * fixedIntervals.state && bound < 3 * fixedIntervals.state)
    blind.add(90 * minute, 99 * minute, 'state')
    blind.add(80 * minute, 90 * minute - bound, 'state')
    assert.equal(blind.earliest('state', 100 * minute, 2), 80 * minute - bound)
    assert.equal(blind.earliest('state', 100 * minute + bound, 2), 100 * minute)
    assert.equal(
      blind.earliest('devices', 100 * minute, 2),
      100 * minute - 2 * fixedIntervals.devices - (bound - 2 * fixedIntervals.state),
    )
  })

  it('shows the hour twice in which clocks are put back, if the service writes local times', () => {
    const times = ['2026-10-25 00:55:00', '2026-10-25 01:05:00'].map((datetime) => ({ datetime }))
    const answer = localTimes('Europe/Berlin').answer?.(() => ok(times), {} as never)
    assert.deepEqual(answer?.body, [{ datetime: '2026-10-25 02:55:00' }, { datetime: '2026-10-25 02:05:00' }])
  })
})
