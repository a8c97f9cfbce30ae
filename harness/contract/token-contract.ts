import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { StretchedSecrets } from '../../src/account/service-user/auth/rejection-store.ts'
import type { MadeToken, StoredToken, TokenNeed } from '../../src/account/service-user/auth/token-store.ts'
import type { UserStores } from '../../src/account/service-user/user-stores.ts'
import type { SignInAnswer } from '../../src/service/responses/sessions.ts'
import { type Testbeds, withTestbed } from './testbed.ts'

type Stores = Pick<UserStores, 'rejections' | 'tokens'>

const answer: SignInAnswer = {
  ...{ user_token: 'token', info: null, server: null, license: null, customization: null },
  details: { info: { name: 'Grüße' } },
}

/** Adds the tests of the promises of a token store. */
export function testTokenStore({ start, maxInstances }: Testbeds<Stores>): void {
  withTestbed(start, (testbed) => {
    const secrets = (): StretchedSecrets => ({
      hash: randomBytes(32).toString('base64'),
      key: randomBytes(32),
    })

    const renew = (
      { rejections, tokens }: Stores,
      of: StretchedSecrets,
      need: TokenNeed,
      make: () => Promise<MadeToken>,
    ): Promise<StoredToken> => rejections.exclusive(of.hash, () => tokens.renew(async () => of, need, make))

    it('gives each token a higher generation, from 1, and the time when it was made', async () => {
      const { stores } = await testbed().open()
      const mine = secrets()
      const made = { value: 'one', signIn: { appId: 'app', answer } }
      const from = testbed().now()
      const one = await renew(stores, mine, { failed: 0 }, async () => made)
      assert.deepEqual([one.value, one.signIn], ['one', made.signIn])
      assert.ok(one.generation >= 1)
      assert.ok(one.madeAt >= from - 1000 && one.madeAt <= testbed().now(), `${one.madeAt}`)
      const two = await renew(stores, mine, { failed: one.generation }, async () => ({ value: 'two' }))
      assert.ok(two.generation > one.generation)
      const session = { value: 'three', userGeneration: two.generation }
      const need = { failed: 0, userGeneration: two.generation }
      assert.equal((await renew(stores, secrets(), need, async () => session)).userGeneration, two.generation)
    })

    it('passes on the failure of a sign-in, and makes the next one', async () => {
      const { stores } = await testbed().open()
      const mine = secrets()
      const fail = async () => Promise.reject(new Error('refused'))
      await assert.rejects(renew(stores, mine, { failed: 0 }, fail), { message: 'refused' })
      assert.equal((await renew(stores, mine, { failed: 0 }, async () => ({ value: 'one' }))).value, 'one')
    })

    if (maxInstances === 1) return

    it('is made once for all who lost the same token, and again by whoever loses the new one', async () => {
      const [one, two] = [(await testbed().open()).stores, (await testbed().open()).stores]
      const mine = secrets()
      let made = 0
      const make = async () => {
        made += 1
        return { value: `${made}`, signIn: { appId: 'app', answer } }
      }
      const first = await Promise.all(
        [one, two, one, two].map((stores) => renew(stores, mine, { failed: 0 }, make)),
      )
      assert.equal(made, 1)
      for (const token of first) assert.deepEqual([token.value, token.signIn?.answer], ['1', answer])
      const failed = first[0]?.generation ?? 0
      const second = await Promise.all([one, two].map((stores) => renew(stores, mine, { failed }, make)))
      assert.deepEqual([made, ...second.map(({ value }) => value)], [2, '2', '2'])
      await renew(two, secrets(), { failed: 0 }, make)
      assert.equal(made, 3)
    })

    it('does not give a session of an earlier user token', async () => {
      const [one, two] = [(await testbed().open()).stores, (await testbed().open()).stores]
      const mine = secrets()
      const ask = (stores: Stores, userGeneration: number) =>
        renew(stores, mine, { failed: 0, userGeneration }, async () => ({
          value: `of ${userGeneration}`,
          userGeneration,
        }))
      const values = [await ask(one, 1), await ask(two, 1), await ask(two, 2), await ask(one, 2)]
      assert.deepEqual(
        values.map(({ value }) => value),
        ['of 1', 'of 1', 'of 2', 'of 2'],
      )
    })
  })
}
