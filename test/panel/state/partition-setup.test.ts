import assert from 'node:assert/strict'
import { parseValid } from '../../../harness/fixtures/samples.ts'
import { partitionSetup } from '../../../src/panel/state/partition-setup.ts'
import { panelInfo } from '../../../src/service/responses/panel-info.ts'

describe('The settable states of a partition', () => {
  const settable = (fields: object) =>
    partitionSetup(parseValid(panelInfo, { serial: 'A', ...fields }), -1, 'DISARM').settable

  it('follow the table of the interface specification if the panel has no state set', () => {
    for (const fields of [{}, { state_sets: null }, { state_sets: {} }]) {
      assert.deepEqual(settable({ ...fields, partitions: [{ id: -1 }] }), ['AWAY', 'HOME', 'DISARM'])
    }
  })

  it('follow the state set of the panel if it has one, even an empty one', () => {
    assert.deepEqual(settable({ state_sets: { all: [] } }), [])
  })

  it('are empty if the panel information is unknown', () => {
    assert.deepEqual(partitionSetup(null, -1, 'DISARM').settable, [])
  })
})
