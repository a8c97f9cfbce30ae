import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { type AccountHarness, startAccountHarness } from '../../../../harness/account.ts'
import { FakeClock } from '../../../../harness/clock/fake-clock.ts'
import { requestsTo } from '../../../../harness/simulator.ts'
import { AttemptLog } from '../../../../src/account/service-user/rate-limit/attempt-log.ts'
import {
  exponentialBackoff,
  parseRetryAfter,
  refusalBackoff,
  signInBackoff,
  unansweredBackoff,
} from '../../../../src/account/service-user/rate-limit/backoff.ts'
import { forAllCallers } from '../../../../src/account/service-user/rate-limit/rate-limiter.ts'
import { ServiceUser } from '../../../../src/account/service-user/service-user.ts'
import { localUserStores } from '../../../../src/account/service-user/user-stores.ts'
import { KeyholderError } from '../../../../src/service/error.ts'
import { operations } from '../../../../src/service/operations.ts'

const wall = Date.UTC(2026, 10, 20, 12, 0, 0)

describe('The backoff that a service requests with Retry-After', () => {
  it('is parsed from seconds and from a date', () => {
    assert.equal(parseRetryAfter('44', wall), 44_000)
    assert.equal(parseRetryAfter('Fri, 20 Nov 2026 12:01:00 GMT', wall), 60_000)
    assert.equal(parseRetryAfter('0.001', wall), 1)
  })

  it('is accepted up to one day and limited to one day', () => {
    assert.equal(parseRetryAfter('7200', wall), 7_200_000)
    assert.equal(parseRetryAfter('1000000000', wall), 86_400_000)
  })

  it('is ignored if it is missing, past, negative or garbage', () => {
    for (const value of [undefined, '', '0', '-5', 'soon', 'Fri, 20 Nov 2026 11:00:00 GMT']) {
      assert.equal(parseRetryAfter(value, wall), undefined, value)
    }
  })

  it('is replaced by our own exponential backoff, from one second to 15 minutes, if it is missing', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 60 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (failures, random) => {
          const pause = exponentialBackoff(failures, random)
          assert.ok(pause >= 1000 && pause <= 15 * 60_000)
        },
      ),
    )
  })
})

describe('The backoff after a sign-in', () => {
  it('is zero for the first twelve in an hour, and then grows from 15 seconds to 15 minutes', () => {
    assert.deepEqual(
      [1, 12, 13, 14, 15, 18, 19, 100].map(signInBackoff),
      [0, 0, 15_000, 30_000, 60_000, 480_000, 900_000, 900_000],
    )
  })
})

describe('The backoff after an unanswered sign-in', () => {
  it('is 1, 5 and 15 minutes, and one hour from the fourth in a row', () => {
    const minutes = [1, 2, 3, 4, 5, 100].map((failures) => unansweredBackoff(failures) / 60_000)
    assert.deepEqual(minutes, [1, 5, 15, 60, 60, 60])
  })
})

describe('The backoff after a sign-in that was refused without a known reason', () => {
  it('is 1 and 9 minutes, and one hour from the third in a row, but no longer than 9 minutes for accepted secrets', () => {
    const minutes = (isProven: boolean) =>
      [1, 2, 3, 4, 100].map((refusals) => refusalBackoff(refusals, { isProven }) / 60_000)
    assert.deepEqual(minutes(false), [1, 9, 60, 60, 60])
    assert.deepEqual(minutes(true), [1, 9, 9, 9, 9])
  })
})

