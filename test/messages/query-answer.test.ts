import assert from 'node:assert/strict'
import fc from 'fast-check'
import { withIsoTimes } from '../../src/messages/query-answer.ts'
import type { JsonValue } from '../../src/service/passthrough.ts'

const now = { timeZone: 'Europe/Berlin', wall: Date.UTC(2026, 0, 10) }
const zero = '0000-00-00 00:00:00'
const day = 24 * 60 * 60 * 1000

describe('The times of an answer', () => {
  // @spec 2.13, time-zone
  it('stand beside the raw ones of an inspection, with its age', () => {
    const raw = { rri_timestamp: '2026-01-05 01:00:00', tests: [], news: null }
    assert.deepEqual(withIsoTimes('rri_results', raw, now), {
      ...raw,
      inspectedAt: '2026-01-05T00:00:00.000Z',
      ageMs: 5 * day,
    })
  })

  // @spec 2.13
  it('read a zero time and an empty detail as nothing', () => {
    const empty = { detail_name: '', description: '', timestamp: '' }
    const details = [
      empty,
      { ...empty, timestamp: zero },
      { detail_name: '7', description: ' Hall ', timestamp: zero },
      { detail_name: 'Arm Away', description: 'User 1', timestamp: '2026-01-04 01:00:00' },
    ]
    const tests = [
      { test_type: 1, state: 'pass', details: [empty] },
      { test_type: 6, state: 'fail', details },
      { test_type: 8, state: 'not_available' },
    ]
    const found = [
      { name: '7', description: 'Hall', foundAt: null },
      { name: 'Arm Away', description: 'User 1', foundAt: '2026-01-04T00:00:00.000Z' },
    ]
    assert.deepEqual(withIsoTimes('rri_results', { rri_timestamp: zero, tests }, now), {
      rri_timestamp: zero,
      inspectedAt: null,
      ageMs: null,
      tests: [
        { ...tests[0], findings: [] },
        { ...tests[1], findings: found },
        { ...tests[2], findings: [] },
      ],
    })
  })

  // @spec 2.14
  it('stand beside the raw ones of each configuration, whose offset counts, with the age of the download', () => {
    const raw = { id: 41, date: '2026-01-09T02:00:00+0200', verified_at: '', backup: true }
    assert.deepEqual(withIsoTimes('configuration_list', [raw, null, { id: 42 }], now), [
      { ...raw, downloadedAt: '2026-01-09T00:00:00.000Z', verifiedAt: null, ageMs: day },
      null,
      { id: 42, downloadedAt: null, verifiedAt: null, ageMs: null },
    ])
  })

  it('leave other answers as they are', () => {
    const answer = [{ date: '2026-01-09T02:00:00+0200' }]
    assert.equal(withIsoTimes('events', answer, now), answer)
  })

  it('never throw, and keep every raw member, for any JSON', () => {
    const anyJson = fc.jsonValue() as fc.Arbitrary<JsonValue>
    const shaped = fc.oneof(
      anyJson,
      fc.record({
        rri_timestamp: anyJson,
        tests: fc.oneof(anyJson, fc.array(fc.record({ details: anyJson }))),
      }),
      fc.array(fc.record({ date: anyJson, verified_at: anyJson })),
    ) as fc.Arbitrary<JsonValue>
    fc.assert(
      fc.property(fc.constantFrom('rri_results', 'configuration_list'), shaped, (operation, answer) => {
        const before = JSON.stringify(answer)
        const added = JSON.parse(JSON.stringify(withIsoTimes(operation, answer, now)), (name, value) =>
          ['inspectedAt', 'ageMs', 'findings', 'downloadedAt', 'verifiedAt'].includes(name)
            ? undefined
            : value,
        )
        assert.equal(JSON.stringify(answer), before)
        assert.deepEqual(added, JSON.parse(before))
      }),
    )
  })
})
