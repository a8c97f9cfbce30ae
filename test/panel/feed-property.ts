import assert from 'node:assert/strict'
import fc from 'fast-check'
import { type FeedEvent, type Sighting, sight } from '../../src/panel/feed.ts'
import { remember } from '../../src/panel/feed-memory.ts'
import type { PanelEvent } from '../../src/service/events.ts'
import {
  type Course,
  courses,
  judge,
  type Kind,
  kinds,
  leastOf,
  type Method,
  orders,
  play,
} from './histories.ts'
import { feed, serial, wrongMethods } from './methods.ts'

/** Kinds whose data tell the true order even of a shuffled list. */
const ordered: Kind[] = ['plain', 'twins', 'late', 'hiccup', 'prune', 'burst']

const faultless = { lost: 0, repeated: 0, disordered: 0, misreported: 0 }

function sightings(course: Course): Sighting[] {
  const all: Sighting[] = []
  judge(
    play(course),
    feed((sighting) => all.push(sighting)),
  )
  return all
}

const check = <T>(arbitrary: fc.Arbitrary<T>, property: (value: T) => void, numRuns = 300) =>
  fc.assert(fc.property(arbitrary, property), { numRuns })

const anyCourse = fc
  .tuple(fc.constantFrom(...kinds), fc.constantFrom(...orders))
  .chain(([kind, order]) => courses(kind, order, leastOf(kind)))

const keysOf = (events: readonly FeedEvent[]) => events.map(({ key }) => key)

describe('The feed of a panel', () => {
  for (const kind of kinds) {
    for (const order of orders) {
      it(`loses and repeats no event and reports every gap: ${kind}, ${order}`, () => {
        check(courses(kind, order, leastOf(kind)), (course) => {
          assert.deepEqual({ ...judge(play(course), feed()), disordered: 0 }, faultless)
        })
      })
    }

    it(`gives events oldest first: ${kind}`, () => {
      const able = orders.filter((order) => order !== 'shuffled' || ordered.includes(kind))
      check(
        fc.constantFrom(...able).chain((order) => courses(kind, order, 8)),
        (course) => assert.deepEqual(judge(play(course), feed()), faultless),
      )
    })
  }

  it('gives every event a key of its own, and always the same', () => {
    check(anyCourse, (course) => {
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

  it('gives an event the same key again when it goes on from any earlier memory', () => {
    const anyTwo = fc.tuple(anyCourse, fc.nat(), fc.nat())
    check(anyTwo, ([course, one, other]) => {
      const { polls } = play(course)
      const all = sightings(course)
      const from = one % all.length
      const to = from + (other % (all.length - from))
      const list = polls[to]?.list ?? []
      const given = new Set(all.slice(from + 1, to + 1).flatMap(({ fresh }) => keysOf(fresh)))
      const expected = keysOf(all[to]?.listed ?? []).filter((key) => given.has(key))
      // Without ids only a list that is mostly known tells an event from an equal one that is gone.
      fc.pre(course.kind !== 'log' || expected.length * 2 < list.length)
      const again = sight(all[from]?.memory ?? null, serial, list)
      assert.deepEqual(new Set(keysOf(again.fresh)), new Set(expected))
    })
  })

  it('numbers events by their discovery, rising by one', () => {
    check(anyCourse, (course) => {
      let next = 1
      for (const [nth, { listed, fresh, memory }] of sightings(course).entries()) {
        for (const { sequence } of nth === 0 ? listed : fresh) {
          assert.equal(sequence, next)
          next += 1
        }
        assert.equal(memory.next, next)
      }
    })
  })

  it('gives a node that was away exactly what it was not given and the list still shows', () => {
    // An event that leaves the list and comes back to it may have been passed over by the node's position meanwhile.
    const steady = anyCourse.filter(({ kind }) => kind !== 'hiccup' && kind !== 'prune')
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

  it('keeps the memory while nothing changes', () => {
    check(anyCourse, (course) => {
      const { polls } = play({ ...course, order: 'oldest first' })
      const { memory } = sight(null, serial, polls[0]?.list ?? [])
      const again = sight(memory, serial, polls[0]?.list ?? [])
      assert.equal(again.memory, memory)
      assert.deepEqual(again.fresh, [])
    })
  })

  it('takes the very first list as known, and an empty one as a panel without events', () => {
    const [first, second] = lists([1, 2], [1, 2, 3])
    assert.deepEqual(sight(null, serial, first ?? []).fresh, [])
    const { memory } = sight(null, serial, [])
    assert.equal(memory.next, 1)
    assert.equal(sight(memory, serial, second ?? []).fresh.length, 3)
    assert.equal(sight(memory, serial, second ?? []).gap, undefined)
  })

  it('tells the edges of a gap', () => {
    const [first, second] = lists([1, 2], [8, 9])
    const { memory } = sight(null, serial, first ?? [])
    assert.deepEqual(sight(memory, serial, second ?? []).gap, {
      lastKnown: { id: 2, typeId: 85, time: '2026-03-01 12:00:02' },
      oldestShown: { id: 8, typeId: 85, time: '2026-03-01 12:00:08' },
    })
  })

  it('forgets nothing of a list of 1,000 when one answer is cut to a few entries', () => {
    const numbers = Array.from({ length: 1000 }, (_, at) => at + 1)
    const [whole, few] = lists(numbers, numbers.slice(-3))
    const { memory } = sight(null, serial, whole ?? [])
    const after = sight(memory, serial, few ?? [])
    assert.deepEqual(sight(after.memory, serial, whole ?? []).fresh, [])
  })
})

describe('The memory of the feed', () => {
  const table = (...marks: number[]) => ({ marks, occurrences: marks.map(() => 1), sequences: marks })

  it('keeps what a list does not show in its old place', () => {
    const { marks } = remember(table(1, 2, 3, 4, 5), { ...table(2, 4, 6), rows: [1, 3, -1] })
    assert.deepEqual([...marks], [1, 2, 3, 4, 5, 6])
  })

  it('believes a list in another order, and takes what it does not show for older', () => {
    const { marks } = remember(table(1, 2, 3, 4), { ...table(4, 2, 5), rows: [3, 1, -1] })
    assert.deepEqual([...marks], [1, 3, 4, 2, 5])
  })
})

describe('The histories that the feed is tested by', () => {
  const isCaught = (method: () => Method, kind: Kind) => {
    const property = fc.property(courses(kind, 'oldest first', 8), (course) => {
      assert.deepEqual(judge(play(course), method()), faultless)
    })
    return fc.check(property, { numRuns: 300, endOnFailure: true }).failed
  }

  for (const [name, { method, fails }] of Object.entries(wrongMethods())) {
    it(`catch the method "${name}"`, () => {
      for (const kind of fails) assert.ok(isCaught(method, kind), kind)
    })
  }
})

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
