import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FakeClock } from '../../../../harness/clock/fake-clock.ts'
import { AttemptLog } from '../../../../src/account/service-user/rate-limit/attempt-log.ts'
import {
  AttemptReservations,
  LocalRateLimitStore,
} from '../../../../src/account/service-user/rate-limit/local-rate-limit-store.ts'

describe('The reservation of attempts in the log', () => {
  let folder: string
  let path: string
  let clock: FakeClock
  let log: AttemptLog
  let reservations: AttemptReservations
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keyholder-'))
    path = join(folder, 'attempts.log')
    clock = new FakeClock()
    log = new AttemptLog(path, clock)
    reservations = new AttemptReservations(log, clock)
  })
  afterEach(() => rm(folder, { recursive: true }))

  /** Returns what a process that starts now would count. */
  const recalled = () => new AttemptLog(path, clock).recall()
  /** Waits until all is written: a line comes after all lines before it. */
  const written = () => log.noteEnds(0, { wall: 0, monotonic: 0 }, 0)

  async function attempt(limit: number): Promise<void> {
    const end = await reservations.begin(limit)
    end()
  }

  for (const [limit, size] of [
    [1, 1],
    [5, 1],
    [6, 2],
    [23, 7],
    [30, 8],
    [6000, 8],
  ] as const) {
    it(`is a third of the limit, from one attempt up to eight: ${size} of ${limit}`, async () => {
      await reservations.begin(limit)
      assert.equal((await recalled()).length, size)
    })
  }

  it('counts as used after a kill, also what was not sent', async () => {
    await attempt(240)
    clock.advance(2000)
    assert.deepEqual(await recalled(), new Array(8).fill(0))
  })

  it('does not hold the polls back for long after a kill at the default limit: 19 of 27 in the first minute', async () => {
    await attempt(30)
    const store = new LocalRateLimitStore(new AttemptLog(path, clock), clock)
    store.limit = 30
    await store.open()
    const starts: number[] = []
    while (clock.monotonic() < 60_000) {
      const poll = await store.take('poll')
      if (poll === undefined) clock.advance(Math.min(store.wait('poll'), 60_000))
      else starts.push(clock.monotonic())
      poll?.end()
    }
    assert.equal(starts.length, 19)
    assert.equal(starts[0], 0)
    assert.ok((starts[11] ?? Number.NaN) < 30_000, `${starts}`)
    await store.close()
  })

  it('takes one write for eight attempts before they are sent, and for the ends of those before', async () => {
    for (let count = 0; count < 8; count += 1) await attempt(240)
    const before = await readFile(path, 'utf8')
    assert.deepEqual(await recalled(), new Array(8).fill(0))
    clock.advance(3000)
    await attempt(240)
    assert.equal((await readFile(path, 'utf8')).split('\n').length, before.split('\n').length + 2)
    assert.deepEqual(await recalled(), [...new Array(8).fill(3000), ...new Array(8).fill(0)])
  })

  it('has its ends noted after two minutes if no other one follows', async () => {
    for (let count = 0; count < 7; count += 1) await attempt(240)
    const end = await reservations.begin(240)
    clock.advance(120_000)
    await written()
    assert.deepEqual(await recalled(), [0])
    end()
    clock.advance(119_999)
    assert.equal(clock.pending, 1)
    clock.advance(1)
    await written()
    assert.deepEqual(await recalled(), [])
    assert.equal(clock.pending, 0)
  })

  it('is taken back after two minutes, as far as it was not used', async () => {
    await attempt(240)
    clock.advance(1000)
    const end = await reservations.begin(240)
    clock.advance(119_000)
    await written()
    assert.deepEqual(await recalled(), [0])
    end()
    clock.advance(120_000)
    await written()
    assert.deepEqual(await recalled(), [])
    assert.equal(clock.pending, 0)
  })

  it('is not used after its time, even if its timer is late', async () => {
    const late = { monotonic: () => clock.monotonic(), wall: () => clock.wall(), after: () => () => {} }
    reservations = new AttemptReservations(log, late)
    await attempt(240)
    clock.advance(120_000)
    await attempt(240)
    await written()
    assert.deepEqual(await recalled(), new Array(8).fill(0))
  })

  it('takes one write for eight attempts at the default limit, also if they take longer than a minute', async () => {
    let writes = 0
    const counting = {
      noteStarts: (...starts: Parameters<AttemptLog['noteStarts']>) => {
        writes += 1
        return log.noteStarts(...starts)
      },
      noteEnds: (...ends: Parameters<AttemptLog['noteEnds']>) => {
        writes += 1
        return log.noteEnds(...ends)
      },
    }
    reservations = new AttemptReservations(counting, clock)
    for (let count = 0; count < 60; count += 1) {
      await attempt(30)
      clock.advance(9000)
    }
    assert.equal(writes, 8)
  })

  it('is taken back when the store is no longer used', async () => {
    await attempt(240)
    void reservations.close()
    await written()
    assert.deepEqual(await recalled(), [0])
    assert.equal(clock.pending, 0)
  })
})
