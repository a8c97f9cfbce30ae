import assert from 'node:assert/strict'
import { FakeClock } from '../../../harness/clock/fake-clock.ts'
import { event } from '../../../harness/fixtures/samples.ts'
import { createFakeLease, type FakeLease } from '../../../harness/panel/fake-lease.ts'
import type { CursorState } from '../../../src/panel/events/cursor/cursor-format.ts'
import type { CursorStore } from '../../../src/panel/events/cursor/cursor-store.ts'
import { EventDeliveries } from '../../../src/panel/events/event-deliveries.ts'
import { blankHistory } from '../../../src/panel/events/event-history.ts'
import type { DeliveringNode } from '../../../src/panel/lease.ts'
import { KeyholderError } from '../../../src/service/error.ts'
import type { PanelEvent } from '../../../src/service/responses/events.ts'

/** A cursor in memory that a test can make fail. */
interface FakeCursor extends CursorStore {
  state: CursorState | null
  fails: boolean
  /** True if a save waits until the test releases it. */
  isSlow: boolean
  release(): void
}

function createCursor(isShared: boolean): FakeCursor {
  let open = () => {}
  const error = new KeyholderError('BAD_SETTING', 'It cannot be written.')
  const cursor: FakeCursor = {
    isShared,
    state: null,
    fails: false,
    isSlow: false,
    release: () => open(),
    load: async () => ({ state: cursor.state, intended: new Set(), doubtful: false }),
    peek: async () => cursor.state,
    intend: async () => {
      if (cursor.fails) throw error
    },
    save: async (state) => {
      if (cursor.isSlow) {
        await new Promise<void>((resolve) => {
          open = resolve
        })
      }
      if (cursor.fails) throw error
      cursor.state = state
    },
  }
  return cursor
}

function list(...ids: number[]): PanelEvent[] {
  return ids.map((id) => event({ event: id, datetime: `2026-01-02 03:04:${String(id).padStart(2, '0')}` }))
}

const node = (id: string): DeliveringNode => ({ id, instances: 'one' })

