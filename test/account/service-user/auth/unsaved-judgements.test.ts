import assert from 'node:assert/strict'
import { cpSync, rmSync } from 'node:fs'
import { type AccountHarness, startAccountHarness } from '../../../../harness/account.ts'
import { until } from '../../../../harness/clock/until.ts'
import { requestsTo } from '../../../../harness/simulator.ts'
import { Account } from '../../../../src/account/account.ts'
import { AccountRegistry } from '../../../../src/account/account-registry.ts'
import { RejectedCredentials } from '../../../../src/account/service-user/auth/rejected-credentials.ts'
import { RejectionFile } from '../../../../src/account/service-user/auth/rejection-store.ts'
import { minute } from '../../../../src/duration.ts'
import { operations } from '../../../../src/service/operations.ts'

const { cost } = RejectedCredentials
const { save } = RejectionFile.prototype

/** A cost that scrypt refuses. */
const impossibleCost = 3

const rejected = { code: 'WRONG_USER_CODE' }
const waits = { code: 'LOGIN_BLOCKED' }

describe('A code whose rejection is not saved yet', () => {
  let at: AccountHarness
  let killed: string
  beforeEach(async () => {
    at = await startAccountHarness({ panels: 3 })
    killed = `${at.folder}-killed`
  })
  afterEach(async () => {
    Object.defineProperty(RejectedCredentials, 'cost', { value: cost, writable: true })
    RejectionFile.prototype.save = save
    rmSync(killed, { recursive: true, force: true })
    await at.close()
  })

  function setCost(get: () => number): void {
    Object.defineProperty(RejectedCredentials, 'cost', { configurable: true, get, set: () => {} })
  }

  const key = (nth: number, userCode = at.panel.userCode) => ({
    serial: at.simulator.serials[nth] ?? '',
    userCode,
  })
  const wrong = () => key(0, '9999')
  const sent = () => requestsTo(at.simulator, 'panel/login')

  /** Copies the files as they are: those that a kill at this moment leaves. */
  function kill(): void {
    rmSync(killed, { recursive: true, force: true })
    cpSync(at.folder, killed, { recursive: true })
  }

  /** Opens the account of the process after `kill`. */
  function openAfterKill(): Account {
    const surroundings = { clock: at.clock, folder: killed, random: () => 0.5 }
    return new Account(at.account.settings, new AccountRegistry(at.clock), surroundings, () => {})
  }

  /** Lets rejections be saved or not, as on a disk that has become full since the code was sent. */
  function setDisk(isFull: boolean): void {
    RejectionFile.prototype.save = isFull ? async () => false : save
  }

  it('is not sent by the next process at once if another panel was answered before the kill', async () => {
    at.simulator.hang('panel/login')
    void at.account.openPanel(wrong()).catch(() => {})
    await until(() => sent() === 1)
    await at.account.openPanel(key(1))
    at.killProcess()
    await assert.rejects(at.openAfterRestart().openPanel(wrong()), waits)
    assert.equal(sent(), 2)
    at.clock.advance(5 * minute)
    await assert.rejects(at.openAfterRestart().openPanel(wrong()), rejected)
  })

  it('is not sent again while it cannot be hashed, and is noted when it can be', async () => {
    await at.account.openPanel(key(1))
    setCost(() => impossibleCost)
    for (let poll = 0; poll < 5; poll += 1) await assert.rejects(at.account.openPanel(wrong()), rejected)
    assert.equal(sent(), 2)
    kill()
    setCost(() => cost)
    await assert.rejects(openAfterKill().openPanel(wrong()), waits)
    await assert.rejects(at.account.openPanel(wrong()), rejected)
    await assert.rejects(at.openAfterRestart().openPanel(wrong()), rejected)
    assert.equal(sent(), 2)
  })

  it('is not sent again while it cannot be hashed if it was refused for an unknown reason', async () => {
    setCost(() => impossibleCost)
    at.simulator.respondOnce('panel/login', { status: 400, body: '' })
    for (let poll = 0; poll < 5; poll += 1) {
      await assert.rejects(at.account.openPanel(key(0)), { status: 400 })
      at.clock.advance(minute)
    }
    assert.equal(sent(), 1)
    setCost(() => cost)
    await assert.rejects(at.account.openPanel(key(0)), { status: 400 })
    at.clock.advance(minute)
    await at.account.openPanel(key(0))
    assert.equal(sent(), 2)
  })

  for (const [moment, expected] of [
    ['before', waits],
    ['while', waits],
    ['after', rejected],
  ] as const) {
    it(`is not sent by the next process if the kill comes ${moment} the rejection is written`, async () => {
      if (moment === 'before') {
        setCost(() => {
          kill()
          return cost
        })
      }
      RejectionFile.prototype.save = async function (this: RejectionFile, stored) {
        if (moment === 'while') kill()
        const isSaved = await save.call(this, stored)
        if (moment === 'after') kill()
        return isSaved
      }
      await assert.rejects(at.account.openPanel(wrong()), rejected)
      setCost(() => cost)
      RejectionFile.prototype.save = save
      await assert.rejects(openAfterKill().openPanel(wrong()), expected)
      assert.equal(sent(), 1)
    })
  }

  it('is not sent by the next process at once if the disk is full, and is noted when it has room', async () => {
    await at.account.openPanel(key(1))
    setDisk(true)
    for (let poll = 0; poll < 3; poll += 1) await assert.rejects(at.account.openPanel(wrong()), rejected)
    kill()
    await assert.rejects(openAfterKill().openPanel(wrong()), waits)
    setDisk(false)
    await assert.rejects(at.account.openPanel(wrong()), rejected)
    const account = at.openAfterRestart()
    await assert.rejects(account.openPanel(wrong()), rejected)
    await account.openPanel(key(2))
    assert.equal(sent(), 3)
  })

  it('is not sent by the next process at once if it was right until it was changed at the panel', async () => {
    await at.account.openPanel(key(0))
    at.simulator.accounts.setUserCode('4711')
    at.simulator.accounts.expireSessions()
    setCost(() => {
      kill()
      return cost
    })
    await assert.rejects(at.account.sendRead(operations.status, at.createRequest()), rejected)
    setCost(() => cost)
    await assert.rejects(openAfterKill().openPanel(key(0)), waits)
    assert.equal(sent(), 2)
  })

  it('keeps no later process waiting once its rejection is saved', async () => {
    await assert.rejects(at.account.openPanel(wrong()), rejected)
    const account = at.openAfterRestart()
    await assert.rejects(account.openPanel(wrong()), rejected)
    await account.openPanel(key(1))
    assert.equal(sent(), 2)
  })
})
