import assert from 'node:assert/strict'
import fc from 'fast-check'
import { anyJson } from '../../../harness/fixtures/any-json.ts'
import { parseValid } from '../../../harness/fixtures/samples.ts'
import { assertShape, mapOf } from '../../../harness/fixtures/shape.ts'
import { concerns, status, wholePanel } from '../../../src/service/responses/status.ts'
import { parse } from '../../../src/service/schema.ts'

const transports = (answer: object) => Object.fromEntries(parseValid(status, answer).connected_status)

describe('The status answer', () => {
  // @spec current-state
  it('keeps the known fields of a partition, and state and status words that we do not know', () => {
    const known = { id: -1, state: 'ASLEEP', status: 'SNORING', ready: true, options: ['DREAMS'] }
    assert.deepEqual(parseValid(status, { partitions: [{ ...known, more: 1 }] }).partitions, [known])
  })

  it('reads a missing status as empty, missing readiness as null, and null options as an empty list', () => {
    assert.deepEqual(
      parseValid(status, { partitions: [{ id: 1, state: 'AWAY', options: null }] }).partitions,
      [{ id: 1, state: 'AWAY', status: '', ready: null, options: [] }],
    )
  })

  it('drops and counts partitions without id or state', () => {
    const parsed = parse(status, {
      partitions: [{ id: 1 }, { state: 'AWAY' }, null, { id: 2, state: 'HOME' }],
    })
    assert.equal(parsed?.dropped, 3)
    assert.deepEqual(
      parsed.value.partitions.map(({ id }) => id),
      [2],
    )
  })

  it('keeps each transport, with both names of the connected flag', () => {
    const connected_status = { bba: { is_connected: false, state: 'online' }, gprs: { connected: true } }
    assert.deepEqual(transports({ connected_status }), {
      bba: { is_connected: false, state: 'online' },
      gprs: { is_connected: true, state: null },
    })
  })

  it('reads a transport that is null as unknown, without counting it as dropped', () => {
    const parsed = parse(status, { connected: null, connected_status: { bba: null } })
    assert.deepEqual(
      [...(parsed?.value.connected_status ?? [])],
      [['bba', { is_connected: null, state: null }]],
    )
    assert.equal(parsed?.value.connected, null)
    assert.equal(parsed.dropped, 0)
  })

  it('has no transports if the service names none', () => {
    assert.deepEqual(transports({}), {})
    assert.deepEqual(transports({ connected_status: null }), {})
  })

  it('finds the transports of an installer service at the top level', () => {
    const installer = { bba: { connected: true, state: 'online' }, gprs: null, wifi: { state: 'offline' } }
    assert.deepEqual(transports(installer), {
      bba: { is_connected: true, state: 'online' },
      wifi: { is_connected: null, state: 'offline' },
    })
  })

  it('is rejected if it is not an object', () => {
    for (const answer of [null, [], 'x', 1]) assert.equal(parse(status, answer), undefined)
  })

  it('does not use a member __proto__ as a prototype', () => {
    const { connected_status } = parseValid(
      status,
      JSON.parse('{"connected_status":{"__proto__":{"state":"online"}}}'),
    )
    assert.deepEqual([...connected_status.keys()], ['__proto__'])
    assert.equal(Object.getPrototypeOf(connected_status), Map.prototype)
  })

  it('has its declared shape for any JSON, and parsing never throws', () => {
    const partition = {
      id: 'number',
      state: 'string',
      status: 'string',
      ready: 'boolean?',
      options: ['string'],
    } as const
    const any = anyJson([...Object.keys(partition), 'connected', 'is_connected', 'bba'])
    const members = fc.record({
      connected: any,
      connected_status: any,
      partitions: fc.oneof(any, fc.array(any)),
      bba: any,
      wifi: any,
    })
    fc.assert(
      fc.property(members, (answer) => {
        assertShape(parse(status, answer)?.value, {
          connected: 'boolean?',
          connected_status: mapOf({ is_connected: 'boolean?', state: 'string?' }),
          partitions: [partition],
        })
      }),
    )
  })
})

describe('A list of partitions', () => {
  it('concerns only the partitions that it names', () => {
    assert.equal(concerns([1, 2], 2), true)
    assert.equal(concerns([1, 2], 3), false)
  })

  // @spec all-partitions
  it('concerns every partition if it is empty or names the whole panel', () => {
    assert.equal(concerns([], 3), true)
    assert.equal(concerns([1, wholePanel], 3), true)
  })

  it('always concerns the whole panel', () => assert.equal(concerns([1], wholePanel), true))
})
