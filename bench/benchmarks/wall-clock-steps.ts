import { neverAborted, startAccountHarness } from '../../harness/account.ts'
import { hour } from '../../src/duration.ts'
import { operations } from '../../src/service/operations.ts'
import type { Comparison } from '../comparison.ts'

const calls = 60
const cap = 30

/** Time for a backlog of twice the cap if the wall clock steps in the middle, compared with no step. */
export default async function steppedClock(): Promise<Comparison[]> {
  const unstepped = await backlog(0)
  return [
    { what: 'one hour back', ours: await backlog(-hour), theirs: unstepped, unit: 's', goal: 1.05 },
    { what: 'one hour on', ours: await backlog(hour), theirs: unstepped, unit: 's', goal: 1.05 },
  ]
}

/** Returns the seconds of a fake clock until all requests of an account are answered. */
async function backlog(step: number): Promise<number> {
  const at = await startAccountHarness({}, { requestsPerMinute: cap })
  const { pendingIo: work } = at
  let answered = 0
  const ask = async (nth: number) => {
    const question = {
      lane: 'poll',
      maxAge: 0,
      signal: neverAborted(),
      panel: at.panel,
      locale: `${nth}`,
    } as const
    await at.account.sendRead(operations.status, question)
    answered += 1
    if (answered === cap / 3) at.clock.stepWall(step)
  }
  const all = Promise.all(Array.from({ length: calls }, (_, nth) => ask(nth)))
  try {
    for (await work.untilIdle(); answered < calls; await work.untilIdle())
      at.clock.advance(at.clock.untilNext ?? 0)
    await all
    return at.clock.monotonic() / 1000
  } finally {
    await at.close()
  }
}
