import assert from 'node:assert/strict'
import fc from 'fast-check'
import { anyJson } from '../../../harness/fixtures/any-json.ts'
import { parseValid } from '../../../harness/fixtures/samples.ts'
import { assertShape, nullable, type Shape } from '../../../harness/fixtures/shape.ts'
import { featureSet } from '../../../src/service/responses/feature-set.ts'
import { parse } from '../../../src/service/schema.ts'

const motion = {
  enrollment_prefix: '120',
  name: 'MOTION',
  enroll: false,
  removing: false,
  partitions_required: true,
  users_required: false,
  is_zone_type_applicable: true,
}
const shown = {
  events: { is_enabled: true },
  datetime: { is_enabled: true },
  partitions: { is_enabled: true, is_labels_enabled: true, is_labels_editable: false, max_partitions: 3 },
  sirens: { can_enable: true, can_disable: false },
  devices: {
    is_enabled: true,
    is_enrollable: true,
    devices: [motion],
    zone_types: ['PERIMETER', 'CUSTOM_2'],
    video_on_demand: false,
  },
  home_automation_devices: {
    is_enabled: true,
    enabling: true,
    disabling: true,
    toggling: true,
    setting: false,
  },
  state: { is_enabled: true, can_set: true, can_get: true },
  faults: { is_enabled: true, has_alarms: true, has_alerts: true, has_troubles: false },
  diagnostic: { is_enabled: true },
  wifi: { is_enabled: false },
  locations: { is_enabled: true },
  user: { editable_features: ['UEF_CODE', 'UEF_LABEL'], code_length: [4, 6] },
  emergency: { is_enabled: true, is_support_specified_partitions: false },
}

describe('The feature set', () => {
  // @spec 2.7, 8.2, 8.3, emergency, users-required
  it('keeps the fields that the interface specification shows', () => {
    assert.deepEqual(parseValid(featureSet, { ...shown, cameras: { rtsp: false } }), shown)
  })

  it('has null for each section that the service leaves out', () => {
    const nulls = Object.fromEntries(Object.keys(shown).map((name) => [name, null]))
    assert.deepEqual(parseValid(featureSet, {}), nulls)
  })

  it('has null for each flag and number that the service leaves out', () => {
    const { partitions, devices, user } = parseValid(featureSet, { partitions: {}, devices: {}, user: {} })
    assert.deepEqual(partitions, {
      is_enabled: null,
      is_labels_enabled: null,
      is_labels_editable: null,
      max_partitions: null,
    })
    assert.deepEqual(devices, {
      is_enabled: null,
      is_enrollable: null,
      devices: [],
      zone_types: [],
      video_on_demand: null,
    })
    assert.deepEqual(user, { editable_features: [], code_length: [] })
  })

  it('keeps subtypes, zone types and user features that we do not know', () => {
    const { devices, user } = parseValid(featureSet, {
      devices: { devices: [{ name: 'TELEPATH' }], zone_types: ['ATTIC'] },
      user: { editable_features: ['UEF_MOOD'] },
    })
    assert.equal(devices?.devices[0]?.name, 'TELEPATH')
    assert.deepEqual([devices.zone_types, user?.editable_features], [['ATTIC'], ['UEF_MOOD']])
  })

  it('drops and counts device types without a name', () => {
    assert.equal(parse(featureSet, { devices: { devices: [{}, null, motion] } })?.dropped, 2)
  })

  it('is rejected if it is not an object', () => {
    for (const answer of [null, [], 'x']) assert.equal(parse(featureSet, answer), undefined)
  })

  it('has its declared shape for any JSON, and parsing never throws', () => {
    const flags = (...names: string[]): Shape =>
      nullable(Object.fromEntries(names.map((name) => [name, 'boolean?'] as const)))
    const enabled = flags('is_enabled')
    const any = anyJson([...Object.keys(shown), ...Object.keys(motion), ...Object.keys(shown.devices)])
    fc.assert(
      fc.property(
        fc.record({ partitions: any, devices: any, user: any, state: any, wifi: any }),
        (answer) => {
          assertShape(parseValid(featureSet, answer), {
            events: enabled,
            datetime: enabled,
            partitions: nullable({
              is_enabled: 'boolean?',
              is_labels_enabled: 'boolean?',
              is_labels_editable: 'boolean?',
              max_partitions: 'number?',
            }),
            sirens: flags('can_enable', 'can_disable'),
            devices: nullable({
              is_enabled: 'boolean?',
              is_enrollable: 'boolean?',
              devices: [
                {
                  enrollment_prefix: 'string',
                  name: 'string',
                  enroll: 'boolean?',
                  removing: 'boolean?',
                  partitions_required: 'boolean?',
                  users_required: 'boolean?',
                  is_zone_type_applicable: 'boolean?',
                },
              ],
              zone_types: ['string'],
              video_on_demand: 'boolean?',
            }),
            home_automation_devices: flags('is_enabled', 'enabling', 'disabling', 'toggling', 'setting'),
            state: flags('is_enabled', 'can_set', 'can_get'),
            faults: flags('is_enabled', 'has_alarms', 'has_alerts', 'has_troubles'),
            diagnostic: enabled,
            wifi: enabled,
            locations: enabled,
            user: nullable({ editable_features: ['string'], code_length: ['number'] }),
            emergency: flags('is_enabled', 'is_support_specified_partitions'),
          })
        },
      ),
    )
  })
})
