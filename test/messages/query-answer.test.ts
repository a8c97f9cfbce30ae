import assert from 'node:assert/strict'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { logEntries, parseSince, withIsoTimes } from '../../src/messages/query-answer.ts'
import type { EventType } from '../../src/service/catalogue/catalogue.ts'
import { bundled } from '../../src/service/catalogue/en-us.ts'
import type { JsonValue } from '../../src/service/schema.ts'

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

const timeZone = 'Europe/Berlin'
const context = { catalogue: bundled, timeZone, since: undefined }
const entry = { id: 86, location: 'User 1', description: '', partition: '', time: '2026-01-05 01:00:00' }
const utc = '2026-01-05T00:00:00.000Z'

type Joined = { loggedAt: string | null; types: EventType[] }

describe('The entries of a panel log', () => {
  // @spec 2.11, 6.1
  it('have an ISO time and their event type beside the members of the service', () => {
    const type = { typeId: 90, group: 'EP_ALERT', label: 'ARM', contactId: '1455', sia: 'NOT' }
    const text = 'Fail To Arm (Auto)'
    assert.deepEqual(logEntries([entry], context), [
      { ...entry, loggedAt: utc, types: [{ ...type, description: text, descriptionOriginal: text }] },
    ])
  })

  // @spec 6.1
  it('have every event type with their code', () => {
    const shared = [...bundled.values()].filter(({ vis }) => vis === '90').map(({ typeId }) => typeId)
    assert.ok(shared.length > 1)
    const [joined] = logEntries([{ ...entry, id: 90 }], context) as unknown as Joined[]
    assert.deepEqual(
      joined?.types.map(({ typeId }) => typeId),
      shared,
    )
  })

  // @spec 6.3
  it('have null for a code of zeros, and no type for an unknown or absent code', () => {
    const [cleanMe, ...others] = logEntries(
      [65, 9999, 0, null].map((id) => ({ ...entry, id })),
      { ...context, catalogue: new Map([...bundled, [7001, { ...(bundled.get(1) as EventType), vis: '' }]]) },
    ) as unknown as Joined[]
    assert.deepEqual([cleanMe?.types[0]?.contactId, cleanMe?.types[0]?.sia], [null, null])
    assert.deepEqual(
      others.map(({ types }) => types),
      [[], [], []],
    )
  })

  it('find a code with zeros in front', () => {
    const catalogue = new Map([[1, { ...(bundled.get(1) as EventType), vis: '086' }]])
    const [joined] = logEntries([entry], { ...context, catalogue }) as unknown as Joined[]
    assert.equal(joined?.types.length, 1)
  })

  // @spec 2.11
  it('since a time are those of its second and later ones, and those without a readable time', () => {
    const at = (time: string) => ({ ...entry, time })
    const times = ['', '2026-01-05 01:00:01', '2026-01-05 01:00:00', '2026-01-05 00:59:59']
    const since = (milliseconds: number) =>
      (logEntries(times.map(at), { ...context, since: milliseconds }) as unknown as { time: string }[]).map(
        ({ time }) => time,
      )
    assert.deepEqual(since(Date.parse(utc)), times.slice(0, 3))
    assert.deepEqual(since(Date.parse(utc) + 999), times.slice(0, 3))
    assert.deepEqual(since(Date.parse(utc) + 1000), times.slice(0, 2))
  })

  it('have no type for an id that is no code, whatever it is', () => {
    const ids = [{ toString: false }, [86], true]
    const joined = logEntries(
      ids.map((id) => ({ ...entry, id })),
      context,
    ) as unknown as Joined[]
    assert.deepEqual(
      joined.map(({ types }) => types),
      [[], [], []],
    )
  })

  it('never throw and keep every member, for any JSON', () => {
    const anyJson = fc.jsonValue() as fc.Arbitrary<JsonValue>
    const entries = fc.array(fc.oneof(anyJson, fc.record({ id: anyJson, time: anyJson })))
    fc.assert(
      fc.property(fc.oneof(anyJson, entries), (answer) => {
        const before = JSON.stringify(answer)
        const joined = JSON.stringify(logEntries(answer as JsonValue, context))
        const raw = JSON.parse(joined, (name, value) =>
          ['loggedAt', 'types'].includes(name) ? undefined : value,
        )
        assert.deepEqual(raw, JSON.parse(before))
      }),
    )
  })
})

describe('The time from which entries of the log are wanted', () => {
  const parse = (value: unknown) => parseSince({ source: 'msg.since', value }, timeZone)

  it('is ISO 8601, a time as the service writes it, a Date of a function node, or milliseconds, also as text', () => {
    const date = runInNewContext(`new Date('${utc}')`)
    for (const value of [
      utc,
      '2026-01-05T01:00:00+01:00',
      entry.time,
      date,
      Date.parse(utc),
      `${Date.parse(utc)}`,
    ]) {
      assert.equal(parse(value), Date.parse(utc))
    }
  })

  it('is not set if it is absent or empty', () => {
    for (const value of [undefined, null, '']) assert.equal(parse(value), undefined)
  })

  it('is refused if it is anything else', () => {
    const broken = new Date(Number.NaN)
    // Read as milliseconds, dates without punctuation would be long ago, and let every entry pass.
    for (const value of [
      'yesterday',
      '20260131',
      '20260131120000',
      '2026-13-01T00:00:00Z',
      Number.NaN,
      broken,
      {},
      true,
      [],
    ]) {
      assert.throws(() => parse(value), { code: 'BAD_SETTING', message: /^msg\.since: / })
    }
  })
})
