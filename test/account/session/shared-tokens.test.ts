import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type AccountHarness, startAccountHarness } from '../../../harness/account.ts'
import { requestsTo } from '../../../harness/simulator.ts'
import { Account } from '../../../src/account/account.ts'
import { AccountRegistry } from '../../../src/account/account-registry.ts'
import { RejectionFile } from '../../../src/account/service-user/auth/rejection-store.ts'
import type {
  MadeToken,
  StoredToken,
  Stretch,
  TokenNeed,
  TokenStore,
} from '../../../src/account/service-user/auth/token-store.ts'
import { localUserStores } from '../../../src/account/service-user/user-stores.ts'
import { operations } from '../../../src/service/operations.ts'

/** Tokens that two processes share. */
class SharedTokens implements TokenStore {
  readonly #tokens = new Map<string, StoredToken>()
  readonly #now: () => number

  constructor(now: () => number) {
    this.#now = now
  }

  async renew(
    stretch: Stretch,
    { failed, userGeneration }: TokenNeed,
    make: () => Promise<MadeToken>,
  ): Promise<StoredToken> {
    const { hash } = await stretch()
    const known = this.#tokens.get(hash)
    if (known !== undefined && known.generation > failed && known.userGeneration === userGeneration)
      return known
    const made = await make()
    const token = { ...made, generation: (known?.generation ?? 0) + 1, madeAt: this.#now() }
    this.#tokens.set(hash, token)
    return token
  }
}

describe('Two processes that share their tokens', () => {
  let at: AccountHarness
  let accounts: Account[]
  beforeEach(async () => {
    at = await startAccountHarness()
    const { clock } = at
    const tokens = new SharedTokens(() => clock.monotonic())
    const rejections = new RejectionFile(join(at.folder, 'shared.json'))
    accounts = ['one', 'two'].map((name) => {
      const folder = join(at.folder, name)
      const userStores = (user: string) => ({ ...localUserStores(folder, clock)(user), tokens, rejections })
      const process = { clock, folder, random: () => 0.5, cluster: { userStores } }
      return new Account(at.account.settings, new AccountRegistry(clock), process, () => {})
    })
  })
  afterEach(() => at.close())

  /** Sends requests for the state of the panel from both processes, all at the same time. */
  const askAll = async (times: number) => {
    const asked = accounts.flatMap((account) =>
      Array.from({ length: times }, (_, index) =>
        account.sendRead(operations.status, { ...at.createRequest(), locale: `${index}` }),
      ),
    )
    await at.waitFor(Promise.all(asked))
  }
  const attempts = () => [requestsTo(at.simulator, 'auth'), requestsTo(at.simulator, 'login')]

  it('sign in once and open the panel once, and keep the answer to the sign-in in both', async () => {
    await askAll(25)
    assert.deepEqual(attempts(), [1, 1])
    const sessions = await Promise.all(accounts.map((account) => account.session()))
    assert.deepEqual(sessions[0]?.value, sessions[1]?.value)
    assert.ok(accounts.every(({ phase }) => phase === 'ready'))
  })

  it('sign in once when the user token has expired for both, and open the panel once with the new one', async () => {
    await askAll(1)
    at.simulator.accounts.expireUserTokens()
    await askAll(25)
    assert.deepEqual(attempts(), [2, 2])
  })

  it('open the panel once when its session has expired for both', async () => {
    await askAll(1)
    at.simulator.accounts.expireSessions()
    await askAll(25)
    assert.deepEqual(attempts(), [1, 2])
  })

  it('do not use the session of an earlier user token', async () => {
    const [one, two] = accounts
    const ask = (account: Account | undefined) => account?.sendRead(operations.status, at.createRequest())
    await askAll(1)
    at.simulator.accounts.expireUserTokens()
    await at.waitFor(Promise.resolve(one?.sendRead(operations.panels, at.createRequest())))
    assert.deepEqual(attempts(), [2, 1])
    await at.waitFor(Promise.resolve(ask(two)))
    assert.deepEqual(attempts(), [2, 2])
    await at.waitFor(Promise.resolve(ask(one)))
    assert.deepEqual(attempts(), [2, 2])
  })

  it('read with the session that one has opened, though its code has a length that the panel tells is impossible', async () => {
    const [one, two] = accounts
    const ask = (account: Account | undefined) =>
      at.waitFor(Promise.resolve(account?.sendRead(operations.status, at.createRequest())))
    await ask(one)
    two?.knowledge.noteCodeLengths(at.panel.serial, [6])
    await ask(two)
    at.simulator.accounts.expireSessions()
    await ask(two)
    assert.deepEqual(attempts(), [1, 2])
  })

  it('send no code of such a length that none of them has sent', async () => {
    const [one] = accounts
    one?.knowledge.noteCodeLengths(at.panel.serial, [6])
    const asked = at.waitFor(Promise.resolve(one?.sendRead(operations.status, at.createRequest())))
    await assert.rejects(asked, { code: 'BAD_SETTING', message: /have 6 digits/ })
    assert.equal(requestsTo(at.simulator, 'login'), 0)
  })

  it('try a wrong password once', async () => {
    at.simulator.accounts.setPassword('another')
    for (let polls = 0; polls < 5; polls += 1) {
      const asked = accounts.map((account) => account.sendRead(operations.status, at.createRequest()))
      const outcomes = await at.waitFor(Promise.allSettled(asked))
      for (const outcome of outcomes) {
        assert.equal(outcome.status === 'rejected' && outcome.reason.code, 'BAD_CREDENTIALS')
      }
    }
    assert.equal(requestsTo(at.simulator, 'auth'), 1)
  })
})
