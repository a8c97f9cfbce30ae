import { localTestbeds } from '../../../harness/contract/local-testbed.ts'
import { testRateLimitStore } from '../../../harness/contract/rate-limit-contract.ts'
import { inputs } from '../../../harness/mocha/depth.ts'
import { localUserStores } from '../../../src/account/service-user/user-stores.ts'

// The properties of `npm test` that have no file of their own, with many random inputs.

const testbeds = localTestbeds((folder, clock) => localUserStores(folder, clock)('name'))

describe('The rate-limit store of a process that is alone', () => testRateLimitStore(testbeds, inputs(100)))
