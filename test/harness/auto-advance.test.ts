import assert from 'node:assert/strict'
import { stat } from 'node:fs/promises'
import { AutoAdvance } from '../../harness/clock/auto-advance.ts'
import { FakeClock } from '../../harness/clock/fake-clock.ts'
import { PendingIo } from '../../harness/clock/pending-io.ts'
import { hour } from '../../src/duration.ts'

const second = 1000

describe('the automatic clock of a test', () => {
  let clock: FakeClock
  let work: PendingIo
  let time: AutoAdvance

  beforeEach(() => {
    clock = new FakeClock()
    work = new PendingIo()
    work.start()
    time = new AutoAdvance(clock, work)
  })
  afterEach(() => work.stop())

  it('advances from timer to timer until the condition holds', async () => {
    const ran: number[] = []
    for (const at of [10, 20, 30]) clock.after(at * second, () => ran.push(at))
    await time.until(
      () => ran.length === 2,
      () => '',
    )
    assert.deepEqual([ran, clock.monotonic()], [[10, 20], 20 * second])
  })

  it('stops while work is running', async () => {
    let found: number | undefined
    clock.after(second, () => {
      stat('.').then(() => {
        found = clock.monotonic()
      })
    })
    clock.after(2 * second, () => {})
    await time.pass(5 * second)
    assert.equal(found, second)
  })

  it('serves several waits, each at its own time', async () => {
    const done: string[] = []
    const wait = async (name: string, ms: number) => {
      await time.pass(ms)
      done.push(name)
    }
    await Promise.all([wait('long', 60 * second), wait('short', second)])
    assert.deepEqual(done, ['short', 'long'])
    await wait('again', second)
    assert.equal(done.length, 3)
  })

  it('fails a wait if no timer within two minutes can end it', async () => {
    clock.after(121 * second, () => assert.fail('too far away'))
    const wait = time.until(
      () => false,
      () => 'never',
    )
    await assert.rejects(wait, { message: 'In vain: never' })
    assert.ok(clock.monotonic() < second)
  })

  it('waits for a promise however long it takes, and fails if no timer is due that could settle it', async () => {
    const late = new Promise<string>((resolve) => clock.after(5 * hour, () => resolve('settled')))
    assert.equal(await time.waitFor(late), 'settled')
    await assert.rejects(time.waitFor(new Promise(() => {})), {
      message: 'In vain: the promise never settles',
    })
  })

  it('fails the waits that are left at the end of a test, so that polls do not keep the clock going', async () => {
    const poll = () => void clock.after(second, poll)
    poll()
    const wait = time.waitFor(new Promise(() => {}))
    await time.pass(10 * second)
    time.endWaits()
    await assert.rejects(wait, { message: 'The test ended before: the promise never settles' })
    const endedAt = clock.monotonic()
    await new Promise(setImmediate)
    assert.equal(clock.monotonic(), endedAt)
  })
})
