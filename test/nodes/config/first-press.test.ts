import { useFlowHarness } from '../../../harness/flow.ts'
import { testFirstPresses } from '../../../harness/properties/first-press-properties.ts'

describe('The first press of a button in the demo', () => {
  testFirstPresses(useFlowHarness(), 2)
})
