import assert from 'node:assert/strict'
import { neverAborted } from '../../../harness/account.ts'
import { FakeClock } from '../../../harness/clock/fake-clock.ts'
import { OutageReporter } from '../../../src/panel/polling/outage-reporter.ts'
import { Poller, type Subscriber } from '../../../src/panel/polling/poller.ts'

interface View {
  says: string
  fetchedAt: number
  at: number
  sentAt: number
}

/** A read that is under way. */
interface Reading {
  answer(says: string, sentAt: number): Promise<void>
  fail(): Promise<void>
}

const turn = () => new Promise(setImmediate)

/** A watch of something that is read as slowly as the test likes, and of which the first read is answered. */
async function begin() {
  const clock = new FakeClock()
  const readings: Reading[] = []
  const maxAges: number[] = []
  const outages = new OutageReporter(clock, { outage: () => {}, recovery: () => {} })
  const watch = new Poller<View>({
    ...{ name: 'thing', clock, outages, phase: 0, validFor: 90_000, interval: () => 30_000 },
    load: ({ signal, maxAge }) =>
      new Promise((resolve, reject) => {
        maxAges.push(maxAge)
        signal.addEventListener('abort', () => reject(new Error('closed')))
        readings.push({
          answer: (says, sentAt) => {
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
  const heard = () => {
    const told: string[] = []
    const listener: Subscriber<View> = { snapshot: ({ says }) => told.push(says), condition: () => {} }
    return { told, listener, leave: watch.subscribe(listener) }
  }
  const [asker, other] = [heard(), heard()]
  const [first] = readings.splice(0)
  await first?.answer('first', clock.monotonic())
  clock.advance(1)
  const began = clock.monotonic()
  /** Starts a poll; what listens to the watch asks for the next one only. */
  const poll = () => {
    clock.advance(30_000)
    return readings.splice(0)[0] as Reading
  }
  const ask = (signal = neverAborted()) => {
    const answer = watch.read(signal, asker.listener).then(
      ({ says }) => says,
      () => 'nothing',
    )
    return { answer, reading: readings.splice(0)[0] as Reading }
  }
  return { clock, watch, maxAges, asker, other, poll, ask, began }
}

describe('Who asks a watch', () => {
  it('is told of a poll by the answer, where that is as new', async () => {
    const { asker, other, poll, ask, began } = await begin()
    const polling = poll()
    const { answer, reading } = ask()
    await polling.answer('old', began)
    await reading.answer('new', began + 1)
    assert.equal(await answer, 'new')
    assert.deepEqual([asker.told, other.told], [['first'], ['first', 'old', 'new']])
  })

  it('is answered with what a poll brought that was asked for later', async () => {
    const { watch, asker, poll, ask, began } = await begin()
    const polling = poll()
    const { answer, reading } = ask()
    await polling.answer('new', began + 1)
    await reading.answer('old', began)
    assert.equal(await answer, 'new')
    assert.deepEqual([asker.told, watch.latest?.says], [['first'], 'new'])
  })

  it('is told once of a poll when all its questions have failed', async () => {
    const { asker, poll, ask, began } = await begin()
    const polling = poll()
    const [one, two] = [ask(), ask()]
    await polling.answer('poll', began)
    await one.reading.fail()
    assert.deepEqual(asker.told, ['first'])
    await two.reading.fail()
    assert.deepEqual([await one.answer, await two.answer], ['nothing', 'nothing'])
    assert.deepEqual(asker.told, ['first', 'poll'])
  })

  it('is told nothing more where one question failed and another was answered', async () => {
    const { asker, ask, began } = await begin()
    const [one, two] = [ask(), ask()]
    await one.reading.answer('answer', began)
    await two.reading.fail()
    assert.deepEqual([await one.answer, await two.answer], ['answer', 'nothing'])
    assert.deepEqual(asker.told, ['first'])
  })

  it('is told nothing any more when it has left', async () => {
    const { asker, other, poll, ask, began } = await begin()
    const polling = poll()
    const life = new AbortController()
    const { answer } = ask(life.signal)
    await polling.answer('poll', began)
    asker.leave()
    life.abort()
    assert.equal(await answer, 'nothing')
    assert.deepEqual([asker.told, other.told], [['first'], ['first', 'poll']])
  })

  it('has others told of what its answer says besides, though it was asked for at the same moment', async () => {
    const { other, poll, ask, began } = await begin()
    const polling = poll()
    const { answer, reading } = ask()
    await polling.answer('status with old alarms', began)
    await reading.answer('status with new alarms', began)
    assert.equal(await answer, 'status with new alarms')
    assert.deepEqual(other.told, ['first', 'status with old alarms', 'status with new alarms'])
  })
})

describe('A watch', () => {
  it('is stale when nothing has come for as long as news is good, and fine again with the next answer', async () => {
    const { clock, watch, poll, ask } = await begin()
    const states: string[] = []
    watch.subscribe({
      snapshot: () => {},
      condition: ({ state }) => states.push(`${state} ${clock.monotonic()}`),
    })
    const polling = poll()
    clock.advance(60_000)
    await polling.answer('late', clock.monotonic())
    const { reading } = ask()
    clock.advance(80_000)
    await reading.answer('newer', clock.monotonic())
    clock.advance(80_000)
    assert.deepEqual(states, ['fine 1', 'stale 90000', 'fine 90001', 'fine 170001'])
  })

  it('keeps nothing for whoever comes when nobody has listened', async () => {
    const { watch, asker, other } = await begin()
    for (const { leave } of [asker, other]) leave()
    assert.equal(watch.latest, undefined)
    const told: string[] = []
    for (const _listener of [1, 2]) {
      watch.subscribe({ snapshot: ({ says }) => told.push(says), condition: () => {} })
    }
    assert.deepEqual(told, [])
  })

  it('takes what others asked for within half an interval, and only what it has not told already', async () => {
    const { clock, maxAges, poll, ask } = await begin()
    await poll().answer('second', clock.monotonic())
    clock.advance(19_999)
    const { reading } = ask()
    await reading.answer('third', clock.monotonic())
    await poll().answer('fourth', clock.monotonic())
    assert.deepEqual(maxAges, [30_000, 15_000, 0, 10_000])
  })

  it('polls one at a time: no demand and no answer to a question begins another while one is under way', async () => {
    const { clock, watch, maxAges, poll, ask } = await begin()
    const polling = poll()
    watch.pollNow()
    const { reading } = ask()
    await reading.answer('answer', clock.monotonic())
    clock.advance(60_000)
    assert.deepEqual(maxAges, [30_000, 15_000, 0])
    await polling.answer('poll', clock.monotonic())
    watch.pollNow()
    clock.advance(0)
    assert.deepEqual(maxAges, [30_000, 15_000, 0, 0])
  })
})
