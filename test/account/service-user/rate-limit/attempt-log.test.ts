import assert from 'node:assert/strict'
import { appendFile, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startAccountHarness } from '../../../../harness/account.ts'
import { FakeClock } from '../../../../harness/clock/fake-clock.ts'
import { AttemptLog } from '../../../../src/account/service-user/rate-limit/attempt-log.ts'
import { momentOf } from '../../../../src/clock.ts'
import { operations } from '../../../../src/service/operations.ts'

async function attempt(attemptLog: AttemptLog, clock: FakeClock, count = 1, today = 0): Promise<void> {
  await attemptLog.noteStarts(count, 0, momentOf(clock), today)
  await attemptLog.noteEnds(count, momentOf(clock), 0)
}

describe('The attempt log', () => {
  let folder: string
  let path: string
  let clock: FakeClock
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keyholder-'))
    path = join(folder, 'deep', 'attempts.log')
    clock = new FakeClock()
  })
  afterEach(() => rm(folder, { recursive: true }))

  it('reports to a new process how long ago the attempts of the last minute were made', async () => {
    const earlier = new AttemptLog(path, clock)
    await attempt(earlier, clock)
    clock.advance(50_000)
    await attempt(earlier, clock)
    clock.advance(15_000)
    assert.deepEqual(await new AttemptLog(path, clock).recall(), [15_000])
  })

  it('reports the attempts since midnight to a new process, also when the file was rewritten, without writes of its own', async () => {
    clock = new FakeClock(Date.UTC(2026, 10, 20, 23, 0, 0))
    const earlier = new AttemptLog(path, clock)
    const make = async (count: number, from: number) => {
      for (let made = 1; made <= count; made += 1) {
        await attempt(earlier, clock, 1, from + made)
        clock.advance(1000)
      }
    }
    await make(700, 0)
    assert.equal(await new AttemptLog(path, clock).recallToday(), 700)
    const lines = (await readFile(path, 'utf8')).split('\n').filter((line) => line !== '')
    assert.ok(lines.length < 1500, `${lines.length}`)
    assert.ok(lines.filter((line) => line.startsWith('today')).length <= 3)
    clock.advance(3_600_000)
    assert.equal(await new AttemptLog(path, clock).recallToday(), 0)
    await make(40, 0)
    assert.equal(await new AttemptLog(path, clock).recallToday(), 40)
  })

  it('writes nothing until something is noted', async () => {
    const attemptLog = new AttemptLog(path, clock)
    assert.deepEqual([await attemptLog.recall(), await attemptLog.recallBackoff()], [[], 0])
    await assert.rejects(stat(path), { code: 'ENOENT' })
  })

  it('creates its folder and its file with permissions for the owner only', async () => {
    await new AttemptLog(path, clock).noteStarts(1)
    const modes = [join(folder, 'deep'), path].map(async (name) => (await stat(name)).mode & 0o777)
    assert.deepEqual(await Promise.all(modes), [0o700, 0o600])
  })

  it('counts an attempt that was interrupted by the end of the process as one made now', async () => {
    const earlier = new AttemptLog(path, clock)
    await earlier.noteStarts(1)
    clock.advance(30_000)
    assert.deepEqual(await new AttemptLog(path, clock).recall(), [0])
  })

  for (const step of [-3_600_000, 3_600_000]) {
    it(`is not affected by a wall clock that was changed by ${step / 60_000} minutes`, async () => {
      const earlier = new AttemptLog(path, clock)
      await attempt(earlier, clock)
      await earlier.noteBackoff(120_000)
      clock.stepWall(step)
      clock.advance(20_000)
      assert.deepEqual(await new AttemptLog(path, clock).recall(), [20_000])
      assert.equal(await new AttemptLog(path, clock).recallBackoff(), 100_000)
    })
  }

  it('uses the wall clock after a restart of the machine', async () => {
    clock.advance(3_600_000)
    const earlier = new AttemptLog(path, clock)
    await attempt(earlier, clock)
    await earlier.noteBackoff(120_000)
    const restarted = new FakeClock(clock.wall() + 20_000)
    assert.deepEqual(await new AttemptLog(path, restarted).recall(), [20_000])
    assert.equal(await new AttemptLog(path, restarted).recallBackoff(), 100_000)
  })

  it('does not begin a pause anew with the machine, even if it runs as long as it did when the pause began', async () => {
    const boot = (name: string, wall?: number) => Object.assign(new FakeClock(wall), { boot: name })
    const before = boot('one')
    before.advance(60_000)
    const earlier = new AttemptLog(path, before)
    await attempt(earlier, before)
    await earlier.noteBackoff(3_600_000)
    const after = boot('two', before.wall() + 3_300_000)
    after.advance(60_000)
    assert.equal(await new AttemptLog(path, after).recallBackoff(), 240_000)
    assert.deepEqual(await new AttemptLog(path, after).recall(), [])
  })

  it('goes on with the monotonic clock as long as the machine runs, whatever the wall clock does', async () => {
    const running = Object.assign(clock, { boot: 'one' })
    await new AttemptLog(path, running).noteBackoff(120_000)
    running.stepWall(86_400_000)
    running.advance(20_000)
    assert.equal(await new AttemptLog(path, running).recallBackoff(), 100_000)
  })

  it('reads the lines of version 0.1.0, which do not name the start of the machine', async () => {
    const now = Object.assign(clock, { boot: 'one' })
    now.advance(30_000)
    const line = (what: string, ago: number) => `${what} ${now.wall() - ago} ${now.monotonic() - ago}`
    await mkdir(join(folder, 'deep'))
    await writeFile(path, `${line('start', 20_000)}\n${line('end', 19_000)}\n${line('hold', 10_000)} 60000\n`)
    assert.deepEqual(await new AttemptLog(path, now).recall(), [19_000])
    assert.equal(await new AttemptLog(path, now).recallBackoff(), 50_000)
  })

  it('repeats a backoff once, not forever, if the machine restarts with its clock set back', async () => {
    clock.advance(3_600_000)
    await new AttemptLog(path, clock).noteBackoff(120_000)
    const restarted = new FakeClock(clock.wall() - 86_400_000)
    assert.equal(await new AttemptLog(path, restarted).recallBackoff(), 120_000)
    restarted.advance(50_000)
    assert.equal(await new AttemptLog(path, restarted).recallBackoff(), 70_000)
    restarted.advance(70_000)
    assert.equal(await new AttemptLog(path, restarted).recallBackoff(), 0)
  })

  it('distinguishes an interrupted attempt from one that took minutes', async () => {
    const earlier = new AttemptLog(path, clock)
    await earlier.noteStarts(1)
    clock.advance(10_000)
    await earlier.noteEnds(1, momentOf(clock), 0)
    clock.advance(250_000)
    await earlier.noteStarts(1)
    clock.advance(45_000)
    assert.deepEqual(await new AttemptLog(path, clock).recall(), [0])
  })

  it('counts an interrupted attempt from the start of the next process on, not from that of each one after it', async () => {
    await new AttemptLog(path, clock).noteStarts(8)
    clock.advance(1000)
    const next = new AttemptLog(path, clock)
    assert.deepEqual(await next.recall(), new Array(8).fill(0))
    await next.open()
    clock.advance(59_000)
    assert.deepEqual(await new AttemptLog(path, clock).recall(), new Array(8).fill(59_000))
    clock.advance(1001)
    assert.deepEqual(await new AttemptLog(path, clock).recall(), [])
  })

  it('does not count an attempt that was interrupted long ago', async () => {
    await new AttemptLog(path, clock).noteStarts(1)
    clock.advance(430_000)
    await attempt(new AttemptLog(path, clock), clock)
    clock.advance(40_000)
    assert.deepEqual(await new AttemptLog(path, clock).recall(), [40_000])
  })

  it('loses no entry next to a line that was truncated by the end of a process', async () => {
    await attempt(new AttemptLog(path, clock), clock)
    await appendFile(path, 'end 17320')
    await new AttemptLog(path, clock).noteStarts(1)
    assert.deepEqual(await new AttemptLog(path, clock).recall(), [0, 0])
  })

  it('starts empty if the file is missing or damaged', async () => {
    assert.deepEqual(await new AttemptLog(path, clock).recall(), [])
    await new AttemptLog(path, clock).noteStarts(1)
    await writeFile(path, Buffer.from([0, 255, 10, 13, 10, 49]))
    assert.deepEqual(await new AttemptLog(path, clock).recall(), [])
  })

  it('rejects if the file cannot be read', async () => {
    const unreadable = { code: 'BAD_SETTING', message: new RegExp(`^The file ${folder} cannot be read`) }
    const attemptLog = new AttemptLog(folder, clock)
    await assert.rejects(attemptLog.open(), unreadable)
    await assert.rejects(attemptLog.recall(), unreadable)
    await assert.rejects(attemptLog.recallBackoff(), unreadable)
    await assert.rejects(attemptLog.joined(), unreadable)
  })

  it('does not prevent an attempt if the file cannot be written any more, but a guard', async () => {
    const attemptLog = new AttemptLog(path, clock)
    await attemptLog.open()
    await rm(path)
    await mkdir(path)
    await attemptLog.noteStarts(1)
    await assert.rejects(attemptLog.guardKill(1000), {
      code: 'BAD_SETTING',
      message: new RegExp(`^The file ${path} cannot be written \\(EISDIR\\)`),
    })
  })

  it('loses no entry after one that did not fit on the disk', async () => {
    const attemptLog = new AttemptLog(path, clock)
    await attemptLog.noteStarts(1)
    const written = await readFile(path, 'utf8')
    await rm(path)
    await mkdir(path)
    await attemptLog.noteBackoff(1000)
    await rm(path, { recursive: true })
    await writeFile(path, `${written}hold 17320`)
    await attemptLog.noteStarts(1)
    assert.deepEqual(await new AttemptLog(path, clock).recall(), [0, 0])
    assert.equal(await new AttemptLog(path, clock).recallBackoff(), 1000)
  })

  it('keeps its file small over the years', async () => {
    const attemptLog = new AttemptLog(path, clock)
    for (let count = 0; count < 1500; count += 1) {
      clock.advance(2000)
      await attempt(attemptLog, clock)
    }
    assert.ok((await readFile(path, 'utf8')).split('\n').length < 1100)
    // The ages are 0 to 60 seconds.
    assert.equal((await attemptLog.recall()).length, 31)
  }).timeout(30_000)

  it('keeps all attempts of the last minute at the largest limit', async () => {
    const attemptLog = new AttemptLog(path, clock)
    for (let second = 0; second < 90; second += 1) {
      for (let count = 0; count < 100; count += 10) await attempt(attemptLog, clock, 10)
      clock.advance(1000)
    }
    // The ages are 1 to 60 seconds.
    assert.equal((await new AttemptLog(path, clock).recall()).length, 6000)
    await attemptLog.noteStarts(8)
    assert.equal((await new AttemptLog(path, clock).recall()).length, 6008)
  }).timeout(30_000)

  it('counts after an orderly stop only what was sent', async () => {
    const at = await startAccountHarness({}, { requestsPerMinute: 30 })
    await at.account.sendRead(operations.status, at.createRequest())
    await at.releaseAccount(at.account)
    const restarted = at.openAfterRestart()
    await restarted.sendRead(operations.status, at.createRequest())
    assert.equal(restarted.rateLimiter.figures.usedLastMinute, at.simulator.requests.length)
    await at.close()
  })

  it('keeps the cap across restarts in quick succession', async () => {
    const at = await startAccountHarness({}, { requestsPerMinute: 12 })
    // Only commands may use the whole cap.
    const request = { ...at.createRequest(), lane: 'command' } as const
    await at.account.sendRead(operations.status, request)
    await at.openAfterRestart().sendRead(operations.status, request)
    await at.openAfterRestart().sendRead(operations.status, request)
    assert.equal(at.simulator.requests.length, 12)
    const leaving = new AbortController()
    const waiting = at.openAfterRestart().sendRead(operations.status, { ...request, signal: leaving.signal })
    const refused = assert.rejects(waiting, { code: 'CLOSED' })
    await new Promise(setImmediate)
    leaving.abort()
    await refused
    assert.equal(at.simulator.requests.length, 12)
    await at.close()
  })
})
