import { localTestbeds } from '../../../harness/contract/local-testbed.ts'
import { testRateLimitStore } from '../../../harness/contract/rate-limit-contract.ts'
import { testRejectionStore } from '../../../harness/contract/rejection-contract.ts'
import { testTokenStore } from '../../../harness/contract/token-contract.ts'
import { localUserStores } from '../../../src/account/service-user/user-stores.ts'

const testbeds = localTestbeds((folder, clock) => localUserStores(folder, clock)('name'))

describe('The rate-limit store of a process that is alone', () => testRateLimitStore(testbeds, 20))

describe('The rejection store of a process that is alone', () => testRejectionStore(testbeds))

describe('The token store of a process that is alone', () => testTokenStore(testbeds))
