import { inputs } from '../../../harness/mocha/depth.ts'
import { testDisturbances } from '../../../harness/properties/bypass-properties.ts'

describe('An arming with bypass, over many random disturbances,', () => {
  testDisturbances(inputs(500))
})
