import assert from 'node:assert/strict'
import { minute } from '../../../src/duration.ts'
import type { Attempt, Outcome } from './run-schedule.ts'

/** Milliseconds for which an attempt counts after its end: a minute, and the rounding of timers and clocks. */
const kept = minute + 10

/**
 * Returns, for the start of each attempt, the number of attempts that can arrive within one minute, and the cap at
 * that time.
 *
 * An attempt arrives at any time between its start and end. Several attempts can arrive within one minute exactly if
 * none of them ended more than a minute before the last of them started.
 */
export function countUses({ attempts, caps }: Outcome): { together: number; cap: number }[] {
  return attempts.map(({ startedAt }, place) => {
    let together = 0
    for (let at = 0; at <= place; at += 1)
      if ((attempts[at]?.endedAt ?? 0) > startedAt - minute) together += 1
    return { together, cap: capAt(caps, startedAt) }
  })
}

/** Asserts that in no sliding minute more attempts arrive than the cap allows. */
export function assertCap(outcome: Outcome, arrivesAt: (attempt: Attempt) => number): void {
  const { attempts, caps } = outcome
  for (const { together, cap } of countUses(outcome)) assert.ok(together <= cap, `${together} of ${cap}`)
  const most = Math.max(...caps.map(({ cap }) => cap))
  for (const times of [attempts.map(({ startedAt }) => startedAt), attempts.map(arrivesAt)]) {
    assert.ok(maxPerMinute(times) <= most)
  }
}

/** Returns the maximum number of times in any half-open minute. */
export function maxPerMinute(times: readonly number[]): number {
  const sorted = [...times].sort((one, other) => one - other)
  let first = 0
  let most = 0
  for (const [last, time] of sorted.entries()) {
    while ((sorted[first] ?? time) <= time - minute) first += 1
    most = Math.max(most, last - first + 1)
  }
  return most
}

/**
 * Asserts that no request waits longer than the reserved share of its lane requires, however many requests are in the
 * other lanes.
 *
 * A lane always gets K = max(1, C / 10) of a cap C; at C < 3 it gets every third attempt. So K attempts of a lane
 * start within a minute plus the time L that each of them lasts. One more such period is needed after the start of
 * the process or a change of the cap, until earlier attempts have left the window.
 */
export function assertNoStarvation(outcome: Outcome): void {
  const { attempts, caps, begins } = outcome
  const lasts = Math.max(0, ...attempts.map(durationOf))
  for (const attempt of attempts) {
    const { lane, queuedAt, startedAt, process } = attempt
    const isAhead = (one: Attempt) =>
      one.endedAt >= queuedAt &&
      one.startedAt <= startedAt &&
      one.lane === lane &&
      one.process === process &&
      one !== attempt
    const ahead = attempts.filter(isAhead)
    const since = Math.max(begins[process] ?? 0, queuedAt - kept - lasts)
    const changes = caps.filter(({ from }) => from > since && from <= startedAt).length
    const share = Math.min(...capsWithin(caps, since, startedAt).map(shareOf))
    const bound = (Math.ceil((ahead.length + 1) / share) + 1 + changes) * (kept + Math.max(1, share) * lasts)
    assert.ok(startedAt - queuedAt <= bound, `${lane} ${queuedAt} to ${startedAt}, bound ${bound}`)
  }
}

/**
 * Asserts that panels take turns: while a request waits, each other panel gets at most one turn more than the
 * requests of the same panel before it. Polls that go by age are not in turns.
 */
export function assertRoundRobin({ attempts: all }: Outcome): void {
  const attempts = all.filter(({ isPaced }) => !isPaced)
  for (const { lane, queuedAt, startedAt, process, panel } of attempts) {
    const overtaking = attempts.filter(
      (one) =>
        one.lane === lane && one.process === process && one.startedAt > queuedAt && one.startedAt < startedAt,
    )
    const turns = (whose: string | undefined) => overtaking.filter((one) => one.panel === whose).length
    for (const other of new Set(overtaking.map((one) => one.panel))) {
      assert.ok(turns(other) <= turns(panel) + 1, `${turns(other)} of ${other}, ${turns(panel)} of ${panel}`)
    }
  }
}

/**
 * Asserts that a command after a minute without commands starts at once, whatever the other lanes do; returns the
 * number of such commands.
 */
export function assertReserve({ attempts, caps, begins }: Outcome): number {
  const commands = attempts.filter(({ lane }) => lane === 'command')
  const atRest = commands.filter(({ queuedAt, process, startedAt }) => {
    const isQuiet = commands.every((one) => one.startedAt >= startedAt || one.endedAt < queuedAt - kept)
    const alone = commands.filter((one) => one.queuedAt === queuedAt).length === 1
    const isOld = queuedAt - (begins[process] ?? 0) > kept
    const isSettled = caps.every(({ from }) => from === 0 || from > queuedAt)
    return isQuiet && alone && isOld && isSettled && capAt(caps, queuedAt) > 1
  })
  for (const { queuedAt, startedAt } of atRest) assert.equal(startedAt, queuedAt)
  return atRest.length
}

function durationOf({ startedAt, endedAt }: Attempt): number {
  return endedAt - startedAt
}

function capAt(caps: Outcome['caps'], at: number): number {
  return caps.findLast(({ from }) => from <= at)?.cap ?? 0
}

function capsWithin(caps: Outcome['caps'], since: number, until: number): number[] {
  return [
    capAt(caps, since),
    ...caps.filter(({ from }) => from > since && from <= until).map(({ cap }) => cap),
  ]
}

/** Returns the share that is reserved for each lane. */
function shareOf(cap: number): number {
  return cap < 3 ? 1 / 3 : Math.max(1, Math.floor(cap / 10))
}
