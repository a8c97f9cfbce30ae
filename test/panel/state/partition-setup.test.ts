import assert from 'node:assert/strict'
import { parseValid } from '../../../harness/fixtures/samples.ts'
import { partitionSetup } from '../../../src/panel/state/partition-setup.ts'
import { panelInfo } from '../../../src/service/responses/panel-info.ts'

describe('What may be requested of a partition', () => {
  const settable = (fields: object) =>
    partitionSetup(parseValid(panelInfo, { serial: 'A', ...fields }), -1, 'DISARM').settable

  it('follows the table of the interface specification where the panel gives no state set', () => {
    for (const fields of [{}, { state_sets: null }, { state_sets: {} }]) {
      assert.deepEqual(settable({ ...fields, partitions: [{ id: -1 }] }), ['AWAY', 'HOME', 'DISARM'])
    }
  })

  it("follows the panel's own state set where it gives one, even an empty one", () => {
    assert.deepEqual(settable({ state_sets: { all: [] } }), [])
  })

  it('is nothing while the set-up of the panel is not known', () => {
    assert.deepEqual(partitionSetup(null, -1, 'DISARM').settable, [])
  })
})