describe('The event deliveries of a panel', () => {
  let clock: FakeClock
  let cursors: Map<string, FakeCursor>
  let leases: Map<string, FakeLease>
  let gains: number
  let outages: number
  let recoveries: number
  beforeEach(() => {
    clock = new FakeClock()
    cursors = new Map()
    leases = new Map()
    gains = 0
    outages = 0
    recoveries = 0
  })

  const lease = (name: string) => {
    const known = leases.get(name) ?? createFakeLease(() => clock.monotonic())
    leases.set(name, known)
    return known
  }
  const cursor = (name: string, isShared = true) => {
    const known = cursors.get(name) ?? createCursor(isShared)
    cursors.set(name, known)
    return known
  }

  /** Opens the deliveries of an instance of a cluster, or of a process that is alone. */
  function open(isAlone = false): EventDeliveries<null> {
    const stores = {
      pollLease: () => lease('panel'),
      deliveryLease: ({ id }: DeliveringNode) => lease(isAlone ? 'panel' : id),
      cursor: ({ id }: DeliveringNode) => (isAlone ? cursor('panel', false) : cursor(id)),
    }
    return new EventDeliveries<null>('A1', stores, clock, {
      outage: () => {
        outages += 1
      },
      recovery: () => {
        recoveries += 1
      },
      notice: () => {},
      gain: () => {
        gains += 1
      },
    })
  }

  function subscribe(deliveries: EventDeliveries<null>, id: string) {
    const received: (number | null)[] = []
    const leave = deliveries.subscribe(node(id), {
      policy: { first: 'skip', missed: 'deliver' },
      events: (events) => received.push(...events.map(({ event }) => event.event)),
      gap: () => {},
    })
    return { received, leave }
  }

  /** Has a list processed, and the cursors saved. */
  async function show(deliveries: EventDeliveries<null>, ...ids: number[]): Promise<void> {
    await deliveries.accept(list(...ids), null)
    clock.advance(500)
    await deliveries.accept([], null)
  }

  it('have one cursor for all nodes of a process that is alone', async () => {
    const deliveries = open(true)
    const [one, other] = [subscribe(deliveries, 'one'), subscribe(deliveries, 'other')]
    await show(deliveries, 1)
    await show(deliveries, 1, 2)
    assert.deepEqual([one.received, other.received], [[2], [2]])
    assert.deepEqual(
      [...cursors.values()].map(({ state }) => state?.positions),
      [{ one: 2, other: 2 }],
    )
  })

  it('have one cursor for each node of a cluster, and deliver only to nodes whose lease is here', async () => {
    const deliveries = open()
    const [one, other] = [subscribe(deliveries, 'one'), subscribe(deliveries, 'other')]
    await show(deliveries, 1)
    lease('other').giveTo('elsewhere')
    await show(deliveries, 1, 2)
    assert.deepEqual([one.received, other.received], [[2], []])
    assert.deepEqual(cursor('one').state?.positions, { one: 2 })
    assert.deepEqual(cursor('other').state?.positions, { other: 1 })
    lease('other').giveTo('here')
    assert.equal(gains, 1)
    await show(deliveries, 1, 2, 3)
    assert.deepEqual(
      [one.received, other.received],
      [
        [2, 3],
        [2, 3],
      ],
    )
  })

  it('keep the leases until what was sent to a node that leaves is confirmed', async () => {
    const deliveries = open()
    const { received, leave } = subscribe(deliveries, 'one')
    await show(deliveries, 1)
    await deliveries.accept(list(1, 2), null)
    for (let turn = 0; turn < 25; turn += 1) await new Promise(setImmediate)
    cursor('one').isSlow = true
    leave()
    assert.deepEqual(received, [2])
    for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate)
    assert.deepEqual([lease('one').wishes, lease('panel').wishes], [1, 1])
    cursor('one').release()
    for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate)
    assert.deepEqual([lease('one').wishes, lease('panel').wishes], [0, 0])
    assert.deepEqual(cursor('one').state?.positions, { one: 2 })
  })

  it('give a node that comes back at once the events after those that it has received', async () => {
    const deliveries = open()
    const before = subscribe(deliveries, 'one')
    await show(deliveries, 1)
    await show(deliveries, 1, 2)
    for (let turn = 0; turn < 25; turn += 1) await new Promise(setImmediate)
    before.leave()
    const after = subscribe(deliveries, 'one')
    await show(deliveries, 1, 2, 3)
    assert.deepEqual([before.received, after.received, lease('one').wishes], [[2], [3], 1])
  })

  it('tell which cursor cannot be written, and the end of the outage when all can be written again', async () => {
    const deliveries = open()
    subscribe(deliveries, 'one')
    subscribe(deliveries, 'other')
    for (const id of ['one', 'other']) cursor(id).fails = true
    await show(deliveries, 1)
    assert.ok(deliveries.error(node('one')) && deliveries.error(node('other')))
    cursor('one').fails = false
    await show(deliveries, 1)
    assert.deepEqual([deliveries.error(node('one')), recoveries], [undefined, 0])
    assert.ok(deliveries.error(node('other')) && outages >= 2)
    cursor('other').fails = false
    await show(deliveries, 1)
    assert.equal(deliveries.error(node('other')), undefined)
    assert.ok(recoveries > 0)
  })

  it('give what another process has noted for a node, and nothing of a node of their own', async () => {
    const deliveries = open()
    const read = () => deliveries.sharedNotes(node('one'))
    assert.equal(await read(), undefined)
    lease('one').giveTo('there')
    await assert.rejects(read, { code: 'SHARED_STATE_AWAY' })
    cursor('one').state = { ...stateBefore, notes: { one: 'noted' } }
    assert.equal(await read(), 'noted')
    cursor('one').state = stateBefore
    assert.equal(await read(), null)
    lease('one').giveTo('here')
    assert.equal(await read(), undefined)
    await deliveries.close()
  })

  it('tell a node when another process goes on, and give its notes back with the lease', async () => {
    const deliveries = open()
    const told: string[] = []
    const leave = deliveries.subscribe(node('one'), {
      policy: { first: 'deliver', missed: 'deliver' },
      events: () => {},
      gap: () => {},
      recall: (notes) => told.push(`recall ${notes}`),
      forget: () => told.push('forget'),
    })
    await deliveries.accept(list(1), null)
    lease('one').giveTo('there')
    assert.deepEqual(told, ['recall null', 'forget'])
    cursor('one').state = { ...stateBefore, notes: { one: 'noted' } }
    lease('one').giveTo('here')
    await deliveries.accept(list(1), null)
    assert.deepEqual(told, ['recall null', 'forget', 'recall noted'])
    leave()
    await deliveries.close()
  })
})

const stateBefore: CursorState = { serial: 'A1', memory: blankHistory, positions: { one: 0 } }
