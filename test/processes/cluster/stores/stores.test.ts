import { redisTestbeds } from '../../../../harness/cluster/redis-testbed.ts'
import { testCommandQueue } from '../../../../harness/contract/command-queue-contract.ts'
import { testCursorStore } from '../../../../harness/contract/cursor-contract.ts'
import { testLease } from '../../../../harness/contract/lease-contract.ts'
import { testRateLimitStore } from '../../../../harness/contract/rate-limit-contract.ts'
import { testRejectionStore } from '../../../../harness/contract/rejection-contract.ts'
import { testTokenStore } from '../../../../harness/contract/token-contract.ts'
import { describeWithRedis } from '../../../../harness/redis-server.ts'
import type { Cluster } from '../../../../src/cluster/cluster.ts'

const userStores = (cluster: Cluster) => cluster.userStores('user1')
const stores = (cluster: Cluster) => ({
  lease: cluster.panels.lease('panel1'),
  cursor: cluster.panels.cursor('panel1'),
})

describeWithRedis('The rate-limit store of several instances', (server) => {
  testRateLimitStore(redisTestbeds(server, userStores), 10)
})

describeWithRedis('The rejection store of several instances', (server) => {
  testRejectionStore(redisTestbeds(server, userStores, { flows: true }))
})

describeWithRedis('The token store of several instances', (server) => {
  testTokenStore(redisTestbeds(server, userStores, { flows: true }))
})

describeWithRedis('The lease of a panel of several instances', (server) => {
  testLease(redisTestbeds(server, stores))
})

describeWithRedis('The cursor store of several instances', (server) => {
  testCursorStore(redisTestbeds(server, stores))
})

describeWithRedis('The command queue of several instances', (server) => {
  testCommandQueue(redisTestbeds(server, (cluster) => cluster.panels.commands('panel1', 'A1B2C3')))
})
