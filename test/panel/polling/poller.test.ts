import assert from 'node:assert/strict'
import { neverAborted } from '../../../harness/account.ts'
import { FakeClock } from '../../../harness/clock/fake-clock.ts'
import { createFakeLease } from '../../../harness/panel/fake-lease.ts'
import { type DeliveringNode, type Lease, lastingLease, type PollLease } from '../../../src/panel/lease.ts'
import { OutageReporter } from '../../../src/panel/polling/outage-reporter.ts'
import { Poller, type Subscriber } from '../../../src/panel/polling/poller.ts'

interface View {
  says: string
  fetchedAt: number
  at: number
  sentAt: number
}

/** A read in flight. */
interface Reading {
  answer(says: string, sentAt: number): Promise<void>
  fail(): Promise<void>
}

const turn = () => new Promise(setImmediate)

/** Creates a poller with a source that the test answers, and answers its first read. */
async function begin(
  interval = 30_000,
  clock = new FakeClock(),
  lease: PollLease = lastingLease,
  deliveryLease: Lease = lease,
  isCached = true,
  takeoverDelay = 0,
) {
  let every = interval
  let answeredAt = Number.NEGATIVE_INFINITY
  const readings: Reading[] = []
  const maxAges: number[] = []
  const shares: (string | undefined)[] = []
  const changes: unknown[] = []
  const outages = new OutageReporter(clock, { outage: () => {}, recovery: () => {} })
  const poller = new Poller<View>({
    ...{ name: 'thing', clock, lease, outages, validFor: () => 90_000 },
    interval: () => every,
    isConstant: true,
    dueAt: () => answeredAt + every,
    deliveryLease: () => deliveryLease,
    firstPriority: 1,
    takeoverDelay,
    noteChange: () => {
      changes.push('change')
    },
    isCached,
    load: ({ signal, maxAge, share }) =>
      new Promise((resolve, reject) => {
        shares.push(share?.as)
        maxAges.push(maxAge)
        signal.addEventListener('abort', () => reject(new Error('closed')))
        readings.push({
          answer: (says, sentAt) => {
            answeredAt = Math.max(answeredAt, sentAt)
            resolve({ says, sentAt, at: clock.monotonic(), fetchedAt: clock.wall() })
            return turn() as Promise<void>
          },
          fail: () => {
            reject(new Error('failed'))
            return turn() as Promise<void>
          },
        })
      }),
  })
  const subscribe = (node?: DeliveringNode) => {
    const snapshots: string[] = []
    const conditions: string[] = []
    const subscriber: Subscriber<View> = {
      snapshot: ({ says }) => snapshots.push(says),
      condition: (condition) => {
        conditions.push(condition.state === 'standby' ? `standby: ${condition.holder}` : condition.state)
      },
    }
    return { snapshots, conditions, subscriber, leave: poller.subscribe(subscriber, node) }
  }
  const [caller, other] = [subscribe(), subscribe()]
  const [first] = readings.splice(0)
  await first?.answer('first', clock.monotonic())
  clock.advance(1)
  const began = clock.monotonic()
  /** Starts a poll. */
  const poll = () => {
    clock.advance(interval)
    return readings.splice(0)[0] as Reading
  }
  const read = (signal = neverAborted()) => {
    const answer = poller.read(signal, caller.subscriber).then(
      ({ says }) => says,
      () => 'nothing',
    )
    return { answer, reading: readings.splice(0)[0] as Reading }
  }
  const changeInterval = (ms: number) => {
    every = ms
  }
  /** Lets milliseconds pass, and asserts that the next read begins at their end and not before. */
  const polledAfter = async (ms: number) => {
    clock.advance(ms - 1)
    await turn()
    assert.equal(readings.length, 0)
    clock.advance(1)
    await turn()
    assert.equal(readings.length, 1)
  }
  const calls = { poll, read, subscribe, changeInterval, polledAfter }
  return { clock, poller, readings, maxAges, caller, other, began, shares, changes, ...calls }
}

describe('A poll whose answer is an older one', () => {
  it('is followed by the next one after a pause, though that is due', async () => {
    const { poll, clock, polledAfter } = await begin()
    const polling = poll()
    await polling.answer('older', clock.monotonic() - 60_000)
    await polledAfter(1000)
  })
})

