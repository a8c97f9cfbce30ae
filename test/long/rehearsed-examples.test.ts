import { readdirSync } from 'node:fs'
import { useFlowHarness } from '../../harness/flow.ts'
import { testFaults, testSilence } from '../../harness/rehearsal/rehearsed-examples.ts'

const files = readdirSync(new URL('../../examples/', import.meta.url))
const examples = files.flatMap((file) => /^(.+)\.json$/.exec(file)?.[1] ?? [])

describe('Every example, enabled, with receivers that answer as they should,', () => {
  const harness = useFlowHarness()

  for (const example of examples) {
    it(`rehearses each scene without a fault: ${example}`, () => testFaults(harness, example))
    for (const how of ['stop', 'restart'] as const)
      it(`rings nothing when a rehearsal is over, by a ${how}: ${example}`, async () => {
        await testSilence(harness, example, how)
      })
  }
})
