import { testRateLimit } from '../../harness/properties/rate-limit-properties.ts'

describe('the budget', () => {
  testRateLimit(10_000)
})
