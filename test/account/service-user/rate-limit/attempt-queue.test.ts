import assert from 'node:assert/strict'
import fc from 'fast-check'
import { FakeClock } from '../../../../harness/clock/fake-clock.ts'
import { ProcessClock } from '../../../../harness/clock/process-clock.ts'
import { withMemory } from '../../../../harness/properties/rate-limit/rate-limit-properties.ts'
import {
  AttemptQueue,
  type PollDue,
  placeOfNext,
} from '../../../../src/account/service-user/rate-limit/attempt-queue.ts'
import { LocalRateLimitStore } from '../../../../src/account/service-user/rate-limit/local-rate-limit-store.ts'
import { RateLimiter } from '../../../../src/account/service-user/rate-limit/rate-limiter.ts'
import { minute, second } from '../../../../src/duration.ts'

/** A resource that is polled again as soon as its target has passed since the latest poll. */
interface Resource {
  panel: string
  weight: number
  targetMs: number
}

interface Served extends Resource {
  at: number
  /** The time of the poll before. */
  before: number
}

/** The requests that polls share with: manual reads and commands at random times, and reads without a target. */
interface Others {
  every: number
  lane: 'poll' | 'urgent' | 'command'
}

const latency = 200

/** Polls all resources with the real rate limiter on a fake clock. */
async function pollAll(
  limit: number,
  resources: readonly Resource[],
  others: readonly Others[],
  lasts: number,
): Promise<Served[]> {
  const clock = new FakeClock()
  const served: Served[] = []
  await withMemory(async (memory) => {
    const rateLimiter = new RateLimiter(
      new LocalRateLimitStore(memory.open(new ProcessClock(clock)), clock),
      clock,
    )
    rateLimiter.limit = limit
    const life = () => new AbortController().signal
    const isOver = () => clock.monotonic() >= lasts
    const pause = (delay: number) => new Promise<void>((resolve) => clock.after(delay, resolve))
    const polls = resources.map(async (resource) => {
      const { panel, weight, targetMs } = resource
      for (let since = 0; !isOver(); ) {
        await pause(Math.max(0, since + targetMs - clock.monotonic()))
        const due = { weight, targetMs, age: (now: number) => (now - since) / targetMs }
        const read = () => {
          served.push({ ...resource, at: clock.monotonic(), before: since })
          since = clock.monotonic()
          return pause(latency)
        }
        await rateLimiter.run({ lane: 'poll', panel, due, signal: life() }, () => {}, read)
      }
    })
    const rest = others.map(async ({ every, lane }) => {
      while (!isOver()) {
        await pause(every)
        const read = () => pause(latency)
        await rateLimiter.run({ lane, signal: life() }, () => {}, read)
      }
    })
    let left = polls.length + rest.length
    for (const one of [...polls, ...rest]) void one.then(() => (left -= 1))
    while (left > 0) {
      clock.advance(clock.untilNext ?? 0)
      await new Promise(setImmediate)
    }
  })
  return served
}

const weights = { state: 1.5, alarms: 2.5, events: 1, devices: 0.7 }

/** Returns the resources of a panel with targets in seconds. */
function panelWith(panel: string, targets: Readonly<Record<keyof typeof weights, number>>): Resource[] {
  return Object.entries(weights).map(([what, weight]) => ({
    panel,
    weight,
    targetMs: targets[what as keyof typeof weights] * second,
  }))
}

const quiet = { state: 15, alarms: 20, events: 90, devices: 120 }
const inAlarm = { state: 10, alarms: 10, events: 10, devices: 20 }

