import assert from 'node:assert/strict'
import {
  type DeviceSubtype,
  deviceSubtypes,
  outputZoneType,
  subtypeFlags,
  zoneTypes,
} from '../../../src/service/catalogue/device-types.ts'

const all = [...deviceSubtypes.values()]
const names = (subtypes: DeviceSubtype[]) => subtypes.map(({ name }) => name)

describe('The device subtypes', () => {
  for (const [group, count] of Object.entries({ A: 6, B: 5, C: 35, D: 9 })) {
    // @spec 2.8
    it(`contain the ${count} subtypes of the interface specification's group ${group}`, () => {
      assert.equal(all.filter((subtype) => subtype.specified && subtype.group === group).length, count)
    })
  }

  it('contain four more that were found in the field, and no duplicates', () => {
    assert.deepEqual(names(all.filter(({ specified }) => !specified)), [
      'DSC_KEYFOB_1',
      'DSC_KEYFOB_2',
      'VISONIC_PANEL',
      'SOUNDER',
    ])
    assert.equal(all.length, 6 + 5 + 35 + 9 + 4)
  })

  it('are looked up by name', () => {
    assert.deepEqual(deviceSubtypes.get('FLAT_PIR_SMART'), {
      name: 'FLAT_PIR_SMART',
      enrollment_prefix: '126',
      group: 'C',
      specified: true,
    })
    assert.equal(deviceSubtypes.get('SOUNDER')?.enrollment_prefix, '412')
  })

  it('have an empty prefix or one of three digits, with its leading zeros', () => {
    for (const { enrollment_prefix } of all) assert.match(enrollment_prefix, /^(\d{3})?$/)
    assert.deepEqual(names(all.filter(({ enrollment_prefix }) => enrollment_prefix === '')), [
      'VENDORA_PANEL',
      'POWER_LINK',
      'GENERIC_PROXY_TAG',
      'GENERIC_PGM',
      'VISONIC_PANEL',
    ])
    assert.equal(deviceSubtypes.get('PGM_ON_PANEL')?.enrollment_prefix, '070')
  })

  it('have unique prefixes within the interface specification', () => {
    const prefixes = all
      .filter(({ specified }) => specified)
      .map(({ enrollment_prefix }) => enrollment_prefix)
    const given = prefixes.filter((prefix) => prefix !== '')
    assert.equal(new Set(given).size, given.length)
  })

  // @spec 2.8
  it('allow enrolling and removing in group A, require partitions in C and D and users in none, and have a zone type in C', () => {
    const groups = (flag: keyof (typeof subtypeFlags)['A']) =>
      (['A', 'B', 'C', 'D'] as const).filter((group) => subtypeFlags[group][flag]).join('')
    assert.deepEqual(
      [
        groups('enroll'),
        groups('removing'),
        groups('partitions_required'),
        groups('users_required'),
        groups('is_zone_type_applicable'),
      ],
      ['A', 'A', 'CD', '', 'C'],
    )
  })
})

describe('The zone types', () => {
  // @spec 2.9
  it('are the 25 of the interface specification, without duplicates', () => {
    assert.equal(zoneTypes.length, 25)
    assert.equal(new Set(zoneTypes).size, 25)
    assert.deepEqual([zoneTypes[0], zoneTypes[24]], ['NON_ALARM', 'CUSTOM_2'])
  })

  // @spec 2.9
  it('do not include the zone type that only outputs have', () =>
    assert.ok(!zoneTypes.includes(outputZoneType)))
})
