import assert from 'node:assert/strict'
import { type AccountHarness, neverAborted, startAccountHarness } from '../../../harness/account.ts'
import { transport } from '../../../src/account/http/http-client.ts'
import { LocalRateLimitStore } from '../../../src/account/service-user/rate-limit/local-rate-limit-store.ts'
import { second } from '../../../src/duration.ts'
import { operations } from '../../../src/service/operations.ts'

describe('A request that holds its place beyond its timeout', () => {
  const { begin } = transport
  const { take } = LocalRateLimitStore.prototype
  let at: AccountHarness
  afterEach(async () => {
    transport.begin = begin
    LocalRateLimitStore.prototype.take = take
    await at.close()
  })

  /** Opens a panel; attempts of this operation then neither end nor obey. Returns the number of their closed connections. */
  async function openWithout(operation: string, settings = {}): Promise<() => number> {
    at = await startAccountHarness({}, settings)
    await at.waitFor(at.account.openPanel(at.panel))
    const beginInMemory = transport.begin
    let closed = 0
    transport.begin = (client, attempt) => {
      if (!attempt.url.endsWith(`/${operation}`)) return beginInMemory(client, attempt)
      attempt.onSend?.()
      const cutOff = () => {
        closed += 1
      }
      return { answer: new Promise(() => {}), end: () => {}, cutOff }
    }
    return () => closed
  }

  it('ends with INTERNAL_ERROR, and its connection is closed', async () => {
    const closed = await openWithout('status')
    const reading = at.account.sendRead(operations.status, at.createRequest())
    await assert.rejects(at.waitFor(reading), { code: 'INTERNAL_ERROR' })
    assert.deepEqual([closed(), at.clock.monotonic() / second], [1, 15])
  })

  it('lets the next one go, of the lane and of the limit', async () => {
    await openWithout('status', { requestsPerMinute: 4 })
    const reading = at.account.sendRead(operations.status, { ...at.createRequest(), lane: 'poll' })
    const next = at.account.sendRead(operations.devices, { ...at.createRequest(), lane: 'poll' })
    await assert.rejects(at.waitFor(reading), { code: 'INTERNAL_ERROR' })
    assert.ok((await at.waitFor(next)).value.length > 0)
  })

  it('leaves a command in doubt, which is not sent again', async () => {
    await openWithout('set_state')
    const command = { panel: at.panel, body: {}, signal: neverAborted() }
    const sent = await at.waitFor(at.account.sendCommand(operations.setState, command))
    assert.ok('doubt' in sent)
    assert.equal(sent.doubt.code, 'INTERNAL_ERROR')
  })

  it('is not made if a disk that hangs keeps it from being counted, and is no longer counted when the disk answers', async () => {
    await openWithout('none')
    let answer = () => {}
    LocalRateLimitStore.prototype.take = async function (lane) {
      await new Promise<void>((resolve) => {
        answer = resolve
      })
      return take.call(this, lane)
    }
    const { length } = at.simulator.requests
    const reading = at.account.sendRead(operations.status, at.createRequest())
    await assert.rejects(at.waitFor(reading), { code: 'INTERNAL_ERROR' })
    LocalRateLimitStore.prototype.take = take
    answer()
    await at.waitFor(at.account.sendRead(operations.status, at.createRequest()))
    assert.equal(at.simulator.requests.length, length + 1)
  })
})