/** Returns the times between two polls in relation to the target, for the polls after the first minutes. */
function ages(served: readonly Served[]): number[] {
  return served.filter(({ before }) => before > 0).map(({ at, before, targetMs }) => (at - before) / targetMs)
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

describe('The queue of a lane', () => {
  const due = (weight: number, targetMs: number, age: number): { due: PollDue } => ({
    due: { weight, targetMs, age: (now) => (now - 1000 * second + age) / targetMs },
  })
  const placeOf = (...polls: { due: PollDue }[]) => placeOfNext(polls, 1000 * second)

  it('serves the poll with the largest age in relation to its target first, times its weight', () => {
    assert.equal(placeOf(due(1, 60_000, 60_000), due(1, 10_000, 20_000), due(1, 5000, 5000)), 1)
    assert.equal(placeOf(due(0.7, 10_000, 20_000), due(2.5, 10_000, 10_000)), 1)
    assert.equal(placeOf(due(1, 10_000, 10_000), due(1, 10_000, 10_000)), 0)
    assert.equal(placeOf(due(2.5, 5000, 60_000), due(0.7, 300_000, Number.POSITIVE_INFINITY)), 1)
  })

  it('serves a light one that is much older first', () => {
    assert.equal(placeOf(due(2.5, 10_000, 10_000), due(0.1, 10_000, 24_000)), 0)
    assert.equal(placeOf(due(2.5, 10_000, 10_000), due(0.1, 10_000, 26_000)), 1)
  })

  it('serves priorities first, then calls by turns of their panels and polls by age alternately', async () => {
    const queue = new AttemptQueue({ monotonic: () => 1000 * second })
    const names = new Map<unknown, string>()
    const add = (name: string, options = {}) => {
      const run = async () => {}
      names.set(run, name)
      queue.enqueue(run, { id: name, ...options })
    }
    for (const name of ['A1', 'A2', 'A3']) add(name, { panel: 'A' })
    add('B1', { panel: 'B' })
    add('young', due(1, 10_000, 10_000))
    add('first', { ...due(1, 10_000, 0), panel: 'C', priority: 2 })
    add('old', due(1, 10_000, 20_000))
    add('gone', due(1, 10_000, 90_000))
    queue.remove('gone')
    queue.remove('A3')
    assert.equal(queue.size, 6)
    const order = Array.from({ length: 6 }, () => names.get(queue.dequeue()))
    assert.deepEqual(order, ['first', 'old', 'A1', 'young', 'B1', 'A2'])
    assert.deepEqual([queue.size, queue.dequeue()], [0, undefined])
  })
})

describe('The polls of an account', () => {
  it('meet their targets if there are few panels, and use all but the reserve if there are many', async () => {
    const one = await pollAll(30, panelWith('A', quiet), [], 20 * minute)
    assert.ok(Math.max(...ages(one)) < 1.5, `${Math.max(...ages(one))}`)
    const panels = Array.from({ length: 10 }, (_, index) => panelWith(`${index}`, quiet)).flat()
    const many = await pollAll(30, panels, [], 20 * minute)
    assert.ok(many.length >= 20 * 26.5, `${many.length} polls in 20 minutes`)
  })

  it('of ten panels age evenly, and those of one in alarm go before the others', async () => {
    const calm = Array.from({ length: 9 }, (_, index) => panelWith(`${index}`, quiet)).flat()
    const served = await pollAll(30, [...calm, ...panelWith('alarm', inAlarm)], [], 30 * minute)
    const alarms = served.filter(({ weight }) => weight === weights.alarms)
    const seconds = (isAlarm: boolean) =>
      alarms
        .filter(({ panel, before }) => before > 0 && (panel === 'alarm') === isAlarm)
        .map(({ at, before }) => (at - before) / second)
    assert.ok(
      mean(seconds(true)) < 0.6 * mean(seconds(false)),
      `${mean(seconds(true))} ${mean(seconds(false))}`,
    )
    const counts = Array.from(
      { length: 9 },
      (_, index) => served.filter(({ panel }) => panel === `${index}`).length,
    )
    assert.ok(Math.max(...counts) <= 1.1 * Math.min(...counts), `${counts}`)
  })

  it('starve nowhere: no poll waits longer than three times its target times wanted by free, and two places', () => {
    const resource = fc.record<Resource>({
      panel: fc.constantFrom('A', 'B', 'C', 'D'),
      weight: fc.constantFrom(...Object.values(weights)),
      targetMs: fc.oneof(
        fc.constantFrom(5 * second, 10 * second, 15 * second, 20 * second, 300 * second),
        fc.integer({ min: 5 * second, max: 5 * minute }),
      ),
    })
    const other = fc.record<Others>({
      every: fc.integer({ min: 30 * second, max: 5 * minute }),
      lane: fc.constantFrom('poll', 'urgent', 'command'),
    })
    return fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 10, max: 60 }),
        fc.array(resource, { minLength: 1, maxLength: 40 }),
        fc.array(other, { maxLength: 3 }),
        async (limit, resources, others) => {
          const served = await pollAll(limit, resources, others, 25 * minute)
          const taken = others.reduce((sum, { every }) => sum + minute / every, 0)
          const free =
            (limit - Math.max(1, Math.floor(limit / 10))) * (minute / (minute + latency + 6)) - taken
          const wanted = resources.reduce((sum, { targetMs }) => sum + minute / targetMs, 0)
          // Places come one at a time, and other requests take some of them.
          const places = 2 * (minute / free)
          for (const { at, before, targetMs, weight } of served) {
            const most = 3 * targetMs * Math.max(1, wanted / free) + places
            assert.ok(at - before <= most, `weight ${weight}, target ${targetMs}: ${at - before}, ${most}`)
          }
          for (const one of resources) assert.ok(served.some(({ targetMs }) => targetMs === one.targetMs))
        },
      ),
      { numRuns: 40 },
    )
  })
})
