import assert from 'node:assert/strict'
import { type AccountHarness, startAccountHarness } from '../../../../harness/account.ts'
import { until } from '../../../../harness/clock/until.ts'
import type { Account } from '../../../../src/account/account.ts'
import { day, second } from '../../../../src/duration.ts'
import { operations } from '../../../../src/service/operations.ts'
import { latency } from '../../../../src/simulator/faults/network-faults.ts'
import { type StatusOptions, status } from '../../../../src/simulator/faults/response-faults.ts'

/** Milliseconds of the first exponential backoff, if the random number is 0.5. */
const own = second

/** The shortest one after a 420: the service has blocked the sign-in, and more sign-ins can prolong that. */
const ownOf420 = 60 * second

/** The initial wall time of the fake clock. */
const wall = Date.UTC(2026, 10, 20, 12, 0, 0)

/** Values of `Retry-After`, and the resulting backoff. */
const headers: readonly [name: string, value: string | undefined, pause: number][] = [
  ['seconds', '120', 120 * second],
  ['seconds with a fraction', '2.5', 2.5 * second],
  ['a date', new Date(wall + 300 * second).toUTCString(), 300 * second],
  ['a date in the oldest format', 'Fri Nov 20 12:05:00 2026', 300 * second],
  ['a date in the past', new Date(wall - 300 * second).toUTCString(), own],
  ['a date fifty years ahead', 'Fri, 20 Nov 2076 12:00:00 GMT', day],
  ['nothing', undefined, own],
  ['an empty text', '', own],
  ['0', '0', own],
  ['a negative number', '-120', own],
  ['10^9', '1000000000', day],
  ['garbage', 'in a while', own],
  ['garbage that contains a year', 'not before 2050', own],
]

const bodyOf420 = (timeout: unknown) => ({
  error: 10020,
  error_message: 'Login temporary blocked',
  error_reason_code: 'LoginTemporaryBlocked',
  extras: [{ key: 'timeout', value: timeout }],
})

/** Values of the timeout in the body of a 420, which takes precedence over the header. */
const timeouts: readonly [name: string, value: unknown, pause: number][] = [
  ['seconds', 44, 44 * second],
  ['seconds as text', '44', 44 * second],
  ['a fraction', 0.5, 0.5 * second],
  ['0', 0, 7 * second],
  ['a negative number', -44, 7 * second],
  ['10^9', 1_000_000_000, day],
  ['10^30', 1e30, day],
  ['garbage', 'soon', 7 * second],
]

type Case = readonly [name: string, code: number, options: StatusOptions, pause: number]

/** The cases of the header for one status, with a body that has no timeout. */
const withHeader = (code: number, body: object): Case[] =>
  headers.map(([name, retryAfter, pause]) => {
    const options = retryAfter === undefined ? { body } : { body, retryAfter }
    return [
      `${code} with ${name} in Retry-After`,
      code,
      options,
      code === 420 && pause === own ? ownOf420 : pause,
    ]
  })

const cases: readonly Case[] = [
  ...withHeader(420, { error: 10020 }),
  ...withHeader(429, {}),
  ...withHeader(503, {}),
  ...timeouts.map(([name, timeout, pause]): Case => {
    return [`420 with ${name} as its timeout`, 420, { body: bodyOf420(timeout), retryAfter: '7' }, pause]
  }),
]

