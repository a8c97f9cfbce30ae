import assert from 'node:assert/strict'
import { useFlowHarness } from '../../../harness/flow.ts'
import { testFaults, testSilence } from '../../../harness/rehearsal/rehearsed-examples.ts'

// All examples and all scenes: test/long/rehearsed-examples.test.ts.
describe('An example, enabled, with receivers that answer as they should,', () => {
  const harness = useFlowHarness()

  it('rehearses without a fault, also where it looks at the answer of a receiver', () =>
    testFaults(harness, 'Alarm to the phone', ['burglary-window', 'fire']))

  for (const example of ['Alarm to the phone', 'Light when the door opens'])
    for (const how of ['stop', 'restart'] as const)
      it(`rings nothing when a rehearsal is over, by a ${how}: ${example}`, async () => {
        assert.ok(await testSilence(harness, example, how))
      })
})
