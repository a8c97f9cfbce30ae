import { localTestbeds } from '../../../harness/contract/local-testbed.ts'
import { testRateLimitStore } from '../../../harness/contract/rate-limit-contract.ts'
import { inputs } from '../../../harness/mocha/depth.ts'
import { testAccountSessions, testTokenHolder } from '../../../harness/properties/session-properties.ts'
import { testSharedRequests } from '../../../harness/properties/shared-requests-properties.ts'
import { localUserStores } from '../../../src/account/service-user/user-stores.ts'

// The properties of `npm test` that have no file of their own, with many random inputs.

const testbeds = localTestbeds((folder, clock) => localUserStores(folder, clock)('name'))

describe('The requests of many nodes of one panel', () => testSharedRequests(inputs(100)))
describe('The rate-limit store of a process that is alone', () => testRateLimitStore(testbeds, inputs(100)))
testTokenHolder(inputs(5000))
testAccountSessions(inputs(100))
