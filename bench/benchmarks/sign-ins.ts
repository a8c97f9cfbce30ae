import { type AccountHarness, neverAborted } from '../../harness/account.ts'
import { requestsTo } from '../../harness/simulator.ts'
import { minute } from '../../src/duration.ts'
import { operations } from '../../src/service/operations.ts'
import type { Fault } from '../../src/simulator/faults/active-faults.ts'
import type { Comparison } from '../comparison.ts'
import { withFakeClock } from '../fake-clock-harness.ts'

const calls = 50
const polls = 30

/**
 * Number of sign-ins after each expiry during fifty requests, and for a wrong password used by thirty polls.
 */
export default async function signIns(): Promise<Comparison[]> {
  return [
    ...(await withFakeClock({}, {}, atAnExpiry)),
    ...(await withFakeClock({}, { password: 'wrong' }, withAWrongPassword)),
  ]
}

async function atAnExpiry(at: AccountHarness): Promise<Comparison[]> {
  await status(at)
  const before = requestsTo(at.simulator, 'auth')
  at.simulator.faults.start(dying(at), { operation: 'status', times: 1 })
  const ends = await Promise.allSettled(Array.from({ length: calls }, (_, nth) => status(at, `${nth}`)))
  const failed = ends.filter((end) => end.status === 'rejected').length
  const signIns = requestsTo(at.simulator, 'auth') - before
  return [
    {
      what: `sign-ins at an expiry with ${calls} calls under way`,
      ours: signIns,
      theirs: 1,
      unit: '',
      goal: 1,
    },
    { what: 'of those calls, failed', ours: failed, theirs: calls, unit: '', goal: 0 },
  ]
}

async function withAWrongPassword(at: AccountHarness): Promise<Comparison[]> {
  for (let poll = 0; poll < polls; poll += 1) {
    await status(at).catch(() => {})
    at.clock.advance(minute)
  }
  const tries = requestsTo(at.simulator, 'auth')
  return [{ what: `tries of a wrong password in ${polls} polls`, ours: tries, theirs: 1, unit: '', goal: 1 }]
}

function status({ account, panel }: AccountHarness, locale = '') {
  return account.sendRead(operations.status, {
    lane: 'urgent',
    maxAge: 0,
    panel,
    locale,
    signal: neverAborted(),
  })
}

/** Ends all tokens when the first of the requests has arrived. */
function dying({ simulator }: AccountHarness): Fault {
  return {
    name: 'dies under way',
    answer: (getOriginal) => {
      simulator.accounts.expireUserTokens()
      return getOriginal()
    },
  }
}
