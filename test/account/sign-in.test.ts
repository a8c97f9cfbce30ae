import assert from 'node:assert/strict'
import { operations } from '../../src/service/operations.ts'
import { patient, type Stage, stage } from '../support/account-at-simulator.ts'

describe('the sign-in', () => {
  let at: Stage
  beforeEach(async () => {
    at = await stage()
  })
  afterEach(() => at.close())

  const now = () => ({ lane: 'urgent', maxAge: 0, signal: patient(), panel: at.panel }) as const
  /** Fifty questions that no flight can share. */
  const fifty = () =>
    Array.from({ length: 50 }, (_, index) =>
      at.account.ask(operations.status, { ...now(), locale: `${index}` }),
    )

  it('needs one version, one sign-in and one panel login for any number of questions', async () => {
    await Promise.all([...fifty(), at.account.ask(operations.devices, now())])
    assert.equal(at.requestsTo('/rest_api/version'), 1)
    assert.equal(at.simulator.accounts.signIns, 1)
    assert.equal(at.simulator.accounts.panelLogins, 1)
    assert.equal(at.account.phase, 'ready')
  })

  for (const answer of ['440', '400', '401', '403'] as const) {
    it(`is renewed once by fifty calls that meet an expiry shown as ${answer}, and all succeed`, async () => {
      await at.account.ask(operations.status, now())
      at.simulator.accounts.expiryAnswer = answer
      at.simulator.accounts.expireSessions()
      const before = { ...at.simulator.accounts }
      const answers = await Promise.all(fifty())
      assert.equal(answers.length, 50)
      assert.ok(answers.every(({ value }) => value.partitions.length > 0))
      assert.equal(at.simulator.accounts.panelLogins, 2, JSON.stringify(before))
      assert.ok(at.simulator.accounts.signIns <= 2)
    })
  }

  it('is renewed from the top when the user token has died with its sessions', async () => {
    await at.account.ask(operations.status, now())
    at.simulator.accounts.expireUserTokens()
    await Promise.all(fifty())
    assert.equal(at.simulator.accounts.signIns, 2)
    assert.equal(at.simulator.accounts.panelLogins <= 3, true)
  })

  it('is shared by a second config node with the same settings, and survives a redeploy', async () => {
    await at.account.ask(operations.status, now())
    await at.another().ask(operations.devices, now())
    assert.equal(at.simulator.accounts.signIns, 1)
    assert.equal(at.simulator.accounts.panelLogins, 1)
  })

  it('gives up after one repeat where a fresh session dies at once, and pauses before the next', async () => {
    at.simulator.answerNext('status', { status: 440, times: Number.POSITIVE_INFINITY })
    await assert.rejects(at.account.ask(operations.status, now()), { code: 'SESSION_EXPIRED' })
    assert.equal(at.simulator.accounts.panelLogins, 2)
    assert.equal(at.account.phase, 'held')
    await assert.rejects(at.account.ask(operations.status, now()), { code: 'SESSION_EXPIRED' })
    assert.equal(at.simulator.accounts.panelLogins, 2)
  })

  it('does not take a refusal of rights for an expiry', async () => {
    await at.account.ask(operations.status, now())
    const body = { error: 10010, error_message: '', error_reason_code: 'NotAllowed' }
    at.simulator.answerNext('alarms', { status: 403, body })
    await assert.rejects(at.account.ask(operations.alarms, now()), { code: 'NOT_ALLOWED', status: 403 })
    assert.equal(at.simulator.accounts.panelLogins, 1)
  })

  describe('with a wrong password', () => {
    beforeEach(() => at.simulator.accounts.setPassword('changed meanwhile'))

    it('is tried once, however often and by however many it is asked', async () => {
      const results = await Promise.allSettled([...fifty(), ...fifty()])
      assert.ok(results.every(({ status }) => status === 'rejected'))
      await assert.rejects(at.account.ask(operations.panels, now()), {
        name: 'KeyholderError',
        code: 'BAD_CREDENTIALS',
        status: 400,
      })
      assert.equal(at.simulator.accounts.signIns, 1)
      assert.equal(at.account.phase, 'rejected')
    })

    it('is not tried again after a restart', async () => {
      await assert.rejects(at.account.ask(operations.panels, now()))
      for (let restart = 0; restart < 3; restart += 1) {
        const account = at.afterRestart()
        await assert.rejects(account.ask(operations.panels, now()), { code: 'BAD_CREDENTIALS' })
      }
      assert.equal(at.simulator.accounts.signIns, 1)
    })

    it('is tried again when the settings change', async () => {
      await assert.rejects(at.account.ask(operations.panels, now()))
      await at.another({ password: 'changed meanwhile' }).ask(operations.panels, now())
      assert.equal(at.simulator.accounts.signIns, 2)
    })
  })

  it('tries a wrong user code once, also over restarts, while the account itself stays well', async () => {
    const wrong = { ...now(), panel: { ...at.panel, userCode: '0000' } }
    await assert.rejects(at.account.ask(operations.status, wrong), { code: 'WRONG_USER_CODE' })
    await assert.rejects(at.account.ask(operations.devices, wrong), { code: 'WRONG_USER_CODE' })
    await assert.rejects(at.afterRestart().ask(operations.devices, wrong), { code: 'WRONG_USER_CODE' })
    assert.equal(at.simulator.accounts.panelLogins, 1)
    await at.account.ask(operations.status, now())
  })

  it('is not given up because a firewall answers with a page of its own', async () => {
    at.simulator.answerNext('auth', { status: 403, body: '<html>blocked</html>' })
    await assert.rejects(at.account.ask(operations.panels, now()), { code: 'SERVER_ERROR' })
    at.clock.advance(60_000)
    await at.account.ask(operations.panels, now())
  })

  it('tries what was rejected anew once other settings have been tried', async () => {
    at.simulator.accounts.setPassword('not yet mine')
    await assert.rejects(at.account.ask(operations.panels, now()), { code: 'BAD_CREDENTIALS' })
    at.leave(at.account)
    const other = at.another({ password: 'a slip' })
    await assert.rejects(other.ask(operations.panels, now()), { code: 'BAD_CREDENTIALS' })
    at.leave(other)
    await assert.rejects(at.another().ask(operations.panels, now()), { code: 'BAD_CREDENTIALS' })
    assert.equal(at.simulator.accounts.signIns, 3)
  })

  it('is tried once for two config nodes with the same wrong password', async () => {
    at.simulator.accounts.setPassword('changed meanwhile')
    const other = at.another({ appId: '00000000-0000-4000-8000-000000000000' })
    const asked = [at.account, other].map((account) => account.ask(operations.panels, now()))
    for (const { status } of await Promise.allSettled(asked)) assert.equal(status, 'rejected')
    assert.equal(at.simulator.accounts.signIns, 1)
  })

  it('pauses longer and longer where every fresh session dies at once', async () => {
    at.simulator.answerNext('status', { status: 440, times: Number.POSITIVE_INFINITY })
    for (let minute = 0; minute < 30; minute += 1) {
      await at.account.ask(operations.status, now()).catch(() => {})
      at.clock.advance(60_000)
    }
    assert.ok(at.simulator.accounts.panelLogins < 25, `${at.simulator.accounts.panelLogins}`)
  })

  it('does not try a wrong user code again because a right password was tried after a restart', async () => {
    const wrong = { ...now(), panel: { ...at.panel, userCode: '0000' } }
    await assert.rejects(at.account.ask(operations.status, wrong), { code: 'WRONG_USER_CODE' })
    for (let restart = 0; restart < 4; restart += 1) {
      const account = at.afterRestart()
      await account.ask(operations.panels, wrong)
      await assert.rejects(account.ask(operations.status, wrong), { code: 'WRONG_USER_CODE' })
    }
    assert.equal(at.simulator.accounts.panelLogins, 1)
    assert.equal(at.simulator.accounts.signIns, 5)
  })
})
