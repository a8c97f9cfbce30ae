import { useFlowHarness } from '../../../harness/flow.ts'
import { testRehearsals } from '../../../harness/properties/rehearsal-properties.ts'

describe('A rehearsal, over many random histories,', () => {
  testRehearsals(useFlowHarness(), 20)
})
