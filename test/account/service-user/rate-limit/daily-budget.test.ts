import assert from 'node:assert/strict'
import fc from 'fast-check'
import {
  DailyBudget,
  DayCount,
  leadAfter,
  paceFactorOf,
} from '../../../../src/account/service-user/rate-limit/budget.ts'
import { day, hour, minute } from '../../../../src/duration.ts'

const perDay = 15_000

/**
 * Polls with the factor of a budget, from some time of the day on.
 * @param demand the requests a day that are wanted with a factor of 1
 * @returns the requests and the factor of each minute
 */
function pollFor(
  lasts: number,
  demand: (at: number) => number,
  begin = 0,
): { requests: number; factor: number }[] {
  const budget = new DailyBudget()
  const count = new DayCount()
  const minutes: { requests: number; factor: number }[] = []
  let wanted = 0
  for (let at = 0; at < lasts; at += minute) {
    const [wall, factor] = [begin + at, budget.paceFactor(at)]
    wanted += demand(at) / factor / (day / minute)
    const requests = Math.floor(wanted)
    wanted -= requests
    count.add(requests, wall)
    budget.note(count.of(wall), perDay, { wall, monotonic: at })
    minutes.push({ requests, factor })
  }
  return minutes
}

const sum = (minutes: readonly { requests: number }[]) =>
  minutes.reduce((all, { requests }) => all + requests, 0)

describe('The budget of a day', () => {
  it('slows nothing down while the requests are not ahead of the day, and in an hour and a half of alarm', () => {
    const alarm = (at: number) => (at % day > 17 * hour && at % day < 18.5 * hour ? 21 * 1440 : 11_000)
    for (const { factor } of pollFor(5 * day, alarm)) assert.equal(factor, 1)
  })

  it('holds polls that want more to the requests of a day in the long run, at any time of the day', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 16_000, max: 120_000 }),
        fc.integer({ min: 0, max: day }),
        (demand, begin) => {
          const minutes = pollFor(4 * day, () => demand, begin)
          const later = minutes.slice(1440)
          for (let from = 0; from + 1440 <= later.length; from += 360) {
            const used = sum(later.slice(from, from + 1440))
            assert.ok(Math.abs(used - perDay) < 0.05 * perDay, `${used} of ${perDay} for ${demand}`)
          }
          // The first day may be half a day ahead.
          assert.ok(sum(minutes.slice(0, 1440)) < 1.5 * perDay)
        },
      ),
      { numRuns: 30 },
    )
  })

  it('changes smoothly, also at midnight', () => {
    const minutes = pollFor(3 * day, () => 40_000, 13 * hour)
    for (const [index, { factor }] of minutes.slice(1).entries()) {
      const before = minutes[index]?.factor ?? 1
      assert.ok(Math.abs(factor / before - 1) < 0.03, `${before} to ${factor}`)
    }
  })

  it('slows down ten times at most, and is over half a day later', () => {
    assert.ok(paceFactorOf(leadAfter(0, 0, 10 * perDay, perDay)) < 10.1)
    assert.equal(paceFactorOf(leadAfter(leadAfter(0, 0, 10 * perDay, perDay), 10 * hour, 0, perDay)), 1)
    assert.equal(paceFactorOf(leadAfter(0, 0, 1e6, Number.POSITIVE_INFINITY)), 1)
    const budget = new DailyBudget()
    budget.note(0, perDay, { wall: 0, monotonic: 0 })
    budget.note(perDay, perDay, { wall: 0, monotonic: 0 })
    assert.ok(budget.paceFactor(0) > 10)
    assert.equal(budget.paceFactor(10 * hour), 1)
  })

  it('knows after a start how far the requests are ahead of the day', () => {
    const factorAfter = (used: number, wall: number) => {
      const budget = new DailyBudget()
      budget.note(used, perDay, { wall, monotonic: 0 })
      return budget.paceFactor(0)
    }
    assert.equal(factorAfter(8000, 12 * hour), 1)
    assert.ok(Math.abs(factorAfter(perDay, 19 * hour) - 2) < 0.01)
  })
})