describe('The caller of a read', () => {
  it('gets the error of its read also if it leaves while the result of a poll waits for that', async () => {
    const { caller, poll, poller, readings, began } = await begin()
    const polling = poll()
    const refused = assert.rejects(poller.read(neverAborted(), caller.subscriber), /^Error: failed$/)
    const [reading] = readings.splice(0)
    await polling.answer('poll', began)
    caller.leave()
    await reading?.fail()
    await refused
    assert.deepEqual(caller.snapshots, ['first'])
  })

  it('receives the result of a poll with its own answer, if that is as new', async () => {
    const { caller, other, poll, read, began } = await begin()
    const polling = poll()
    const { answer, reading } = read()
    await polling.answer('old', began)
    await reading.answer('new', began + 1)
    assert.equal(await answer, 'new')
    assert.deepEqual([caller.snapshots, other.snapshots], [['first'], ['first', 'old', 'new']])
  })

  it('receives the result of a poll that was sent later than its own request', async () => {
    const { poller, caller, poll, read, began } = await begin()
    const polling = poll()
    const { answer, reading } = read()
    await polling.answer('new', began + 1)
    await reading.answer('old', began)
    assert.equal(await answer, 'new')
    assert.deepEqual([caller.snapshots, poller.latest?.says], [['first'], 'new'])
  })

  it('receives the result of a poll once, after all of its reads have failed', async () => {
    const { caller, poll, read, began } = await begin()
    const polling = poll()
    const [one, two] = [read(), read()]
    await polling.answer('poll', began)
    await one.reading.fail()
    assert.deepEqual(caller.snapshots, ['first'])
    await two.reading.fail()
    assert.deepEqual([await one.answer, await two.answer], ['nothing', 'nothing'])
    assert.deepEqual(caller.snapshots, ['first', 'poll'])
  })

  it('receives nothing more if one of its reads failed and another succeeded', async () => {
    const { caller, read, began } = await begin()
    const [one, two] = [read(), read()]
    await one.reading.answer('answer', began)
    await two.reading.fail()
    assert.deepEqual([await one.answer, await two.answer], ['answer', 'nothing'])
    assert.deepEqual(caller.snapshots, ['first'])
  })

  it('receives nothing after it has unsubscribed, and may still ask for the condition', async () => {
    const { poller, caller, other, poll, read, began } = await begin()
    const polling = poll()
    const life = new AbortController()
    const { answer } = read(life.signal)
    await polling.answer('poll', began)
    caller.leave()
    life.abort()
    assert.equal(await answer, 'nothing')
    assert.deepEqual([caller.snapshots, other.snapshots], [['first'], ['first', 'poll']])
    assert.equal(poller.conditionOf(caller.subscriber), poller.condition)
  })

  it('passes its answer on to other subscribers, even if a poll was sent at the same moment', async () => {
    const { other, poll, read, began } = await begin()
    const polling = poll()
    const { answer, reading } = read()
    await polling.answer('status with old alarms', began)
    await reading.answer('status with new alarms', began)
    assert.equal(await answer, 'status with new alarms')
    assert.deepEqual(other.snapshots, ['first', 'status with old alarms', 'status with new alarms'])
  })
})

