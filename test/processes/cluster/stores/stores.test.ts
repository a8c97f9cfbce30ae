import assert from 'node:assert/strict'
import { until } from '../../../../harness/clock/until.ts'
import { ClusterInstances } from '../../../../harness/cluster/cluster-instances.ts'
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
  lease: cluster.panels.leases.lease('panel1'),
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

describeWithRedis('What a node of several instances was told', (server) => {
  const node = { id: 'node', instances: 'one' } as const
  const storesOf = (cluster: Cluster) => {
    const { told, deliveryLease } = cluster.panels.stores('panel1')
    return { told: told?.(node, 'state', 'A1B2C3'), lease: deliveryLease?.(node, 'state') }
  }

  it('is known to the instance that delivers to it, also after another one, and to no other', async () => {
    await server.empty()
    const instances = new ClusterInstances(server)
    try {
      const [first, second] = [await instances.add('one'), await instances.add('other')]
      const [one, other] = [storesOf(first.cluster), storesOf(second.cluster)]
      one.lease?.want()
      await until(() => one.told?.isHeld === true)
      await one.told?.save(['AWAY'])
      assert.deepEqual(await one.told?.load(), { told: ['AWAY'], isOwn: true })
      assert.equal(await other.told?.load(), undefined)
      await first.cluster.close()
      other.lease?.want()
      await until(() => other.told?.isHeld === true)
      assert.deepEqual(await other.told?.load(), { told: ['AWAY'], isOwn: false })
    } finally {
      await instances.close()
    }
  })
})
