import assert from 'node:assert/strict'
import { hour, minute } from '../../src/duration.ts'
import { PanelClock } from '../../src/home-assistant/panel-clock.ts'
import type { DeliveredEvent } from '../../src/panel/events/subscription.ts'
import type { PanelEvent } from '../../src/service/responses/events.ts'

const now = Date.parse('2026-11-23T12:00:00Z')

/** Returns an event that the panel dates so many milliseconds before now. */
function dated(age: number, fields: Partial<DeliveredEvent> = {}): DeliveredEvent {
  const datetime = new Date(now - age).toISOString().slice(0, 19).replace('T', ' ')
  const event = { type_id: 2, datetime } as PanelEvent
  return { event, key: `${age}`, sequence: 1, late: false, redelivered: false, ...fields }
}

describe('The clock of a panel', () => {
  const ageOf = (clock: PanelClock, age: number) => clock.ageOf(new Date(now - age).toISOString(), now)

  /** Returns a later process's clock after a list with events of these ages. */
  const learned = (...ages: number[]) => {
    const notes = new PanelClock().note(
      ages.map((age) => dated(age)),
      now,
      'UTC',
    )
    const clock = new PanelClock()
    clock.recall(notes ?? null)
    return clock
  }

  it('is right until an event comes that is ahead, or behind by more than a poll', () => {
    assert.equal(ageOf(learned(), hour), hour)
    assert.equal(ageOf(learned(4 * minute), hour), hour)
    assert.equal(ageOf(learned(61 * minute), 62 * minute), minute)
    assert.equal(ageOf(learned(-2 * hour), -2 * hour + minute), minute)
  })

  it('is that of the soonest event where several come at once, as after the panel was offline', () => {
    assert.equal(ageOf(learned(8 * hour, 7 * hour, minute), 8 * hour), 8 * hour)
  })

  it('is not learned from missed or repeated events, nor from those without a time', () => {
    const clock = new PanelClock()
    const undated = { ...dated(0), event: { type_id: 2, datetime: '' } as PanelEvent }
    const others = [dated(8 * hour, { late: true }), dated(8 * hour, { redelivered: true }), undated]
    assert.equal(clock.note(others, now, 'UTC'), undefined)
    assert.equal(ageOf(clock, hour), hour)
  })

  it('changes its notes only if it has changed, also when it was set', () => {
    const clock = new PanelClock()
    assert.equal(typeof clock.note([dated(hour)], now, 'UTC'), 'string')
    assert.equal(clock.note([dated(hour + minute)], now, 'UTC'), undefined)
    assert.equal(typeof clock.note([dated(minute)], now, 'UTC'), 'string')
    assert.equal(ageOf(clock, hour), hour)
  })

  it('is taken for right if its notes are damaged', () => {
    const clock = new PanelClock()
    clock.recall('{"behind":"x"')
    assert.equal(ageOf(clock, hour), hour)
  })
})
