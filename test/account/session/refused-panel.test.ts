import assert from 'node:assert/strict'
import { type AccountHarness, startAccountHarness } from '../../../harness/account.ts'
import { operations } from '../../../src/service/operations.ts'
import type { RequestContext } from '../../../src/simulator/faults/active-faults.ts'

const minute = 60_000

const refusal = (message: string) => ({
  status: 400,
  body: { error: 400, error_message: message, error_reason_code: 'InvalidRequestFormat' },
})

describe('A panel whose requests are all refused', () => {
  let at: AccountHarness
  beforeEach(async () => {
    at = await startAccountHarness()
    await at.account.sendRead(operations.status, at.createRequest())
  })
  afterEach(() => at.close())

  const ask = () => at.account.sendRead(operations.status, { ...at.createRequest(), lane: 'poll' })
  /** Refuses all requests of panels as long as a condition holds. */
  const refuseWhile = (isSo: (request: RequestContext) => boolean, message: string) =>
    at.simulator.faults.start({
      name: 'refused',
      answer: (getOriginal, request) => {
        const concerns = !['version', 'auth'].includes(request.operation)
        return concerns && isSo(request) ? refusal(message) : getOriginal()
      },
    })
  /** Polls every 30 seconds until an answer comes, and returns the minutes that it took. */
  const minutesToRecovery = async () => {
    for (let polls = 0; polls < 2 * 60; polls += 1) {
      if ((await ask().catch(() => undefined)) !== undefined) return polls / 2
      at.clock.advance(minute / 2)
    }
    return Number.POSITIVE_INFINITY
  }
  const opensPanel = ({ operation }: RequestContext) => operation === 'panel/login'

  it('is opened again after three minutes, whatever the words of the refusal are', async () => {
    refuseWhile(
      (request) => !opensPanel(request) && request.accounts.panelLogins < 2,
      'Das Sitzungstoken ist unbekannt',
    )
    assert.equal(await minutesToRecovery(), 3.5)
    assert.deepEqual([at.simulator.accounts.signIns, at.simulator.accounts.panelLogins], [1, 2])
  })

  it('is opened after a new sign-in if it refuses to open too', async () => {
    refuseWhile(({ accounts }) => accounts.signIns < 2, 'Unable to recognize user token')
    assert.ok((await minutesToRecovery()) <= 5)
    assert.equal(at.simulator.accounts.signIns, 2)
  })

  it('is opened after a new sign-in if it still refuses everything after it was opened again', async () => {
    refuseWhile(
      (request) => !opensPanel(request) && request.accounts.signIns < 2,
      'Das Benutzertoken ist unbekannt',
    )
    assert.ok((await minutesToRecovery()) <= 10)
  })

  it('is opened again after longer and longer times, an hour at most', async () => {
    refuseWhile((request) => !opensPanel(request), 'Nein')
    for (let polls = 0; polls < 40 * 6; polls += 1) {
      await assert.rejects(ask(), { code: 'BAD_RESPONSE' })
      at.clock.advance(1.5 * minute)
    }
    // After 3, 9, 21, 45, 93 minutes, and then each hour.
    assert.equal(at.simulator.accounts.panelLogins, 1 + 5 + 4)
    assert.ok(at.simulator.accounts.signIns <= 10)
  })

  it('is not opened again while it answers other requests', async () => {
    refuseWhile(({ operation }) => operation === 'status', 'Nein')
    for (let polls = 0; polls < 60; polls += 1) {
      await assert.rejects(ask())
      await at.account.sendRead(operations.events, { ...at.createRequest(), lane: 'poll' })
      at.clock.advance(minute / 2)
    }
    assert.equal(at.simulator.accounts.panelLogins, 1)
  })

  it('is not opened again because the service cannot reach it', async () => {
    const body = { error: 400, error_message: '', error_reason_code: 'PanelNotConnected' }
    at.simulator.respondOnce('status', { status: 400, body, times: Number.POSITIVE_INFINITY })
    for (let polls = 0; polls < 60; polls += 1) {
      await assert.rejects(ask(), { code: 'PANEL_OFFLINE' })
      at.clock.advance(minute / 2)
    }
    assert.equal(at.simulator.accounts.panelLogins, 1)
  })
})
