import { testRateLimit } from '../../../../harness/properties/rate-limit/rate-limit-properties.ts'

describe('The rate limiter under random schedules', () => {
  testRateLimit(7)
})
