import assert from 'node:assert/strict'
import { type AccountHarness, neverAborted, startAccountHarness } from '../../harness/account.ts'
import { requestsTo } from '../../harness/simulator.ts'
import { operations } from '../../src/service/operations.ts'

describe('The panels of an account', () => {
  let at: AccountHarness
  beforeEach(async () => {
    at = await startAccountHarness({ panels: 2 })
  })
  afterEach(() => at.close())

  const options = (serial: string) => {
    const panel = { serial, userCode: at.simulator.userCode }
    return { lane: 'poll', maxAge: 60_000, panel, signal: neverAborted() } as const
  }

  it('share the answers that do not depend on the panel', async () => {
    for (const serial of at.simulator.serials) await at.account.sendRead(operations.panels, options(serial))
    assert.equal(requestsTo(at.simulator, 'panels'), 1)
  })

  it('do not share the answers that depend on the panel', async () => {
    const [one, other] = await Promise.all(
      at.simulator.serials.map((serial) => at.account.sendRead(operations.panelInfo, options(serial))),
    )
    assert.equal(requestsTo(at.simulator, 'panel_info'), 2)
    assert.notEqual(one?.value.serial, other?.value.serial)
  })
})
