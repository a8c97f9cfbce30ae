import assert from 'node:assert/strict'
import { useFlowHarness } from '../../harness/flow.ts'

describe('A cluster node', () => {
  const harness = useFlowHarness()

  /** Starts a flow whose account selects a cluster without an address, and returns the error and the warnings. */
  async function start(settings: object) {
    const { flow } = await harness.start({
      account: { cluster: 'cluster' },
      nodes: {
        state: { type: 'keyholder-state' },
        cluster: { id: 'cluster', type: 'keyholder-cluster', wires: undefined, ...settings },
      },
    })
    const { error } = await flow.caught.next()
    const warned = flow.logged.map((line) => (line as { msg?: unknown }).msg)
    return { error, warned: warned.filter((line) => /^The setting Reserve/.test(`${line}`)) }
  }

  // It is not refused because of the reserve, but because of the address.
  const isWithoutAddress = /Address of the cluster is empty/

  // biome-ignore lint/suspicious/noTemplateCurlyInString: Node-RED fills variables in this notation
  for (const reserve of [5, '5', '${KEYHOLDER_TEST_UNSET}']) {
    it(`with the reserve ${JSON.stringify(reserve)}, which flows of before have, works and says once in the log that this has no effect`, async () => {
      const { error, warned } = await start({ reserve })
      assert.match(error.message, isWithoutAddress)
      assert.deepEqual(warned, [
        'The setting Reserve has no effect any more: while Redis does not answer, this instance sends nothing. The next deploy removes the setting.',
      ])
    })
  }

  for (const reserve of [undefined, 0, '0', '']) {
    it(`with the reserve ${JSON.stringify(reserve)}, which changes nothing, says nothing`, async () => {
      const { error, warned } = await start({ reserve })
      assert.match(error.message, isWithoutAddress)
      assert.deepEqual(warned, [])
    })
  }
})
