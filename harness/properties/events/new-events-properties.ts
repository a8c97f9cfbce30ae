import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { FeedEvent } from '../../../src/panel/events/new-events.ts'
import { productMethod, type Sighting, see } from './detection-methods.ts'
import {
  countErrors,
  createHistory,
  type HistoryKind,
  type HistoryPlan,
  historyPlans,
  kinds,
  minListLength,
  noErrors,
  orders,
} from './event-histories.ts'

/** The kinds whose data reveals the true order even in a shuffled list. */
const ordered: HistoryKind[] = ['plain', 'twins', 'late', 'hiccup', 'prune', 'burst']

function sightings(course: HistoryPlan): Sighting[] {
  const all: Sighting[] = []
  countErrors(
    createHistory(course),
    productMethod((sighting) => all.push(sighting)),
  )
  return all
}

const anyCourse = fc
  .tuple(fc.constantFrom(...kinds), fc.constantFrom(...orders))
  .chain(([kind, order]) => historyPlans(kind, order, minListLength(kind)))

/** Courses in which the text of an event's time, which is a part of its key, stays the same. */
const unmovedCourse = anyCourse.filter(({ kind }) => kind !== 'moved')

const keysOf = (events: readonly FeedEvent[]) => events.map(({ key }) => key)

/** The length of a list whose order can be detected. */
const orderedLength = 4

/** Returns a function that checks a property with as many random values. */
const checkWith =
  (numRuns: number) =>
  <T>(arbitrary: fc.Arbitrary<T>, property: (value: T) => void) =>
    fc.assert(fc.property(arbitrary, property), { numRuns })

/** Adds a test of the promises for new events in lists of each kind and order, with `numRuns` random histories. */
export function testNewEvents(numRuns: number): void {
  const check = checkWith(numRuns)
  for (const kind of kinds) {
    for (const order of orders) {
      const hasOrder = order !== 'shuffled' || ordered.includes(kind)
      const sorting = hasOrder ? ', returns events oldest first' : ''
      it(`loses and repeats no event, reports every gap${sorting}: ${kind}, ${order}`, () => {
        check(historyPlans(kind, order, minListLength(kind)), (course) => {
          const errors = countErrors(createHistory(course), productMethod())
          const isLong = course.past >= orderedLength && course.window >= orderedLength
          assert.deepEqual(hasOrder && isLong ? errors : { ...errors, disordered: 0 }, noErrors)
        })
      })
    }
  }
}

/** Adds tests of the keys and numbers of events, each with `numRuns` random histories of all kinds together. */
export function testEventKeys(numRuns: number): void {
  const check = checkWith(numRuns)
  it('gives every event a unique and stable key', () => {
    check(unmovedCourse, (course) => {
      const keyOf = new Map<number, string>()
      for (const { listed } of sightings(course)) {
        assert.equal(new Set(keysOf(listed)).size, listed.length)
        for (const { sequence, key } of listed) {
          assert.equal(keyOf.get(sequence) ?? key, key)
          keyOf.set(sequence, key)
        }
      }
      assert.equal(new Set(keyOf.values()).size, keyOf.size)
    })
  })

  it('gives an event the same key when it continues from any earlier history', () => {
    const anyTwo = fc.tuple(unmovedCourse, fc.nat(), fc.nat())
    check(anyTwo, ([course, one, other]) => {
      const { polls } = createHistory(course)
      const all = sightings(course)
      const from = one % all.length
      const to = from + (other % (all.length - from))
      const list = polls[to]?.list ?? []
      const given = new Set(all.slice(from + 1, to + 1).flatMap(({ fresh }) => keysOf(fresh)))
      const expected = keysOf(all[to]?.listed ?? []).filter((key) => given.has(key))
      // Without ids an event and an equal removed one can only be distinguished if most of the list is known.
      fc.pre(course.kind !== 'log' || expected.length * 2 < list.length)
      const again = see(all[from]?.memory ?? null, list)
      assert.deepEqual(new Set(keysOf(again.fresh)), new Set(expected))
    })
  })

  // @spec late-events
  it('numbers events in the order of their discovery, and gives a gap a number too', () => {
    check(anyCourse, (course) => {
      let next = 1
      for (const [nth, { listed, fresh, memory, isGap }] of sightings(course).entries()) {
        if (isGap) next += 1
        for (const { sequence } of nth === 0 ? listed : fresh) {
          assert.equal(sequence, next)
          next += 1
        }
        assert.equal(memory.next, next)
      }
    })
  })

  it('gives a returning node exactly the events that it did not receive and the list still shows', () => {
    // The position of the node may have moved past an event that disappears from the list and returns.
    const steady = unmovedCourse.filter(({ kind }) => kind !== 'hiccup' && kind !== 'prune')
    check(fc.tuple(steady, fc.infiniteStream(fc.boolean())), ([course, presence]) => {
      let position = 0
      const given = new Set<string>()
      for (const { listed } of sightings(course)) {
        if (presence.next().value === false) continue
        for (const { sequence, key } of listed.filter((entry) => entry.sequence > position)) {
          assert.ok(!given.has(key))
          given.add(key)
          position = Math.max(position, sequence)
        }
        for (const { key } of listed) assert.ok(given.has(key))
      }
    })
  })

  it('keeps the history if nothing changes', () => {
    check(anyCourse, (course) => {
      const { polls } = createHistory({ ...course, order: 'oldest first' })
      const { memory } = see(null, polls[0]?.list ?? [])
      const again = see(memory, polls[0]?.list ?? [])
      assert.equal(again.memory, memory)
      assert.deepEqual(again.fresh, [])
    })
  })
}
