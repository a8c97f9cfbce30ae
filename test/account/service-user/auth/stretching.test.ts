import assert from 'node:assert/strict'
import { cpSync, rmSync } from 'node:fs'
import { type AccountHarness, startAccountHarness } from '../../../../harness/account.ts'
import { requestsTo } from '../../../../harness/simulator.ts'
import { Account } from '../../../../src/account/account.ts'
import { AccountRegistry } from '../../../../src/account/account-registry.ts'
import { RejectedCredentials } from '../../../../src/account/service-user/auth/rejected-credentials.ts'

const { cost } = RejectedCredentials

describe('The stretching of passwords and user codes', () => {
  let at: AccountHarness
  let stretched: number
  let onStretch: () => void
  beforeEach(async () => {
    at = await startAccountHarness({ panels: 3 })
    stretched = 0
    onStretch = () => {}
    const get = () => {
      stretched += 1
      onStretch()
      return cost
    }
    Object.defineProperty(RejectedCredentials, 'cost', { configurable: true, get })
  })
  afterEach(async () => {
    Object.defineProperty(RejectedCredentials, 'cost', { configurable: true, writable: true, value: cost })
    await at.close()
  })

  const key = (nth: number, userCode = at.panel.userCode) => ({
    serial: at.simulator.serials[nth] ?? '',
    userCode,
  })
  const rejected = { code: 'WRONG_USER_CODE' }

  it('is left out while nothing was rejected, also after a restart', async () => {
    for (const nth of [0, 1, 2]) await at.account.openPanel(key(nth))
    const account = at.openAfterRestart()
    for (const nth of [0, 1, 2]) await account.openPanel(key(nth))
    assert.deepEqual([stretched, requestsTo(at.simulator, 'panel/login')], [0, 6])
  })

  it('is left out for a panel without an entry in the list, whatever the list has of others', async () => {
    await assert.rejects(at.account.openPanel(key(0, '9999')), rejected)
    assert.equal(stretched, 1)
    const account = at.openAfterRestart()
    for (const nth of [1, 2]) await account.openPanel(key(nth))
    assert.equal(stretched, 1)
  })

  it('finds the entry of a panel: its code is not sent again by any process, and another one is sent', async () => {
    await assert.rejects(at.account.openPanel(key(0, '9999')), rejected)
    await assert.rejects(at.account.openPanel(key(0, '9999')), rejected)
    for (let restart = 0; restart < 3; restart += 1) {
      const account = at.openAfterRestart()
      await account.openPanel(key(1))
      await assert.rejects(account.openPanel(key(0, '9999')), rejected)
    }
    // The sign-ins of the other panel are the other three.
    assert.equal(requestsTo(at.simulator, 'panel/login'), 1 + 3)
    await at.openAfterRestart().openPanel(key(0))
    assert.equal(requestsTo(at.simulator, 'panel/login'), 1 + 3 + 1)
  })

  it('is over before a kill could let the next process send a rejected code at once', async () => {
    const folder = `${at.folder}-killed`
    onStretch = () => cpSync(at.folder, folder, { recursive: true })
    await assert.rejects(at.account.openPanel(key(0, '9999')), rejected)
    onStretch = () => {}
    const surroundings = { clock: at.clock, folder, random: () => 0.5 }
    const account = new Account(at.account.settings, new AccountRegistry(at.clock), surroundings, () => {})
    await assert.rejects(account.openPanel(key(0, '9999')), { code: 'LOGIN_BLOCKED' })
    assert.equal(requestsTo(at.simulator, 'panel/login'), 1)
    rmSync(folder, { recursive: true })
  })
})
