import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { byClockOfNow, ClockEpochs, systemClock } from '../src/clock.ts'
import { day, hour, minute } from '../src/duration.ts'

const root = new URL('..', import.meta.url)

/** Ways to read a clock of the machine, or to have a timer run on one. */
const readings =
  /\bDate\.now\b|\bnew Date\(\)|\bperformance\b|\bhrtime\b|\bset(?:Timeout|Interval)\b|\bAbortSignal\.timeout\b|\buptime\(/

function withoutComments(file: string): string {
  return readFileSync(new URL(file, root), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')
}

describe('The clock', () => {
  it('never starts a timer with a negative delay, of which Node 24 warns', (done) => {
    const real = globalThis.setTimeout
    const delays: unknown[] = []
    globalThis.setTimeout = ((callback: () => void, delay: number) => {
      delays.push(delay)
      return real(callback, delay)
    }) as typeof setTimeout
    try {
      systemClock.after(-0.3, () => {
        assert.deepEqual(delays, [0])
        done()
      })
    } finally {
      globalThis.setTimeout = real
    }
  })

  it('never calls back early, although Node counts whole milliseconds', async () => {
    const wait = (ms: number) =>
      new Promise<number>((resolve) => {
        const set = systemClock.monotonic()
        systemClock.after(ms, () => resolve(systemClock.monotonic() - set - ms))
      })
    const late: number[] = []
    for (let nth = 0; nth < 50; nth += 1) late.push(await wait(2 + nth / 51))
    assert.ok(Math.min(...late) >= 0, `${Math.min(...late)} ms`)
  })

  it('causes no warning of the process for a moment that has passed, such as the end of a countdown', async () => {
    const warnings: string[] = []
    const note = ({ name, message }: Error) => warnings.push(`${name}: ${message}`)
    process.on('warning', note)
    try {
      await new Promise<void>((resolve) => systemClock.after(-0.27, resolve))
      // Node.js reports a warning in a later turn of the event loop.
      await new Promise(setImmediate)
    } finally {
      process.off('warning', note)
    }
    assert.deepEqual(warnings, [])
  })

  it('waits for longer than the longest timer of Node', async () => {
    let calls = 0
    const cancel = systemClock.after(2 ** 31, () => {
      calls += 1
    })
    await new Promise<void>((resolve) => systemClock.after(20, resolve))
    cancel()
    assert.equal(calls, 0)
  })

  it('is read in one file; all other code gets a clock as a parameter, so that tests can control it', () => {
    const sources = ['src', 'nodes'].flatMap((folder) =>
      readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'))
        .map((file) => `${folder}/${file}`),
    )
    const reading = sources.filter((file) => readings.test(withoutComments(file)))
    assert.deepEqual(reading, ['src/clock.ts'])
  })
})

const noon = Date.parse('2026-11-22T12:00:00Z')

describe('A time that was noted before the clock was set', () => {
  let now: number
  let error: number
  let epochs: ClockEpochs
  const wall = () => noon + now + error
  beforeEach(() => {
    now = 0
    error = 0
    epochs = new ClockEpochs({ wall, monotonic: () => now })
  })
  const pass = (ms: number) => {
    now += ms
    epochs.look()
  }
  const age = (noted: number) => wall() - byClockOfNow(noted, epochs.look())

  it('has its age by the clock of now, however often that was set since', () => {
    pass(hour)
    const early = wall()
    error = 2 * hour
    pass(hour)
    const late = wall()
    pass(minute)
    error = -30 * day
    pass(hour)
    error += 3 * hour
    pass(hour)
    assert.deepEqual([age(early), age(late)], [3 * hour + minute, 2 * hour + minute])
  })

  it('has its age if the clock is set right after it', () => {
    pass(hour)
    now += minute
    const noted = wall()
    error = hour
    pass(minute)
    assert.equal(age(noted), minute)
  })

  it('stays as it is if the clock was not set, or another process has noted it', () => {
    pass(hour)
    assert.equal(byClockOfNow(noon + minute, epochs.look()), noon + minute)
    error = 30 * day
    pass(hour)
    for (const noted of [noon - 1, noon + 2 * day]) assert.equal(byClockOfNow(noted, epochs.look()), noted)
  })
})
