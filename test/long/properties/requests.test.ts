import { localTestbeds } from '../../../harness/contract/local-testbed.ts'
import { testRateLimitStore } from '../../../harness/contract/rate-limit-contract.ts'
import { testCommands } from '../../../harness/properties/command-properties.ts'
import { testConditions } from '../../../harness/properties/condition-properties.ts'
import { testDelivery } from '../../../harness/properties/delivery-properties.ts'
import { testIncidents } from '../../../harness/properties/incident-properties.ts'
import { testAccountSessions, testTokenHolder } from '../../../harness/properties/session-properties.ts'
import { testSharedRequests } from '../../../harness/properties/shared-requests-properties.ts'
import { testSlowness } from '../../../harness/properties/slowness-properties.ts'
import { localUserStores } from '../../../src/account/service-user/user-stores.ts'

// The properties of `npm test` with many random inputs. Those that take longest have files of their own, because mocha
// runs files side by side.

const testbeds = localTestbeds((folder, clock) => localUserStores(folder, clock)('name'))

describe('The delivery of events', () => testDelivery(1000))
describe('The conditions that a node tells', () => testConditions(150))
describe('The incidents that a node tells', () => testIncidents(50, 10))
describe('In any sequence of commands, faults and stops of flows,', () => testCommands(200))
describe('The requests of many nodes of one panel', () => testSharedRequests(100))
describe('The rate-limit store of a process that is alone', () => testRateLimitStore(testbeds, 100))
testTokenHolder(5000)
testAccountSessions(100)
testSlowness(60)
