import { testCuts, testDisturbances } from '../../../harness/properties/bypass-properties.ts'

describe('An arming with bypass, over many random kills and disturbances,', () => {
  testCuts(500)
  testDisturbances(500)
})
