import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { AttemptLog, maxReservationTime } from '../../../src/account/service-user/rate-limit/attempt-log.ts'
import { momentOf } from '../../../src/clock.ts'
import { minute, second } from '../../../src/duration.ts'
import { seed } from '../../mocha/seed.ts'
import { withoutKillGuard } from '../../without-kill-guard.ts'
import { assertCap, assertNoStarvation, assertReserve, assertRoundRobin } from './rate-limit-assertions.ts'
import { saturatedSchedules, schedules } from './request-schedules.ts'
import { type AttemptStore, runSchedule } from './run-schedule.ts'

/** The part of an attempt log that no schedule needs. */
const noBackoffs = {
  open: async () => {},
  recallBackoff: async () => 0,
  recallToday: async () => 0,
  noteBackoff: async () => {},
  ...withoutKillGuard,
  joined: async () => undefined,
  noteLeft: async () => {},
}

/** Milliseconds after which an attempt without a noted end was cut off long ago. */
const longestAttempt = maxReservationTime + 5 * minute + 5 * second

/** Calls `use` with an attempt log in memory, which says in its own way what the one on disk keeps. */
export async function withMemory(use: (memory: AttemptStore) => Promise<void>): Promise<void> {
  const starts: number[] = []
  const ends: number[] = []
  const end = (count: number, at: number) => {
    starts.splice(-count, count)
    ends.push(...new Array<number>(count).fill(at))
  }
  await use({
    open: (clock) => ({
      ...noBackoffs,
      recall: async () => {
        const age = (at: number) => clock.monotonic() - at
        const cutOff = starts.filter((at) => age(at) <= longestAttempt)
        return [...ends.map(age).filter((one) => one <= minute), ...cutOff.map(() => 0)]
      },
      noteStarts: async (count, ended = 0, at = momentOf(clock)) => {
        end(ended, at.monotonic)
        starts.push(...new Array<number>(count).fill(clock.monotonic()))
      },
      noteEnds: async (count, at, unused) => {
        end(count, at.monotonic)
        starts.splice(-unused, unused)
      },
    }),
    settled: async () => {},
  })
}

/** Calls `use` with an attempt log in a file. */
async function onDisk(use: (memory: AttemptStore) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'keyholder-'))
  let pending = 0
  const counted = async <T>(work: Promise<T>): Promise<T> => {
    pending += 1
    try {
      return await work
    } finally {
      pending -= 1
    }
  }
  await use({
    open: (clock) => {
      const attemptLog = new AttemptLog(join(folder, 'attempts.log'), clock)
      return {
        ...noBackoffs,
        recall: () => counted(attemptLog.recall()),
        noteStarts: (...starts) => counted(attemptLog.noteStarts(...starts)),
        noteEnds: (count, at, unused) => counted(attemptLog.noteEnds(count, at, unused)),
      }
    },
    settled: async () => {
      while (pending > 0) await new Promise(setImmediate)
    },
  })
  await rm(folder, { recursive: true })
}

/**
 * Adds tests of the promises of the rate limiter.
 * @param inAll the number of random schedules; some of them are saturated, or use files
 */
export function testRateLimit(inAll: number): void {
  const check = (name: string, share: number, property: fc.IAsyncProperty<unknown>) => {
    const numRuns = Math.ceil(inAll * share)
    it(`${name}, in ${numRuns} random schedules (SEED=${seed})`, () =>
      fc.assert(property, { numRuns, seed })).timeout(1_800_000)
  }
  const arrival = fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true }))

  for (const [where, share, memory] of [
    ['', 0.85, withMemory],
    [' with its real log file', 0.05, onDisk],
  ] as const) {
    check(
      `keeps the cap, starves no request and stops its timers${where}`,
      share,
      fc.asyncProperty(schedules, arrival, (schedule, places) =>
        memory(async (kept) => {
          const outcome = await runSchedule(schedule, kept)
          assertCap(
            outcome,
            ({ startedAt, endedAt }) => startedAt + (endedAt - startedAt) * (places.next().value ?? 0),
          )
          assertNoStarvation(outcome)
          assertRoundRobin(outcome)
          assertReserve(outcome)
          assert.equal(outcome.unserved, 0)
          assert.ok(outcome.idleTimers <= maxReservationTime + second, `${outcome.idleTimers}`)
        }),
      ),
    )
  }

  check(
    'serves commands from their reserve at once while polls and manual reads use up the rest of the cap',
    0.1,
    fc.asyncProperty(saturatedSchedules, (schedule) =>
      withMemory(async (kept) => {
        const outcome = await runSchedule(schedule, kept)
        assertReserve(outcome)
      }),
    ),
  )
}
