import assert from 'node:assert/strict'
import { part } from '../support/flow-part.ts'
import { useLab } from '../support/lab.ts'

/** What somebody who names panels at the service may write into a log. */
const forged = 'Home\r\n22 Nov 10:00:00 - [error] forged\u2028line'

describe('The log', () => {
  const lab = useLab()

  it('has one line for each message, whatever the service calls a panel', async () => {
    const simulator = await lab.simulator()
    for (const panel of simulator.world.panels) Object.assign(panel.plan, { alias: forged })
    const state = { state: { type: 'keyholder-state' } }
    const wrong = part(simulator, { panel: { serial: 'BEEF00' }, nodes: state })
    const right = part(simulator, { nodes: { right: { type: 'keyholder-command', action: 'siren_on' } } })
    const flow = await lab.flow([wrong, right])
    const { error } = await flow.caught.next()
    assert.match(error.message, /BAD_SETTING|serial/)
    assert.doesNotMatch(error.message, /[\r\n\u2028]/)
    assert.ok(error.message.includes('Home 22 Nov'))
    for (const line of flow.logged) {
      const { msg } = line as { msg?: { message?: string } | string }
      assert.doesNotMatch(String(typeof msg === 'string' ? msg : msg?.message), /[\r\n\u2028]/)
    }
  })
})
