import assert from 'node:assert/strict'
import fc from 'fast-check'
import { see, serial } from '../../../harness/properties/events/detection-methods.ts'
import { testEventKeys, testNewEvents } from '../../../harness/properties/events/new-events-properties.ts'
import { contentOf, stateText } from '../../../src/panel/events/cursor/cursor-format.ts'
import { blankHistory, columnsOf, remember, sequencesOf } from '../../../src/panel/events/event-history.ts'
import type { PanelEvent } from '../../../src/service/responses/events.ts'

describe('The search for new events', () => {
  testNewEvents(7)
  testEventKeys(7)

  it('treats the very first list as known, and an empty one as a panel without events', () => {
    const [first, second] = lists([1, 2], [1, 2, 3])
    assert.deepEqual(see(null, first ?? []).fresh, [])
    const { memory } = see(null, [])
    assert.equal(memory.next, 1)
    assert.equal(see(memory, second ?? []).fresh.length, 3)
    assert.equal(see(memory, second ?? []).isGap, false)
  })

  it('takes events for new where their times do not move together, or too few of them are known', () => {
    const [first] = lists([1, 2, 3, 4, 5, 6, 7, 8])
    const { memory } = see(null, first ?? [])
    const at = (hour: number) => (one: PanelEvent) => ({
      ...one,
      datetime: one.datetime.replace(' 12:', ` ${hour}:`),
    })
    const moved = first?.map(at(13)) ?? []
    const freshIn = (list: PanelEvent[]) => see(memory, list).fresh.length
    assert.equal(freshIn(moved), 0)
    assert.equal(freshIn(moved.map((one, nth) => at(12 + (nth % 3) + 1)(first?.[nth] ?? one))), 8)
    assert.equal(freshIn(moved.slice(0, 4)), 4)
    assert.equal(freshIn(moved.map((one) => ({ ...one, type_id: 86 }))), 8)
    assert.equal(freshIn(moved.map((one) => ({ ...one, event: 0 }))), 8)
    assert.equal(freshIn(moved.map((one) => ({ ...one, datetime: 'yesterday' }))), 8)
  })

  it('knows the events whose times all move by quarters of an hour, up to 14 hours', () => {
    const [first] = lists(range(1, 8))
    const { memory } = see(null, first ?? [])
    const freshAfter = (minutes: number) => {
      const movedOf = ({ datetime }: PanelEvent) =>
        new Date(Date.parse(`${datetime}Z`) + 60_000 * minutes).toISOString().slice(0, 19).replace('T', ' ')
      return see(memory, first?.map((one) => ({ ...one, datetime: movedOf(one) })) ?? []).fresh.length
    }
    assert.deepEqual([15, 825, 840, -15, -825, -840].map(freshAfter), [0, 0, 0, 0, 0, 0])
    assert.deepEqual([7, 855, -7, -855].map(freshAfter), [8, 8, 8, 8])
  })

  it('knows the events that the first lists with other times do not show when later ones show them', () => {
    const [first, later] = lists(range(1, 30), range(1, 31))
    const moved = later?.map((one) => ({ ...one, datetime: one.datetime.replace(' 12:', 'T10:') })) ?? []
    const [oldest] = moved as [PanelEvent]
    const freshIn = (...shown: PanelEvent[][]) => {
      let { memory } = see(null, first ?? [])
      return shown.map((list) => {
        const diff = see(memory, list)
        // As a restart reads it.
        memory = contentOf(stateText({ serial, memory: diff.memory, positions: {} }))?.state?.memory ?? memory
        return diff.fresh.map(({ event }) => event.event)
      })
    }
    const half = freshIn(moved.slice(15, 30), moved.slice(3), moved, [...moved, { ...oldest, event: 32 }])
    assert.deepEqual(half, [[], [31], [], [32]])
    // A single event may be another one with the same id.
    assert.deepEqual(freshIn(moved.slice(29, 30), moved), [[30], [31]])
  })

  it('knows the events of a service that writes times in a form with a zone, and then in another form', () => {
    const [plain] = lists(range(1, 9)) as [PanelEvent[]]
    const forms = [' Z', 'TZ', 'T.000Z', 'T+0100', ' '].map(([letter = '', ...ending]) =>
      plain.map((one) => ({ ...one, datetime: one.datetime.replace(' ', letter) + ending.join('') })),
    )
    for (const before of forms) {
      for (const after of forms) {
        const { memory } = see(null, before)
        const half = see(memory, after.slice(0, 5))
        assert.deepEqual([half.fresh, see(half.memory, after).fresh], [[], []])
      }
    }
  })

  it('takes the events of a panel for new that starts each day with the same ids at the same time', () => {
    const [today] = lists(range(1, 9)) as [PanelEvent[]]
    const tomorrow = today.map((one) => ({ ...one, datetime: one.datetime.replace('03-01', '03-02') }))
    const { memory } = see(null, today)
    assert.equal(see(memory, tomorrow).fresh.length, 9)
  })

  it('knows the events with other times in a list that shows mostly new ones', () => {
    const [first, second] = lists(range(1, 300), range(290, 590))
    const moved = second?.map((one) => ({ ...one, datetime: one.datetime.replace(' 12:', ' 14:') })) ?? []
    const { memory } = see(null, first ?? [])
    for (const list of [moved, moved.toReversed()]) {
      const { fresh, isGap } = see(memory, list)
      assert.deepEqual([fresh.map(({ event }) => event.event), isGap], [range(301, 590), false])
    }
  })

  it('compares a list of 1,000 new events without blocking for long', () => {
    const [whole, others] = [0, 5000].map(
      (from) => lists(Array.from({ length: 1000 }, (_, at) => from + at + 1))[0],
    )
    const { memory } = see(null, whole ?? [])
    // The time of the processor, because a busy machine may stop the process for longer.
    const before = process.cpuUsage()
    assert.ok(see(memory, others ?? []).isGap)
    const { user, system } = process.cpuUsage(before)
    assert.ok(user + system < 2_000_000)
  })

  it('forgets nothing of a list of 1,000 if one answer is truncated to a few entries', () => {
    const numbers = Array.from({ length: 1000 }, (_, at) => at + 1)
    const [whole, few] = lists(numbers, numbers.slice(-3))
    const { memory } = see(null, whole ?? [])
    const after = see(memory, few ?? [])
    assert.deepEqual(see(after.memory, whole ?? []).fresh, [])
  })
})

