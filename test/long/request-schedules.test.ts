import { localTestbeds } from '../../harness/contract/local-testbed.ts'
import { testRateLimitStore } from '../../harness/contract/rate-limit-contract.ts'
import { testRateLimit } from '../../harness/properties/rate-limit-properties.ts'
import { localUserStores } from '../../src/account/user-stores.ts'

describe('The rate limiter', () => {
  testRateLimit(10_000)
})

describe('The rate-limit store of a process that is alone', () => {
  testRateLimitStore(
    localTestbeds((folder, clock) => localUserStores(folder, clock)('name')),
    100,
  )
})
