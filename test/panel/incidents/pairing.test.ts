import assert from 'node:assert/strict'
import fc from 'fast-check'
import { storyEventOf } from '../../../harness/incidents/story-events.ts'
import { day, hour } from '../../../src/duration.ts'
import { pairEvents } from '../../../src/panel/incidents/pairing.ts'
import { byTime, roleOf, type StoryEvent } from '../../../src/panel/incidents/story-event.ts'
import { bundled, catalogueEnUs } from '../../../src/service/catalogue/en-us.ts'
import { isStart } from '../../../src/service/catalogue/event-endings.ts'

const pair = (events: readonly StoryEvent[], now = 10 * day) =>
  pairEvents(events, bundled, now).map(({ start, end, endedAt }) => [
    start.typeId,
    end?.typeId ?? null,
    endedAt,
  ])

const year = 365 * day

/** An event of any type at any second of a year, in one of two partitions, zones and device types. */
const anyEvent = fc
  .record({
    typeId: fc.constantFrom(...catalogueEnUs.map(({ typeId }) => typeId)),
    second: fc.nat(year / 1000),
    zone: fc.nat(2),
    deviceType: fc.constantFrom('ZONE', 'KEYFOB'),
    partitions: fc.constantFrom([], [1], [2], [1, 2]),
  })
  .map(({ typeId, second, ...fields }) => ({ typeId, time: 1000 * second, ...fields }))

/** A year in which most starts are followed by what may end them. */
const anyYear = fc
  .array(anyEvent, { maxLength: 150, size: 'max' })
  .map((events) => events.map((one, order) => storyEventOf(one.typeId, one.time, { ...one, order })))

describe('The pairing of events', () => {
  it('ends a start by the restore of the same zone and device', () => {
    const [low, keyfob] = [storyEventOf(45, 0), storyEventOf(60, 1, { deviceType: 'KEYFOB' })]
    assert.deepEqual(pair([low, keyfob, storyEventOf(46, 5)]), [
      [45, 46, 5],
      [60, null, null],
    ])
    assert.deepEqual(pair([low, storyEventOf(46, 5, { zone: 2 })]), [[45, null, null]])
  })

  it('prefers the restore that the start names, and takes another one with its Contact ID if there is none', () => {
    const [tamper, loss] = [storyEventOf(8, 0), storyEventOf(12, 0)]
    assert.deepEqual(pair([tamper, loss, storyEventOf(30, 7), storyEventOf(26, 9)]), [
      [8, 26, 9],
      [12, 30, 7],
    ])
    assert.deepEqual(pair([tamper, storyEventOf(28, 9)]), [[8, 28, 9]])
  })

  it('ends an alarm by a disarm or a cancellation of one of its partitions', () => {
    const alarm = storyEventOf(3, 0, { partitions: [1, 2] })
    const by = (typeId: number, partitions: number[]) =>
      pair([alarm, storyEventOf(typeId, 5, { zone: 3, deviceType: 'USER', partitions })])
    assert.deepEqual(by(89, [2]), [[3, 89, 5]])
    assert.deepEqual(by(31, []), [[3, 31, 5]])
    assert.deepEqual(by(89, [3]), [[3, null, null]])
    assert.deepEqual(by(86, [1]), [[3, null, null]])
  })

  it('lets time end what nothing else ends, not before it is due', () => {
    assert.deepEqual(pair([storyEventOf(15, 0), storyEventOf(89, 5)], day - 1), [[15, null, null]])
    assert.deepEqual(pair([storyEventOf(15, 0), storyEventOf(89, 5)], day), [[15, null, day]])
    assert.deepEqual(pair([storyEventOf(105, 0)], day), [[105, null, hour]])
    assert.deepEqual(pair([storyEventOf(35, 4)], 4), [[35, null, 4]])
  })

  it('finds the end that was told before its start', () => {
    const late = storyEventOf(2, 3, { order: 9 })
    assert.deepEqual(pair([storyEventOf(20, 5, { order: 1 }), late]), [[2, 20, 5]])
    assert.deepEqual(pair([storyEventOf(20, 2, { order: 1 }), late]), [[2, null, null]])
  })

  it('ends every start of a random year once, or leaves it open, in whatever order the events come', () => {
    fc.assert(
      fc.property(anyYear, fc.infiniteStream(fc.nat()), (events, ranks) => {
        const pairs = pairEvents(events, bundled, year)
        const starts = events.filter(({ typeId }) => isStart(bundled.get(typeId ?? 0) ?? { group: '' }))
        assert.deepEqual(
          pairs.map(({ start }) => start),
          starts.sort(byTime),
        )
        for (const { start, end, endedAt } of pairs) {
          const rule = roleOf(start, bundled).ending
          assert.equal(endedAt === null, end === null && !(start.time + (rule?.after ?? Infinity) <= year))
          if (end !== null) {
            assert.ok(byTime(start, end) < 0)
            assert.equal(endedAt, end.time)
          }
        }
        const shuffled = events
          .map((event) => ({ event, rank: ranks.next().value ?? 0 }))
          .sort((one, other) => one.rank - other.rank)
        assert.deepEqual(
          pairEvents(
            shuffled.map(({ event }) => event),
            bundled,
            year,
          ),
          pairs,
        )
      }),
      { numRuns: 100 },
    )
  })

  it('leaves nothing open that its restore has followed', () => {
    const starts = catalogueEnUs.filter(isStart)
    fc.assert(
      fc.property(fc.constantFrom(...starts), fc.nat(year), ({ typeId }, time) => {
        const start = storyEventOf(typeId, time)
        for (const restore of roleOf(start, bundled).ending?.restores ?? [])
          assert.deepEqual(pair([start, storyEventOf(restore, time + 1)], time), [
            [typeId, restore, time + 1],
          ])
      }),
    )
  })
})