describe('A poller', () => {
  it('is stale if no answer arrives within its validity, and fine again after the next answer', async () => {
    const { clock, poller, poll, read } = await begin()
    const states: string[] = []
    poller.subscribe({
      snapshot: () => {},
      condition: ({ state }) => states.push(`${state} ${clock.monotonic()}`),
    })
    const polling = poll()
    clock.advance(60_000)
    await polling.answer('late', clock.monotonic())
    const { reading } = read()
    clock.advance(80_000)
    await reading.answer('newer', clock.monotonic())
    clock.advance(80_000)
    assert.deepEqual(states, ['fine 1', 'stale 90000', 'fine 90001', 'fine 170001'])
  })

  it('reads again within a minute after a failure, however long its interval is', async () => {
    const { clock, poll, readings } = await begin(300_000)
    await poll().fail()
    clock.advance(60_000)
    assert.equal(readings.length, 1)
    await readings.splice(0)[0]?.answer('well again', clock.monotonic())
    clock.advance(60_000)
    assert.equal(readings.length, 0)
  })

  it('keeps no snapshot for a new subscriber after the last one has left', async () => {
    const { poller, caller, other } = await begin()
    for (const { leave } of [caller, other]) leave()
    assert.equal(poller.latest, undefined)
    const snapshots: string[] = []
    for (const _listener of [1, 2]) {
      poller.subscribe({ snapshot: ({ says }) => snapshots.push(says), condition: () => {} })
    }
    assert.deepEqual(snapshots, [])
  })

  it('tells the first subscriber after a pause that it is reading, not the condition from before the pause', async () => {
    const { clock, poller, caller, other, poll } = await begin()
    const subscribe = () => {
      const states: string[] = []
      const leave = poller.subscribe({ snapshot: () => {}, condition: ({ state }) => states.push(state) })
      return { states, leave }
    }
    const conditionAtOnce = () => {
      const { states, leave } = subscribe()
      leave()
      return states
    }
    await poll().fail()
    for (const { leave } of [caller, other]) leave()
    assert.deepEqual(conditionAtOnce(), ['reading'])
    const { leave } = subscribe()
    await poll().answer('well', clock.monotonic())
    leave()
    assert.deepEqual(conditionAtOnce(), ['reading'])
  })

  it('reuses requests of others within half an interval, except for an answer that it has already passed on', async () => {
    const { clock, poller, maxAges, poll, read } = await begin()
    await poll().answer('second', clock.monotonic())
    clock.advance(19_999)
    const { reading } = read()
    await reading.answer('third', clock.monotonic())
    clock.advance(10_000)
    poller.pollNow()
    clock.advance(0)
    assert.deepEqual(maxAges, [30_000, 15_000, 0, 10_000])
  })

  it('polls an interval after an answer, whoever has asked for it', async () => {
    const { clock, read, polledAfter } = await begin()
    clock.advance(20_000)
    const { reading } = read()
    await reading.answer('asked for', clock.monotonic())
    await polledAfter(30_000)
  })

  it('has at most one poll in flight, even if a poll is demanded or a read is answered meanwhile', async () => {
    const { clock, poller, maxAges, poll, read } = await begin()
    const polling = poll()
    poller.pollNow()
    const { reading } = read()
    await reading.answer('answer', clock.monotonic())
    clock.advance(60_000)
    assert.deepEqual(maxAges, [30_000, 15_000, 0])
    await polling.answer('poll', clock.monotonic())
    poller.pollNow()
    clock.advance(0)
    assert.deepEqual(maxAges, [30_000, 15_000, 0, 0])
  })

  it('puts no poll off when its time is determined again while the process is too busy for it', async () => {
    const { clock, poller, readings } = await begin()
    clock.stall(30_000)
    poller.trigger()
    clock.advance(0)
    assert.equal(readings.length, 1)
  })

  it('reads a recent answer again for a subscriber that has come after it, if that is demanded', async () => {
    const { clock, poller, maxAges, poll } = await begin()
    await poll().answer('poll', clock.monotonic())
    poller.pollNow(15_000)
    clock.advance(0)
    assert.deepEqual(maxAges, [30_000, 15_000, 15_000])
  })
})

