import assert from 'node:assert/strict'
import { startAccountHarness } from '../../harness/account.ts'
import { PanelClient } from '../../src/panel/panel-client.ts'
import { operations } from '../../src/service/operations.ts'

const minute = 60_000

describe('The polls of an operation that was answered before', () => {
  it('begin again within ten minutes after hours of refusals', async () => {
    const at = await startAccountHarness()
    const client = new PanelClient(at.account, at.panel)
    const poll = () => client.request(operations.status, { ...at.createRequest(), lane: 'poll' })
    await poll()
    const body = { error: 10010, error_message: '', error_reason_code: 'NotAllowed' }
    const end = at.simulator.faults.start({ name: 'refused', answer: () => ({ status: 403, body }) })
    for (let polls = 0; polls < 2 * 60 * 5; polls += 1) {
      await assert.rejects(poll())
      at.clock.advance(minute / 2)
    }
    end()
    let minutes = 0
    while (!(await poll().catch(() => undefined)) && minutes < 60) {
      at.clock.advance(minute / 2)
      minutes += 0.5
    }
    await at.close()
    assert.ok(minutes <= 10, `${minutes} minutes`)
  })
})
