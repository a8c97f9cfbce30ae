import { inputs } from '../../../harness/mocha/depth.ts'
import { testCuts, testDisturbances } from '../../../harness/properties/bypass-properties.ts'

describe('An arming with bypass, over many random kills and disturbances,', () => {
  testCuts(inputs(500))
  testDisturbances(inputs(500))
})
