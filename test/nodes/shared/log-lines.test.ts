import assert from 'node:assert/strict'
import { createPart } from '../../../harness/flow/flow-part.ts'
import { useFlowHarness } from '../../../harness/flow.ts'

/** A name of a panel that would begin new lines in a log. */
const forged = 'Home\r\n22 Nov 10:00:00 - [error] forged\u2028line'

describe('The log', () => {
  const harness = useFlowHarness()

  it('has one line for each message, whatever the service calls a panel', async () => {
    const simulator = await harness.startSimulator()
    for (const panel of simulator.world.panels) Object.assign(panel.plan, { alias: forged })
    const state = { state: { type: 'keyholder-state' } }
    const wrong = createPart(simulator, { panel: { serial: 'BEEF00' }, nodes: state })
    const right = createPart(simulator, {
      nodes: { right: { type: 'keyholder-command', action: 'siren_on' } },
    })
    const flow = await harness.startParts([wrong, right])
    const { error } = await flow.caught.next()
    assert.doesNotMatch(error.message, /[\r\n\u2028]/)
    assert.ok(error.message.includes('Home 22 Nov'))
    for (const line of flow.logged) {
      const { msg } = line as { msg?: { message?: string } | string }
      assert.doesNotMatch(String(typeof msg === 'string' ? msg : msg?.message), /[\r\n\u2028]/)
    }
  })
})
