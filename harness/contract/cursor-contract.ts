import assert from 'node:assert/strict'
import type { CursorState } from '../../src/panel/events/cursor/cursor-format.ts'
import type { DeliveryStores } from '../../src/panel/events/event-delivery.ts'
import { columnsOf } from '../../src/panel/events/event-history.ts'
import { LeaseLost } from '../../src/panel/lease.ts'
import { type Instance, reopen, type Testbeds, waitUntil, withTestbed } from './testbed.ts'

const serial = 'A1B2C3'

/** Returns the state after events with these hashes. */
function stateAfter(...hashes: number[]): CursorState {
  const count = hashes.length
  const sequences = hashes.map((_, index) => index + 1)
  const columns = columnsOf({ hashes, occurrences: hashes.map(() => 0), sequences }, count + 1)
  return {
    serial,
    memory: { ...columns, next: count + 1, order: 'oldest first', newest: null, moved: null },
    positions: { node: count, 'another node': 0 },
    firstRuns: { 'another node': count },
    lastKnown: { node: { id: count, typeId: null, time: '2026-01-02 03:04:05' } },
  }
}

/** Adds the tests of the promises of a cursor store, for the holder of the lease of its panel. */
export function testCursorStore({ start, maxInstances }: Testbeds<DeliveryStores>): void {
  withTestbed(start, (testbed) => {
    const held = async (instance: Instance<DeliveryStores>): Promise<Instance<DeliveryStores>> => {
      instance.stores.lease.want()
      await waitUntil(testbed(), () => instance.stores.lease.isHeld)
      return instance
    }
    const open = async () => held(await testbed().open())
    const next = async (before: Instance<DeliveryStores>) => held(await reopen(testbed(), before))

    it('is empty at first', async () => {
      const { state, intended, doubtful, warning } = await (await open()).stores.cursor.load(serial)
      assert.deepEqual([state, [...intended], doubtful, warning], [null, [], false, undefined])
    })

    it('gives the next process what was saved, and what was intended since', async () => {
      const before = await open()
      await before.stores.cursor.load(serial)
      await before.stores.cursor.intend(['early'])
      await before.stores.cursor.save(stateAfter(11, 12, 13), ['open'])
      await before.stores.cursor.intend(['late', 'later'])
      const { state, intended, doubtful } = await (await next(before)).stores.cursor.load(serial)
      assert.deepEqual(state, stateAfter(11, 12, 13))
      assert.deepEqual([[...intended].sort(), doubtful], [['late', 'later', 'open'], false])
    })

    it('keeps the intents of a process that was killed before it saved anything', async () => {
      const before = await open()
      await before.stores.cursor.load(serial)
      await before.stores.cursor.intend(['one'])
      const { state, intended } = await (await next(before)).stores.cursor.load(serial)
      assert.deepEqual([state, [...intended]], [null, ['one']])
    })

    it('executes calls in their order, also if nobody waits for them', async () => {
      const before = await open()
      const { cursor } = before.stores
      await cursor.load(serial)
      const calls = [
        cursor.intend(['one']),
        cursor.save(stateAfter(1)),
        cursor.intend(['two']),
        cursor.save(stateAfter(1, 2), ['two']),
      ]
      await Promise.all(calls)
      const { state, intended } = await (await next(before)).stores.cursor.load(serial)
      assert.deepEqual([state, [...intended]], [stateAfter(1, 2), ['two']])
    })

    if (maxInstances === 1) return

    it('shows whoever does not hold the lease what the holder has saved last', async () => {
      const holder = await open()
      const other = await testbed().open()
      const peek = () => other.stores.cursor.peek?.(serial)
      assert.equal(await peek(), null)
      await holder.stores.cursor.load(serial)
      await holder.stores.cursor.save(stateAfter(1))
      assert.deepEqual(await peek(), stateAfter(1))
      await holder.stores.cursor.save({ ...stateAfter(1, 2), notes: { node: 'noted' } })
      assert.equal((await peek())?.notes?.node, 'noted')
      assert.equal(await other.stores.cursor.peek?.('another serial'), null)
    })

    it('refuses whoever does not hold the lease', async () => {
      const holder = await open()
      const other = await testbed().open()
      await holder.stores.cursor.load(serial)
      await holder.stores.cursor.save(stateAfter(1))
      const isLost = (thrown: unknown) => thrown instanceof LeaseLost
      await assert.rejects(other.stores.cursor.load(serial), isLost)
      await assert.rejects(other.stores.cursor.intend(['one']), isLost)
      await assert.rejects(other.stores.cursor.save(stateAfter(1, 2, 3)), isLost)
      assert.deepEqual((await holder.stores.cursor.load(serial)).state, stateAfter(1))
      await holder.kill()
      const { state, intended } = await (await held(other)).stores.cursor.load(serial)
      assert.deepEqual([state, [...intended]], [stateAfter(1), []])
    })
  })
}
