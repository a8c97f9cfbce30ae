import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AccountHarness, neverAborted, startAccountHarness } from '../../harness/account.ts'
import { FakeClock } from '../../harness/clock/fake-clock.ts'
import { collectGarbage } from '../../harness/metrics/gc.ts'
import { requestsTo } from '../../harness/simulator.ts'
import type { Account } from '../../src/account/account.ts'
import { AccountRegistry } from '../../src/account/account-registry.ts'
import { type AccountSettings, accountSettings } from '../../src/account/account-settings.ts'
import { checkConnection } from '../../src/account/connection-check.ts'
import type { ServiceUser } from '../../src/account/service-user/service-user.ts'
import { localUserStores, type OpenUserStores } from '../../src/account/service-user/user-stores.ts'
import type { Clock } from '../../src/clock.ts'
import { operations } from '../../src/service/operations.ts'

const minute = 60_000

describe('Two accounts with the same host, e-mail and password', () => {
  let at: AccountHarness
  beforeEach(async () => {
    at = await startAccountHarness({ versions: ['13.0', '14.0'] })
  })
  afterEach(() => at.close())

  const ask = (account: Account) => account.sendRead(operations.panels, at.createRequest())
  /** Answers everything below a path as many servers answer an unknown one. */
  const refuse = (path: string, status: number) =>
    at.simulator.faults.start({
      name: `${path} refused`,
      answer: (getOriginal, request) =>
        request.path.startsWith(path) ? { status, body: 'Unauthorized' } : getOriginal(),
    })

  for (const status of [400, 401, 403, 440, 445]) {
    it(`are independent if the path of a check is wrong and answered with ${status}`, async () => {
      await ask(at.account)
      refuse('/wrong', status)
      for (let checks = 0; checks < 5; checks += 1) {
        const trial = at.openTrialAccount({ url: `${at.simulator.url}/wrong` })
        for await (const finding of checkConnection(trial, neverAborted()))
          assert.notEqual(finding.step, 'panels')
        void at.releaseAccount(trial)
        at.clock.advance(10 * minute)
      }
      await ask(at.account)
      assert.equal(at.account.phase, 'ready')
      assert.equal(requestsTo(at.simulator, '14.0/auth'), 1)
      at.simulator.accounts.expireUserTokens()
      await ask(at.account)
      await ask(at.openAfterRestart())
    })
  }

  it('are independent if a check pins another version, and that version is refused', async () => {
    await ask(at.account)
    refuse('/rest_api/13.0', 445)
    const trial = at.openTrialAccount({ apiVersion: '13.0' })
    await assert.rejects(ask(trial), { code: 'BAD_CREDENTIALS' })
    void at.releaseAccount(trial)
    at.simulator.accounts.expireUserTokens()
    await ask(at.account)
  })

  it('are independent if both are deployed and the address of one is wrong', async () => {
    await ask(at.account)
    refuse('/wrong', 401)
    const other = at.openAccount({ url: `${at.simulator.url}/wrong` })
    await assert.rejects(ask(other), { code: 'BAD_RESPONSE' })
    await ask(at.account)
    assert.equal(requestsTo(at.simulator, '14.0/auth'), 1)
  })

  it('share a session if address and version are the same too', async () => {
    await ask(at.account)
    await ask(at.openAccount())
    await ask(at.openTrialAccount())
    assert.equal(at.simulator.accounts.signIns, 1)
  })
})

