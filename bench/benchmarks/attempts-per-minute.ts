import fc from 'fast-check'
import { seed } from '../../harness/mocha/seed.ts'
import { countUses } from '../../harness/properties/rate-limit/rate-limit-assertions.ts'
import { withMemory } from '../../harness/properties/rate-limit/rate-limit-properties.ts'
import { schedules } from '../../harness/properties/rate-limit/request-schedules.ts'
import { runSchedule } from '../../harness/properties/rate-limit/run-schedule.ts'
import type { BenchmarkOptions } from '../benchmark.ts'
import type { Comparison } from '../comparison.ts'

const count = 2000

/**
 * Maximum attempts in any sliding minute, compared with the cap, over random schedules of polls, commands,
 * sign-ins, retries, steps of the wall clock, kills and changes of the cap.
 */
export default async function attemptsInAMinute({ progress }: BenchmarkOptions): Promise<Comparison[]> {
  let worst = { together: 0, cap: 1 }
  for (const [nth, schedule] of fc.sample(schedules, { numRuns: count, seed }).entries()) {
    if (nth % 500 === 0) progress(`${nth} of ${count} schedules`)
    await withMemory(async (memory) => {
      for (const use of countUses(await runSchedule(schedule, memory))) {
        if (use.together * worst.cap > worst.together * use.cap) worst = use
      }
    })
  }
  const { together, cap } = worst
  return [{ what: `the worst of ${count} schedules`, ours: together, theirs: cap, unit: '', goal: 1 }]
}
