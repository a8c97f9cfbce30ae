import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type AccountHarness, startAccountHarness } from '../../../harness/account.ts'
import { cachedFor } from '../../../src/account/requests/exchange.ts'
import { minute, second } from '../../../src/duration.ts'
import { madeAt } from '../../../src/panel/snapshot.ts'
import { operations } from '../../../src/service/operations.ts'
import { scriptedResponse } from '../../../src/simulator/faults/response-faults.ts'

describe('An answer that a cache on the way has kept', () => {
  let at: AccountHarness

  beforeEach(async () => {
    at = await startAccountHarness()
    await at.account.sendRead(operations.alarms, at.createRequest())
  })
  afterEach(() => at.close())

  function answerWith(headers: Readonly<Record<string, string>>) {
    at.simulator.faults.start(scriptedResponse({ status: 200, body: [], headers }), {
      operation: 'alarms',
      times: 1,
    })
    return at.account.sendRead(operations.alarms, at.createRequest())
  }

  it('is asked for by no request', async () => {
    const asked: (string | undefined)[] = []
    const service = createServer(({ headers }, response) => {
      asked.push(headers['cache-control'])
      response.end(JSON.stringify({ user_token: 'user', session_token: 'session' }))
    })
    service.listen(0, '127.0.0.1')
    await once(service, 'listening')
    const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}/rest_api/14.0`
    const account = at.openAccount({ url })
    try {
      await assert.rejects(account.sendRead(operations.alarms, at.createRequest()), { code: 'BAD_RESPONSE' })
    } finally {
      service.close()
    }
    assert.deepEqual(asked, ['no-cache', 'no-cache', 'no-cache'])
  })

  it('is as old as its Age says', async () => {
    const { fetchedAt, at: arrivedAt } = await answerWith({ Age: '120' })
    assert.equal(fetchedAt, at.clock.wall() - 2 * minute)
    assert.equal(arrivedAt, at.clock.monotonic())
  })

  it('was made before all that happened since, also in the second that its Age leaves open', async () => {
    const answer = await answerWith({ Age: '120' })
    assert.equal(madeAt(answer), answer.sentAt - 2 * minute - second)
    assert.ok(madeAt(await answerWith({ Age: '0' })) < at.clock.monotonic())
  })

  it('is not used for a caller that accepts only a younger one', async () => {
    await answerWith({ Age: '120' })
    const { length } = at.simulator.requests
    await at.account.sendRead(operations.alarms, { ...at.createRequest(), maxAge: minute })
    assert.equal(at.simulator.requests.length, length + 1)
  })

  it('is one of now if it has no Age, or one that is no number of seconds', async () => {
    for (const headers of [{}, { Age: '-5' }, { Age: 'soon' }, { Age: '1.5' }] as const) {
      const answer = await answerWith(headers)
      assert.equal(answer.fetchedAt, at.clock.wall())
      assert.equal(madeAt(answer), answer.sentAt)
    }
  })

  it('has a time at any Age', () => {
    assert.equal(cachedFor('9'.repeat(400)), 2 ** 31 * second)
  })
})
