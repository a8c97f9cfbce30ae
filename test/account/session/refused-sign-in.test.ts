import assert from 'node:assert/strict'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { type AccountHarness, startAccountHarness } from '../../../harness/account.ts'
import { until } from '../../../harness/clock/until.ts'
import { requestsTo } from '../../../harness/simulator.ts'
import { Account } from '../../../src/account/account.ts'
import { AccountRegistry } from '../../../src/account/account-registry.ts'
import { accountSettings } from '../../../src/account/account-settings.ts'
import { PanelClient } from '../../../src/panel/panel-client.ts'
import { operations } from '../../../src/service/operations.ts'

const minute = 60_000

/** Refusals of a sign-in that name neither e-mail nor password. */
const unexplained = [
  ['400 without a body', { status: 400, body: '' }],
  ['401 in plain text', { status: 401, body: 'Unauthorized' }],
  ['JSON of a gateway', { status: 400, body: { message: 'upstream timeout' } }],
] as const

const unknownReason = {
  status: 400,
  body: { error: 10099, error_message: '', error_reason_code: 'TermsNotAccepted' },
}

/** A process after a restart, with any number of config nodes. */
function restart(at: AccountHarness) {
  const registry = new AccountRegistry(at.clock)
  const { url, email } = at.simulator
  const defaults = { appId: '5f0c9d4e-8f5b-4c93-a0c5-0b7a2c6c1f11', deviceInfo: 'test' }
  return {
    open(password: string): Account {
      const settings = accountSettings({ url, email, password, requestsPerMinute: 6000 }, defaults)
      const dependencies = { clock: at.clock, folder: at.folder, random: () => 0.5 }
      return new Account(settings, registry, dependencies, () => {})
    },
    leave: (account: Account) => registry.release(account),
  }
}

/** Removes from the file of rejections what version 0.1.0 did not write. */
async function rewriteAsOldVersion(folder: string): Promise<void> {
  const name = (await readdir(folder)).find((one) => one.endsWith('.rejected.json')) ?? ''
  const { salt, rejected } = JSON.parse(await readFile(join(folder, name), 'utf8'))
  const entries = Object.entries<Record<string, unknown>>(rejected)
  const old = entries.map(([hash, { subject, code, message, status }]) => [
    hash,
    { subject, code, message, status },
  ])
  await writeFile(join(folder, name), JSON.stringify({ salt, rejected: Object.fromEntries(old) }))
}

