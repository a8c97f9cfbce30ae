import assert from 'node:assert/strict'
import fc from 'fast-check'
import { anyJson } from '../../../harness/fixtures/any-json.ts'
import { parseValid } from '../../../harness/fixtures/samples.ts'
import { assertShape } from '../../../harness/fixtures/shape.ts'
import { eventProfiles } from '../../../src/service/catalogue/catalogue.ts'
import { parse } from '../../../src/service/schema.ts'

const interiorAlarm = {
  description: 'Alarme intérieure',
  description_original: 'Interior Alarm',
  description_placeholder_arguments: [],
  code_vis: '1',
  code_cid: '1132',
  code_sia: 'NBA',
  type_id: 1,
  label: 'EL_BURGLER',
  label_description: 'EL_BURGLER',
}
const group = (id: string, ...events: object[]) => ({ profile: { id, description: '' }, events })

describe('The event profiles', () => {
  // @spec 6.3
  it('are flattened to event types with their group and their label without EL_', () => {
    assert.deepEqual(parseValid(eventProfiles, [group('EP_ALARM', interiorAlarm)]), [
      {
        typeId: 1,
        group: 'EP_ALARM',
        vis: '1',
        contactId: '1132',
        sia: 'NBA',
        label: 'BURGLER',
        description: 'Alarme intérieure',
        descriptionOriginal: 'Interior Alarm',
      },
    ])
  })

  // @spec 6.3, placeholders
  it('fill the arguments of a type into the placeholders of its texts', () => {
    const filled = (description: string, ...values: unknown[]) => {
      const own = {
        description,
        description_original: description,
        description_placeholder_arguments: values,
      }
      const [type] = parseValid(eventProfiles, [group('EP_ALARM', { ...interiorAlarm, ...own })])
      assert.equal(type?.descriptionOriginal, type?.description)
      return type?.description
    }
    assert.equal(filled('Zone %s of %d', 'Hall', 3), 'Zone Hall of 3')
    assert.equal(filled('%2$s: zone %1$d', 3, 'Hall'), 'Hall: zone 3')
    assert.equal(filled('{1}: zone {0}', 3, 'Hall'), 'Hall: zone 3')
    assert.equal(filled('Zone {} of {}', 'Hall', 3), 'Zone Hall of 3')
    assert.equal(filled('Zone %s of %s, {7}', '$&'), 'Zone $& of %s, {7}')
    assert.equal(filled('Zone %s', { name: 'Hall' }), 'Zone %s')
    assert.equal(filled('100 % sure, %s'), '100 % sure, %s')
  })

  it('list the types of all groups in order, including groups that we do not know', () => {
    const types = parseValid(eventProfiles, [
      group('EP_ALARM', { type_id: 1 }, { type_id: 2 }),
      group('EP_WEATHER', { type_id: 3 }),
    ])
    assert.deepEqual(
      types.map(({ typeId, group }) => [typeId, group]),
      [
        [1, 'EP_ALARM'],
        [2, 'EP_ALARM'],
        [3, 'EP_WEATHER'],
      ],
    )
  })

  it('convert numeric codes to text and null to empty text', () => {
    const nulls = Object.fromEntries(Object.keys(interiorAlarm).map((name) => [name, null]))
    const bare = {
      typeId: 1,
      group: 'EP_ALARM',
      vis: '',
      contactId: '',
      sia: '',
      label: '',
      description: '',
      descriptionOriginal: '',
    }
    assert.deepEqual(
      parseValid(eventProfiles, [
        group('EP_ALARM', { ...nulls, type_id: 1 }, { type_id: 1, code_vis: 1, code_cid: 1132 }),
      ]),
      [bare, { ...bare, vis: '1', contactId: '1132' }],
    )
  })

  it('drop and count groups without an id and types without a type id', () => {
    const parsed = parse(eventProfiles, [
      { events: [interiorAlarm] },
      null,
      group('EP_ALARM', { label: 'EL_ARM' }),
    ])
    assert.deepEqual(parsed, { value: [], dropped: 3 })
  })

  it('read a group whose events are null as empty', () => {
    assert.deepEqual(parseValid(eventProfiles, [{ profile: { id: 'EP_ALL' }, events: null }]), [])
  })

  it('are rejected if they are not a list', () => {
    for (const answer of [null, {}, 'x']) assert.equal(parse(eventProfiles, answer), undefined)
  })

  it('have their declared shape for any JSON, and parsing never throws', () => {
    const any = anyJson([...Object.keys(interiorAlarm), 'profile', 'events', 'id'])
    const groups = fc.record({ profile: fc.constant({ id: 'EP_ALARM' }), events: fc.array(any) })
    fc.assert(
      fc.property(fc.array(fc.oneof(any, groups)), (answer) => {
        assertShape(parse(eventProfiles, answer)?.value, [
          {
            typeId: 'number',
            group: 'string',
            vis: 'string',
            contactId: 'string',
            sia: 'string',
            label: 'string',
            description: 'string',
            descriptionOriginal: 'string',
          },
        ])
      }),
    )
  })
})