describe('The event history', () => {
  const table = (...hashes: number[]) => ({ hashes, occurrences: hashes.map(() => 1), sequences: hashes })

  const history = (...hashes: number[]) => {
    const next = hashes.length + 1
    return { ...blankHistory, ...columnsOf(table(...hashes), next), next }
  }

  it('gives back any sequences, and keeps none that follow from the number of events', () => {
    const sequences = fc.uniqueArray(fc.integer({ min: 1, max: 12 }), { maxLength: 8 })
    fc.assert(
      fc.property(sequences, fc.nat(2), fc.boolean(), (numbers, unseen, isInOrder) => {
        const list = isInOrder ? numbers.toSorted((one, other) => one - other) : numbers
        const next = Math.max(0, ...list) + 1 + unseen
        const columns = columnsOf(table(...list), next)
        assert.deepEqual([...sequencesOf({ ...blankHistory, ...columns, next })], list)
      }),
    )
    assert.equal(history(1, 2, 3, 4).sequences.length, 0)
  })

  it('keeps events that a list does not show in their old places', () => {
    const { hashes } = remember(history(1, 2, 3, 4, 5), { ...table(2, 4, 6), rows: [1, 3, -1] }, 7, true)
    assert.deepEqual([...hashes], [1, 2, 3, 4, 5, 6])
  })

  it('adopts the order of a reordered list, and treats missing events as older', () => {
    const { hashes } = remember(history(1, 2, 3, 4), { ...table(4, 2, 5), rows: [3, 1, -1] }, 6, false)
    assert.deepEqual([...hashes], [1, 3, 4, 2, 5])
  })
})

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, at) => from + at)
}

function lists(...numbers: number[][]): PanelEvent[][] {
  return numbers.map((list) =>
    list.map((number) => ({
      event: number,
      type_id: 85,
      label: '',
      description: '',
      appointment: '',
      datetime: `2026-03-01 12:${String(Math.floor(number / 60)).padStart(2, '0')}:${String(number % 60).padStart(2, '0')}`,
      video: false,
      device_type: 'USER',
      zone: 0,
      zone_name: '',
      partitions: [],
    })),
  )
}