describe('An account that the service asks to wait', () => {
  let at: AccountHarness
  beforeEach(async () => {
    at = await startAccountHarness()
    await at.account.sendRead(operations.status, at.createRequest())
  })
  afterEach(() => at.close())

  /** Sends requests in both lanes that the coalescer cannot merge. */
  const questions = (count: number, account = at.account) =>
    Array.from({ length: count }, (_, index) =>
      account.sendRead(operations.status, {
        ...at.createRequest(),
        lane: index % 2 ? 'poll' : 'urgent',
        locale: `${index}`,
      }),
    )

  async function assertSilent(account: Account): Promise<void> {
    const sent = at.simulator.requests.length
    for (const { status } of await Promise.allSettled(questions(6, account))) assert.equal(status, 'rejected')
    assert.equal(at.simulator.requests.length, sent)
    assert.equal(account.phase, 'held')
  }

  async function refuseOnce(code: number, options: StatusOptions): Promise<void> {
    at.simulator.faults.start(status(code, options), { operation: 'devices', times: 1 })
    await assert.rejects(at.account.sendRead(operations.devices, at.createRequest()), { status: code })
  }

  for (const [name, code, options, pause] of cases) {
    it(`waits ${pause / second} s after ${name}, without any attempt, even if the clock changes or Node-RED restarts`, async () => {
      await refuseOnce(code, options)
      const { signIns, panelLogins } = at.simulator.accounts
      assert.equal(at.account.heldUntil, at.clock.wall() + pause)
      await assertSilent(at.account)
      at.clock.stepWall(-3600 * second)
      assert.equal(at.account.heldUntil, at.clock.wall() + pause)
      at.clock.advance(pause / 2)
      at.clock.stepWall(7200 * second)
      await assertSilent(at.account)
      const restarted = at.openAfterRestart()
      await assertSilent(restarted)
      assert.equal(restarted.heldUntil, at.clock.wall() + pause / 2)
      at.clock.advance(pause / 2 - 1)
      await assertSilent(at.account)
      await assertSilent(restarted)
      assert.deepEqual(
        [at.simulator.accounts.signIns, at.simulator.accounts.panelLogins],
        [signIns, panelLogins],
      )
      at.clock.advance(1)
      assert.equal(at.account.heldUntil, undefined)
      await at.account.sendRead(operations.status, at.createRequest())
      await restarted.sendRead(operations.status, at.createRequest())
    })
  }

  for (const code of [420, 429, 503]) {
    it(`sends a single probe after the backoff of a ${code}, and all other requests once it is answered`, async () => {
      // Without a web page, after which the versions are requested too.
      await refuseOnce(code, { retryAfter: '60', body: {} })
      at.clock.advance(60 * second)
      at.simulator.faults.start(latency(second))
      const before = {
        sent: at.simulator.requests.length,
        used: at.account.rateLimiter.figures.usedLastMinute,
      }
      const pending = questions(50)
      // All requests are queued, and every attempt that was started has arrived.
      await until(() => {
        const { usedLastMinute, waiting } = at.account.rateLimiter.figures
        const begun = usedLastMinute - before.used
        return begun > 0 && waiting === 50 - begun && at.simulator.requests.length === before.sent + begun
      })
      assert.equal(at.simulator.requests.length, before.sent + 1)
      const results = await at.waitFor(Promise.allSettled(pending))
      assert.ok(results.every(({ status }) => status === 'fulfilled'))
      const [probe, ...others] = at.simulator.requests.slice(before.sent).map(({ at: time }) => time)
      assert.equal(others.length, 49)
      for (const time of others) assert.ok(time >= (probe ?? 0) + second, `${time} beside ${probe}`)
    })
  }

  it('sends a single probe after a restart, too', async () => {
    await refuseOnce(429, { retryAfter: '60' })
    const restarted = at.openAfterRestart()
    at.clock.advance(60 * second)
    at.simulator.faults.start(latency(second))
    const sent = at.simulator.requests.length
    const results = await at.waitFor(Promise.allSettled(questions(10, restarted)))
    assert.ok(results.every(({ status }) => status === 'fulfilled'))
    const [probe, ...others] = at.simulator.requests.slice(sent).map(({ at: time }) => time)
    for (const time of others) assert.ok(time >= (probe ?? 0) + second)
  })

  it('waits again, and longer each time, if the probe is refused', async () => {
    at.simulator.faults.start(status(503))
    const heldFor: number[] = []
    for (let round = 0; round < 6; round += 1) {
      const sent = at.simulator.requests.length
      const results = await Promise.allSettled(questions(50))
      assert.ok(results.every(({ status }) => status === 'rejected'))
      // In the first round three urgent attempts and one poll can be in flight; later there is only the probe.
      assert.ok(at.simulator.requests.length - sent <= (round === 0 ? 4 : 1))
      heldFor.push((at.account.heldUntil ?? 0) - at.clock.wall())
      at.clock.advance(heldFor.at(-1) ?? 0)
    }
    for (const [round, pause] of heldFor.entries())
      assert.ok(pause >= (heldFor[round - 1] ?? 0), `${heldFor}`)
    assert.ok((heldFor.at(-1) ?? 0) >= 32 * second, `${heldFor}`)
  })

  it('continues with all other requests if the probe fails for another reason', async () => {
    await refuseOnce(429, { retryAfter: '60' })
    at.clock.advance(60 * second)
    at.simulator.faults.start(status(500), { times: 1 })
    const results = await Promise.allSettled(questions(20))
    assert.equal(results.filter(({ status }) => status === 'rejected').length, 1)
  })
})
