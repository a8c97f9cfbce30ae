import assert from 'node:assert/strict'
import fc from 'fast-check'
import { FakeClock } from '../../../../harness/clock/fake-clock.ts'
import { event } from '../../../../harness/fixtures/samples.ts'
import { packState, unpackState } from '../../../../src/cluster/stores/packed-cursor.ts'
import type { CursorState } from '../../../../src/panel/events/cursor/cursor-format.ts'
import type { CursorStore, LoadedCursor } from '../../../../src/panel/events/cursor/cursor-store.ts'
import { mergeStates } from '../../../../src/panel/events/cursor/merged-cursors.ts'
import { EventDelivery } from '../../../../src/panel/events/event-delivery.ts'
import { lastingLease } from '../../../../src/panel/lease.ts'
import type { PanelEvent } from '../../../../src/service/responses/events.ts'

/** A cursor in memory; a kill leaves it as it is. */
class MemoryCursor implements CursorStore {
  readonly isShared = false
  loaded: LoadedCursor

  constructor(loaded: Partial<LoadedCursor> = {}) {
    this.loaded = { state: null, intended: new Set(), doubtful: false, ...loaded }
  }

  async load(): Promise<LoadedCursor> {
    return this.loaded
  }

  async intend(keys: readonly string[]): Promise<void> {
    this.loaded = { ...this.loaded, intended: new Set([...this.loaded.intended, ...keys]) }
  }

  async save(state: CursorState, open: readonly string[] = []): Promise<void> {
    this.loaded = { state, intended: new Set(open), doubtful: false }
  }
}

/** The events that a node got. */
class Received {
  readonly ids = new Set<number>()
  readonly repeated: number[] = []
  gaps = 0

  note(id: number, redelivered: boolean): void {
    if (this.ids.has(id) && !redelivered) this.repeated.push(id)
    this.ids.add(id)
  }
}

function eventOf(id: number): PanelEvent {
  return event({ event: id, datetime: new Date(Date.UTC(2026, 0, 2) + id * 1000).toISOString().slice(0, 19) })
}

/** Has a process deliver one list from a cursor; it ends before it has saved that, if it is killed. */
async function deliver(
  cursor: CursorStore,
  nodes: readonly [string, Received][],
  ids: readonly number[],
  isKilled = false,
): Promise<void> {
  const clock = new FakeClock()
  const reports = { outage: () => {}, recovery: () => {}, notice: () => {} }
  const lease = lastingLease(() => clock.monotonic())
  const delivery = new EventDelivery<null>('A1', { lease, cursor }, clock, reports)
  for (const [id, received] of nodes) {
    delivery.subscribe(id, {
      policy: { first: 'deliver', missed: 'deliver' },
      events: (events) => {
        for (const { event, redelivered } of events) received.note(event.event ?? 0, redelivered)
      },
      gap: () => {
        received.gaps += 1
      },
    })
  }
  await delivery.accept(ids.map(eventOf), null)
  if (isKilled) return
  clock.advance(500)
  await delivery.accept([], null)
}

const names = ['a', 'b', 'c']

/** A list that one of the processes gets. */
interface Turn {
  /** The number of events that happen before it. */
  added: number
  /** Places of the list, from its end, that it does not show. */
  hidden: number[]
  /** The nodes that are there. */
  present: boolean[]
  /** The nodes that get their events here; the others get them on another instance. */
  here: boolean[]
  isKilled: boolean
}

const flags = fc.tuple(fc.boolean(), fc.boolean(), fc.boolean()).map((all): boolean[] => all)
const turn: fc.Arbitrary<Turn> = fc.record({
  added: fc.integer({ min: 0, max: 3 }),
  hidden: fc.oneof(fc.constant<number[]>([]), fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 2 })),
  present: flags,
  here: flags,
  isKilled: fc.boolean(),
})

