import assert from 'node:assert/strict'
import fc from 'fast-check'
import { anyJson } from '../../../harness/fixtures/any-json.ts'
import { device, parseValid } from '../../../harness/fixtures/samples.ts'
import { assertShape, nullable } from '../../../harness/fixtures/shape.ts'
import { alarms } from '../../../src/service/responses/alarms.ts'
import { devices } from '../../../src/service/responses/devices.ts'
import { parse } from '../../../src/service/schema.ts'

const noTraits = {
  rssi: null,
  location: null,
  bypass: null,
  soak: null,
  rarely_used: null,
  meteo_info: null,
  parent: null,
  owner: null,
}

const fields = {
  id: 'number',
  enrollment_id: 'string?',
  device_number: 'number?',
  device_type: 'string',
  zone_type: 'string?',
  subtype: 'string',
  preenroll: 'boolean',
  name: 'string',
  removable: 'boolean',
  renamable: 'boolean',
} as const
const warning = { type: 'string', severity: 'string', in_memory: 'boolean' } as const
const rssi = {
  current: 'string?',
  average: 'string?',
  channel: 'number?',
  repeater: 'number?',
  last_updated: 'string',
} as const
const measurement = nullable({ date: 'string', value: 'number' })
const enabled = nullable({ enabled: 'boolean' })

describe('The list of devices', () => {
  // @spec 2.10
  it('leave the lists of other answers changeable', () => {
    parseValid(devices, [{ id: 1 }])
    const [alarm] = parseValid(alarms, [{}])
    assert.ok(!Object.isFrozen(alarm?.partitions))
  })

  it('keeps the fields of a device that the interface specification shows', () => {
    const shown = {
      id: 11,
      enrollment_id: '100-0003',
      device_number: 3,
      device_type: 'ZONE',
      zone_type: 'PERIMETER',
      subtype: 'CONTACT',
      preenroll: false,
      warnings: [{ type: 'OPENED', severity: 'TROUBLE', in_memory: false }],
      partitions: [1],
      traits: {
        rssi: {
          average: 'strong',
          current: 'strong',
          channel: 4,
          repeater: null,
          last_updated: '2026-01-02 03:04:05',
        },
        location: { name: 'Hall' },
        bypass: { enabled: false },
        soak: { enabled: true },
        rarely_used: { enabled: false },
        meteo_info: {
          brightness: { date: '2026-01-02T03:04:05', value: 15 },
          temperature: { date: '2026-01-02T01:00:00', value: 20.5 },
        },
        parent: { id: 1, port: 2 },
        owner: { id: 3, name: 'Anna' },
      },
      name: 'Front door',
      removable: true,
      renamable: true,
    }
    const sent = { ...shown, more: 1, traits: { ...shown.traits, vod: {} } }
    assert.deepEqual(parseValid(devices, [sent]), [shown])
  })

  it('requires only the id of a device', () => {
    assert.deepEqual(parseValid(devices, [{ id: 1 }]), [
      {
        id: 1,
        enrollment_id: null,
        device_number: null,
        device_type: '',
        zone_type: null,
        subtype: '',
        preenroll: false,
        warnings: [],
        partitions: [],
        traits: noTraits,
        name: '',
        removable: false,
        renamable: false,
      },
    ])
  })

  // @spec device-ids
  it('accepts null as name, number, enrollment id and warnings', () => {
    const bare = device({ name: null, device_number: null, enrollment_id: null, warnings: null })
    assert.deepEqual([bare.name, bare.device_number, bare.enrollment_id, bare.warnings], ['', null, null, []])
  })

  // @spec other-subtypes, warnings
  it('keeps subtypes and warnings that we do not know', () => {
    const odd = device({ subtype: 'TELEPATH', warnings: [{ type: 'BORED' }] })
    assert.equal(odd.subtype, 'TELEPATH')
    assert.deepEqual(odd.warnings, [{ type: 'BORED', severity: '', in_memory: false }])
  })

  it('gives a device null traits if they are empty, null or missing', () => {
    for (const traits of [{}, null, undefined, []]) assert.deepEqual(device({ traits }).traits, noTraits)
  })

  it('reads each trait on its own, so that a malformed one does not affect the others', () => {
    const { traits } = device({ traits: { rssi: {}, location: 'Hall', bypass: { enabled: true }, soak: {} } })
    assert.deepEqual(traits.rssi, {
      current: null,
      average: null,
      channel: null,
      repeater: null,
      last_updated: '',
    })
    assert.deepEqual([traits.location, traits.bypass, traits.soak], [null, { enabled: true }, null])
    const { parent, owner } = device({ traits: { parent: { id: 1 }, owner: { id: 2, name: null } } }).traits
    assert.deepEqual(
      [parent, owner],
      [
        { id: 1, port: null },
        { id: 2, name: '' },
      ],
    )
  })

  it('reads temperature and brightness on their own, and each only with a number', () => {
    const meteo = (meteo_info: object) => device({ traits: { meteo_info } }).traits.meteo_info
    assert.deepEqual(meteo({ temperature: { value: 20 } }), {
      temperature: { date: '', value: 20 },
      brightness: null,
    })
    assert.deepEqual(meteo({ brightness: { value: 'dark', date: 'now' } }), {
      temperature: null,
      brightness: null,
    })
  })

  it('drops and counts devices without an id and warnings without a type', () => {
    const parsed = parse(devices, [{ name: 'ghost' }, { id: 'x' }, { id: 1, warnings: [{}, 'OPENED'] }])
    assert.equal(parsed?.dropped, 4)
    assert.deepEqual(
      parsed.value.map(({ id }) => id),
      [1],
    )
  })

  it('is rejected if it is not a list', () => {
    for (const answer of [null, {}, 'x']) assert.equal(parse(devices, answer), undefined)
  })

  it('does not use a member __proto__ as a prototype', () => {
    const hostile = '[{"id":1,"__proto__":{"name":"x"},"traits":{"__proto__":{"location":{"name":"x"}}}}]'
    const [harmless] = parseValid(devices, JSON.parse(hostile))
    assert.equal(harmless?.name, '')
    assert.deepEqual(harmless.traits, noTraits)
    assert.equal(Object.getPrototypeOf(harmless), Object.prototype)
  })

  it('has its declared shape for any JSON, and parsing never throws', () => {
    const names = [...Object.keys({ ...fields, ...warning, ...rssi, ...noTraits }), 'warnings', 'enabled']
    const any = anyJson([...names, 'temperature', 'brightness', 'value', 'date', 'port', 'partitions'])
    const one = fc.record({
      id: fc.nat(),
      warnings: any,
      traits: fc.oneof(any, fc.dictionary(fc.string(), any)),
    })
    fc.assert(
      fc.property(fc.array(fc.oneof(any, one)), (answer) => {
        assertShape(parse(devices, answer)?.value, [
          {
            ...fields,
            warnings: [warning],
            partitions: ['number'],
            traits: {
              rssi: nullable(rssi),
              location: nullable({ name: 'string' }),
              bypass: enabled,
              soak: enabled,
              rarely_used: enabled,
              meteo_info: nullable({ brightness: measurement, temperature: measurement }),
              parent: nullable({ id: 'number', port: 'number?' }),
              owner: nullable({ id: 'number', name: 'string' }),
            },
          },
        ])
      }),
    )
  })
})
