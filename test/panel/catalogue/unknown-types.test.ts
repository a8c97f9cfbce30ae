import assert from 'node:assert/strict'
import fc from 'fast-check'
import { catalogue, device, event } from '../../../harness/fixtures/samples.ts'
import {
  UnknownTypeCollector,
  unknownSubtypes,
  unknownTypeIds,
  unknownWarnings,
} from '../../../src/panel/catalogue/unknown-types.ts'
import { deviceSubtypes } from '../../../src/service/catalogue/device-subtypes.ts'
import { deviceWarnings } from '../../../src/service/catalogue/device-warnings.ts'

const warned = (...types: string[]) => device({ warnings: types.map((type) => ({ type })) })

describe('Unknown words', () => {
  it('are type ids that the catalogue does not have', () => {
    const events = [85, 7001, null, -1, 1_000_000, 0].map((type_id) => event({ type_id }))
    assert.deepEqual(unknownTypeIds(events, catalogue), [7001, ...(catalogue.has(0) ? [] : [0])])
  })

  // @spec 2.8
  it('are subtypes and warnings that no list has', () => {
    const known = [...deviceSubtypes.keys()].map((subtype) => device({ subtype }))
    assert.deepEqual(unknownSubtypes([...known, device({ subtype: 'RADAR_MOTION' })]), ['RADAR_MOTION'])
    const devices = [warned(...deviceWarnings), warned('OPENED', 'HICCUP')]
    assert.deepEqual([...unknownWarnings(devices)], ['HICCUP'])
  })

  it('are nothing that may be private: no address, no name with a space, no long text, nothing empty', () => {
    const texts = ['me@example.com', 'Anna Smith', 'https://x', 'Küche', '', 'X'.repeat(41), 'a\nb']
    assert.deepEqual(unknownSubtypes(texts.map((subtype) => device({ subtype }))), [])
    assert.deepEqual([...unknownWarnings([warned(...texts)])], [])
  })

  it('are each told once, sorted, fifty of a kind at most', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 5000, max: 5200 }), { maxLength: 150, size: 'max' }), (ids) => {
        const words = new UnknownTypeCollector()
        words.noteEvents(
          ids.map((type_id) => event({ type_id })),
          catalogue,
        )
        words.noteDevices(ids.map((id) => device({ subtype: `S${id}`, warnings: [{ type: `W${id}` }] })))
        const first = [...new Set(ids)].slice(0, 50).sort()
        assert.deepEqual(words.all, {
          typeIds: first,
          subtypes: first.map((id) => `S${id}`),
          warnings: first.map((id) => `W${id}`),
        })
      }),
    )
  })

  it('stay when the list moves on, and are known once the service has told its own catalogue', () => {
    const words = new UnknownTypeCollector()
    words.noteEvents([event({ event: 1, type_id: 7001 }), event({ event: 2, type_id: 7002 })], catalogue)
    words.noteEvents([event({ event: 3 })], catalogue)
    assert.deepEqual(words.all.typeIds, [7001, 7002])
    const { typeId: _, ...texts } = [...catalogue.values()][0] ?? assert.fail()
    const later = new Map([...catalogue, [7001, { typeId: 7001, ...texts }]])
    words.noteEvents([event({ event: 3 })], later)
    assert.deepEqual(words.all.typeIds, [7002])
  })

  it('are looked for in an unchanged list once only', () => {
    const events = Array.from({ length: 1000 }, (_, id) => event({ event: id + 1, type_id: 7001 }))
    const words = new UnknownTypeCollector()
    let lookups = 0
    const counted = new Map(catalogue)
    counted.has = (id) => {
      lookups += 1
      return catalogue.has(id)
    }
    words.noteEvents(events, counted)
    const first = lookups
    words.noteEvents([...events], counted)
    assert.deepEqual([first, lookups], [1000, 1000])
    words.noteEvents([...events.slice(1), event({ event: 1001 })], counted)
    assert.ok(lookups > first)
    const second = lookups
    words.noteEvents([...events.slice(1), event({ event: 1002 })], counted)
    assert.ok(lookups > second)
  })
})
