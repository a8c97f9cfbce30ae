import assert from 'node:assert/strict'
import { FakeClock } from '../../../harness/clock/fake-clock.ts'
import { second } from '../../../src/duration.ts'
import { type PollPace, PollTimes } from '../../../src/panel/polling/poll-times.ts'

describe('The times of the polls of a panel', () => {
  let clock: FakeClock
  let times: PollTimes
  let target: number
  let isConstant: PollPace['isConstant']

  beforeEach(() => {
    clock = new FakeClock()
    target = 100 * second
    isConstant = { state: false, alarms: false, events: false, devices: false }
    times = new PollTimes(clock, 'A1', {
      get targets() {
        return { state: target, alarms: target, events: target, devices: target }
      },
      get targetsOfMinute() {
        return this.targets
      },
      state: { hasListeners: false },
      get isConstant() {
        return isConstant
      },
      factor: () => 2,
    })
  })

  const now = () => clock.monotonic()
  const answer = () => times.noteAnswer('events', { at: now(), sentAt: now() })
  const left = () => times.dueAt('events') - now()

  it('are at once before the first answer, and then vary by a twentieth of the target', () => {
    assert.ok(left() <= 0)
    const lefts = Array.from({ length: 40 }, () => {
      clock.advance(1)
      answer()
      return left()
    })
    assert.ok(lefts.every((one) => one >= 0.95 * target && one <= 1.05 * target))
    assert.ok(new Set(lefts).size > 30)
  })

  it('of a constant pace come at multiples of the interval, and nothing triggers them', () => {
    isConstant = { state: true, alarms: true, events: true, devices: true }
    answer()
    const first = times.dueAt('events')
    for (const [late, multiple] of [
      [0, 1],
      [second, 1],
      [0.95 * target, 1],
    ] as const) {
      clock.advance(left() + late)
      answer()
      const passed = (times.dueAt('events') - first) / target
      assert.ok(Math.abs(passed - Math.round(passed)) < 1e-6, `${late}`)
      assert.equal(Math.round((left() + late) / target), multiple)
    }
    const before = left()
    times.trigger('events', 'DISARM')
    assert.equal(times.isTriggered('events'), false)
    assert.equal(times.triggerNow('events', 'DISARM'), false)
    assert.equal(left(), before)
  })

  it('of a constant pace are the same for all resources of a panel that have the same interval', () => {
    isConstant = { state: true, alarms: true, events: true, devices: true }
    times.noteAnswer('state', { at: now(), sentAt: now() })
    clock.advance(0.2 * target)
    answer()
    const apart = (times.dueAt('events') - times.dueAt('state')) / target
    assert.ok(Math.abs(apart - Math.round(apart)) < 1e-6, `${apart}`)
  })

  it('of a constant pace are never more than the interval apart, also if the first poll is right before a multiple', () => {
    isConstant = { state: true, alarms: true, events: true, devices: true }
    for (let nth = 0; nth < 100; nth += 1) {
      clock.advance(target / 100)
      answer()
      assert.ok(left() > 0 && left() <= target + 50, `${left()}`)
    }
  })

  it('of many panels at the same constant pace are spread over the interval, though all are read at once at a start', () => {
    isConstant = { state: true, alarms: true, events: true, devices: true }
    const tenths = Array.from({ length: 10 }, () => 0)
    for (let nth = 0; nth < 500; nth += 1) {
      times = new PollTimes(clock, `A${nth}`, times.pace)
      answer()
      const tenth = Math.floor((10 * left()) / target) % 10
      tenths[tenth] = (tenths[tenth] ?? 0) + 1
    }
    assert.ok(Math.min(...tenths) >= 25 && Math.max(...tenths) <= 75, `${tenths}`)
  })

  it('tell their place among those of other panels, with the factor of the budgets', () => {
    answer()
    const placeOf = ({ age, ...place }: ReturnType<typeof times.due>) => ({
      ...place,
      age: age(now() + target),
    })
    assert.deepEqual(placeOf(times.due('events')), {
      weight: 1,
      targetMs: target,
      age: 1,
      factor: 2,
      isSpare: false,
    })
    assert.equal(times.due('state').isSpare, true)
  })

  it('come closer with the target, and move away only with an answer', () => {
    answer()
    target = 10 * second
    const soon = left()
    assert.ok(soon <= 10.5 * second)
    target = 300 * second
    assert.ok(left() > soon)
    target = 10 * second
    answer()
    clock.advance(1)
    answer()
    target = 300 * second
    assert.ok(left() <= 10.5 * second)
  })

  it('are at once after a trigger, and ten seconds later after the next one of the same cause', () => {
    answer()
    clock.advance(second)
    times.trigger('events', 'ready')
    assert.deepEqual([left(), times.isTriggered('events')], [0, true])
    answer()
    assert.equal(times.isTriggered('events'), false)
    clock.advance(second)
    times.trigger('events', 'ready')
    assert.deepEqual([left(), times.isTriggered('events')], [9 * second, false])
    times.trigger('events', 'DISARM')
    assert.equal(left(), 0)
    answer()
    assert.ok(left() > 90 * second)
  })

  it('keep a trigger until an answer that was requested after it', () => {
    answer()
    clock.advance(second)
    const sentAt = now()
    clock.advance(second)
    times.trigger('events', 'ready')
    times.noteAnswer('events', { at: now(), sentAt })
    assert.equal(times.isTriggered('events'), true)
  })

  it('move a poll that waits forward with a trigger, unless a faster read serves that, and back with an answer', () => {
    answer()
    clock.advance(10 * second)
    const { age } = times.due('events')
    assert.equal(age(now()), 0.1)
    assert.equal(times.triggerNow('events', 'DISARM'), true)
    assert.equal(age(now() + second), 0.11)
    times.trigger('events', 'ready')
    assert.equal(age(now() + second), 2)
    clock.advance(second)
    answer()
    assert.equal(age(now() + second), 0.01)
    assert.equal(times.triggerNow('events', 'ready'), false)
    assert.equal(age(now() + 9 * second), 0.09)
    assert.ok(age(now() + 11 * second) > 1)
  })

  it('of the alarms come between those of the status if both were answered within two seconds', () => {
    for (const [gap, isBetween] of [
      [2 * second, true],
      [2 * second + 1, false],
    ] as const) {
      times.noteAnswer('state', { at: now(), sentAt: now() })
      clock.advance(gap)
      times.noteAnswer('alarms', { at: now(), sentAt: now() })
      times.separateAlarms()
      assert.equal(times.dueAt('alarms') - now() < 0.6 * target, isBetween)
    }
  })

  it('of status and alarms alternate where both are late', () => {
    target = 10 * second
    assert.deepEqual(times.dueOfState(), { state: true, alarms: true })
    const read = (resource: 'state' | 'alarms') => times.noteAnswer(resource, { at: now(), sentAt: now() })
    clock.advance(1)
    read('state')
    read('alarms')
    assert.deepEqual(times.dueOfState(), { state: false, alarms: false })
    clock.advance(30 * second)
    read('alarms')
    clock.advance(5 * second)
    assert.deepEqual(times.dueOfState(), { state: true, alarms: false })
    // Each shows an alarm, so a status need not hurry after alarms that were just read.
    assert.equal(times.due('state').age(now()), 1)
    clock.advance(10 * second)
    assert.deepEqual(times.dueOfState(), { state: true, alarms: false })
    read('state')
    assert.deepEqual(times.dueOfState(), { state: false, alarms: true })
  })
})
