import assert from 'node:assert/strict'
import { type AccountHarness, startAccountHarness } from '../../../harness/account.ts'
import { RequestHistory } from '../../../src/account/requests/request-history.ts'
import { operations } from '../../../src/service/operations.ts'

describe('The history of the requests', () => {
  let harness: AccountHarness
  beforeEach(async () => {
    harness = await startAccountHarness()
  })
  afterEach(() => harness.close())

  const readStatus = () =>
    harness.waitFor(harness.account.sendRead(operations.status, harness.createRequest()).catch(() => {}))

  it('has method, operation, status, error code and duration of each attempt, oldest first', async () => {
    await readStatus()
    harness.simulator.respondOnce('status', { status: 500 })
    await readStatus()
    const requests = harness.account.history.latest.map(({ method, operation, status, code }) =>
      [method, operation, status, code].join(' '),
    )
    assert.deepEqual(requests, [
      'GET version 200 ',
      'POST auth 200 ',
      'POST panel/login 200 ',
      'GET status 200 ',
      'GET status 500 SERVER_ERROR',
    ])
    for (const { at, tookMs } of harness.account.history.latest) {
      assert.equal(new Date(at).toISOString(), at)
      assert.ok(tookMs >= 0)
    }
  })

  it('has an attempt without an answer too', async () => {
    await readStatus()
    harness.simulator.hang('status')
    await readStatus()
    const { status, code, tookMs } = harness.account.history.latest.at(-1) ?? {}
    assert.deepEqual({ status, code, tookMs }, { status: null, code: 'TIMEOUT', tookMs: 10_000 })
  })

  it('has no serial, code, password or token', async () => {
    await readStatus()
    const { serials, userCode, password, email } = harness.simulator
    const text = JSON.stringify(harness.account.history.latest)
    for (const secret of [...serials, userCode, password, email]) assert.ok(!text.includes(secret))
  })

  it('keeps the latest hundred', () => {
    const history = new RequestHistory()
    const request = { at: 0, method: 'GET', operation: 'status', status: 200, code: null } as const
    for (let count = 1; count <= 150; count += 1) history.add({ ...request, tookMs: count })
    const { latest } = history
    assert.deepEqual([latest.length, latest[0]?.tookMs, latest.at(-1)?.tookMs], [100, 51, 150])
  })

  it('has the start of each attempt as a text in UTC', () => {
    const history = new RequestHistory()
    history.add({ at: 0, method: 'GET', operation: 'status', status: 200, code: null, tookMs: 1 })
    assert.equal(history.latest[0]?.at, '1970-01-01T00:00:00.000Z')
  })
})
