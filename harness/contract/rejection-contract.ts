import assert from 'node:assert/strict'
import type { Refusals, Rejection } from '../../src/account/service-user/auth/rejection-store.ts'
import type { UserStores } from '../../src/account/service-user/user-stores.ts'
import { reopen, type Testbeds, withTestbed } from './testbed.ts'

type Stores = Pick<UserStores, 'rejections'>

const rejection: Rejection = {
  ...{ code: 'BAD_CREDENTIALS', message: 'Wrong password.', status: 400, text: 'finding.restarted' },
  ...{ subject: 'sign-in', replaced: false },
}
const refusals: Refusals = {
  ...{ code: 'NOT_ALLOWED', message: 'Refused.', status: null, text: 'finding.restarted' },
  ...{ subject: 'sign-in', at: [{ wall: 1_000, monotonic: 2_000, boot: 'a' }], proven: true },
}

/** Returns a value as a store keeps it: a missing part and an undefined one are the same. */
const asKept = (value: unknown) => JSON.parse(JSON.stringify(value))

/** Adds the tests of the promises of a rejection store. */
export function testRejectionStore({ start, maxInstances }: Testbeds<Stores>): void {
  withTestbed(start, (testbed) => {
    it('keeps salt, rejections and refusals for the next process', async () => {
      const before = await testbed().open()
      const stored = await before.stores.rejections.load()
      assert.deepEqual([stored.rejected.size, stored.refused.size], [0, 0])
      stored.rejected.set('one', rejection)
      stored.refused.set('two', refusals)
      await before.stores.rejections.save(stored)
      const after = await reopen(testbed(), before)
      const kept = await after.stores.rejections.load()
      assert.equal(kept.salt, stored.salt)
      const { isUsedHere: _, ...found } = kept.rejected.get('one') as Rejection
      assert.deepEqual(asKept([[...kept.rejected.keys()], found]), [['one'], rejection])
      assert.deepEqual(asKept([...kept.refused]), [['two', refusals]])
      kept.rejected.delete('one')
      await after.stores.rejections.save(kept)
      const last = await (await reopen(testbed(), after)).stores.rejections.load()
      assert.deepEqual(asKept([[...last.rejected], [...last.refused]]), [[], [['two', refusals]]])
    })

    it('runs work with one hash one at a time, also after a failure, and other work meanwhile', async () => {
      const stores = [await testbed().open()]
      while (stores.length < Math.min(3, maxInstances)) stores.push(await testbed().open())
      let running = 0
      let most = 0
      let end = () => {}
      const ended = new Promise<void>((resolve) => {
        end = resolve
      })
      const work = async (number: number) => {
        running += 1
        most = Math.max(most, running)
        await ended
        await new Promise(setImmediate)
        running -= 1
        if (number % 2 === 0) throw new Error(`failure ${number}`)
        return number
      }
      const storeOf = (number: number) => stores[number % stores.length]?.stores.rejections
      const all = Array.from({ length: 12 }, (_, number) =>
        storeOf(number)?.exclusive('hash', () => work(number)),
      )
      const others = await Promise.all(
        stores.map(({ stores }, number) => {
          return stores.rejections.exclusive(`other ${number}`, async () => number)
        }),
      )
      assert.deepEqual(others, [...stores.keys()])
      end()
      const outcomes = await Promise.allSettled(all)
      assert.equal(most, 1)
      assert.deepEqual(
        outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : outcome.reason.message)),
        Array.from({ length: 12 }, (_, number) => (number % 2 === 0 ? `failure ${number}` : number)),
      )
    })

    if (maxInstances === 1) return

    it('keeps what others save at the same time, and shows it to all', async () => {
      const [one, two] = [
        (await testbed().open()).stores.rejections,
        (await testbed().open()).stores.rejections,
      ]
      const [first, second] = [await one.load(), await two.load()]
      assert.equal(first.salt, second.salt)
      first.rejected.set('one', rejection)
      second.refused.set('two', refusals)
      await Promise.all([one.save(first), two.save(second)])
      for (const store of [one, two]) {
        const { rejected, refused } = await store.load()
        assert.deepEqual([[...rejected.keys()], [...refused.keys()]], [['one'], ['two']])
      }
    })
  })
}