describe('Several states of one panel', () => {
  const state = async (ids: readonly number[], ...nodes: string[]) => {
    const cursor = new MemoryCursor()
    await deliver(
      cursor,
      nodes.map((id) => [id, new Received()]),
      ids,
    )
    assert.ok(cursor.loaded.state)
    // As after ten minutes: the first run is over.
    const { firstRuns, ...settled } = cursor.loaded.state
    return settled
  }

  /** Returns the events that each node gets of a list, and the number of gaps. */
  const received = async (merged: CursorState, ids: readonly number[]) => {
    const nodes = Object.keys(merged.positions).map((id): [string, Received] => [id, new Received()])
    await deliver(new MemoryCursor({ state: merged }), nodes, ids)
    return Object.fromEntries(nodes.map(([id, { ids, gaps }]) => [id, gaps > 0 ? 'a gap' : [...ids]]))
  }

  it('are one in which each node has received what one of them says', async () => {
    const merged = mergeStates([
      await state([1, 2], 'a', 'b'),
      await state([1, 2, 3], 'a'),
      await state([2], 'c'),
    ])
    assert.deepEqual(await received(merged, [1, 2, 3, 4]), { a: [4], b: [3, 4], c: [3, 4] })
    assert.equal(merged.firstRuns, undefined)
  })

  it('are the only one, unchanged, if there is one', async () => {
    const only = await state([1, 2], 'a')
    assert.equal(mergeStates([only]), only)
  })

  it('do not lose an event that only another node has received', async () => {
    const merged = mergeStates([await state([1, 2, 4], 'a'), await state([1, 3, 4], 'b')])
    const { a, b } = await received(merged, [1, 2, 3, 4])
    assert.ok(Array.isArray(a) && a.includes(3))
    assert.ok(Array.isArray(b) && b.includes(2))
  })

  it('tell a gap to a node whose state has no event in common with the latest one', async () => {
    const merged = mergeStates([await state([1, 2], 'a', 'b'), await state([7, 8, 9], 'b')])
    assert.deepEqual(await received(merged, [7, 8, 9, 10]), { a: 'a gap', b: [10] })
  })

  it('tell a gap to a node that was away when another one was told of it', async () => {
    const cursor = new MemoryCursor()
    const there = new Received()
    await deliver(cursor, [['b', there]], [1, 2])
    await deliver(cursor, [['b', there]], [2, 3])
    const { state: kept } = cursor.loaded
    assert.ok(kept)
    const now = new MemoryCursor({ state: kept })
    await deliver(now, [['b', there]], [8, 9])
    assert.ok(there.gaps === 1 && now.loaded.state)
    const merged = mergeStates([await state([1, 2, 3], 'a'), now.loaded.state])
    assert.deepEqual(await received(merged, [8, 9, 10]), { a: 'a gap', b: [10] })
  })

  it('tell no gap to a node that remembers less than another one', async () => {
    const merged = mergeStates([await state([1, 2, 3, 4], 'a'), await state([3, 4], 'b')])
    assert.deepEqual(await received(merged, [3, 4, 5]), { a: [5], b: [5] })
  })

  it('lose nothing without a gap and repeat nothing without a flag, whatever happened in a cluster before', async () => {
    const life = fc.record({
      before: fc.array(turn, { maxLength: 3 }),
      together: fc.array(turn, { maxLength: 6 }),
      window: fc.integer({ min: 3, max: 12 }),
      last: turn,
    })
    const property = fc.asyncProperty(life, async ({ before, together, window, last }) => {
      let count = 1
      const shown = (turn: Pick<Turn, 'added' | 'hidden'>) => {
        count += turn.added
        const all = Array.from({ length: count }, (_, index) => index + 1).slice(-window)
        return all.filter((_, index) => !turn.hidden.includes(all.length - 1 - index))
      }
      const nodes = new Map(names.map((name) => [name, new Received()]))
      const some = (is: readonly boolean[]) => [...nodes].filter((_, index) => is[index])
      const alone = new MemoryCursor()
      for (const turn of before) await deliver(alone, some(turn.present), shown(turn), turn.isKilled)

      const shared = new Map<string, MemoryCursor>()
      const files = new Map<string, CursorState>()
      for (const turn of together) {
        const list = shown(turn)
        for (const [index, [name, node]] of [...nodes].entries()) {
          if (!turn.present[index]) continue
          const { state } = alone.loaded
          const position = state?.positions[name]
          const positions: Record<string, number> = position === undefined ? {} : { [name]: position }
          const own = state && { serial: 'A1', memory: state.memory, positions }
          const cursor = shared.get(name) ?? new MemoryCursor({ ...alone.loaded, state: own })
          shared.set(name, cursor)
          await deliver(cursor, [[name, node]], list, turn.isKilled)
          const saved = cursor.loaded.state
          if (turn.here[index] && saved !== null && !turn.isKilled) files.set(name, saved)
        }
      }
      const states = [alone.loaded.state, ...files.values()].filter((state) => state !== null)
      const [oldest, ...others] = states
      if (oldest === undefined) return
      const merged = new MemoryCursor({
        state: mergeStates([oldest, ...others]),
        intended: alone.loaded.intended,
        doubtful: true,
      })
      const list = shown({ ...last, hidden: [] })
      // What each node would get of its own state.
      const expected = new Map<string, Received>()
      for (const name of names) {
        const own = new Received()
        const state = files.get(name) ?? alone.loaded.state
        await deliver(new MemoryCursor({ ...alone.loaded, state }), [[name, own]], list)
        expected.set(name, own)
      }
      const happened = Array.from({ length: count }, (_, index) => index + 1)
      const gapsBefore = new Map([...nodes].map(([name, { gaps }]) => [name, gaps]))
      await deliver(merged, [...nodes], list)
      for (const [name, { ids, repeated, gaps }] of nodes) {
        assert.deepEqual(repeated, [], `${name} got an event again`)
        const own = expected.get(name) ?? new Received()
        assert.deepEqual(
          [...own.ids].filter((id) => !ids.has(id)),
          [],
          `${name} lost an event`,
        )
        // Another node's state may show that there was nothing between, or hide it as its lists did.
        const isHidden = [...before, ...together].some(({ hidden }) => hidden.length > 0)
        const isMissed = !isHidden && happened.some((id) => id > Math.min(...ids) && !ids.has(id))
        const isTold = gaps > (gapsBefore.get(name) ?? 0)
        assert.ok(own.gaps === 0 || !isMissed || isTold, `${name} was not told a gap`)
      }
    })
    await fc.assert(property, { numRuns: 100 })
  })

  it('have the latest notes of each node', async () => {
    const { state } = (await deliverNotes()).loaded
    assert.ok(state)
    const merged = mergeStates([
      { ...state, notes: { one: 'old', other: 'kept' } },
      { ...state, notes: { one: 'new' } },
    ])
    assert.deepEqual(merged.notes, { one: 'new', other: 'kept' })
    assert.deepEqual(unpackState(packState(merged))?.notes, merged.notes)
  })
})

/** Returns a cursor with a state. */
async function deliverNotes(): Promise<MemoryCursor> {
  const cursor = new MemoryCursor()
  const clock = new FakeClock()
  const stores = { lease: lastingLease(() => clock.monotonic()), cursor }
  const reports = { outage: assert.fail, recovery: () => {}, notice: assert.fail }
  const delivery = new EventDelivery<null>('A1', stores, clock, reports)
  delivery.subscribe('one', {
    policy: { first: 'skip', missed: 'deliver' },
    events: () => {},
    gap: () => {},
  })
  await delivery.accept([eventOf(1)], null)
  await delivery.close()
  return cursor
}