describe('A backoff of our own', () => {
  it('lets a command through, except while a pause lasts that the service asks for meanwhile', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'keyholder-'))
    const clock = new FakeClock()
    const user = new ServiceUser(localUserStores(folder, clock)('name'), clock)
    const failure = new KeyholderError('SERVER_ERROR', 'The service failed.')
    for (let failures = 0; failures < 9; failures += 1) await user.backOff(failure, {}, 0.99)
    user.refuseDuringBackoff({ lane: 'command' })
    const tooMany = new KeyholderError('RATE_LIMITED', 'Too many requests.')
    await user.backOff(tooMany, { asked: 5_000 }, 0.99)
    assert.throws(() => user.refuseDuringBackoff({ lane: 'command' }))
    clock.advance(5_000)
    user.refuseDuringBackoff({ lane: 'command' })
    assert.equal(user.isOwnBackoff, true)
    assert.throws(() => user.refuseDuringBackoff(forAllCallers()))
    const end = user.beginProbe()
    user.refuseDuringBackoff(forAllCallers())
    end()
    assert.throws(() => user.refuseDuringBackoff(forAllCallers()))
    assert.throws(() => user.refuseDuringBackoff())
    await rm(folder, { recursive: true })
  })

  it('ends with the answer to a request that was sent after its begin, and no other', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'keyholder-'))
    const clock = new FakeClock()
    const user = new ServiceUser(localUserStores(folder, clock)('name'), clock)
    await user.backOff(new KeyholderError('SERVER_ERROR', 'The service failed.'), {}, 0.99)
    const begin = clock.monotonic()
    for (const sentAt of [begin - 1, begin]) user.noteReply(sentAt)
    assert.ok(user.backoffLeft > 0)
    user.noteReply(begin + 1)
    assert.equal(user.backoffLeft, 0)
    await rm(folder, { recursive: true })
  })
})

