import assert from 'node:assert/strict'
import type { DeliveryStores } from '../../src/panel/events/event-delivery.ts'
import type { Lease } from '../../src/panel/lease.ts'
import { type Testbeds, waitUntil, withTestbed } from './testbed.ts'

type Stores = Pick<DeliveryStores, 'lease'>

/** Adds the tests of the promises of a lease. */
export function testLease({ start, maxInstances }: Testbeds<Stores>): void {
  withTestbed(start, (testbed) => {
    const holders = (leases: readonly Lease[]) => leases.filter(({ isHeld }) => isHeld)

    it('is held by a process that is alone, whose work may begin at any time', async () => {
      const { lease } = (await testbed().open()).stores
      lease.want()
      await waitUntil(testbed(), () => lease.isHeld)
      assert.equal(lease.holder, undefined)
      for (const _again of [1, 2]) {
        assert.equal(await lease.begin('state', 60_000), 0)
        lease.end('state')
      }
    })

    if (maxInstances === 1) return

    it('is held by one of those who want it, and by another one when that is killed or gives it up', async () => {
      const instances = await Promise.all([1, 2, 3].map(() => testbed().open()))
      const leases = instances.map(({ stores }) => stores.lease)
      const changes = leases.map(() => 0)
      for (const [index, lease] of leases.entries()) {
        lease.onChange(() => {
          changes[index] = (changes[index] ?? 0) + 1
          assert.ok(holders(leases).length <= 1)
        })
      }
      const wishes = leases.map((lease) => lease.want())
      await waitUntil(testbed(), () => holders(leases).length === 1)
      const first = leases.findIndex(({ isHeld }) => isHeld)
      assert.ok((changes[first] ?? 0) > 0)
      const others = leases.filter((_, index) => index !== first)
      await waitUntil(testbed(), () => others.every(({ holder }) => holder !== undefined))
      assert.equal(await leases[first]?.begin('state', 60_000), 0)
      leases[first]?.end('state')
      for (const lease of others) assert.equal(await lease.begin('state', 60_000), Number.POSITIVE_INFINITY)
      await instances[first]?.kill()
      await waitUntil(testbed(), () => holders(others).length === 1)
      const second = leases.findIndex((lease) => others.includes(lease) && lease.isHeld)
      // The poll of the killed one may have told nothing.
      assert.equal(await leases[second]?.begin('state', 600_000), 0)
      leases[second]?.end('state')
      wishes[second]?.()
      const last = others.filter((lease) => lease !== leases[second])
      await waitUntil(testbed(), () => holders(last).length === 1)
      assert.equal(leases[second]?.isHeld, false)
    })

    it('is held only as long as somebody in the process wants it', async () => {
      const [one, two] = [(await testbed().open()).stores.lease, (await testbed().open()).stores.lease]
      const wishes = [one.want(), one.want()]
      await waitUntil(testbed(), () => one.isHeld)
      two.want()
      wishes[0]?.()
      await testbed().advance(testbed().window / 10)
      assert.deepEqual([one.isHeld, two.isHeld], [true, false])
      wishes[1]?.()
      await waitUntil(testbed(), () => two.isHeld)
      assert.equal(one.isHeld, false)
    })
  })
}
