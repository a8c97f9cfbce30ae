import { operations } from '../../src/service/operations.ts'
import { patient, stage } from '../../test/support/account-at-simulator.ts'
import { RealWork } from '../../test/support/real-work.ts'
import type { Comparison } from '../comparison.ts'

const hour = 3_600_000
const calls = 60
const cap = 30

/** How long a backlog of twice the cap takes when the wall clock steps in the middle, beside how long it takes else. */
export default async function steppedClock(): Promise<Comparison[]> {
  const unstepped = await backlog(0)
  return [
    { what: 'one hour back', ours: await backlog(-hour), theirs: unstepped, unit: 's', goal: 1.05 },
    { what: 'one hour on', ours: await backlog(hour), theirs: unstepped, unit: 's', goal: 1.05 },
  ]
}

/** Seconds of a driven clock until an account has answered all calls of the simulator. */
async function backlog(step: number): Promise<number> {
  const at = await stage({}, { requestsPerMinute: cap })
  const work = new RealWork()
  work.begin()
  // The password and the code of the panel.
  work.expectStretching(2)
  let answered = 0
  const ask = async (nth: number) => {
    const question = {
      lane: 'poll',
      maxAge: 0,
      signal: patient(),
      panel: at.panel,
      locale: `${nth}`,
    } as const
    await at.account.ask(operations.status, question)
    answered += 1
    if (answered === cap / 3) at.clock.stepWall(step)
  }
  const all = Promise.all(Array.from({ length: calls }, (_, nth) => ask(nth)))
  try {
    for (await work.over(); answered < calls; await work.over()) at.clock.advance(at.clock.untilNext ?? 0)
    await all
    return at.clock.monotonic() / 1000
  } finally {
    work.end()
    await at.close()
  }
}
