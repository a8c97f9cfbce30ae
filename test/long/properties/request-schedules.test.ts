import { inputs } from '../../../harness/mocha/depth.ts'
import { testRateLimit } from '../../../harness/properties/rate-limit/rate-limit-properties.ts'

describe('The rate limiter', () => testRateLimit(inputs(10_000)))