describe('A poller whose panel several processes poll', () => {
  const start = async (holder: string, interval?: number, isCached?: boolean, takeoverDelay?: number) => {
    const clock = new FakeClock()
    const lease = createFakeLease(() => clock.monotonic())
    lease.giveTo(holder)
    return { lease, ...(await begin(interval, clock, lease, lease, isCached, takeoverDelay)) }
  }

  it('stands by while another process holds the lease, names it, and sends no request', async () => {
    const { lease, clock, readings, caller } = await start('pi-2')
    clock.advance(300_000)
    await turn()
    assert.equal(readings.length, 0)
    lease.giveTo('pi-3')
    assert.deepEqual(caller.conditions, ['reading', 'standby: pi-2', 'standby: pi-3'])
    assert.deepEqual(caller.snapshots, [])
  })

  it('polls at once when it takes over, and then an interval later', async () => {
    const { lease, clock, readings, caller, polledAfter } = await start('pi-2')
    clock.advance(10_000)
    lease.giveTo('here')
    await turn()
    assert.equal(readings.length, 1)
    await readings.splice(0)[0]?.answer('taken over', clock.monotonic())
    assert.deepEqual(caller.snapshots, ['taken over'])
    assert.deepEqual(caller.conditions.slice(2), ['reading', 'fine'])
    await polledAfter(30_000)
    assert.deepEqual(lease.begun, ['thing', 'thing'])
  })

  it('waits when it takes over, where other polls are more urgent, and leaves it when it loses the lease meanwhile', async () => {
    const { lease, clock, poller, readings } = await start('pi-2', 30_000, true, 1000)
    lease.giveTo('here')
    clock.advance(900)
    await turn()
    lease.giveTo('pi-2')
    clock.advance(10_000)
    await turn()
    assert.deepEqual(lease.begun, [])
    lease.giveTo('here')
    clock.advance(999)
    poller.trigger()
    await turn()
    assert.deepEqual(lease.begun, [])
    clock.advance(1)
    await turn()
    assert.equal(readings.length, 1)
  })

  it('waits when the process before it has polled a moment ago', async () => {
    const { lease, clock, readings } = await start('pi-2')
    lease.begunAgo = 500
    lease.giveTo('here')
    await turn()
    assert.equal(readings.length, 0)
    lease.begunAgo = Number.POSITIVE_INFINITY
    clock.advance(30_000)
    await turn()
    assert.equal(readings.length, 1)
  })

  it('polls an interval after the poll of the process before it when it takes over', async () => {
    for (const [begunAgo, wait] of [
      [10_000, 20_000],
      [25_000, 5_000],
      [40_000, 0],
    ] as const) {
      const { lease, clock, readings } = await start('pi-2')
      lease.begunAgo = begunAgo
      lease.giveTo('here')
      await turn()
      clock.advance(wait - 1)
      await turn()
      assert.equal(readings.length, wait === 0 ? 1 : 0, `${begunAgo}`)
      clock.advance(1)
      await turn()
      assert.equal(readings.length, 1, `${begunAgo}`)
    }
  })

  it('waits an interval when its first poll after a takeover has failed', async () => {
    const { lease, readings, polledAfter } = await start('pi-2')
    lease.giveTo('here')
    await turn()
    await readings.splice(0)[0]?.fail()
    await polledAfter(30_000)
  })

  it('polls for a subscriber that waits for data, unless the process before it has polled less than an interval ago', async () => {
    const { lease, clock, poller, readings } = await start('pi-2')
    clock.advance(20_000)
    lease.begunAgo = 20_000
    lease.giveTo('here')
    await turn()
    poller.pollNow()
    clock.advance(0)
    await turn()
    assert.equal(readings.length, 0)
    lease.begunAgo = 80_000
    poller.pollNow()
    clock.advance(0)
    await turn()
    assert.equal(readings.length, 1)
  })

  it('polls half an interval after a killed process has polled, but six seconds after it at the latest', async () => {
    for (const [interval, begunAgo, wait] of [
      [30_000, 5_000, 1_000],
      [30_000, 6_000, 0],
      [4_000, 1_200, 800],
      [4_000, 2_100, 0],
    ] as const) {
      const { lease, clock, readings } = await start('pi-2', interval)
      lease.isKilled = true
      lease.begunAgo = begunAgo
      lease.giveTo('here')
      await turn()
      // A word of another process does not put it off.
      lease.hint('follower')
      if (wait > 0) {
        clock.advance(wait - 1)
        await turn()
        assert.equal(readings.length, 0, `${interval} ${begunAgo}`)
        clock.advance(1)
        await turn()
      }
      assert.equal(readings.length, 1, `${interval} ${begunAgo}`)
    }
  })

  it('sends no request if it has just polled and then lost the lease for a moment', async () => {
    const { clock, lease, readings, poller } = await start('here', 30_000, false)
    await turn()
    await readings.splice(0)[0]?.answer('first', clock.monotonic())
    clock.advance(30_000)
    await turn()
    const sentAt = clock.monotonic()
    clock.advance(100)
    await readings.splice(0)[0]?.answer('polled', sentAt)
    clock.advance(1000)
    const lostAt = clock.monotonic()
    lease.giveTo('pi-2')
    clock.advance(1000)
    lease.giveTo('here')
    poller.pollNow(0, lostAt)
    clock.advance(0)
    await turn()
    assert.equal(readings.length, 0)
    // The answer of the poll came after the loss.
    poller.pollNow(0, sentAt)
    clock.advance(0)
    await turn()
    assert.equal(readings.length, 1)
  })

  it('polls an interval after its request although it has read the cached answer again after it lost the lease for a moment', async () => {
    const { clock, lease, readings } = await start('here', 30_000, true)
    await turn()
    await readings.splice(0)[0]?.answer('first', clock.monotonic())
    clock.advance(30_000)
    await turn()
    const sentAt = clock.monotonic()
    await readings.splice(0)[0]?.answer('polled', sentAt)
    clock.advance(20_000)
    lease.giveTo('pi-2')
    lease.giveTo('here')
    await turn()
    await readings.splice(0)[0]?.answer('polled', sentAt)
    clock.advance(9_000)
    // The answer is read again for it too.
    lease.hint('follower')
    await turn()
    await readings.splice(0)[0]?.answer('polled', sentAt)
    assert.deepEqual(lease.ages.slice(1), [0, 20_000, 29_000])
    clock.advance(1_000)
    await turn()
    assert.equal(readings.length, 1)
  })

  it('aborts its poll when it loses the lease, forgets its view and passes no answer on', async () => {
    const { lease, clock, poller, readings, caller, poll } = await start('pi-2')
    lease.giveTo('here')
    await turn()
    await readings.splice(0)[0]?.answer('mine', clock.monotonic())
    poll()
    await turn()
    const [late] = readings.splice(0)
    lease.isHeld = false
    await late?.answer('too late', clock.monotonic())
    lease.giveTo('pi-2')
    assert.equal(poller.latest, undefined)
    assert.deepEqual(caller.snapshots, ['mine'])
    assert.equal(caller.conditions.at(-1), 'standby: pi-2')
    clock.advance(60_000)
    await turn()
    assert.equal(readings.length, 0)
  })

  it('sends no request if it loses the lease while it notes that the poll begins', async () => {
    const { lease, readings } = await start('pi-2')
    lease.giveTo('here')
    lease.giveTo('pi-2')
    await turn()
    assert.equal(readings.length, 0)
    assert.equal(lease.running.size, 0)
  })

  it('polls when it gets the lease back that it has lost while it noted that the poll begins', async () => {
    const { lease, readings } = await start('pi-2', 30_000, false)
    lease.giveTo('here')
    lease.giveTo('pi-2')
    await turn()
    lease.giveTo('here')
    await turn()
    assert.equal(readings.length, 1)
  })

  it('notes the end of each poll, whatever its outcome', async () => {
    const { lease, clock, readings, poll } = await start('pi-2')
    lease.giveTo('here')
    await turn()
    assert.equal(lease.running.size, 1)
    await readings.splice(0)[0]?.answer('well', clock.monotonic())
    assert.equal(lease.running.size, 0)
    poll()
    await turn()
    assert.equal(lease.running.size, 1)
    await readings.splice(0)[0]?.fail()
    assert.equal(lease.running.size, 0)
  })

  it('polls again after it has lost the lease in the middle of a poll and got it back', async () => {
    const { lease, clock, readings, caller } = await start('pi-2')
    lease.giveTo('here')
    await turn()
    lease.giveTo('pi-2')
    await turn()
    readings.splice(0)
    lease.giveTo('here')
    await turn()
    assert.equal(readings.length, 1)
    await readings.splice(0)[0]?.answer('mine again', clock.monotonic())
    assert.deepEqual(caller.snapshots, ['mine again'])
  })

  it('answers a caller that waits also without the lease, and tells nobody else', async () => {
    const { clock, caller, other, read } = await start('pi-2')
    const { answer, reading } = read()
    await reading.answer('asked', clock.monotonic())
    assert.equal(await answer, 'asked')
    assert.deepEqual([caller.snapshots, other.snapshots], [[], []])
  })

  it('passes views to a node only while it delivers to it, and the present one once when it begins to', async () => {
    const clock = new FakeClock()
    const delivery = createFakeLease(() => clock.monotonic())
    delivery.giveTo('pi-2')
    const { poll, subscribe } = await begin(30_000, clock, undefined, delivery)
    const node = subscribe({ id: 'node', instances: 'one' })
    await poll().answer('second', clock.monotonic())
    assert.deepEqual([node.snapshots, node.conditions], [[], ['standby: pi-2']])
    delivery.giveTo('here')
    assert.deepEqual([node.snapshots, node.conditions.slice(1)], [['second'], ['fine']])
    await poll().answer('third', clock.monotonic())
    delivery.giveTo('pi-3')
    delivery.giveTo('pi-2')
    await poll().answer('fourth', clock.monotonic())
    assert.deepEqual(node.snapshots, ['second', 'third'])
    assert.deepEqual(node.conditions.slice(-2), ['standby: pi-3', 'standby: pi-2'])
    node.leave()
    assert.equal(delivery.wishes, 0)
  })

  it('withholds a view from a node that waits for an answer and is delivered to elsewhere meanwhile', async () => {
    const clock = new FakeClock()
    const delivery = createFakeLease(() => clock.monotonic())
    const { poller, poll, subscribe, readings } = await begin(30_000, clock, undefined, delivery)
    const node = subscribe({ id: 'node', instances: 'one' })
    const answer = assert.rejects(poller.read(neverAborted(), node.subscriber))
    const [reading] = readings.splice(0)
    await poll().answer('polled', clock.monotonic())
    delivery.giveTo('pi-2')
    await reading?.fail()
    await answer
    assert.deepEqual(node.snapshots, ['first'])
  })

  const follow = async () => {
    const clock = new FakeClock()
    const [lease, delivery] = [
      createFakeLease(() => clock.monotonic()),
      createFakeLease(() => clock.monotonic()),
    ]
    lease.giveTo('pi-2')
    delivery.giveTo('pi-2')
    const begun = await begin(30_000, clock, lease, delivery)
    return { ...begun, lease, delivery, node: begun.subscribe({ id: 'node', instances: 'one' }) }
  }

  it('follows while it delivers to a node without polling: it reads when there are published answers', async () => {
    const { clock, lease, delivery, node, readings, shares } = await follow()
    delivery.giveTo('here')
    await turn()
    assert.deepEqual([lease.followsEvery, readings.length, node.conditions.at(-1)], [30_000, 0, 'reading'])
    lease.hint('answers:30000')
    await turn()
    await readings.splice(0)[0]?.answer('published', clock.monotonic())
    assert.deepEqual([node.snapshots, node.conditions.at(-1)], [['published'], 'fine'])
    lease.hint('answers:30000')
    lease.hint('answers:30000')
    await turn()
    await readings.splice(0)[0]?.answer('while it reads', clock.monotonic() + 1)
    await turn()
    await readings.splice(0)[0]?.answer('next', clock.monotonic() + 2)
    assert.deepEqual(node.snapshots, ['published', 'while it reads', 'next'])
    assert.deepEqual([shares, lease.begun, lease.told], [['follow', 'follow', 'follow'], [], []])
    clock.advance(90_000)
    assert.deepEqual([readings.length, node.conditions.at(-1)], [0, 'stale'])
    delivery.giveTo('pi-3')
    lease.hint('answers:30000')
    await turn()
    assert.deepEqual([lease.followsEvery, readings.length], [undefined, 0])
    assert.equal(node.conditions.at(-1), 'standby: pi-3')
  })

  it('tells the process that polls its new interval while it follows, also after it has read at once', async () => {
    const { clock, lease, delivery, readings, poller, changeInterval } = await follow()
    delivery.giveTo('here')
    await turn()
    poller.pollNow()
    clock.advance(0)
    await readings.splice(0)[0]?.answer('published', clock.monotonic())
    changeInterval(5000)
    poller.loop?.reschedule()
    assert.equal(lease.followsEvery, 5000)
  })

  it('tells a follower the code with which a poll fails, which fails with that until the next answer', async () => {
    const { clock, lease, delivery, node, readings, poller } = await follow()
    delivery.giveTo('here')
    lease.hint('failure:no code')
    assert.equal(node.conditions.at(-1), 'reading')
    lease.hint('failure:TIMEOUT')
    assert.equal(node.conditions.at(-1), 'failing')
    const { condition } = poller
    assert.equal(condition.state === 'failing' && condition.error.code, 'TIMEOUT')
    lease.hint('answers:30000')
    await turn()
    await readings.splice(0)[0]?.answer('published', clock.monotonic())
    assert.equal(node.conditions.at(-1), 'fine')
    lease.giveTo('here')
    await turn()
    lease.followers = 30_000
    await readings.splice(0)[0]?.answer('polled', clock.monotonic() + 1)
    clock.advance(30_000)
    await turn()
    await readings.splice(0)[0]?.fail()
    assert.deepEqual(lease.told, ['failure:INTERNAL_ERROR'])
  })

  it('goes on from the answers of another process when it takes over the polls, and gives them up again', async () => {
    const { clock, lease, delivery, node, readings, shares } = await follow()
    delivery.giveTo('here')
    lease.hint('answers:30000')
    await turn()
    await readings.splice(0)[0]?.answer('published', clock.monotonic())
    lease.giveTo('here')
    clock.advance(30_000)
    await turn()
    assert.equal(lease.followsEvery, undefined)
    await readings.splice(0)[0]?.answer('polled', clock.monotonic())
    lease.giveTo('pi-2')
    lease.hint('answers:30000')
    await turn()
    await readings.splice(0)[0]?.answer('published again', clock.monotonic() + 1)
    assert.deepEqual(node.snapshots, ['published', 'polled', 'published again'])
    assert.deepEqual(shares, ['follow', undefined, 'follow'])
    assert.equal(node.conditions.filter((condition) => condition === 'reading').length, 1)
  })

  it('polls for a follower at once, publishes, and polls as often as the quickest follower needs', async () => {
    const { clock, lease, readings, shares, maxAges } = await start('here')
    await turn()
    await readings.splice(0)[0]?.answer('first', clock.monotonic())
    clock.advance(1)
    lease.followers = 5000
    lease.hint('follower')
    await turn()
    assert.deepEqual([readings.length, maxAges.at(-1)], [1, 5000])
    await readings.splice(0)[0]?.answer('for the follower', clock.monotonic())
    assert.deepEqual([shares.at(-1), lease.told], ['publish', ['answers:5000']])
    clock.advance(5000)
    await turn()
    assert.equal(readings.length, 1)
    lease.hint('follower')
    await readings.splice(0)[0]?.answer('next', clock.monotonic())
    await turn()
    assert.equal(readings.length, 1, 'the follower came during the poll')
    lease.hint('answers:30000')
    assert.deepEqual(lease.told, ['answers:5000', 'answers:5000'])
  })

  it('sends no request for a follower before the next poll, which comes when the follower needs it', async () => {
    const { clock, lease, readings } = await start('here', 30_000, false)
    await turn()
    await readings.splice(0)[0]?.answer('first', clock.monotonic())
    lease.followers = 5000
    lease.hint('follower')
    await turn()
    assert.equal(readings.length, 0)
    clock.advance(5000)
    await turn()
    lease.hint('follower')
    await readings.splice(0)[0]?.answer('for the follower', clock.monotonic())
    await turn()
    assert.equal(readings.length, 0, 'the follower came during the poll')
  })

  it('lets a follower that comes before the first answer wait for it', async () => {
    const { lease, readings } = await start('pi-2')
    // The other process has polled less than an interval ago.
    lease.begunAgo = 20_000
    lease.giveTo('here')
    await turn()
    lease.hint('follower')
    await turn()
    assert.equal(readings.length, 0)
  })

  it('tells the process that polls of a change instead of reading it, and reads what another one tells', async () => {
    const { lease, poller, readings, changes } = await start('pi-2')
    poller.refresh()
    lease.hint('change')
    assert.deepEqual([lease.told, changes, readings.length], [['change'], [], 0])
    lease.giveTo('here')
    lease.hint('change')
    assert.deepEqual(changes, ['change'])
  })

  it('wants the lease as long as it has subscribers', async () => {
    const { lease, caller, other } = await start('pi-2')
    assert.equal(lease.wishes, 1)
    for (const { leave } of [caller, other, other]) leave()
    assert.equal(lease.wishes, 0)
  })
})

