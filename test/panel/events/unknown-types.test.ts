import assert from 'node:assert/strict'
import fc from 'fast-check'
import { catalogue, device, event } from '../../../harness/fixtures/samples.ts'
import { UnknownTypeCollector, type UnknownTypes } from '../../../src/panel/events/event-catalogue.ts'
import { deviceSubtypes, deviceTypes, deviceWarnings } from '../../../src/service/catalogue/device-types.ts'
import type { Device } from '../../../src/service/responses/devices.ts'

const warned = (...types: string[]) => device({ warnings: types.map((type) => ({ type })) })

function unknownOf(devices: readonly Device[]): UnknownTypes {
  const collector = new UnknownTypeCollector()
  collector.noteDevices(devices)
  return collector.all
}

describe('Unknown values', () => {
  it('include the type ids that are not in the catalogue', () => {
    const events = [85, 7001, null, -1, 1_000_000, 0].map((type_id) => event({ type_id }))
    const collector = new UnknownTypeCollector()
    collector.noteEvents(events, catalogue)
    assert.deepEqual(collector.all.typeIds, [...(catalogue.has(0) ? [] : [0]), 7001])
  })

  // @spec 2.8
  it('include the types of devices, subtypes and warnings that are in no list', () => {
    const known = [...deviceSubtypes.keys()].map((subtype) => device({ subtype }))
    const types = [...deviceTypes, 'GSM', 'PENDANT'].map((device_type) => device({ device_type }))
    const unknown = [...types, device({ subtype: 'RADAR_MOTION' }), warned('OPENED', 'HICCUP')]
    assert.deepEqual(unknownOf([...known, warned(...deviceWarnings), ...unknown]), {
      typeIds: [],
      deviceTypes: ['GSM', 'PENDANT'],
      subtypes: ['RADAR_MOTION'],
      warnings: ['HICCUP'],
    })
  })

  it('never include text that can be private: addresses, names with a space, long texts, empty texts', () => {
    const texts = ['me@example.com', 'Anna Smith', 'https://x', 'Küche', '', 'X'.repeat(41), 'a\nb']
    const devices = [
      ...texts.map((subtype) => device({ subtype })),
      ...texts.map((device_type) => device({ device_type })),
      warned(...texts),
    ]
    assert.deepEqual(unknownOf(devices), { typeIds: [], deviceTypes: [], subtypes: [], warnings: [] })
  })

  it('are reported once each, sorted, at most fifty of a kind', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 5000, max: 5200 }), { maxLength: 150, size: 'max' }), (ids) => {
        const collector = new UnknownTypeCollector()
        collector.noteEvents(
          ids.map((type_id) => event({ type_id })),
          catalogue,
        )
        collector.noteDevices(ids.map((id) => device({ subtype: `S${id}`, warnings: [{ type: `W${id}` }] })))
        const first = [...new Set(ids)].slice(0, 50).sort()
        assert.deepEqual(collector.all, {
          typeIds: first,
          deviceTypes: [],
          subtypes: first.map((id) => `S${id}`),
          warnings: first.map((id) => `W${id}`),
        })
      }),
    )
  })

  it('remain when the list moves on, and disappear when the catalogue of the service contains them', () => {
    const collector = new UnknownTypeCollector()
    collector.noteEvents([event({ event: 1, type_id: 7001 }), event({ event: 2, type_id: 7002 })], catalogue)
    collector.noteEvents([event({ event: 3 })], catalogue)
    assert.deepEqual(collector.all.typeIds, [7001, 7002])
    const { typeId: _, ...texts } = [...catalogue.values()][0] ?? assert.fail()
    const later = new Map([...catalogue, [7001, { typeId: 7001, ...texts }]])
    collector.noteEvents([event({ event: 3 })], later)
    assert.deepEqual(collector.all.typeIds, [7002])
  })

  it('are searched for only once in an unchanged list', () => {
    const events = Array.from({ length: 1000 }, (_, id) => event({ event: id + 1, type_id: 7001 }))
    const collector = new UnknownTypeCollector()
    let lookups = 0
    const countingCatalogue = new Map(catalogue)
    countingCatalogue.has = (id) => {
      lookups += 1
      return catalogue.has(id)
    }
    collector.noteEvents(events, countingCatalogue)
    const first = lookups
    collector.noteEvents([...events], countingCatalogue)
    assert.deepEqual([first, lookups], [1000, 1000])
    collector.noteEvents([...events.slice(1), event({ event: 1001 })], countingCatalogue)
    assert.ok(lookups > first)
    const second = lookups
    collector.noteEvents([...events.slice(1), event({ event: 1002 })], countingCatalogue)
    assert.ok(lookups > second)
  })
})