describe('An account during a backoff', () => {
  let at: AccountHarness
  beforeEach(async () => {
    at = await startAccountHarness()
  })
  afterEach(() => at.close())

  // @spec 7
  it('sends nothing until the seconds of LoginTemporaryBlocked are over, and then continues automatically', async () => {
    at.simulator.accounts.block(44)
    await assert.rejects(at.account.sendRead(operations.status, at.createRequest()), {
      code: 'LOGIN_BLOCKED',
      status: 420,
    })
    const sent = at.simulator.requests.length
    assert.equal(at.account.phase, 'held')
    assert.equal(at.account.heldUntil, at.clock.wall() + 44_000)
    at.clock.advance(43_000)
    await assert.rejects(at.account.sendRead(operations.status, at.createRequest()), {
      code: 'LOGIN_BLOCKED',
    })
    assert.equal(at.simulator.requests.length, sent)
    at.clock.advance(1_001)
    await at.account.sendRead(operations.status, at.createRequest())
    assert.equal(at.account.phase, 'ready')
  })

  for (const [status, code] of [
    [429, 'RATE_LIMITED'],
    [503, 'SERVER_ERROR'],
  ] as const) {
    // @spec pauses
    it(`waits as long as a ${status} with Retry-After demands, whichever request received it`, async () => {
      await at.account.sendRead(operations.status, at.createRequest())
      at.simulator.respondOnce('devices', { status, headers: { 'Retry-After': '120' } })
      await assert.rejects(at.account.sendRead(operations.devices, at.createRequest()), { code, status })
      const sent = at.simulator.requests.length
      await assert.rejects(at.account.sendRead(operations.status, at.createRequest()), { code })
      at.clock.stepWall(-3_600_000)
      at.clock.advance(119_000)
      await assert.rejects(at.account.sendRead(operations.status, at.createRequest()), { code })
      assert.equal(at.simulator.requests.length, sent)
      at.clock.advance(1_001)
      await at.account.sendRead(operations.status, at.createRequest())
    })
  }

  it('sends one sign-in a minute at most if the service blocks it without a time', async () => {
    const body = { error: 10020, error_message: '', error_reason_code: 'LoginTemporaryBlocked' }
    at.simulator.respondOnce('auth', { status: 420, body, times: Number.POSITIVE_INFINITY })
    for (let polls = 0; polls < 300; polls += 1) {
      await assert.rejects(at.account.sendRead(operations.status, at.createRequest()), {
        code: 'LOGIN_BLOCKED',
      })
      at.clock.advance(1000)
    }
    assert.equal(requestsTo(at.simulator, 'auth'), 5)
  })

  it('continues the backoff after a restart', async () => {
    at.simulator.accounts.block(44)
    await assert.rejects(at.account.sendRead(operations.status, at.createRequest()), {
      code: 'LOGIN_BLOCKED',
    })
    const sent = at.simulator.requests.length
    const restarted = at.openAfterRestart()
    await assert.rejects(restarted.sendRead(operations.status, at.createRequest()), { code: 'LOGIN_BLOCKED' })
    assert.equal(at.simulator.requests.length, sent)
    at.clock.advance(44_001)
    await restarted.sendRead(operations.status, at.createRequest())
  })

  for (const [seconds, words] of [
    [1, '1 second'],
    [119, '119 seconds'],
    [120, '2 minutes'],
    [7199, '120 minutes'],
    [7200, '2 hours'],
    [7201, '3 hours'],
  ] as const) {
    it(`reports ${words} of waiting, at the refusal and after it, if ${seconds} s are left`, async () => {
      at.simulator.accounts.block(seconds)
      const isReported = ({ message }: Error) => message.endsWith(` This account pauses for ${words}.`)
      await assert.rejects(at.account.sendRead(operations.status, at.createRequest()), isReported)
      await assert.rejects(at.account.refuseDuringBackoff(), isReported)
    })
  }

  it('does not shorten the backoff when a shorter one is requested', async () => {
    await at.account.sendRead(operations.status, at.createRequest())
    at.simulator.respondOnce('alarms', { status: 503, delay: 1000 })
    const poll = at.account.sendRead(operations.alarms, { ...at.createRequest(), lane: 'poll' })
    while (requestsTo(at.simulator, 'alarms') === 0) await new Promise(setImmediate)
    at.simulator.respondOnce('devices', { status: 429, headers: { 'Retry-After': '1800' } })
    await assert.rejects(at.account.sendRead(operations.devices, at.createRequest()), { status: 429 })
    at.clock.advance(1000)
    await assert.rejects(poll, { status: 503 })
    at.clock.advance(1_700_000)
    assert.equal(at.account.phase, 'held')
  })

  it('does not repeat a backoff that is over after the next restart', async () => {
    at.simulator.respondOnce('status', { status: 503, headers: { 'Retry-After': '3600' } })
    await assert.rejects(at.account.sendRead(operations.status, at.createRequest()), { code: 'SERVER_ERROR' })
    at.clock.advance(3_600_000)
    await at.account.sendRead(operations.status, at.createRequest())
    // The machine restarts on another day, and has been up as long as when the backoff began.
    const file = (await readdir(at.folder)).find((name) => name.endsWith('.log')) ?? ''
    const tomorrow = new FakeClock(at.clock.wall() + 86_400_000)
    tomorrow.advance(1000)
    assert.equal(await new AttemptLog(join(at.folder, file), tomorrow).recallBackoff(), 0)
  })

  it('uses the clock of the service for a date in Retry-After, even if its own clock is wrong', async () => {
    await at.account.sendRead(operations.status, at.createRequest())
    const date = new Date(at.clock.wall() + 3 * 86_400_000)
    const until = new Date(date.getTime() + 60_000)
    const headers = { Date: date.toUTCString(), 'Retry-After': until.toUTCString() }
    at.simulator.respondOnce('status', { status: 503, headers })
    await assert.rejects(at.account.sendRead(operations.status, at.createRequest()), { code: 'SERVER_ERROR' })
    assert.equal(at.account.heldUntil, at.clock.wall() + 60_000)
  })

  it('also applies the backoff to other config nodes of the same user, whatever their settings', async () => {
    const other = at.openAccount({ appId: '00000000-0000-4000-8000-000000000000' })
    at.simulator.accounts.block(44)
    await assert.rejects(at.account.sendRead(operations.status, at.createRequest()), {
      code: 'LOGIN_BLOCKED',
    })
    const sent = at.simulator.requests.length
    await assert.rejects(other.sendRead(operations.status, at.createRequest()), { code: 'LOGIN_BLOCKED' })
    assert.equal(at.simulator.requests.length, sent)
  })

  it('rejects all requests that were queued when the backoff began', async () => {
    await at.account.sendRead(operations.status, at.createRequest())
    at.simulator.respondOnce('devices', { status: 429, headers: { 'Retry-After': '60' } })
    const sent = at.simulator.requests.length
    const pending = [operations.devices, operations.alarms, operations.events].map((operation) =>
      at.account.sendRead<unknown>(operation, { ...at.createRequest(), lane: 'poll' }),
    )
    for (const { status } of await Promise.allSettled(pending)) assert.equal(status, 'rejected')
    assert.equal(at.simulator.requests.length, sent + 1)
  })
})