describe('A poller that is told when it is due', () => {
  /** Creates a poller that is due `target` milliseconds after its latest answer. */
  const start = (target = 20_000) => {
    const clock = new FakeClock()
    const lease = createFakeLease(() => clock.monotonic())
    const delivery = createFakeLease(() => clock.monotonic())
    const outages = new OutageReporter(clock, { outage: () => {}, recovery: () => {} })
    const source = { target, told: undefined as number | undefined }
    let answeredAt = Number.NEGATIVE_INFINITY
    const requests: ((isAnswer: boolean) => Promise<unknown>)[] = []
    const poller = new Poller<View>({
      ...{ name: 'thing', clock, lease, outages, firstPriority: 1, isCached: true },
      isConstant: false,
      validFor: () => 90_000,
      interval: () => source.told ?? source.target,
      dueAt: () => answeredAt + source.target,
      deliveryLease: () => delivery,
      noteInterval: (every) => {
        source.told = every
      },
      load: () =>
        new Promise((resolve, reject) => {
          requests.push((isAnswer) => {
            if (!isAnswer) reject(new Error('failed'))
            else answeredAt = clock.monotonic()
            const at = clock.monotonic()
            resolve({ says: '', sentAt: at, at, fetchedAt: clock.wall() })
            return turn()
          })
        }),
    })
    const node = { id: 'node', instances: 'one' } as const
    poller.subscribe({ snapshot: () => {}, condition: () => {} }, node)
    const requestsAfter = async (ms: number) => {
      clock.advance(ms)
      await turn()
      return requests.length
    }
    return { clock, lease, poller, source, requests, requestsAfter }
  }

  it('polls then, sooner if that comes closer, and not at once again after a failure', async () => {
    const { poller, source, requests, requestsAfter } = start()
    assert.equal(await requestsAfter(0), 1)
    await requests.splice(0)[0]?.(true)
    assert.deepEqual([await requestsAfter(19_999), await requestsAfter(1)], [0, 1])
    await requests.splice(0)[0]?.(true)
    assert.equal(await requestsAfter(5_000), 0)
    source.target = 5_000
    poller.trigger()
    assert.equal(await requestsAfter(0), 1)
    await requests.splice(0)[0]?.(false)
    assert.deepEqual([await requestsAfter(9_999), await requestsAfter(1)], [0, 1])
  })

  it('tells the ages that the latest fifty answers had reached', async () => {
    const { poller, source, requests, requestsAfter } = start(1)
    await requestsAfter(0)
    for (let age = 1001; age <= 1060; age += 1) {
      await requests.splice(0)[0]?.(true)
      source.target = age
      await requestsAfter(age)
    }
    await requests.splice(0)[0]?.(true)
    const latest = Array.from({ length: 50 }, (_, nth) => 1011 + nth)
    assert.deepEqual(poller.figures?.ages, latest)
  })

  it('tells its interval with its answers, and notes that of another process until it has polled itself', async () => {
    const { lease, source, requests, requestsAfter } = start()
    lease.followers = 3_600_000
    await requestsAfter(0)
    await requests.splice(0)[0]?.(true)
    assert.deepEqual(lease.told, ['answers:20000'])
    lease.giveTo('pi-2')
    lease.hint('answers:60000')
    assert.equal(source.told, 60_000)
    lease.giveTo('here')
    await requestsAfter(120_000)
    for (const answer of requests.splice(0)) await answer(true)
    assert.equal(source.told, undefined)
  })

  it('does not poll at a takeover within the interval that the process before it has told', async () => {
    for (const [begunAgo, polls] of [
      [50_000, 0],
      [61_000, 1],
    ] as const) {
      const { lease, source, requests, requestsAfter } = start()
      await requestsAfter(0)
      await requests.splice(0)[0]?.(true)
      lease.giveTo('pi-2')
      source.told = 60_000
      await requestsAfter(90_000)
      lease.begunAgo = begunAgo
      lease.giveTo('here')
      assert.equal(await requestsAfter(0), polls, `${begunAgo}`)
    }
  })
})
