import assert from 'node:assert/strict'
import fc from 'fast-check'
import { repetitions } from '../../../harness/mocha/depth.ts'
import { eventKey, hash } from '../../../src/panel/events/event-order.ts'
import type { PanelEvent } from '../../../src/service/responses/events.ts'

const event: PanelEvent = {
  event: 198668428,
  type_id: 86,
  label: 'ARM',
  description: 'Arm Away',
  appointment: 'Anna',
  datetime: '2026-03-01 12:00:00',
  video: false,
  device_type: 'USER',
  zone: 1,
  zone_name: '',
  partitions: [1],
}
const bare: PanelEvent = { ...event, event: 0 }

/** Events with few differences, so that equal ones occur. */
const anyEvent = fc
  .record({
    event: fc.constantFrom(null, 0, 1, 2 ** 32, 2 ** 32 + 1, Number.MAX_SAFE_INTEGER),
    type_id: fc.constantFrom(null, 85, 86),
    zone: fc.constantFrom(null, 0, 1),
    appointment: fc.constantFrom('', 'Anna', 'ann', '\u{1f511}'),
    device_type: fc.constantFrom('', 'USER', 'IPMP'),
    datetime: fc.constantFrom('', '2026-03-01 12:00:00', '2026-03-01 12:00:01'),
  })
  .map((fields): PanelEvent => ({ ...event, ...fields }))

/** Returns the key of an event that has no equal one before it. */
const keyOf = (serial: string, one: PanelEvent) => eventKey(serial, one, 1)

describe('The key of an event', () => {
  it('never changes', () => {
    assert.equal(keyOf('A1B2C3', event), 'A1B2C3-198668428-86-2026-03-01 12:00:00')
    assert.equal(keyOf('A1B2C3', bare), 'A1B2C3--86-2026-03-01 12:00:00-1-USER-Anna')
  })

  it('is the same for the id 0 and for no id', () => {
    assert.equal(keyOf('A1B2C3', { ...event, event: null }), keyOf('A1B2C3', bare))
  })

  it('does not depend on texts in the language of the user', () => {
    for (const one of [event, bare]) {
      const translated = { ...one, description: 'Scharf', label: 'SCHARF', zone_name: 'Haustür' }
      assert.equal(keyOf('A1B2C3', translated), keyOf('A1B2C3', one))
    }
  })

  // @spec event-ids
  it('distinguishes an event from one with the same id after a reset', () => {
    const later = { ...event, datetime: '2026-03-02 12:00:00' }
    assert.notEqual(keyOf('A1B2C3', later), keyOf('A1B2C3', event))
  })

  // @spec event-ids
  it('distinguishes events without an id by type, zone, actor, device and time', () => {
    const others: Partial<PanelEvent>[] = [
      { type_id: 89 },
      { zone: 2 },
      { zone: null },
      { appointment: 'Otto' },
      { device_type: 'IPMP' },
      { datetime: '2026-03-01 12:00:01' },
    ]
    const all = [bare, ...others.map((other) => ({ ...bare, ...other }))]
    assert.equal(new Set(all.map((one) => keyOf('A1B2C3', one))).size, all.length)
  })

  it('has a number for each further equal event', () => {
    assert.equal(eventKey('A1B2C3', bare, 2), `${keyOf('A1B2C3', bare)}#2`)
  })

  it('differs between panels', () => {
    assert.notEqual(keyOf('A1B2C3', event), keyOf('A1B2C4', event))
  })
})

describe('The hash of an event', () => {
  it('never changes, because it is stored on disk', () => {
    assert.deepEqual([hash(event), hash(bare)], [5151180576911544, 4733031424671170])
  })

  it('is a safe integer', () => {
    fc.assert(fc.property(anyEvent, (one) => Number.isSafeInteger(hash(one)) && hash(one) >= 0))
  })

  it('is equal for two events of a panel exactly if their keys are', () => {
    fc.assert(
      fc.property(anyEvent, anyEvent, (one, other) => {
        assert.equal(hash(one) === hash(other), keyOf('A1B2C3', one) === keyOf('A1B2C3', other))
      }),
      { numRuns: repetitions(2000, 500) },
    )
  })

  it('differs for 100,000 consecutive events', () => {
    const following = (from: PanelEvent, nth: number): PanelEvent => ({
      ...from,
      event: from.event === 0 ? 0 : nth + 1,
      datetime: new Date(nth * 1000).toISOString(),
    })
    for (const from of [event, bare]) {
      const hashes = Array.from({ length: 100_000 }, (_, nth) => hash(following(from, nth)))
      assert.equal(new Set(hashes).size, hashes.length)
    }
  })
})
