import { testRateLimit } from '../../../harness/properties/rate-limit/rate-limit-properties.ts'

describe('The rate limiter', () => testRateLimit(10_000))
