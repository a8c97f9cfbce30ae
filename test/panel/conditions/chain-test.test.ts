import assert from 'node:assert/strict'
import type { Moment } from '../../../src/clock.ts'
import { day, hour, minute } from '../../../src/duration.ts'
import {
  afterAnswer,
  afterTime,
  begun,
  type ChainState,
  chainEvidence,
  isTestDue,
  keptChain,
  recalledChain,
  untested,
} from '../../../src/panel/conditions/chain-test.ts'
import { ChainTests } from '../../../src/panel/conditions/chain-tests.ts'

const wait = 15 * minute
const start = Date.UTC(2026, 10, 20, 12)
const at = (time: number, boot = 'first'): Moment => ({ wall: start + time, monotonic: time, boot })
const schedule = { interval: 30 * day, fromHour: 11, timeZone: 'Europe/Berlin' }
const test = begun(untested(at(0)), at(0), 't1', 'one')
const later = (state: ChainState, time: number) => afterTime(state, at(time), wait, () => 'two')
const says = (state: ChainState | undefined) => state && chainEvidence(state, 'n1')?.map((one) => one.says)

describe('A test of the alarm chain', () => {
  it('passes with the answer to its first message only, once, and before the next test', () => {
    assert.equal(says(test), undefined)
    assert.equal(afterAnswer(test, 'guessed', at(minute)), undefined)
    const passed = afterAnswer(test, 'one', at(minute))
    assert.ok(passed)
    assert.deepEqual([says(passed), passed.answeredAt], [[], start + minute])
    assert.equal(afterAnswer(passed, 'one', at(2 * minute)), undefined)
    const next = begun(test, at(day), 't2', 'other')
    assert.equal(afterAnswer(next, 'one', at(day)), undefined)
  })

  it('goes to the second way without an answer, whose answer shows that the first way is broken', () => {
    assert.equal(later(test, wait - 1), test)
    const second = later(test, wait)
    assert.deepEqual(second.test?.tokens, ['one', 'two'])
    assert.equal(later(second, 2 * wait - 1), second)
    const failed = later(second, 2 * wait)
    assert.deepEqual([says(failed), later(failed, day)], [['chain'], failed])
    const half = afterAnswer(second, 'two', at(wait + minute))
    assert.deepEqual(says(half), ['chainSecond'])
    assert.ok(half)
    assert.deepEqual(says(afterAnswer(half, 'one', at(hour))), [])
  })

  it('stays failed while the next one waits, and passes with a late answer', () => {
    const failed = later(later(test, wait), 2 * wait)
    const next = begun(failed, at(day), 't2', 'three')
    assert.deepEqual(says(next), ['chain'])
    assert.deepEqual(says(afterAnswer(next, 'three', at(day + minute))), [])
    assert.deepEqual(says(afterAnswer(failed, 'one', at(hour))), [])
  })

  it('leaves its condition as it is while its node does not know how it has ended', () => {
    const failed = later(later(test, wait), 2 * wait)
    const tests = new ChainTests(
      () => '',
      () => undefined,
    )
    const node = { id: 'n1', instances: 'one' } as const
    tests.show(node, failed)
    const [condition = assert.fail()] = tests.evidence
    assert.equal(tests.speaksOf(condition), true)
    tests.show(node, undefined)
    assert.equal(tests.speaksOf(condition), false)
    tests.leave(node)
    assert.equal(tests.speaksOf(condition), true, 'a deleted node has none')
  })

  it('begins at the set hour of the zone after the interval, by day only, and the first one within a day', () => {
    const passed = afterAnswer(test, 'one', at(minute)) ?? test
    // 13:00 in Berlin, then 10:59 and 11:00 there.
    assert.equal(isTestDue(passed, at(29 * day), schedule), false)
    assert.equal(isTestDue(passed, at(30 * day - 121 * minute), schedule), false)
    assert.equal(isTestDue(passed, at(30 * day - 120 * minute), schedule), true)
    assert.equal(isTestDue(passed, at(30 * day + 7 * hour), schedule), false)
    const isFirstDue = (time: number) => isTestDue(untested(at(0)), at(time), schedule)
    assert.deepEqual([minute, 21 * hour, 22 * hour].map(isFirstDue), [false, false, true])
  })

  it('goes on with the time that is left after a restart, whatever was done to the wall clock', () => {
    const kept = JSON.parse(JSON.stringify(keptChain(test)))
    const wallSet = { ...at(5 * minute), wall: start + 9 * day }
    const recalled = recalledChain(kept, wallSet)
    assert.ok(recalled)
    assert.equal(
      afterTime(recalled, { ...at(wait - 1), wall: 0 }, wait, () => ''),
      recalled,
    )
    assert.notEqual(
      afterTime(recalled, { ...at(wait), wall: 0 }, wait, () => ''),
      recalled,
    )
    const rebooted = recalledChain(kept, { wall: start - 9 * day, monotonic: 0, boot: 'second' })
    assert.ok(rebooted)
    const later = { wall: start - 9 * day + wait, monotonic: wait, boot: 'second' }
    assert.equal(afterTime(rebooted, later, wait, () => 'two').test?.tokens.length, 2)
  })

  it('comes again within a day if nobody knows how long ago the last one was', () => {
    const passed = afterAnswer(test, 'one', at(minute)) ?? test
    const now = { wall: start - day, monotonic: 0, boot: 'second' }
    const rebooted = recalledChain(JSON.parse(JSON.stringify(keptChain(passed))), now)
    assert.ok(rebooted)
    assert.equal(isTestDue(rebooted, now, schedule), true)
    for (const damaged of [
      undefined,
      {},
      { ...keptChain(passed), begunAt: null },
      { ...keptChain(passed), format: 2 },
    ])
      assert.equal(recalledChain(damaged, now), undefined)
  })
})