describe('The registry of accounts', () => {
  const settings = (email: string) =>
    accountSettings(
      { url: 'https://alarm.example', email, password: 'secret' },
      { appId: '5f0c9d4e-8f5b-4c93-a0c5-0b7a2c6c1f11', deviceInfo: 'test' },
    )
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keyholder-'))
  })
  afterEach(() => rm(folder, { recursive: true, maxRetries: 10 }))

  const storesOf = (clock: Clock) => localUserStores(folder, clock)

  it('forgets the users of checks an hour after the last check', async () => {
    const clock = new FakeClock()
    const registry = new AccountRegistry(clock)
    const users: WeakRef<ServiceUser>[] = []
    const check = (email: string) => {
      const owner = {}
      users.push(new WeakRef(registry.acquire(settings(email), owner, storesOf(clock), 'trial').serviceUser))
      void registry.release(owner)
    }
    for (let number = 0; number < 20; number += 1) check(`${number}@alarm.example`)
    clock.advance(60 * minute + 1)
    registry.acquire(settings('deployed@alarm.example'), {}, storesOf(clock))
    await collectGarbage()
    assert.equal(users.filter((user) => user.deref() !== undefined).length, 0)
  })

  it('keeps a user that has a config node, or that is used again within the hour', () => {
    const clock = new FakeClock()
    const registry = new AccountRegistry(clock)
    const use = (email: string, owner: object) =>
      registry.acquire(settings(email), owner, storesOf(clock)).serviceUser
    const deployed = use('deployed@alarm.example', {})
    const owner = {}
    const redeployed = use('redeployed@alarm.example', owner)
    void registry.release(owner)
    clock.advance(59 * minute)
    assert.equal(use('redeployed@alarm.example', owner), redeployed)
    clock.advance(59 * minute)
    assert.equal(use('deployed@alarm.example', {}), deployed)
    assert.equal(use('redeployed@alarm.example', owner), redeployed)
  })

  it('has one user, with one limit and one pause, for all accounts of an e-mail address at a host', () => {
    const clock = new FakeClock()
    const registry = new AccountRegistry(clock)
    const use = (change: Partial<AccountSettings>) =>
      registry.acquire({ ...settings('anna@alarm.example'), ...change }, {}, storesOf(clock)).serviceUser
    const user = use({})
    const others: Partial<AccountSettings>[] = [
      { url: 'https://alarm.example/path' },
      { apiVersion: '13.0' },
      { password: 'other' },
      { email: 'Anna@alarm.example' },
    ]
    for (const change of others) assert.equal(use(change), user, JSON.stringify(change))
    assert.notEqual(use({ email: 'tom@alarm.example' }), user)
    assert.notEqual(use({ url: 'https://other.example' }), user)
  })

  it('refuses a config node whose cluster is another one than that of a deployed one of the same user', () => {
    const clock = new FakeClock()
    const registry = new AccountRegistry(clock)
    const use = (owner: object, cluster?: object, mode?: 'trial') =>
      registry.acquire(settings('one@alarm.example'), owner, storesOf(clock), mode, cluster).serviceUser
    const [first, cluster] = [{}, {}]
    const alone = use(first)
    assert.throws(() => use({}, cluster), {
      code: 'BAD_SETTING',
      message: /^Cluster: /,
      detail: { text: 'finding.differentClusters' },
    })
    assert.equal(alone.configNodes, 1)
    // A check spends the budget of the deployed one, whatever its form says.
    assert.equal(use({}, cluster, 'trial'), alone)
  })

  it('opens other stores for a user that moves into a cluster, which wait for the last request with those before', async () => {
    const clock = new FakeClock()
    const registry = new AccountRegistry(clock)
    const owner = {}
    const before = registry.acquire(settings('one@alarm.example'), owner, storesOf(clock))
    const place = { lane: 'poll', signal: neverAborted() } as const
    const { rateLimiter } = before.serviceUser
    const end = await new Promise<() => void>((begun) => {
      const unanswered = () => new Promise<void>((answered) => begun(answered))
      void rateLimiter.run(place, () => {}, unanswered)
    })
    void registry.release(owner)
    let closed: Promise<void> | undefined
    const openStores: OpenUserStores = (user) => {
      const stores = storesOf(clock)(user)
      const recall = (end?: Promise<void>) => {
        closed = end
        return Promise.resolve()
      }
      return { ...stores, rateLimits: Object.assign(stores.rateLimits, { recall }) }
    }
    const after = registry.acquire(settings('one@alarm.example'), {}, openStores, 'deployed', {})
    assert.notEqual(after.serviceUser, before.serviceUser)
    let isClosed = false
    const noted = closed?.then(() => {
      isClosed = true
    })
    await new Promise(setImmediate)
    assert.equal(isClosed, false)
    const late = rateLimiter.run(
      { ...place, lane: 'command' },
      () => {},
      async () => {},
    )
    await assert.rejects(late, { code: 'CLOSED' })
    end()
    await noted
    assert.equal(isClosed, true)
  })
})
