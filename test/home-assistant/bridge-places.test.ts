import assert from 'node:assert/strict'
import { setupOf } from '../../harness/home-assistant/setups.ts'
import { takePlace } from '../../src/home-assistant/bridge-places.ts'

describe('The topics of a panel', () => {
  it('belong to one node, whatever its prefix and form, until it leaves them', () => {
    const leave = takePlace(setupOf(), 'one')
    const refused = {
      code: 'BAD_SETTING',
      message: /^Base topic: another Home Assistant node uses "keyholder"/,
    }
    assert.throws(() => takePlace(setupOf(), 'two'), refused)
    assert.throws(() => takePlace(setupOf({ prefix: 'openhab', form: 'single' }), 'two'), refused)
    const others = [
      takePlace(setupOf({ base: 'openhab' }), 'two'),
      takePlace(setupOf({ serial: 'D4' }), 'two'),
    ]
    leave()
    others.push(takePlace(setupOf(), 'two'))
    leave()
    assert.throws(takePlace.bind(null, setupOf(), 'one'), refused)
    for (const one of others) one()
  })

  it('can be taken again by the node that has them', () => {
    takePlace(setupOf(), 'one')
    const leave = takePlace(setupOf(), 'one')
    leave()
    takePlace(setupOf(), 'two')()
  })
})
