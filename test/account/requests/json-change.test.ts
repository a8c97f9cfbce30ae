import assert from 'node:assert/strict'
import fc from 'fast-check'
import { anyJson } from '../../../harness/fixtures/any-json.ts'
import { changeOf } from '../../../src/account/requests/json-change.ts'
import type { JsonValue } from '../../../src/service/schema.ts'
import { changed } from '../../../src/simulator/trace-replay.ts'

/** As it comes from a body: without numbers that JSON does not have. */
const asJson = (value: JsonValue): JsonValue => JSON.parse(JSON.stringify(value))

const json = anyJson(['id', 'state', 'events']).map(asJson)

describe('The change of an answer', () => {
  it('made at the answer before gives the new answer, whatever they are', () => {
    fc.assert(
      fc.property(json, json, (before, after) => {
        const change = changeOf(before, after)
        assert.deepEqual(change === undefined ? before : changed(before, asJson(change)), after)
      }),
      { numRuns: 60 },
    )
  })

  it('does the same for lists that share entries, in any order', () => {
    const entries = fc.array(fc.constantFrom({ id: 1 }, { id: 2, warnings: ['OPENED'] }, { id: 3 }, [], 7), {
      maxLength: 9,
    })
    fc.assert(
      fc.property(entries, entries, (before, after) => {
        const change = changeOf(before, after)
        assert.deepEqual(change === undefined ? before : changed(before, asJson(change)), after)
      }),
      { numRuns: 60 },
    )
  })

  it('is nothing for the same answer, also with its members in another order', () => {
    assert.equal(changeOf({ a: [1, { b: null }], c: 'x' }, { c: 'x', a: [1, { b: null }] }), undefined)
  })

  it('has only what is new in a list that goes on, and only the field of a device that changes', () => {
    const events = [{ event: 1 }, { event: 2 }, { event: 3 }]
    assert.deepEqual(changeOf(events, [...events.slice(1), { event: 4 }]), [
      '[',
      [-1, 2, ['+', { event: 4 }]],
    ])
    assert.deepEqual(changeOf(events, [{ event: 0 }, ...events]), ['[', [['+', { event: 0 }], 3]])
    assert.deepEqual(changeOf(events, events.slice(-1)), ['[', [-2, 1]])
    assert.deepEqual(changeOf(events, events.slice(0, 1)), ['[', [1, -2]])
    const devices = [{ id: 1 }, { id: 2, bypass: false, name: 'Hall' }, { id: 3 }]
    const bypassed = [{ id: 1 }, { id: 2, bypass: true, name: 'Hall' }, { id: 3 }]
    assert.deepEqual(changeOf(devices, bypassed), ['[', [1, ['{', { bypass: ['=', true] }, []], 1]])
  })
})