describe('A sign-in that is refused without a known reason', () => {
  let at: AccountHarness
  beforeEach(async () => {
    at = await startAccountHarness()
  })
  afterEach(() => at.close())

  const ask = (account = at.account) => account.sendRead(operations.status, at.createRequest())
  /** Polls for some time, every 30 seconds; failures are expected. */
  const poll = async (minutes: number, account: Account = at.account) => {
    for (let polls = 0; polls < 2 * minutes; polls += 1) {
      await ask(account).catch(() => {})
      at.clock.advance(minute / 2)
    }
  }

  for (const [what, answer] of [...unexplained, ['a reason that nobody knows', unknownReason]] as const) {
    it(`is sent again after a minute, also after a restart: ${what}`, async () => {
      at.simulator.respondOnce('auth', answer)
      await assert.rejects(ask(), { code: 'BAD_RESPONSE', status: answer.status })
      assert.equal(at.account.phase, 'held')
      assert.equal(at.account.heldUntil, at.clock.wall() + minute)
      at.clock.advance(minute - 1)
      await assert.rejects(ask(), { code: 'BAD_RESPONSE' })
      await assert.rejects(ask(at.openAfterRestart()), { code: 'BAD_RESPONSE' })
      assert.equal(requestsTo(at.simulator, 'auth'), 1)
      at.clock.advance(1)
      await ask(at.openAfterRestart())
    })
  }

  it('is followed by longer pauses, of a minute, nine minutes and an hour, if it was never accepted', async () => {
    at.simulator.respondOnce('auth', { ...unknownReason, times: Number.POSITIVE_INFINITY })
    await poll(131)
    // After 0, 1, 10, 70 and 130 minutes.
    assert.equal(requestsTo(at.simulator, 'auth'), 5)
  })

  it('is followed by pauses of nine minutes at most if it was accepted before', async () => {
    await ask()
    at.simulator.accounts.expireUserTokens()
    at.simulator.respondOnce('auth', { status: 401, times: Number.POSITIVE_INFINITY })
    await poll(29)
    // Once before, then after 0, 1, 10, 19 and 28 minutes.
    assert.equal(requestsTo(at.simulator, 'auth'), 6)
  })

  for (const [what, answer] of unexplained) {
    it(`rejects new credentials at the third time within an hour: ${what}`, async () => {
      at.simulator.respondOnce('auth', { ...answer, times: Number.POSITIVE_INFINITY })
      await poll(180)
      assert.equal(requestsTo(at.simulator, 'auth'), 3)
      assert.equal(at.account.phase, 'rejected')
      await assert.rejects(ask(at.openAfterRestart()), {
        code: 'BAD_CREDENTIALS',
        status: answer.status,
        message:
          /refused the sign-in three times without a clear reason\..* see "Connect your own panel" at /,
      })
      assert.equal(requestsTo(at.simulator, 'auth'), 3)
    })
  }

  it('is sent three times at most, however often the process restarts', async () => {
    at.simulator.respondOnce('auth', { status: 401, times: Number.POSITIVE_INFINITY })
    for (let times = 0; times < 60; times += 1) {
      await assert.rejects(ask(at.openAfterRestart()))
      at.clock.advance(minute)
    }
    assert.equal(requestsTo(at.simulator, 'auth'), 3)
  })

  it('never rejects credentials that the service has accepted before', async () => {
    await ask()
    at.simulator.accounts.expireUserTokens()
    at.simulator.respondOnce('auth', { status: 401, times: 20 })
    await poll(300)
    assert.equal(at.account.phase, 'ready')
    assert.equal(requestsTo(at.simulator, 'auth'), 22)
  })

  it('never rejects accepted credentials because Node-RED restarts meanwhile', async () => {
    await ask()
    at.simulator.accounts.expireUserTokens()
    at.simulator.respondOnce('auth', { status: 401, times: 6 })
    await poll(2)
    const restarted = at.openAfterRestart()
    await poll(60, restarted)
    assert.equal(restarted.phase, 'ready')
  })

  it('never rejects credentials while the service names another reason', async () => {
    at.simulator.respondOnce('auth', { ...unknownReason, times: 3 })
    await poll(71)
    assert.equal(at.account.phase, 'ready')
  })

  it('rejects accepted credentials at once where the service names them', async () => {
    await ask()
    at.simulator.accounts.setPassword('changed meanwhile')
    at.simulator.accounts.expireUserTokens()
    await assert.rejects(ask(), { code: 'BAD_CREDENTIALS' })
    await poll(180)
    assert.equal(requestsTo(at.simulator, 'auth'), 2)
  })

  it('leaves a panel alone for a minute that refuses to open for an unknown reason, and opens it then', async () => {
    await ask()
    at.simulator.accounts.expireSessions()
    at.simulator.respondOnce('panel/login', { status: 400, body: { error_reason_code: 'PanelBusy' } })
    await assert.rejects(ask(), { code: 'BAD_RESPONSE' })
    await assert.rejects(ask(), { code: 'BAD_RESPONSE' })
    assert.equal(requestsTo(at.simulator, 'panel/login'), 2)
    at.clock.advance(minute)
    await ask()
  })

  it('waits longer each time after any other refusal too', async () => {
    at.simulator.respondOnce('auth', { status: 440, times: Number.POSITIVE_INFINITY })
    await poll(60)
    assert.ok(
      requestsTo(at.simulator, 'auth') < 20,
      `${requestsTo(at.simulator, 'auth')} sign-ins in an hour`,
    )
  })
})

