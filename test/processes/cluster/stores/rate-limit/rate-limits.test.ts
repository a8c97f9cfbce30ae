import assert from 'node:assert/strict'
import fc from 'fast-check'
import { until } from '../../../../../harness/clock/until.ts'
import {
  fullestWindow,
  type LimitedInstance,
  LimitedInstances,
} from '../../../../../harness/cluster/limited-instances.ts'
import { describeWithRedis } from '../../../../../harness/redis-server.ts'
import {
  allLanes,
  type Lane,
  SlidingWindow,
} from '../../../../../src/account/service-user/rate-limit/budget.ts'
import type { CountedAttempt } from '../../../../../src/account/service-user/rate-limit/rate-limit-store.ts'
import { away } from '../../../../../src/cluster/redis/redis-error.ts'
import { rateLimitTimes } from '../../../../../src/cluster/stores/rate-limit/shared-attempts.ts'
import { hour, minute, second } from '../../../../../src/duration.ts'
import { KeyholderError } from '../../../../../src/service/error.ts'

const failure = new KeyholderError('SERVER_ERROR', 'The service at canary.example failed.', { status: 503 })
const request = new KeyholderError('RATE_LIMITED', 'The service at canary.example asks for a pause.')

describeWithRedis('The rate limit of several instances', (server) => {
  let at: LimitedInstances

  beforeEach(async () => {
    await server.empty()
    at = new LimitedInstances(server)
  })
  afterEach(() => at.close())

  it('counts the attempts of all of them, from the start until a minute after the end', async () => {
    const [one, other] = [await at.add(4), await at.add(4)]
    const taken = [await one.store.take('command'), await other.store.take('command')]
    taken.push(...(await at.takeAll(one, 'command')))
    assert.equal(taken.length, 4)
    assert.equal(await other.store.take('command'), undefined)
    assert.ok(other.store.wait('command') > 59_000)
    assert.deepEqual([other.store.limit, other.store.used], [4, 4])
    for (const attempt of taken) attempt?.end()
    await at.settle()
    await at.advance(minute - 2 * second)
    assert.equal(await other.store.take('command'), undefined)
    await at.advance(4 * second)
    assert.equal((await at.takeAll(other, 'command')).length, 4)
  })

  it('counts the attempts of all of them since midnight', async () => {
    const [one, other] = [await at.add(30), await at.add(30)]
    await one.store.take('poll')
    await other.store.take('command')
    await one.store.take('urgent')
    assert.equal(one.store.usedToday, 3)
    other.store.refresh()
    await at.settle()
    assert.equal(other.store.usedToday, 3)
    await at.advance(25 * hour)
    one.store.refresh()
    await at.settle()
    assert.equal(one.store.usedToday, 0)
    await one.store.take('poll')
    assert.equal(one.store.usedToday, 1)
  })

  it('is not lowered by an instance that has no account of the user any more, a minute after it left', async () => {
    const [one, other] = [await at.add(4), await at.add(20)]
    const limitOfOther = async () => {
      if (one.store.isLimitDue) one.store.refresh()
      await at.settle()
      other.store.refresh()
      await at.settle()
      return other.store.limit
    }
    assert.equal(await limitOfOther(), 4)
    void one.store.endLimit()
    // A redeploy has no moment without the cap.
    await at.advance(minute)
    assert.equal(await limitOfOther(), 4)
    await at.advance(2 * second)
    assert.equal(await limitOfOther(), 20)
    assert.equal(one.store.isLimitDue, false)
    one.store.limit = 4
    await at.settle()
    assert.equal(await limitOfOther(), 4)
  })

  it('is the lowest cap of the instances that live', async () => {
    const [one, other] = [await at.add(9), await at.add(3)]
    await one.store.take('command')
    assert.equal(one.store.limit, 3)
    assert.equal((await at.takeAll(one, 'command')).length, 2)
    await at.bury(other)
    one.store.refresh()
    await until(() => one.store.limit === 9)
    assert.equal((await at.takeAll(one, 'command')).length, 6)
  })

  it('counts an attempt without an end until it would have timed out and a minute later', async () => {
    const [dead, other] = [await at.add(1), await at.add(1)]
    await dead.store.take('command', 20 * second)
    dead.close()
    await at.advance(20 * second + rateLimitTimes.overdue + 30 * second)
    assert.equal(await other.store.take('command'), undefined)
    await at.advance(minute)
    assert.ok(await other.store.take('command'))
  })

  it('counts an attempt that takes as long as the longest timeout until a minute after its end', async () => {
    const [one, other] = [await at.add(1), await at.add(1)]
    const running = await one.store.take('command')
    await at.advance(5 * minute)
    assert.equal(await other.store.take('command'), undefined)
    running?.end()
    await at.settle()
    await at.advance(minute - 2 * second)
    assert.equal(await other.store.take('command'), undefined)
    await at.advance(4 * second)
    assert.ok(await other.store.take('command'))
  })

  it('gives back an attempt whose answer came too late to be sent', async () => {
    const [slow, other] = [await at.add(1), await at.add(1)]
    const taking = slow.store.take('command')
    at.clock.advance(rateLimitTimes.fresh + 1)
    assert.equal(await taking, undefined)
    assert.ok(slow.store.wait('command') > 0)
    await at.settle()
    assert.ok(await other.store.take('command'))
  })

  it('gives back its part of the pace too', async () => {
    const [slow, other] = [await at.add(30), await at.add(30)]
    for (let count = 0; count < 30; count += 1) {
      const taking = slow.store.take('poll')
      at.clock.advance(rateLimitTimes.fresh + 1)
      assert.equal(await taking, undefined)
      await at.settle()
    }
    assert.ok(await other.store.take('poll'))
    assert.equal(other.store.used, 1)
  })

  it('spreads the attempts of one instance as the sliding window of a process alone does', async () => {
    const limits = fc.constantFrom(1, 2, 5, 10, 30)
    const moves = fc.array(
      fc.record({
        lane: fc.constantFrom(...allLanes),
        ends: fc.boolean(),
        // In steps that are longer than the real time of the whole run.
        advance: fc.constantFrom(0, 0, 0, 2 * second, 7 * second, 31 * second),
      }),
      { minLength: 10, maxLength: 40 },
    )
    await fc.assert(
      fc.asyncProperty(limits, moves, async (limit, run) => {
        at.close()
        await server.empty()
        at = new LimitedInstances(server)
        const { store } = await at.add(limit, undefined, { ...rateLimitTimes, margin: 6 })
        const model = new SlidingWindow(limit)
        const running: { attempt: CountedAttempt; lane: Lane }[] = []
        for (const { lane, ends, advance } of run) {
          const now = at.clock.monotonic()
          const expected = model.wait(lane, now)
          // Meanwhile the server's clock has gone on by some real milliseconds: nothing is said of what is due about now.
          if (expected < 1500 && model.wait(lane, now - 1500) > 0) continue
          const attempt = await store.take(lane)
          assert.equal(attempt !== undefined, expected === 0, `${lane} ${expected} ${store.wait(lane)}`)
          if (attempt !== undefined) {
            model.start(lane, at.clock.monotonic())
            running.push({ attempt, lane })
          }
          const ended = ends ? running.shift() : undefined
          if (ended !== undefined) {
            ended.attempt.end()
            model.end(ended.lane, at.clock.monotonic())
            await at.settle()
          }
          if (advance > 0) await at.advance(advance)
        }
      }),
      { numRuns: 15 },
    )
  })

  it('is never exceeded, whatever is lost, killed or set', async () => {
    const cap = 6
    const moves = fc.array(
      fc.oneof(
        {
          weight: 6,
          arbitrary: fc.record({
            do: fc.constant('take' as const),
            who: fc.nat(2),
            lane: fc.constantFrom(...allLanes),
          }),
        },
        {
          weight: 4,
          arbitrary: fc.record({
            do: fc.constant('end' as const),
            who: fc.nat(2),
            lane: fc.constant('poll' as const),
          }),
        },
        {
          weight: 3,
          arbitrary: fc.record({
            do: fc.constant('advance' as const),
            who: fc.integer({ min: 1, max: 40 }),
            lane: fc.constant('poll' as const),
          }),
        },
        {
          weight: 1,
          arbitrary: fc.record({
            do: fc.constantFrom('lose' as const, 'kill' as const, 'step' as const, 'cut' as const),
            who: fc.nat(2),
            lane: fc.constantFrom(...allLanes),
          }),
        },
      ),
      { minLength: 40, maxLength: 120 },
    )
    await fc.assert(
      fc.asyncProperty(moves, async (run) => {
        at.close()
        await server.empty()
        at = new LimitedInstances(server)
        const instances: LimitedInstance[] = []
        for (let count = 0; count < 3; count += 1) instances.push(await at.add(cap))
        const running = new Map<LimitedInstance, CountedAttempt[]>()
        const arrivals: number[] = []
        for (const move of run) {
          const instance = instances[move.who % 3]
          if (instance === undefined) continue
          const mine = running.get(instance) ?? []
          running.set(instance, mine)
          if (move.do === 'take' || move.do === 'lose') {
            const attempt = await instance.store.take(move.lane)
            if (attempt === undefined || move.do === 'lose') continue
            arrivals.push(await at.time())
            mine.push(attempt)
          }
          if (move.do === 'end') mine.shift()?.end()
          if (move.do === 'kill') mine.splice(0)
          if (move.do === 'step') await at.step(move.who === 0 ? -hour : hour)
          if (move.do === 'advance') await at.advance(move.who * second)
          if (move.do === 'cut') {
            instance.connection.reconnect(away('cut off by the test'))
            await until(() => instance.connection.isOpen)
          }
          await at.settle()
        }
        assert.ok(fullestWindow(arrivals) <= cap, `${arrivals}`)
      }),
      { numRuns: 10 },
    )
  })

  it('makes no attempt in a quiet time', async () => {
    const { store } = await at.add(5, { blank: 10_000, other: 0 })
    assert.equal(await store.take('command'), undefined)
    assert.ok(store.wait('command') > 8000)
    await at.advance(11 * second)
    assert.ok(await store.take('command'))
  })

  it('notices that the server has lost its data without a restart', async () => {
    const instance = await at.add(5)
    await instance.connection.send('FLUSHALL', [])
    await assert.rejects(instance.store.take('poll'), { code: 'SHARED_STATE_AWAY' })
    assert.equal(instance.forgotten, 1)
  })

  it('puts back what each instance did itself on a server that has forgotten it', async () => {
    const [one, other] = [await at.add(4), await at.add(4)]
    const first = await one.store.take('command')
    await one.store.take('urgent')
    await other.store.take('command')
    first?.end()
    await other.store.noteSignIn()
    await server.restart()
    for (const { connection, handshakes } of [one, other]) {
      await until(() => handshakes.length === 2 && connection.isOpen)
    }
    assert.equal((await at.takeAll(one, 'command')).length, 1)
    assert.equal(await one.store.noteSignIn(), 2)
  })

  it('counts the sign-ins of the last hour of all instances', async () => {
    const [one, other] = [await at.add(5), await at.add(5)]
    assert.deepEqual([await one.store.noteSignIn(), await other.store.noteSignIn()], [1, 2])
    await at.advance(hour - minute)
    assert.equal(await one.store.noteSignIn(), 3)
    await at.advance(2 * minute)
    assert.equal(await other.store.noteSignIn(), 2)
    await at.advance(hour + minute)
    assert.equal(await one.store.noteSignIn(), 1)
  })

  describe('after a backoff that one of them began', () => {
    let one: LimitedInstance
    let other: LimitedInstance

    beforeEach(async () => {
      one = await at.add(20)
      other = await at.add(20)
    })

    it('lets no other send anything before the end of a requested pause', async () => {
      const changes: (string | undefined)[] = []
      other.store.onChange(() => changes.push(other.store.backoff?.error.code))
      await one.store.startBackoff(30_000, request, true)
      assert.equal(one.store.backoff?.error, request)
      assert.equal(await other.store.take('command'), undefined)
      assert.deepEqual(changes, ['RATE_LIMITED'])
      const { since, until: ends, requestedUntil } = other.store.backoff ?? assert.fail()
      assert.ok(Math.abs(ends - 30_000) < 500 && Math.abs(since) < 500 && requestedUntil === ends)
      await at.advance(31 * second)
      assert.ok(await other.store.take('command'))
    })

    it('lets a command through a pause of our own, alone', async () => {
      await one.store.startBackoff(30_000, failure, false)
      assert.equal(await other.store.take('poll'), undefined)
      assert.equal(await other.store.take('urgent'), undefined)
      const probe = await other.store.take('command')
      assert.ok(probe)
      assert.equal(await one.store.take('command'), undefined)
      assert.ok(one.store.wait('command') > 0 && one.store.wait('command') <= 250)
      probe.end()
      await at.settle()
      assert.ok(await one.store.take('command'))
    })

    it('continues everywhere as soon as one of them was answered', async () => {
      await one.store.startBackoff(30_000, failure, false)
      await other.store.take('poll')
      assert.equal(other.store.backoff?.error.status, 503)
      one.store.endBackoff()
      assert.equal(one.store.backoff, undefined)
      await at.settle()
      other.store.refresh()
      await until(() => other.store.backoff === undefined)
      assert.equal(other.store.wait('poll'), 0)
      assert.ok(await other.store.take('poll'))
    })

    it('keeps the longer of two pauses', async () => {
      await one.store.startBackoff(60_000, request, true)
      await other.store.startBackoff(5000, failure, false)
      await one.store.recall()
      await at.advance(6 * second)
      assert.equal(await other.store.take('command'), undefined)
      assert.ok(other.store.wait('command') > 50_000)
      assert.equal(other.store.backoff?.error.code, 'RATE_LIMITED')
    })

    it('lets nothing be sent either on a server that has forgotten it', async () => {
      await one.store.startBackoff(30_000, request, true)
      await server.restart()
      await until(() => one.handshakes.length === 2 && one.connection.isOpen)
      const { store } = await at.add(20)
      assert.equal(await store.take('command'), undefined)
      assert.equal(store.backoff?.error.code, 'RATE_LIMITED')
    })

    it('does not tell the service by the text of its error', async () => {
      await one.store.startBackoff(30_000, request, true)
      const fields = (await one.command('HGETALL', 'user:user1:state')) as Buffer[]
      assert.ok(!fields.some((field) => `${field}`.includes('canary')))
    })
  })

  it('lets three instances with a limit of 120 make 98 % of 96 polls a minute in time', async () => {
    const instances = [await at.add(120), await at.add(120), await at.add(120)]
    const [every, minutes] = [minute / 96, 6]
    // Each instance polls in turn, and a poll is late when its next one is due.
    const waiting: number[] = instances.map(() => 0)
    const running: CountedAttempt[] = []
    let made = 0
    for (let slot = 0; slot < 96 * minutes; slot += 1) {
      await at.advance(every)
      for (const attempt of running.splice(0)) attempt.end()
      await at.settle()
      const due = slot % instances.length
      waiting[due] = 1
      for (const [index, { store }] of instances.entries()) {
        if (waiting[index] === 0 || store.wait('poll') > 0) continue
        const taken = await store.take('poll')
        if (taken === undefined) continue
        running.push(taken)
        waiting[index] = 0
        made += 1
      }
    }
    assert.ok(made / (96 * minutes) >= 0.98, `${made} of ${96 * minutes}`)
  })

  it('has a backoff if an instance ends between a sign-in and its answer', async () => {
    const [dying, other] = [await at.add(20), await at.add(20)]
    const done = await other.store.guardKill(300 * second)
    await dying.store.guardKill(300 * second)
    assert.ok(await other.store.take('command'))
    await at.bury(dying)
    assert.equal(await other.store.take('command'), undefined)
    assert.equal(other.store.backoff?.error.code, 'LOGIN_BLOCKED')
    assert.ok(other.store.wait('command') > 290_000)
    await done()
  })
})
