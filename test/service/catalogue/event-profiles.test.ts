import assert from 'node:assert/strict'
import fc from 'fast-check'
import { anyJson } from '../../../harness/fixtures/any-json.ts'
import { parseValid } from '../../../harness/fixtures/samples.ts'
import { assertShape } from '../../../harness/fixtures/shape.ts'
import { eventProfiles } from '../../../src/service/catalogue/event-profiles.ts'
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
  it('give each event type with its group and its label without EL_', () => {
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

  it('give the groups laid end to end, groups never seen among them', () => {
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

  it('take codes as text, also where they come as numbers, and null as empty', () => {
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

  it('take a group without events as empty', () => {
    assert.deepEqual(parseValid(eventProfiles, [{ profile: { id: 'EP_ALL' }, events: null }]), [])
  })

  it('are refused when they are no list', () => {
    for (const answer of [null, {}, 'x']) assert.equal(parse(eventProfiles, answer), undefined)
  })

  it('have their shape whatever JSON comes, and never throw', () => {
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