describe('A rejected password or code that was right after all', () => {
  let at: AccountHarness
  beforeEach(async () => {
    at = await startAccountHarness()
  })
  afterEach(() => at.close())

  const ask = (account: Account) => account.sendRead(operations.panels, at.createRequest())
  const isRejected = (account: Account) => assert.rejects(ask(account), { code: 'BAD_CREDENTIALS' })

  it('is sent again after another one was deployed, also if Node-RED restarts in between', async () => {
    at.simulator.accounts.setPassword('not yet mine')
    await isRejected(at.account)
    void at.releaseAccount(at.account)
    await ask(at.openAccount({ password: 'not yet mine' }))
    at.simulator.accounts.setPassword('demo-keyholder')
    await ask(at.openAfterRestart())
  })

  it('is sent again after a start with another one, as an environment variable sets it', async () => {
    at.simulator.accounts.setPassword('not yet mine')
    await isRejected(at.account)
    await isRejected(at.openAfterRestart())
    await isRejected(at.openAfterRestart({ password: 'a slip' }))
    assert.equal(requestsTo(at.simulator, 'auth'), 2)
    at.simulator.accounts.setPassword('demo-keyholder')
    await ask(at.openAfterRestart())
    assert.equal(requestsTo(at.simulator, 'auth'), 3)
  })

  it('is sent again when it is deployed in a process that began with another one', async () => {
    at.simulator.accounts.setPassword('not yet mine')
    await isRejected(at.account)
    at.killProcess()
    const process = restart(at)
    const other = process.open('not yet mine')
    await ask(other)
    void process.leave(other)
    at.simulator.accounts.setPassword('demo-keyholder')
    await ask(process.open('demo-keyholder'))
  })

  it('stays rejected in each start in which it is set beside the right one', async () => {
    await ask(at.account)
    await isRejected(at.openAccount({ password: 'a slip' }))
    for (let times = 0; times < 4; times += 1) {
      const process = restart(at)
      const right = process.open('demo-keyholder')
      const wrong = process.open('a slip')
      await ask(right)
      await isRejected(wrong)
    }
    assert.equal(requestsTo(at.simulator, 'auth'), 6)
  })

  it('stays rejected in a process that reads a file of version 0.1.0', async () => {
    at.simulator.accounts.setPassword('not yet mine')
    await isRejected(at.account)
    await rewriteAsOldVersion(at.folder)
    await isRejected(at.openAfterRestart())
    assert.equal(requestsTo(at.simulator, 'auth'), 1)
  })

  it('is opened with its serial once the list of panels names it', async () => {
    const panel = at.panel
    const client = (account: Account) => new PanelClient(account, panel)
    const read = async (account: Account) => {
      const own = client(account)
      await own.identify(at.createRequest())
      return own.request(operations.status, at.createRequest())
    }
    const unknown = {
      error: 10001,
      error_reason_code: 'BadRequestParams',
      extras: [{ key: 'panel_serial', value: 'incorrect' }],
    }
    at.simulator.respondOnce('panels', { status: 200, body: [] })
    at.simulator.respondOnce('panel/login', { status: 400, body: unknown })
    await assert.rejects(read(at.account), { code: 'BAD_SETTING' })
    // The empty list is not asked for again before ten minutes are over.
    await assert.rejects(read(at.account), { code: 'BAD_SETTING' })
    assert.equal(requestsTo(at.simulator, 'panel/login'), 1)
    at.clock.advance(10 * minute)
    await read(at.account)
    await read(at.openAfterRestart())
  })

  it('is never taken for a wrong serial while the list of panels names it', async () => {
    const client = new PanelClient(at.account, at.panel)
    await client.identify(at.createRequest())
    const unknown = {
      error: 10001,
      error_reason_code: 'BadRequestParams',
      extras: [{ key: 'panel_serial', value: 'incorrect' }],
    }
    at.simulator.respondOnce('panel/login', { status: 400, body: unknown, times: 3 })
    for (let polls = 0; polls < 142; polls += 1) {
      await client.request(operations.status, at.createRequest()).catch(() => {})
      at.clock.advance(minute / 2)
    }
    assert.equal(requestsTo(at.simulator, 'panel/login'), 4)
    await client.request(operations.status, at.createRequest())
  })
})

describe('A first sign-in without an answer', () => {
  it('is tried again at each poll where the connection never came about, so that nothing was sent', async () => {
    const at = await startAccountHarness()
    let connections = 0
    const silent = createServer(() => {
      connections += 1
    })
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    try {
      const url = `https://127.0.0.1:${(silent.address() as AddressInfo).port}`
      const account = at.openAccount({ url, apiVersion: '14.0' })
      for (let polls = 1; polls <= 5; polls += 1) {
        const asked = account.sendRead(operations.panels, at.createRequest())
        const refused = assert.rejects(asked, { code: 'TIMEOUT' })
        await until(() => connections === polls)
        at.clock.advance(10_000)
        await refused
        at.clock.advance(20_000)
      }
      assert.equal(connections, 5)
    } finally {
      silent.close()
      await at.close()
    }
  })
})
