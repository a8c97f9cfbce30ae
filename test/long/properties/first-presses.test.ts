import { useFlowHarness } from '../../../harness/flow.ts'
import { isDeep } from '../../../harness/mocha/depth.ts'
import { testFirstPresses } from '../../../harness/properties/first-press-properties.ts'

describe('The first press of a button in the demo', () => {
  // All of them only in the deep suite: each takes minutes on the fake clock.
  testFirstPresses(useFlowHarness(), isDeep ? undefined : 4)
})
