import assert from 'node:assert/strict'
import { type AccountHarness, startAccountHarness } from '../../../harness/account.ts'
import { Account } from '../../../src/account/account.ts'
import { AccountRegistry, type SignInState } from '../../../src/account/account-registry.ts'
import { AttemptLog } from '../../../src/account/service-user/rate-limit/attempt-log.ts'
import type { Lane } from '../../../src/account/service-user/rate-limit/budget.ts'
import { LocalRateLimitStore } from '../../../src/account/service-user/rate-limit/local-rate-limit-store.ts'
import type { CountedAttempt } from '../../../src/account/service-user/rate-limit/rate-limit-store.ts'
import { localUserStores, type UserStores } from '../../../src/account/service-user/user-stores.ts'
import { minute } from '../../../src/duration.ts'
import { KeyholderError } from '../../../src/service/error.ts'
import { operations } from '../../../src/service/operations.ts'

/** A store in which something happens once while an attempt is being counted. */
class SlowStore extends LocalRateLimitStore {
  meanwhile = () => {}

  override async take(lane: Lane): Promise<CountedAttempt | undefined> {
    const attempt = await super.take(lane)
    const { meanwhile } = this
    this.meanwhile = () => {}
    meanwhile()
    return attempt
  }
}

describe('A request whose attempt is being counted', () => {
  let at: AccountHarness
  let account: Account
  let store: SlowStore
  let state: SignInState

  beforeEach(async () => {
    at = await startAccountHarness()
    const { clock, folder } = at
    const cluster = {
      userStores: (user: string, attemptLog: AttemptLog): UserStores => {
        store = new SlowStore(attemptLog, clock)
        return { ...localUserStores(folder, clock)(user), rateLimits: store }
      },
    }
    const { settings } = at.account
    const registry = new AccountRegistry(clock)
    account = new Account(settings, registry, { clock, folder, random: () => 0.5, cluster }, () => {})
    const openStores = () => cluster.userStores('', new AttemptLog(folder, clock))
    state = registry.acquire(settings, account, openStores, 'deployed', cluster)
    await account.sendRead(operations.status, at.createRequest())
  })
  afterEach(() => at.close())

  function sent(): string[] {
    return at.simulator.requests.map(({ path }) => path.split('/').at(-1) ?? '')
  }

  it('is not sent if a backoff begins', async () => {
    const { length } = sent()
    store.meanwhile = () => {
      void store.startBackoff(minute, new KeyholderError('RATE_LIMITED', 'Wait.'), true)
    }
    await assert.rejects(account.sendRead(operations.devices, at.createRequest()), { code: 'RATE_LIMITED' })
    assert.deepEqual(sent().slice(length), [])
    at.clock.advance(minute)
    await account.sendRead(operations.devices, at.createRequest())
    assert.deepEqual(sent().slice(length), ['devices'])
  })

  it('is sent with another token if its own ends', async () => {
    const { length } = sent()
    store.meanwhile = () => {
      state.session.userToken.forget()
      state.session.panelToken(at.panel).forget()
    }
    await account.sendRead(operations.devices, at.createRequest())
    assert.deepEqual(sent().slice(length), ['auth', 'login', 'devices'])
  })

  it('is not sent if its last caller leaves', async () => {
    const { length } = sent()
    const leaving = new AbortController()
    store.meanwhile = () => leaving.abort()
    const request = { ...at.createRequest(), signal: leaving.signal }
    await assert.rejects(account.sendRead(operations.devices, request), { code: 'CLOSED' })
    await account.sendRead(operations.status, at.createRequest())
    assert.deepEqual(sent().slice(length), ['status'])
  })
})
