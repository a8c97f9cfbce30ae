import assert from 'node:assert/strict'
import fc from 'fast-check'
import { anyJson } from '../../../harness/fixtures/any-json.ts'
import { parseValid, stateSet } from '../../../harness/fixtures/samples.ts'
import { assertShape, mapOf, nullable } from '../../../harness/fixtures/shape.ts'
import { panelInfo } from '../../../src/service/responses/panel-info.ts'
import { parse } from '../../../src/service/schema.ts'

const least = { serial: '00C0DE' }

describe('The panel information', () => {
  // @spec 2.5
  it('keeps the fields of the panel that the interface specification shows', () => {
    const shown = {
      serial: '00C0DE',
      model: '360R',
      manufacturer: 'Vendor',
      current_user: 'master_user',
      bypass_mode: 'manual_bypass',
      local_wakeup_needed: true,
      remote_switch_to_programming_mode_requires_user_acceptance: false,
    }
    const { state_sets, partitions, features, ...kept } = parseValid(panelInfo, { ...shown, secret: 'no' })
    assert.deepEqual(kept, shown)
  })

  it('is rejected without a serial, and if it is not an object', () => {
    for (const answer of [null, [], 'x', {}, { serial: null }])
      assert.equal(parse(panelInfo, answer), undefined)
  })

  it('uses defaults if all fields but the serial are missing or null', () => {
    assert.deepEqual(parseValid(panelInfo, { ...least, model: null }), {
      serial: '00C0DE',
      model: '',
      manufacturer: '',
      current_user: '',
      state_sets: new Map(),
      partitions: [],
      bypass_mode: '',
      local_wakeup_needed: null,
      remote_switch_to_programming_mode_requires_user_acceptance: null,
      features: null,
    })
  })

  // @spec 2.6
  it('keeps the state sets under their names, with null options, statuses and transitions read as empty', () => {
    const { state_sets } = parseValid(panelInfo, { ...least, state_sets: { all: stateSet } })
    assert.deepEqual(state_sets.get('all')?.[0], stateSet[0])
    assert.deepEqual(state_sets.get('all')?.[4], {
      name: 'PROGRAMMING',
      settable: false,
      options: [],
      statuses: [],
      transitions: [],
    })
  })

  it('reads a state set that is not a list as empty, and a state without settable as not settable', () => {
    const { state_sets } = parseValid(panelInfo, {
      ...least,
      state_sets: { a: null, b: [{ name: 'SLEEP' }] },
    })
    assert.deepEqual(state_sets.get('a'), [])
    assert.equal(state_sets.get('b')?.[0]?.settable, false)
  })

  it('drops and counts states without a name and partitions without an id', () => {
    const parsed = parse(panelInfo, {
      ...least,
      state_sets: { all: [{ settable: true }, ...stateSet] },
      partitions: [{ name: 'nobody' }, { id: 1.5 }, { id: 1 }],
    })
    assert.equal(parsed?.dropped, 3)
    assert.equal(parsed.value.state_sets.get('all')?.length, stateSet.length)
    assert.equal(parsed.value.partitions.length, 1)
  })

  // @spec exit-delay-field
  it('reads the exit delay under both of its names, and a partition as active by default', () => {
    const { partitions } = parseValid(panelInfo, {
      ...least,
      partitions: [
        { id: 1, exit_delay_time: 30, active: false, state_set: 'all', name: 'Shop' },
        { id: 2, exit_delay: 40 },
        { id: 3 },
      ],
    })
    assert.deepEqual(partitions, [
      { id: 1, exit_delay_time: 30, active: false, state_set: 'all', name: 'Shop' },
      { id: 2, exit_delay_time: 40, active: true, state_set: '', name: '' },
      { id: 3, exit_delay_time: null, active: true, state_set: '', name: '' },
    ])
  })

  it('keeps the value of each feature, with null for missing ones', () => {
    const { features } = parseValid(panelInfo, {
      ...least,
      features: { enabling_siren: true, alerts: 'yes' },
    })
    assert.equal(features?.enabling_siren, true)
    assert.equal(features.alerts, null)
    assert.equal(features.disabling_siren, null)
  })

  it('does not use a member __proto__ as a prototype', () => {
    const hostile = '{"serial":"A","__proto__":{"model":"x"},"state_sets":{"__proto__":[{"name":"AWAY"}]}}'
    const info = parseValid(panelInfo, JSON.parse(hostile))
    assert.equal(Object.getPrototypeOf(info), Object.prototype)
    assert.equal(info.model, '')
    assert.deepEqual([...info.state_sets.keys()], ['__proto__'])
  })

  it('has its declared shape for any JSON, and parsing never throws', () => {
    const features = {
      video_on_demand: 'boolean?',
      alerts: 'boolean?',
      enabling_siren: 'boolean?',
      disabling_siren: 'boolean?',
      wi_fi_connection: 'boolean?',
      set_date_time: 'boolean?',
      outputs_setup: 'boolean?',
    } as const
    const state = {
      name: 'string',
      settable: 'boolean',
      options: ['string'],
      statuses: ['string'],
      transitions: ['string'],
    } as const
    const partition = {
      id: 'number',
      active: 'boolean',
      exit_delay_time: 'number?',
      state_set: 'string',
      name: 'string',
    } as const
    const names = ['id', 'exit_delay', ...[features, state, partition].flatMap(Object.keys)]
    const members = fc.record({
      serial: fc.constant('A'),
      state_sets: fc.dictionary(fc.string(), anyJson(names)),
      partitions: fc.array(anyJson(names)),
      features: anyJson(names),
      bypass_mode: anyJson(names),
    })
    fc.assert(
      fc.property(members, (answer) => {
        assertShape(parse(panelInfo, answer)?.value, {
          serial: 'string',
          model: 'string',
          manufacturer: 'string',
          current_user: 'string',
          bypass_mode: 'string',
          local_wakeup_needed: 'boolean?',
          remote_switch_to_programming_mode_requires_user_acceptance: 'boolean?',
          state_sets: mapOf([state]),
          partitions: [partition],
          features: nullable(features),
        })
      }),
    )
  })
})
