import assert from 'node:assert/strict'
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FakeClock } from '../../../harness/clock/fake-clock.ts'
import { PendingIo } from '../../../harness/clock/pending-io.ts'
import { event } from '../../../harness/fixtures/samples.ts'
import { createFakeLease } from '../../../harness/panel/fake-lease.ts'
import { CursorFile } from '../../../src/panel/events/cursor/cursor-file.ts'
import { type CursorState, contentOf } from '../../../src/panel/events/cursor/cursor-format.ts'
import { EventDelivery } from '../../../src/panel/events/event-delivery.ts'
import type { DeliveredEvent, EventPolicy, Gap } from '../../../src/panel/events/subscription.ts'
import { type Lease, LeaseLost, lastingLease } from '../../../src/panel/lease.ts'
import { KeyholderError } from '../../../src/service/error.ts'
import type { PanelEvent } from '../../../src/service/responses/events.ts'

/** Returns events with these ids: `list(3, 4)` contains the events 3 and 4. */
function list(...ids: number[]): PanelEvent[] {
  return ids.map((id) => event({ event: id, datetime: `2026-01-02 03:04:${String(id).padStart(2, '0')}` }))
}

const away = new KeyholderError('SHARED_STATE_AWAY', 'The shared state cannot be reached.')

describe('The event delivery of a panel', () => {
  let folder: string
  let clock: FakeClock
  let outages: KeyholderError[]
  let recoveries: number
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keyholder-'))
    clock = new FakeClock()
    outages = []
    recoveries = 0
  })
  afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }))

  /** Opens a delivery as a new process does; the previous one is left as after a kill. */
  function open(
    serial = 'A1',
    path = join(folder, 'events.json'),
    cursor = new CursorFile(path),
    lease: Lease = lastingLease,
    timeZone = 'UTC',
  ): EventDelivery<null> {
    // One of an earlier test, whose folder is gone, may still write: its outages are not this test's.
    const ownOutages = outages
    const reports = {
      outage: (error: KeyholderError) => ownOutages.push(error),
      recovery: () => {
        recoveries += 1
      },
      notice: () => {},
    }
    return new EventDelivery<null>(serial, { lease, cursor }, clock, reports, timeZone)
  }

  /** Subscribes a node and collects what it receives. */
  function subscribe(delivery: EventDelivery<null>, id: string, policy: Partial<EventPolicy> = {}) {
    const received: DeliveredEvent[] = []
    const gaps: Gap[] = []
    const leave = delivery.subscribe(id, {
      policy: { first: 'skip', missed: 'deliver', ...policy },
      events: (deliveries) => received.push(...deliveries),
      gap: (gap) => gaps.push(gap),
    })
    const ids = () => received.map(({ event }) => event.event)
    const flags = () => received.map(({ event, redelivered }) => [event.event, redelivered])
    return { received, gaps, leave, ids, flags }
  }

  /** Has a list processed, and the cursor saved. */
  async function show(delivery: EventDelivery<null>, shown: PanelEvent[]): Promise<void> {
    await delivery.accept(shown, null)
    await settle(delivery)
  }

  /** The ids at the edges of gaps. */
  const edges = (gaps: readonly Gap[]) =>
    gaps.map(({ lastKnown, oldestShown }) => [lastKnown?.id, oldestShown?.id])

  /** Copies the cursor, as a kill at this moment leaves it. */
  async function kill(): Promise<string> {
    const path = join(folder, 'killed.json')
    await copyFile(join(folder, 'events.json'), path)
    return path
  }

  /** Waits until the messages are no longer in flight. */
  async function waitTurns(): Promise<void> {
    for (let turn = 0; turn < 25; turn += 1) await new Promise(setImmediate)
  }

  /** Advances by the half second until the cursor is saved, and waits for it to be written. */
  async function settle(delivery: EventDelivery<null>): Promise<void> {
    clock.advance(500)
    // An empty list changes nothing, and is processed after everything before it.
    await delivery.accept([], null)
  }

  it('treats the first list as known, and delivers later events once, oldest first', async () => {
    const delivery = open()
    const node = subscribe(delivery, 'n')
    await delivery.accept(list(1, 2), null)
    await delivery.accept(list(1, 2, 3, 4), null)
    await settle(delivery)
    await delivery.accept(list(2, 3, 4), null)
    assert.deepEqual(node.ids(), [3, 4])
    assert.ok(node.received.every(({ late, redelivered }) => !late && !redelivered))
  })

  it('marks as redelivered what happened before the first list and comes back when younger events leave the list', async () => {
    const first = open()
    const node = subscribe(first, 'n')
    const other = subscribe(first, 'away')
    await first.accept(list(7), null)
    await show(first, list(3, 4, 5, 6, 7))
    clock.advance(11 * 60_000)
    await show(first, list(3, 4, 5, 6, 7))
    other.leave()
    await show(first, list(2, 3, 6, 7, 8))
    assert.deepEqual(node.flags(), [
      [2, true],
      [8, false],
    ])
    await waitTurns()
    await first.close()
    const second = open()
    const back = subscribe(second, 'away')
    await show(second, list(2, 3, 6, 7, 8))
    assert.deepEqual(back.flags(), [
      [2, true],
      [8, false],
    ])
  })

  it('marks nothing as redelivered of a panel that counts from 1 again and has an early time', async () => {
    const delivery = open()
    const node = subscribe(delivery, 'n')
    await show(delivery, list(13, 14, 15, 16, 17, 18))
    clock.advance(11 * 60_000)
    await show(delivery, list(13, 14, 15, 16, 17, 18, 1))
    await show(delivery, list(14, 15, 16, 17, 18, 1, 2))
    assert.deepEqual(node.flags(), [
      [1, false],
      [2, false],
    ])
  })

  it('reports a list that it cannot process, and goes on with the next one', async () => {
    const delivery = open()
    const node = subscribe(delivery, 'n')
    await delivery.accept(list(1, 2), null)
    await delivery.accept([null as unknown as PanelEvent], null)
    assert.deepEqual(
      outages.map(({ code }) => code),
      ['INTERNAL_ERROR'],
    )
    await delivery.accept(list(1, 2, 3), null)
    assert.deepEqual(node.ids(), [3])
  })

  it('delivers the first list to a node that wants it', async () => {
    const delivery = open()
    const node = subscribe(delivery, 'n', { first: 'deliver' })
    await delivery.accept(list(1, 2), null)
    assert.deepEqual(node.ids(), [1, 2])
    assert.ok(node.received.every(({ late }) => !late))
  })

  it('delivers the first event of a panel that had none', async () => {
    const delivery = open()
    const node = subscribe(delivery, 'n')
    await delivery.accept([], null)
    await delivery.accept([event({ event: 1, datetime: '2026-11-20 12:00:00' })], null)
    assert.deepEqual(node.ids(), [1])
    assert.equal(node.received[0]?.late, false)
  })

  it('delivers every event to each of several nodes', async () => {
    const delivery = open()
    const [one, other] = [subscribe(delivery, 'one'), subscribe(delivery, 'other')]
    await delivery.accept(list(1), null)
    await delivery.accept(list(1, 2), null)
    assert.deepEqual(one.ids(), [2])
    assert.deepEqual(other.ids(), [2])
  })

  it('delivers missed events after a restart, marked as late, and nothing twice', async () => {
    const before = open()
    subscribe(before, 'n')
    await before.accept(list(1), null)
    await before.accept(list(1, 2), null)
    await settle(before)
    const after = open()
    const node = subscribe(after, 'n')
    await after.accept(list(1, 2, 3), null)
    await settle(after)
    await after.accept(list(1, 2, 3, 4), null)
    assert.deepEqual(
      node.received.map(({ event, late, redelivered }) => [event.event, late, redelivered]),
      [
        [3, true, false],
        [4, false, false],
      ],
    )
  })

  it('skips missed events if the node does not want them', async () => {
    const before = open()
    subscribe(before, 'n')
    await before.accept(list(1), null)
    await settle(before)
    const after = open()
    const node = subscribe(after, 'n', { missed: 'skip' })
    await after.accept(list(1, 2), null)
    await settle(after)
    await after.accept(list(1, 2, 3), null)
    assert.deepEqual(node.ids(), [3])
  })

  it('delivers events again, marked as redelivered, that were in flight when the process was killed', async () => {
    const killed = open()
    const lost = subscribe(killed, 'n')
    await killed.accept(list(1), null)
    await settle(killed)
    await killed.accept(list(1, 2, 3), null)
    assert.deepEqual(lost.ids(), [2, 3])
    const after = open()
    const node = subscribe(after, 'n')
    await after.accept(list(1, 2, 3, 4), null)
    assert.deepEqual(
      node.received.map(({ event, redelivered }) => [event.event, redelivered]),
      [
        [2, true],
        [3, true],
        [4, false],
      ],
    )
    assert.deepEqual(
      node.received.slice(0, 2).map(({ key }) => key),
      lost.received.map(({ key }) => key),
    )
  })

  it('delivers to a node that was briefly removed what the others received meanwhile', async () => {
    const delivery = open()
    const [stays, goes] = [subscribe(delivery, 'stays'), subscribe(delivery, 'goes')]
    await delivery.accept(list(1), null)
    goes.leave()
    await delivery.accept(list(1, 2), null)
    await settle(delivery)
    const back = subscribe(delivery, 'goes')
    await delivery.accept(list(1, 2), null)
    await settle(delivery)
    assert.deepEqual(stays.ids(), [2])
    assert.deepEqual(back.ids(), [2])
    assert.equal(back.received[0]?.late, true)
  })

  it('starts a node that is added later with the next event', async () => {
    const delivery = open()
    subscribe(delivery, 'old')
    await delivery.accept(list(1, 2), null)
    const added = subscribe(delivery, 'new')
    await delivery.accept(list(), null)
    await delivery.accept(list(1, 2), null)
    await delivery.accept(list(1, 2, 3), null)
    assert.deepEqual(added.ids(), [3])
  })

  it('reports a gap once, with both of its edges, and the events after it', async () => {
    const delivery = open()
    const node = subscribe(delivery, 'n')
    await delivery.accept(list(1, 2), null)
    await delivery.accept(list(10, 11), null)
    await settle(delivery)
    await delivery.accept(list(10, 11), null)
    assert.deepEqual(
      node.gaps.map(({ lastKnown, oldestShown }) => [lastKnown?.id, oldestShown?.id]),
      [[2, 10]],
    )
    assert.deepEqual(node.ids(), [10, 11])
  })

  it('starts again if the panel is a different one', async () => {
    const before = open('A1')
    subscribe(before, 'n')
    await before.accept(list(1), null)
    await settle(before)
    const after = open('B2')
    const node = subscribe(after, 'n')
    await after.accept(list(20, 21), null)
    assert.deepEqual([node.ids(), node.gaps], [[], []])
  })

  it('continues and reports an error if the cursor cannot be written', async () => {
    const delivery = open('A1', join(folder, 'no', '\0', 'events.json'))
    const node = subscribe(delivery, 'n')
    await delivery.accept(list(1), null)
    await settle(delivery)
    await delivery.accept(list(1, 2), null)
    await settle(delivery)
    assert.deepEqual(node.ids(), [2])
    assert.ok(outages.length > 0)
  })

  it('reports that the cursor cannot be written before it delivers events that it could not record', async () => {
    const delivery = open()
    const outagesBefore: string[][] = []
    delivery.subscribe('n', {
      policy: { first: 'skip', missed: 'deliver' },
      events: () => outagesBefore.push(outages.map(({ code }) => code)),
      gap: () => assert.fail('a gap'),
    })
    await delivery.accept(list(1), null)
    await settle(delivery)
    await rm(join(folder, 'events.json'))
    await mkdir(join(folder, 'events.json'))
    await delivery.accept(list(1, 2), null)
    // The next write can have failed by then, too.
    assert.deepEqual(
      outagesBefore.map(([first]) => first),
      ['BAD_SETTING'],
    )
  })

  it('continues if a node unsubscribes while it receives the first list', async () => {
    const delivery = open()
    const leave = delivery.subscribe('leaving', {
      policy: { first: 'deliver', missed: 'deliver' },
      events: () => leave(),
      gap: () => {},
    })
    await delivery.accept(list(1), null)
    assert.deepEqual(outages, [])
  })

  it('confirms delivered events at once when it is closed, and then accepts no more lists', async () => {
    const before = open()
    const left = subscribe(before, 'n')
    await before.accept(list(1), null)
    await before.accept(list(1, 2), null)
    for (let turn = 0; turn < 25; turn += 1) await new Promise(setImmediate)
    await before.close()
    await before.accept(list(1, 2, 3), null)
    assert.deepEqual(left.ids(), [2])
    const after = open()
    const node = subscribe(after, 'n')
    await after.accept(list(1, 2, 3), null)
    assert.deepEqual(
      node.received.map(({ event, redelivered }) => [event.event, redelivered]),
      [[3, false]],
    )
  })

  it('delivers events of a list again, marked as redelivered, if it was closed while processing the list', async () => {
    let closing = Promise.resolve()
    class ClosingCursor extends CursorFile {
      override intend(keys: readonly string[]): Promise<void> {
        closing = before.close()
        return super.intend(keys)
      }
    }
    const before = open('A1', undefined, new ClosingCursor(join(folder, 'events.json')))
    const left = subscribe(before, 'n')
    await before.accept(list(1), null)
    await before.accept(list(1, 2), null)
    await closing
    assert.deepEqual(left.ids(), [2])
    const after = open()
    const node = subscribe(after, 'n')
    await after.accept(list(1, 2), null)
    assert.deepEqual(node.flags(), [[2, true]])
  })

  it('tries once more to write the cursor when it is closed after a failure', async () => {
    const path = join(folder, 'keyholder', 'events.json')
    await writeFile(join(folder, 'keyholder'), '')
    const before = open('A1', path)
    subscribe(before, 'n')
    await before.accept(list(1), null)
    await settle(before)
    assert.equal(before.error?.code, 'BAD_SETTING')
    await rm(join(folder, 'keyholder'))
    await before.close()
    assert.equal(before.error, undefined)
    const after = open('A1', path)
    const node = subscribe(after, 'n')
    await after.accept(list(1, 2), null)
    assert.deepEqual(node.flags(), [[2, false]])
  })

  it('delivers events again, marked as redelivered, that were in flight when it was closed', async () => {
    const before = open()
    subscribe(before, 'n')
    await before.accept(list(1), null)
    await before.accept(list(1, 2), null)
    await before.close()
    const after = open()
    const node = subscribe(after, 'n')
    await after.accept(list(1, 2), null)
    assert.deepEqual(
      node.received.map(({ event, redelivered }) => [event.event, redelivered]),
      [[2, true]],
    )
  })

  it('keeps the events for a node that unsubscribes just before their delivery', async () => {
    const delivery = open()
    const leaving = subscribe(delivery, 'n')
    await delivery.accept(list(1), null)
    const accepting = delivery.accept(list(1, 2), null)
    leaving.leave()
    await accepting
    await settle(delivery)
    const back = subscribe(delivery, 'n')
    await delivery.accept(list(1, 2), null)
    assert.deepEqual([leaving.ids(), back.ids()], [[], [2]])
  })

  it('recalls in-flight events from a node that stops, and delivers them again, marked as redelivered', async () => {
    const delivery = open()
    const [goes, stays] = [subscribe(delivery, 'goes', { missed: 'skip' }), subscribe(delivery, 'stays')]
    await delivery.accept(list(1), null)
    await delivery.accept(list(1, 2), null)
    goes.leave()
    const back = subscribe(delivery, 'goes', { missed: 'skip' })
    await settle(delivery)
    await delivery.accept(list(1, 2), null)
    await settle(delivery)
    await delivery.accept(list(1, 2), null)
    assert.deepEqual([goes.ids(), back.ids(), stays.ids()], [[2], [2], [2]])
    assert.equal(back.received[0]?.redelivered, true)
  })

  it('recalls in-flight events from a node that stops while they are confirmed for another process', async () => {
    const before = open()
    const leaving = subscribe(before, 'n')
    await before.accept(list(1), null)
    await before.accept(list(1, 2), null)
    const confirmed = before.confirm()
    await new Promise(setImmediate)
    leaving.leave()
    await confirmed
    const after = open()
    const node = subscribe(after, 'n')
    await after.accept(list(1, 2), null)
    assert.deepEqual([leaving.ids(), node.flags()], [[2], [[2, true]]])
  })

  it('delivers events that were in flight at a kill even to a node that skips missed events', async () => {
    const killed = open()
    subscribe(killed, 'n', { missed: 'skip' })
    await killed.accept(list(1), null)
    await settle(killed)
    await killed.accept(list(1, 2), null)
    const after = open()
    const node = subscribe(after, 'n', { missed: 'skip' })
    await after.accept(list(1, 2, 3), null)
    assert.deepEqual(
      node.received.map(({ event, redelivered }) => [event.event, redelivered]),
      [[2, true]],
    )
  })

  it('knows the position of each node after a kill right at the start', async () => {
    const killed = open()
    subscribe(killed, 'all', { first: 'deliver' })
    subscribe(killed, 'later ones')
    await killed.accept(list(1), null)
    const after = open()
    const [all, later] = [subscribe(after, 'all', { first: 'deliver' }), subscribe(after, 'later ones')]
    await after.accept(list(1, 2), null)
    assert.deepEqual([all.ids(), later.ids()], [[1, 2], [2]])
    assert.deepEqual(
      all.received.map(({ redelivered }) => redelivered),
      [true, false],
    )
  })

  it('remembers the in-flight events if the first list after a kill is empty or incomplete', async () => {
    const killed = open()
    subscribe(killed, 'n')
    await killed.accept(list(1), null)
    await settle(killed)
    await killed.accept(list(1, 2, 3), null)
    const after = open()
    const node = subscribe(after, 'n')
    for (const hiccup of [list(), list(1, 2)]) await after.accept(hiccup, null).then(() => settle(after))
    await after.accept(list(1, 2, 3), null)
    assert.deepEqual(
      node.received.map(({ event, redelivered }) => [event.event, redelivered]),
      [
        [2, true],
        [3, true],
      ],
    )
  })

  /** Leaves a file of the length 0, which was written last with the event `id`. */
  async function loseFile(id: number): Promise<void> {
    const path = join(folder, 'events.json')
    await writeFile(path, '')
    await rm(`${path}.previous`, { force: true })
    const at = new Date(Date.UTC(2026, 0, 2, 3, 4, id, 500))
    await utimes(path, at, at)
  }

  const edge = (id: number) => ({ id, typeId: event().type_id, time: `2026-01-02 03:04:0${id}` })

  it('tells a gap and what happened since, late and flagged, if the cursor was lost, and waits for a list that is not empty', async () => {
    await loseFile(1)
    const delivery = open()
    const nodes = [subscribe(delivery, 'all', { first: 'deliver' }), subscribe(delivery, 'none')]
    await delivery.accept([], null)
    assert.deepEqual(nodes[0]?.gaps, [])
    await delivery.accept(list(1, 2), null)
    await settle(delivery)
    await delivery.accept(list(1, 2, 3), null)
    for (const { received, gaps } of nodes) {
      assert.deepEqual(gaps, [{ lastKnown: edge(1), oldestShown: edge(2) }])
      assert.deepEqual(
        received.map(({ event, late, redelivered }) => [event.event, late, redelivered]),
        [
          [2, true, true],
          [3, false, false],
        ],
      )
    }
    const after = open()
    const node = subscribe(after, 'none')
    await settle(delivery)
    await show(after, list(1, 2, 3, 4))
    assert.deepEqual([node.gaps, node.flags()], [[], [[4, false]]])
  })

  it('tells a gap and what happened since also to a node that waits for something before it joins, if the cursor was lost', async () => {
    await loseFile(1)
    const delivery = open()
    subscribe(delivery, 'first')
    await delivery.accept(list(1, 2), null)
    await settle(delivery)
    const node = subscribe(delivery, 'later')
    await delivery.accept(list(1, 2, 3), null)
    await settle(delivery)
    await delivery.accept(list(1, 2, 3, 4), null)
    assert.deepEqual(node.gaps, [{ lastKnown: edge(1), oldestShown: edge(2) }])
    assert.deepEqual(node.ids(), [2, 3, 4])
  })

  it('takes for new after a loss of the cursor what may have happened in the second of two hours that the clocks show', async () => {
    const path = join(folder, 'events.json')
    await writeFile(path, '')
    const at = new Date(Date.UTC(2026, 9, 25, 1, 4))
    await utimes(path, at, at)
    const delivery = open('A1', path, new CursorFile(path), lastingLease, 'Europe/Berlin')
    const node = subscribe(delivery, 'n')
    await show(delivery, [
      event({ event: 1, datetime: '2026-10-25 01:30:00' }),
      event({ event: 2, datetime: '2026-10-25 02:06:00' }),
    ])
    assert.deepEqual(node.flags(), [[2, true]])
  })

  it('tells the gap once if the cursor was lost and nothing happened since, and again after a kill before that was saved', async () => {
    await loseFile(2)
    const killed = open()
    const first = subscribe(killed, 'n')
    await killed.accept(list(1, 2), null)
    const gap = { lastKnown: edge(2), oldestShown: null }
    assert.deepEqual([first.gaps, first.ids()], [[gap], []])
    const delivery = open()
    const node = subscribe(delivery, 'n')
    for (const shown of [list(1, 2), list(1, 2), list(1, 2, 3)]) await show(delivery, shown)
    assert.deepEqual([node.gaps, node.flags()], [[gap], [[3, false]]])
  })

  it('tells the gap and the events again, flagged, after a kill while they were sent, if the cursor was lost', async () => {
    await loseFile(1)
    const killed = open()
    subscribe(killed, 'n')
    await killed.accept(list(1, 2), null)
    const delivery = open()
    const node = subscribe(delivery, 'n')
    await show(delivery, list(1, 2, 3))
    assert.deepEqual(node.gaps, [{ lastKnown: edge(1), oldestShown: edge(2) }])
    assert.deepEqual(node.flags(), [
      [2, true],
      [3, false],
    ])
  })

  it('takes for known after a loss of the cursor what the first list did not show, and for new what a slow clock dates back', async () => {
    await loseFile(5)
    const delivery = open()
    const node = subscribe(delivery, 'n')
    await show(delivery, list(3, 4))
    await show(delivery, list(1, 2, 3, 4))
    assert.deepEqual(node.ids(), [])
    const slow = event({ event: 9, datetime: '2026-01-02 03:04:05' })
    await show(delivery, [...list(1, 2, 3, 4), slow])
    assert.deepEqual(node.flags(), [[9, false]])
  })

  it('marks as redelivered after a loss in the cursor also what only the second list shows', async () => {
    const path = join(folder, 'events.json')
    // In a file of its own: what it saves after the kill must not come between.
    const killed = open('A1', join(folder, 'killed.json'))
    subscribe(killed, 'n', { first: 'deliver' })
    await killed.accept(list(1, 2, 3, 4), null)
    const whole = await readFile(join(folder, 'killed.json'), 'utf8')
    // A torn intent, and a lost file.
    for (const left of [whole.slice(0, -3), 'damaged']) {
      await rm(`${path}.previous`, { force: true })
      await writeFile(path, left)
      await utimes(path, new Date(0), new Date(0))
      const after = open()
      const node = subscribe(after, 'n', { first: 'deliver' })
      for (const shown of [[], list(4), list(1, 2, 3, 4), list(1, 2, 3, 4, 5)]) await show(after, shown)
      const given = [4, 1, 2, 3].map((id) => [id, true])
      assert.deepEqual(node.flags(), [...given, [5, false]])
      await waitTurns()
      node.leave()
      clock.advance(600_000)
      const again = subscribe(after, 'n')
      await show(after, list(1, 2, 3, 4, 5, 6))
      assert.deepEqual(again.flags(), [[6, false]])
    }
  })

  it('informs its nodes while the cursor cannot be written, and recovers automatically without a new event', async () => {
    const delivery = open('A1', join(folder, 'keyholder', 'events.json'))
    const codes: (string | undefined)[] = []
    delivery.subscribe('n', {
      policy: { first: 'skip', missed: 'deliver' },
      events: () => {},
      gap: () => {},
      cursor: () => codes.push(delivery.error?.code),
    })
    await writeFile(join(folder, 'keyholder'), '')
    await delivery.accept(list(1), null)
    await settle(delivery)
    assert.equal(delivery.error?.code, 'BAD_SETTING')
    await rm(join(folder, 'keyholder'))
    await delivery.accept(list(1), null)
    await settle(delivery)
    assert.deepEqual([codes[0], codes.at(-1), delivery.error], ['BAD_SETTING', undefined, undefined])
    const after = open('A1', join(folder, 'keyholder', 'events.json'))
    const node = subscribe(after, 'n')
    await after.accept(list(1, 2), null)
    assert.deepEqual(node.ids(), [2])
  })

  it('does not count a written record of intended events as a recovery', async () => {
    const path = join(folder, 'events.json')
    await mkdir(`${path}.new`)
    const delivery = open('A1', path)
    const node = subscribe(delivery, 'n')
    for (const ids of [[1], [1, 2], [1, 2, 3]])
      await delivery.accept(list(...ids), null).then(() => settle(delivery))
    assert.deepEqual([node.ids(), recoveries], [[2, 3], 0])
    await rm(`${path}.new`, { recursive: true })
    await delivery.accept(list(1, 2, 3), null)
    await settle(delivery)
    assert.equal(recoveries, 1)
  })

  it('drops a queued list if its signal is aborted', async () => {
    const delivery = open()
    const node = subscribe(delivery, 'n')
    await delivery.accept(list(1), null)
    await delivery.accept(list(1, 2), null)
    const gone = new AbortController()
    const dropped = delivery.accept(list(1, 2, 3), null, gone.signal)
    gone.abort()
    clock.advance(500)
    await dropped
    assert.deepEqual(node.ids(), [2])
    await delivery.accept(list(1, 2, 3), null)
    assert.deepEqual(node.ids(), [2, 3])
  })

  for (const missed of ['deliver', 'skip'] as const) {
    it(`keeps in-flight events of a kill for a node that is missing after the restart (missed: ${missed})`, async () => {
      const killed = open()
      for (const id of ['stays', 'away']) subscribe(killed, id, { missed })
      await killed.accept(list(1), null)
      await settle(killed)
      await killed.accept(list(1, 2), null)
      const path = await kill()
      const without = open('A1', path)
      const stays = subscribe(without, 'stays', { missed })
      await without.accept(list(1, 2), null)
      await settle(without)
      await waitTurns()
      await without.close()
      const after = open('A1', path)
      const [still, back] = [subscribe(after, 'stays', { missed }), subscribe(after, 'away', { missed })]
      await after.accept(list(1, 2), null)
      await settle(after)
      assert.deepEqual([stays.flags(), back.flags(), still.flags()], [[[2, true]], [[2, true]], []])
      assert.deepEqual((await new CursorFile(path).load('A1')).intended, new Set())
    })
  }

  it('marks recalled events as redelivered, even if a kill follows after the cursor was saved', async () => {
    const delivery = open()
    const goes = subscribe(delivery, 'goes', { missed: 'skip' })
    subscribe(delivery, 'stays')
    await delivery.accept(list(1), null)
    await settle(delivery)
    await delivery.accept(list(1, 2), null)
    goes.leave()
    await settle(delivery)
    const after = open('A1', await kill())
    const [back, stays] = [subscribe(after, 'goes', { missed: 'skip' }), subscribe(after, 'stays')]
    await after.accept(list(1, 2), null)
    assert.deepEqual([goes.ids(), back.flags(), stays.flags()], [[2], [[2, true]], []])
  })

  it('marks in-flight events of a kill as redelivered, even after a second kill during the first run of a new node', async () => {
    const first = open()
    subscribe(first, 'old')
    await first.accept(list(1), null)
    await settle(first)
    await first.accept(list(1, 2), null)
    /** The process is killed before the intended events are recorded. */
    let isKilled = (_path: string) => {}
    const killed = new Promise<string>((resolve) => {
      isKilled = resolve
    })
    class KilledCursor extends CursorFile {
      override async intend(): Promise<void> {
        isKilled(await kill())
        return new Promise(() => {})
      }
    }
    const second = open('A1', undefined, new KilledCursor(join(folder, 'events.json')))
    for (const id of ['old', 'new']) subscribe(second, id)
    void second.accept(list(1, 2, 3), null)
    const third = open('A1', await killed)
    const old = subscribe(third, 'old')
    await third.accept(list(1, 2, 3), null)
    assert.deepEqual(old.flags()[0], [2, true])
  })

  it('keeps the in-flight events if the list of the next run is incomplete', async () => {
    const killed = open()
    subscribe(killed, 'n')
    await killed.accept(list(1), null)
    await settle(killed)
    await killed.accept(list(1, 2, 3), null)
    const path = await kill()
    const half = open('A1', path)
    subscribe(half, 'n')
    await half.accept(list(1, 2), null)
    await settle(half)
    const whole = open('A1', path)
    const node = subscribe(whole, 'n')
    await whole.accept(list(1, 2, 3), null)
    assert.deepEqual(node.flags(), [[3, true]])
  })

  it('keeps nothing for a deleted node once the list has moved on', async () => {
    const killed = open()
    for (const id of ['stays', 'deleted']) subscribe(killed, id)
    await killed.accept(list(1), null)
    await settle(killed)
    await killed.accept(list(1, 2), null)
    const path = await kill()
    const delivery = open('A1', path)
    subscribe(delivery, 'stays')
    const intended = async () => (await readFile(path, 'utf8')).split('\n').slice(1)
    await delivery.accept(list(1, 2), null)
    await settle(delivery)
    assert.equal((await intended()).length, 1)
    for (let id = 3; id < 400; id += 50) {
      await delivery.accept(list(...Array.from({ length: 50 }, (_, at) => id + at)), null)
      await settle(delivery)
    }
    assert.deepEqual(await intended(), [])
  })

  it('has written everything when it is closed, even for a node that is gone for good', async () => {
    let writing = 0
    let written = Promise.resolve()
    class SlowCursor extends CursorFile {
      override async save(state: CursorState, open?: readonly string[]): Promise<void> {
        writing += 1
        await written
        await super.save(state, open)
        writing -= 1
      }
    }
    const delivery = open('A1', undefined, new SlowCursor(join(folder, 'events.json')))
    const [gone, stays] = [subscribe(delivery, 'gone'), subscribe(delivery, 'stays')]
    await delivery.accept(list(1), null)
    await settle(delivery)
    await delivery.accept(list(1, 2), null)
    gone.leave()
    await settle(delivery)
    await delivery.accept(list(1, 2, 3), null)
    await waitTurns()
    let resume = () => {}
    written = new Promise((resolve) => {
      resume = resolve
    })
    clock.advance(500)
    stays.leave()
    let isClosed = false
    const closing = delivery.close().then(() => {
      isClosed = true
    })
    await waitTurns()
    assert.deepEqual([writing, isClosed], [1, false])
    resume()
    await closing
    assert.deepEqual([writing, clock.pending], [0, 0])
  })

  it('does not overwrite the cursor of its successor if it is closed while processing a list', async () => {
    let noted = Promise.resolve()
    class SlowCursor extends CursorFile {
      override async intend(keys: readonly string[]): Promise<void> {
        await noted
        return super.intend(keys)
      }
    }
    const before = open('A1', undefined, new SlowCursor(join(folder, 'events.json')))
    const [gone, left] = [subscribe(before, 'gone'), subscribe(before, 'n')]
    await before.accept(list(1), null)
    await settle(before)
    await before.accept(list(1, 2), null)
    gone.leave()
    await settle(before)
    let resume = () => {}
    noted = new Promise((resolve) => {
      resume = resolve
    })
    void before.accept(list(1, 2, 3), null)
    await waitTurns()
    left.leave()
    const closing = before.close()
    resume()
    await closing
    assert.equal(clock.pending, 0)
    const next = open()
    subscribe(next, 'n')
    clock.advance(100)
    await next.accept(list(1, 2, 3, 4), null)
    // The time at which the closed delivery would have saved; the half second of the next one is not over.
    clock.advance(400)
    await waitTurns()
    const after = open('A1', await kill())
    const node = subscribe(after, 'n')
    await after.accept(list(1, 2, 3, 4), null)
    assert.deepEqual(node.flags(), [
      [3, true],
      [4, true],
    ])
  })

  it('reports no gap after events that were in flight when the process was killed', async () => {
    const first = open()
    subscribe(first, 'n')
    await first.accept(list(1), null)
    await first.accept(list(1, 2, 3), null)
    const second = open()
    const node = subscribe(second, 'n')
    await second.accept(list(2, 3, 4), null)
    assert.deepEqual([node.gaps, node.ids()], [[], [2, 3, 4]])
  })

  it('tells a gap when an event that was on its way at a kill can no longer be given', async () => {
    const first = open()
    subscribe(first, 'n')
    await first.accept(list(1), null)
    await first.accept(list(1, 2, 3), null)
    const second = open()
    const node = subscribe(second, 'n')
    await second.accept(list(3, 4), null)
    assert.deepEqual([edges(node.gaps), node.ids()], [[[1, 3]], [3, 4]])
  })

  it('gives a node that was away for one of two equal events exactly one, though the list has neither ids nor an order', async () => {
    const at = (second: number) => event({ event: 0, datetime: `2026-01-02 03:04:0${second}` })
    const delivery = open()
    const [stays, goes] = [subscribe(delivery, 'stays'), subscribe(delivery, 'goes')]
    await show(delivery, [at(3), at(1), at(4), at(2)])
    await show(delivery, [at(5), at(3), at(1), at(4), at(2)])
    await waitTurns()
    goes.leave()
    await show(delivery, [at(2), at(5), at(3), at(1), at(5), at(4)])
    const back = subscribe(delivery, 'goes')
    await show(delivery, [at(5), at(2), at(3), at(5), at(1), at(4)])
    for (const node of [stays, { received: [...goes.received, ...back.received] }])
      assert.deepEqual(
        node.received.map(({ event, redelivered }) => [event.datetime, redelivered]),
        [1, 2].map(() => ['2026-01-02 03:04:05', false]),
      )
    assert.deepEqual([stays.gaps, back.gaps], [[], []])
  })

  describe('at a gap', () => {
    it('tells it to a node that was away, where the others received all events', async () => {
      const delivery = open()
      const [stays, goes] = [subscribe(delivery, 'stays'), subscribe(delivery, 'goes')]
      await delivery.accept(list(1, 2), null)
      goes.leave()
      for (let id = 3; id < 9; id += 1)
        await delivery.accept(list(id - 1, id), null).then(() => settle(delivery))
      const back = subscribe(delivery, 'goes')
      await delivery.accept(list(7, 8, 9), null)
      await settle(delivery)
      await delivery.accept(list(7, 8, 9), null)
      assert.deepEqual([stays.ids(), stays.gaps], [[3, 4, 5, 6, 7, 8, 9], []])
      assert.deepEqual([back.ids(), edges(back.gaps)], [[7, 8, 9], [[2, 7]]])
    })

    it('tells none to a node that was away while the list still shows all that it missed', async () => {
      const delivery = open()
      const [, goes] = [subscribe(delivery, 'stays'), subscribe(delivery, 'goes')]
      await delivery.accept(list(1, 2), null)
      goes.leave()
      await delivery.accept(list(1, 2, 3), null)
      await settle(delivery)
      const back = subscribe(delivery, 'goes')
      await delivery.accept(list(3, 4), null)
      assert.deepEqual([back.ids(), back.gaps], [[3, 4], []])
    })

    it('tells it to a node that was away when it came, as soon as the node is back, also after a restart', async () => {
      const delivery = open()
      const [stays, goes] = [subscribe(delivery, 'stays'), subscribe(delivery, 'goes')]
      await delivery.accept(list(1, 2), null)
      await settle(delivery)
      goes.leave()
      await delivery.accept(list(10, 11), null)
      await settle(delivery)
      const after = open()
      const back = subscribe(after, 'goes')
      await after.accept(list(10, 11, 12), null)
      assert.deepEqual(edges(stays.gaps), [[2, 10]])
      assert.deepEqual([back.ids(), edges(back.gaps)], [[10, 11, 12], [[2, 10]]])
    })

    it('tells it again after a kill between intent and send', async () => {
      const first = open()
      subscribe(first, 'n')
      await first.accept(list(1, 2), null)
      await settle(first)
      let isKilled = (_path: string) => {}
      const killed = new Promise<string>((resolve) => {
        isKilled = resolve
      })
      class KilledCursor extends CursorFile {
        override async intend(keys: readonly string[]): Promise<void> {
          await super.intend(keys)
          isKilled(await kill())
          return new Promise(() => {})
        }
      }
      const second = open('A1', undefined, new KilledCursor(join(folder, 'events.json')))
      const lost = subscribe(second, 'n')
      void second.accept(list(31, 32), null)
      const third = open('A1', await killed)
      const node = subscribe(third, 'n')
      await third.accept(list(31, 32), null)
      await settle(third)
      await third.accept(list(31, 32, 33), null)
      assert.deepEqual([lost.ids(), lost.gaps], [[], []])
      assert.deepEqual(edges(node.gaps), [[2, 31]])
      assert.deepEqual(node.flags(), [
        [31, true],
        [32, true],
        [33, false],
      ])
    })

    it('tells it again after a kill and to a node that stopped at once, with or without events', async () => {
      for (const missed of ['deliver', 'skip'] as const) {
        const first = open('A1', join(folder, `${missed}.json`))
        subscribe(first, 'n', { missed })
        await show(first, list(1, 2))
        const second = open('A1', join(folder, `${missed}.json`))
        const stopped = subscribe(second, 'n', { missed })
        await second.accept(list(10, 11), null)
        stopped.leave()
        const again = subscribe(second, 'n', { missed })
        clock.advance(500)
        await second.accept(list(10, 11), null)
        await waitTurns()
        // A save at once would be done then.
        await new PendingIo().untilIdle()
        const third = open('A1', join(folder, `${missed}.json`))
        const killed = subscribe(third, 'n', { missed })
        await show(third, list(10, 11))
        for (const { gaps } of [stopped, again, killed]) assert.deepEqual(edges(gaps), [[2, 10]], missed)
      }
    })

    it('gives what a thin list did not show to a node that is back as soon as a list shows it, and tells a gap', async () => {
      const delivery = open()
      const [, goes] = [subscribe(delivery, 'stays'), subscribe(delivery, 'goes')]
      await delivery.accept(list(1, 2), null)
      goes.leave()
      await delivery.accept(list(1, 2, 3, 4, 5), null)
      await settle(delivery)
      const back = subscribe(delivery, 'goes')
      await delivery.accept(list(5), null)
      await settle(delivery)
      for (const _poll of [1, 2])
        await delivery.accept(list(1, 2, 3, 4, 5, 6), null).then(() => settle(delivery))
      assert.deepEqual([back.ids(), edges(back.gaps)], [[5, 3, 4, 6], [[2, 5]]])
      assert.deepEqual(
        back.received.map(({ late }) => late),
        [true, true, true, false],
      )
    })

    it('tells none to a new node, whatever happened before it', async () => {
      const delivery = open()
      subscribe(delivery, 'old')
      await delivery.accept(list(1, 2), null)
      await delivery.accept(list(10, 11), null)
      await settle(delivery)
      const added = subscribe(delivery, 'new', { first: 'deliver' })
      await delivery.accept(list(10, 11), null)
      const after = open('A1', await kill())
      const again = subscribe(after, 'new', { first: 'deliver' })
      await after.accept(list(10, 11), null)
      assert.deepEqual([added.ids(), added.gaps], [[10, 11], []])
      assert.deepEqual(
        [again.flags(), again.gaps],
        [
          [
            [10, true],
            [11, true],
          ],
          [],
        ],
      )
    })
  })

  describe('at a first list that shows less than there is', () => {
    const whole = (...more: number[]) => list(...Array.from({ length: 9 }, (_, at) => at + 1), ...more)

    it('takes older events of the next lists as known too, and gives newer ones', async () => {
      const delivery = open()
      const node = subscribe(delivery, 'n')
      await show(delivery, list(8))
      await show(delivery, whole())
      await show(delivery, whole(10))
      assert.deepEqual([node.ids(), node.gaps], [[9, 10], []])
    })

    it('takes older events of the next lists for events of the first run where the node wants them', async () => {
      const delivery = open()
      const node = subscribe(delivery, 'n', { first: 'deliver', missed: 'skip' })
      await show(delivery, list(8))
      await show(delivery, whole())
      assert.deepEqual(node.ids(), [8, 1, 2, 3, 4, 5, 6, 7, 9])
      assert.ok(node.received.every(({ late }) => !late))
    })

    it('gives a new node the older events of the next lists although another node has received them', async () => {
      const delivery = open()
      subscribe(delivery, 'old')
      await show(delivery, whole())
      const [wants, skips] = [
        subscribe(delivery, 'wants', { first: 'deliver' }),
        subscribe(delivery, 'skips'),
      ]
      for (const shown of [list(8), whole(), whole(10)]) await show(delivery, shown)
      clock.advance(600_000)
      await show(delivery, whole(10))
      assert.deepEqual([wants.ids(), skips.ids()], [[8, 1, 2, 3, 4, 5, 6, 7, 9, 10], [10]])
      assert.ok(wants.received.every(({ late }) => !late))
      assert.deepEqual([wants.gaps, skips.gaps], [[], []])
    })

    it('takes what happened before an empty one as known, and gives what happened since', async () => {
      for (const first of ['skip', 'deliver'] as const) {
        const delivery = open('A1', join(folder, `${first}.json`))
        const node = subscribe(delivery, 'n', { first })
        const [old, young] = ['2026-11-20 11:54:59', '2026-11-20 12:00:00'].map((datetime, at) =>
          event({ event: 10 + at, datetime }),
        ) as [PanelEvent, PanelEvent]
        await show(delivery, [])
        clock.advance(30_000)
        await show(delivery, [])
        await show(delivery, [...whole(), old, young])
        await show(delivery, [...whole(), old, young, event({ event: 12, datetime: '2026-11-20 12:00:40' })])
        assert.deepEqual(node.ids(), first === 'skip' ? [11, 12] : [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
        assert.ok(node.received.every(({ late }) => !late))
        clock = new FakeClock()
      }
    })

    it('believes that there was no event if all are empty for ten minutes, also after a restart', async () => {
      // A clock that is behind, and times of another zone than the settings have.
      const event1 = event({ event: 1, datetime: '2026-11-20 06:00:00' })
      for (const isRestarted of [false, true]) {
        const path = join(folder, `${isRestarted}.json`)
        const first = open('A1', path)
        const [old, late] = [subscribe(first, 'n'), subscribe(first, 'other', { missed: 'skip' })]
        for (let poll = 0; poll < 12; poll += 1) {
          await show(first, [])
          clock.advance(60_000)
        }
        const delivery = isRestarted ? open('A1', path) : first
        const nodes = isRestarted
          ? [subscribe(delivery, 'n'), subscribe(delivery, 'other', { missed: 'skip' })]
          : [old, late]
        await show(delivery, [event1])
        await show(delivery, [event1, event({ event: 2, datetime: '2026-11-20 06:00:01' })])
        const given = nodes.map(({ received }) => received.map(({ event, late }) => [event.event, late]))
        const whole = [
          [1, isRestarted],
          [2, false],
        ]
        assert.deepEqual(given, [whole, isRestarted ? whole.slice(1) : whole])
      }
    })

    it('gives what happened since an empty one if the wall clock was put back meanwhile', async () => {
      const delivery = open()
      const node = subscribe(delivery, 'n')
      clock.stepWall(3_600_000)
      await show(delivery, [])
      clock.stepWall(-3_600_000)
      clock.advance(60_000)
      await show(delivery, [event({ event: 1, datetime: '2026-11-20 12:00:40' })])
      assert.deepEqual(node.ids(), [1])
    })

    it('gives after a kill, flagged, what happened since an empty one', async () => {
      const first = open()
      subscribe(first, 'n')
      await show(first, [])
      const young = event({ event: 10, datetime: '2026-11-20 12:00:00' })
      await first.accept([...whole(), young], null)
      const after = open('A1', await kill())
      const node = subscribe(after, 'n')
      await show(after, [...whole(), young])
      assert.deepEqual(node.flags(), [[10, true]])
    })

    it('takes an event without a valid time as known too', async () => {
      const delivery = open()
      const node = subscribe(delivery, 'n')
      await show(delivery, [event({ event: 1, datetime: '' })])
      assert.deepEqual(node.ids(), [])
    })

    it('still knows after a restart or a redeploy what belongs to the first run', async () => {
      const first = open()
      subscribe(first, 'n')
      await show(first, list(8))
      const after = open('A1', await kill())
      const node = subscribe(after, 'n')
      await show(after, list(8))
      node.leave()
      const again = subscribe(after, 'n')
      await show(after, whole())
      assert.deepEqual(
        [...node.received, ...again.received].map(({ event, late }) => [event.event, late]),
        [[9, true]],
      )
    })

    it('leaves out after a restart what was missed also when only the second list shows it', async () => {
      for (const firstList of [[], list(8)]) {
        const before = open()
        subscribe(before, 'n', { missed: 'skip' })
        await show(before, list(1))
        const after = open('A1', await kill())
        const node = subscribe(after, 'n', { missed: 'skip' })
        await show(after, firstList)
        await show(after, list(1, 2, 3, 4, 5, 6, 7, 8))
        await show(after, whole(10))
        assert.deepEqual(node.ids(), [9, 10])
      }
    })

    it('flags as late what was missed also when only the second list shows it', async () => {
      const before = open()
      subscribe(before, 'n')
      await show(before, list(1))
      const after = open('A1', await kill())
      const node = subscribe(after, 'n')
      await show(after, list(1, 3))
      await show(after, list(1, 2, 3, 4))
      assert.deepEqual(
        node.received.map(({ event, late }) => [event.event, late]),
        [
          [3, true],
          [2, true],
          [4, false],
        ],
      )
    })

    it('gives a late event of the time after the first run, and one of a panel that was reset or put back its clock', async () => {
      const delivery = open()
      const node = subscribe(delivery, 'n')
      const reset = [...list(8, 9), event({ event: 1, datetime: '2026-01-02 03:05:00' })]
      const putBack = [...reset, event({ event: 12, datetime: '2026-01-01 00:00:00' })]
      for (const shown of [list(8, 9), reset, putBack]) await show(delivery, shown)
      assert.deepEqual(node.ids(), [1, 12])
      clock.advance(600_000)
      await show(delivery, [event({ event: 7, datetime: '2026-01-01 00:00:00' }), ...putBack])
      assert.deepEqual(node.ids(), [1, 12, 7])
    })

    it('gives an event of a panel that was reset also where the list shows it between those of the first list', async () => {
      const delivery = open()
      const node = subscribe(delivery, 'n')
      const reset = event({ event: 1, datetime: '2026-01-02 03:05:00' })
      for (const shown of [list(8, 9), [...list(8), reset, ...list(9)]]) await show(delivery, shown)
      assert.deepEqual(node.ids(), [1])
    })
  })

  describe('of a panel that another process may take over', () => {
    const openShared = () => {
      const lease = createFakeLease(() => clock.monotonic())
      lease.giveTo('elsewhere')
      const delivery = open('A1', undefined, undefined, lease)
      return { lease, delivery, ...subscribe(delivery, 'n') }
    }

    it('delivers nothing and saves nothing without the lease', async () => {
      const { delivery, ids } = openShared()
      await delivery.accept(list(1, 2), null)
      await settle(delivery)
      assert.deepEqual(ids(), [])
      assert.deepEqual(await readdir(folder), [])
    })

    it('goes on where the process before it has saved', async () => {
      const [one, two] = [openShared(), openShared()]
      one.lease.giveTo('here')
      await one.delivery.accept(list(1), null)
      await one.delivery.accept(list(1, 2), null)
      await settle(one.delivery)
      one.lease.giveTo('two')
      two.lease.giveTo('here')
      await two.delivery.accept(list(1, 2, 3), null)
      await one.delivery.accept(list(1, 2, 3), null)
      await settle(two.delivery)
      assert.deepEqual([one.flags(), two.flags()], [[[2, false]], [[3, false]]])
      two.lease.giveTo('one')
      one.lease.giveTo('here')
      await one.delivery.accept(list(1, 2, 3, 4), null)
      assert.deepEqual(one.flags(), [
        [2, false],
        [4, false],
      ])
    })

    it('keeps the lease from being passed on until what it sent is saved', async () => {
      const { lease, delivery } = openShared()
      lease.giveTo('here')
      await delivery.accept(list(1), null)
      await settle(delivery)
      assert.equal(lease.kept, 0)
      await delivery.accept(list(1, 2), null)
      assert.equal(lease.kept, 1)
      await settle(delivery)
      assert.equal(lease.kept, 0)
    })

    it('sends again, marked as redelivered, what the process before it sent and did not save', async () => {
      const [one, two] = [openShared(), openShared()]
      one.lease.giveTo('here')
      await one.delivery.accept(list(1), null)
      await settle(one.delivery)
      await one.delivery.accept(list(1, 2), null)
      one.lease.giveTo('two')
      await settle(one.delivery)
      two.lease.giveTo('here')
      await two.delivery.accept(list(1, 2, 3), null)
      assert.deepEqual([one.flags(), two.flags()[0]], [[[2, false]], [2, true]])
    })

    it('sends nothing if it loses the lease while the intent is written, and reports no outage', async () => {
      const refused = [true, false]
      for (const isRefused of refused) {
        const lease = createFakeLease(() => clock.monotonic())
        class LostCursor extends CursorFile {
          override async intend(keys: readonly string[]): Promise<void> {
            if (isRefused) throw new LeaseLost()
            lease.giveTo('elsewhere')
            return super.intend(keys)
          }
        }
        const path = join(folder, `${isRefused}.json`)
        const delivery = open('A1', path, new LostCursor(path), lease)
        const { ids } = subscribe(delivery, 'n', { first: 'deliver' })
        await delivery.accept(list(1, 2), null)
        await delivery.close()
        assert.deepEqual(ids(), [])
      }
      assert.deepEqual(outages, [])
    })

    it('sends nothing that it cannot record, because another process would send it again, and sends it later', async () => {
      const lease = createFakeLease(() => clock.monotonic())
      let isAway = false
      class SharedFile extends CursorFile {
        override readonly isShared: boolean = true
        override intend(keys: readonly string[]): Promise<void> {
          return isAway ? Promise.reject(away) : super.intend(keys)
        }
        override save(...saved: Parameters<CursorFile['save']>): Promise<void> {
          return isAway ? Promise.reject(away) : super.save(...saved)
        }
      }
      const delivery = open('A1', undefined, new SharedFile(join(folder, 'events.json')), lease)
      const node = subscribe(delivery, 'n')
      await show(delivery, list(1))
      isAway = true
      await show(delivery, list(1, 2))
      // Its first run is to be noted before anything is sent to it.
      const late = subscribe(delivery, 'late', { first: 'deliver' })
      await show(delivery, list(1, 2))
      assert.deepEqual([node.ids(), late.ids(), outages.length > 0], [[], [], true])
      isAway = false
      await show(delivery, list(1, 2))
      assert.deepEqual([node.flags(), late.ids(), delivery.error], [[[2, false]], [1, 2], undefined])
    })

    it('sends a long list in portions, so that at most 1 % comes again, flagged, after each kill or loss of the lease', async () => {
      class SharedFile extends CursorFile {
        override readonly isShared: boolean = true
      }
      const lease = createFakeLease(() => clock.monotonic())
      const ids = Array.from({ length: 250 }, (_, index) => index + 1)
      const shown = ids.map((id) =>
        event({ event: id, datetime: new Date(Date.UTC(2026, 0, 2) + id * 1000).toISOString().slice(0, 19) }),
      )
      const received: [id: number | null, redelivered: boolean][] = []
      /** Has a process deliver the list to a flow that needs 25 ms for each event, until it has sent a number of them. */
      const run = async (most: number, end: 'kill' | 'loss' | 'none') => {
        let isDead = false
        class MortalFile extends SharedFile {
          override async save(...saved: Parameters<CursorFile['save']>): Promise<void> {
            if (!isDead) await super.save(...saved)
          }
        }
        const delivery = open('A1', undefined, new MortalFile(join(folder, 'events.json')), lease)
        const before = received.length
        let longest = 0
        delivery.subscribe('n', {
          policy: { first: 'deliver', missed: 'deliver' },
          events: (deliveries) => {
            for (const { event, redelivered } of deliveries) received.push([event.event, redelivered])
            clock.stall(25 * deliveries.length)
            longest = Math.max(longest, 25 * deliveries.length)
          },
          gap: assert.fail,
        })
        const delivered = delivery.accept(shown, null).then(() => true)
        while (received.length - before < most && !(await Promise.race([delivered, waitTurns()])))
          clock.advance(100)
        // The heartbeats get out in between.
        assert.ok(longest <= 100, `${longest}`)
        isDead = end === 'kill'
        lease.giveTo(end === 'none' ? 'here' : 'elsewhere')
        await delivery.close()
        lease.giveTo('here')
      }
      await run(60, 'kill')
      await run(60, 'loss')
      await run(60, 'kill')
      await run(250, 'none')
      const repeats = received.filter(([id], at) => received.findIndex(([other]) => other === id) < at)
      assert.deepEqual(new Set(received.map(([id]) => id)), new Set(ids))
      assert.ok(repeats.every(([, redelivered]) => redelivered))
      assert.ok(repeats.length <= 3 * 2.5, `${repeats.length}`)
    })

    for (const [what, first, missed] of [
      ['the very first run', 'skip', 'deliver'],
      ['a start', 'deliver', 'skip'],
    ] as const)
      it(`sends all portions of what happened after the empty list of ${what}`, async () => {
        class SharedFile extends CursorFile {
          override readonly isShared: boolean = true
        }
        const lease = createFakeLease(() => clock.monotonic())
        const shared = () => open('A1', undefined, new SharedFile(join(folder, 'events.json')), lease)
        if (missed === 'skip') {
          const earlier = shared()
          subscribe(earlier, 'n', { first })
          await show(earlier, list(1))
          await waitTurns()
          await earlier.close()
        }
        const delivery = shared()
        const node = subscribe(delivery, 'n', { first, missed })
        await show(delivery, [])
        const ids = Array.from({ length: 14 }, (_, index) => index + 2)
        const since = new Date(clock.wall() + 1000).toISOString().slice(0, 19)
        const before = missed === 'skip' ? list(1) : []
        const shown = [...before, ...ids.map((id) => event({ event: id, datetime: since }))]
        const sent = delivery.accept(shown, null).then(() => true)
        while (!(await Promise.race([sent, waitTurns()]))) clock.advance(100)
        assert.deepEqual(node.ids(), ids)
        assert.deepEqual(
          node.received.filter(({ late }) => late),
          [],
        )
        await delivery.close()
      })

    it('reports no outage if another process has the lease when the position is saved', async () => {
      const lease = createFakeLease(() => clock.monotonic())
      class LostCursor extends CursorFile {
        override async save(): Promise<void> {
          throw new LeaseLost()
        }
      }
      const delivery = open('A1', undefined, new LostCursor(join(folder, 'events.json')), lease)
      subscribe(delivery, 'n')
      await delivery.accept(list(1), null)
      await settle(delivery)
      await delivery.close()
      assert.deepEqual(outages, [])
    })
  })

  describe('with notes of a node', () => {
    /** Subscribes a node that notes the ids of its events, and whether it has told something. */
    function note(delivery: EventDelivery<null>, nodeId = 'n') {
      const recalled: (string | null)[] = []
      const told: string[] = []
      const received: DeliveredEvent[] = []
      let ids: number[] = []
      const leave = delivery.subscribe(nodeId, {
        policy: { first: 'deliver', missed: 'deliver' },
        recall: (notes) => {
          recalled.push(notes)
          ids = JSON.parse(notes ?? '[]')
        },
        note: (deliveries) => {
          ids = [...new Set([...ids, ...deliveries.map(({ event }) => event.event ?? 0)])]
          return JSON.stringify(ids)
        },
        events: (deliveries) => received.push(...deliveries),
        gap: () => {},
      })
      const tell = () =>
        delivery.tell(nodeId, {
          notes: (isTold) => JSON.stringify(isTold ? ids : [...ids, -1]),
          send: () => told.push('sent'),
        })
      return { recalled, told, received, tell, leave }
    }

    it('saves them before the events are sent, and gives them back with the events of before a kill, flagged', async () => {
      const node = note(open())
      const delivery = open()
      const first = note(delivery)
      await delivery.accept(list(1, 2), null)
      const later = open('A1', await kill())
      const second = note(later)
      await later.accept(list(1, 2, 3), null)
      assert.deepEqual([first.recalled, second.recalled, node.recalled], [[null], ['[1,2]'], []])
      assert.deepEqual(
        second.received.map(({ event, redelivered }) => [event.event, redelivered]),
        [
          [1, true],
          [2, true],
          [3, false],
        ],
      )
      await settle(later)
      const after = open('A1', join(folder, 'killed.json'))
      const third = note(after)
      await after.accept(list(1, 2, 3), null)
      assert.deepEqual([third.recalled, third.received], [['[1,2,3]'], []])
    })

    it('saves what is told without an event before and after it', async () => {
      const delivery = open()
      const node = note(delivery)
      await show(delivery, list(1))
      await node.tell()
      assert.deepEqual(node.told, ['sent'])
      const killed = open('A1', await kill())
      const other = note(killed)
      await killed.accept(list(1), null)
      assert.deepEqual(other.recalled, ['[1,-1]'])
      // Its save must not come after the next copy, which goes to the same file.
      await settle(killed)
      await settle(delivery)
      const again = open('A1', await kill())
      const last = note(again)
      await again.accept(list(1), null)
      assert.deepEqual(last.recalled, ['[1]'])
    })

    it('tells nothing without the lease, and gives the notes back when it is gained again', async () => {
      const lease = createFakeLease(() => clock.monotonic())
      const delivery = open('A1', undefined, undefined, lease)
      const node = note(delivery)
      await show(delivery, list(1))
      lease.giveTo('other')
      await node.tell()
      assert.deepEqual(node.told, [])
      lease.giveTo('here')
      await delivery.accept(list(1), null)
      assert.deepEqual(node.recalled, [null, '[1]'])
    })

    it('keeps those of a few nodes that are away, and forgets those that have changed least recently', async () => {
      const delivery = open()
      const stays = note(delivery, 'stays')
      for (let id = 1; id <= 10; id += 1) {
        const { leave } = note(delivery, `away ${id}`)
        await show(delivery, list(id))
        leave()
      }
      await show(delivery, list(11))
      const kept = contentOf(await readFile(join(folder, 'events.json'), 'utf8'))?.state?.notes ?? {}
      assert.deepEqual(Object.keys(kept).sort(), [
        ...['away 10', 'away 6', 'away 7', 'away 8', 'away 9'],
        'stays',
      ])
      assert.equal(stays.received.length, 11)
    })
  })
})
