import { useFlowHarness } from '../../../harness/flow.ts'
import { repetitions } from '../../../harness/mocha/depth.ts'
import { testRehearsals } from '../../../harness/properties/rehearsal-properties.ts'

describe('A rehearsal, over many random histories,', () => {
  testRehearsals(useFlowHarness(), repetitions(20, 5))
})
