import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Cursor } from '../../src/panel/cursor.ts'
import type { EventPolicy } from '../../src/panel/deal.ts'
import { type Delivery, EventStream, type Gap } from '../../src/panel/event-stream.ts'
import type { KeyholderError } from '../../src/service/error.ts'
import type { PanelEvent } from '../../src/service/events.ts'
import { DrivenClock } from '../support/driven-clock.ts'
import { event } from '../support/samples.ts'

/** Lists are numbered by their events' ids: `list(3, 4)` shows the events 3 and 4. */
function list(...ids: number[]): PanelEvent[] {
  return ids.map((id) => event({ event: id, datetime: `2026-01-02 03:04:${String(id).padStart(2, '0')}` }))
}

describe('the stream of a panel’s events', () => {
  let folder: string
  let clock: DrivenClock
  let losses: KeyholderError[]
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keyholder-'))
    clock = new DrivenClock()
    losses = []
  })
  afterEach(() => rm(folder, { recursive: true, force: true }))

  /** A stream as a process opens it; what was there before is left behind as by a kill. */
  function open(serial = 'A1', path = join(folder, 'events.json')): EventStream<null> {
    return new EventStream<null>(serial, new Cursor(path), clock, {
      loss: (error) => losses.push(error),
      recovery: () => {},
      notice: () => {},
    })
  }

  /** A node and what it was given. */
  function enter(stream: EventStream<null>, id: string, policy: Partial<EventPolicy> = {}) {
    const given: Delivery[] = []
    const gaps: Gap[] = []
    const leave = stream.join(id, {
      policy: { first: 'skip', missed: 'deliver', ...policy },
      events: (deliveries) => given.push(...deliveries),
      gap: (gap) => gaps.push(gap),
    })
    return { given, gaps, leave, ids: () => given.map(({ event }) => event.event) }
  }

  /** Lets the half second pass that a flow is given, and waits for what is written after it. */
  async function settle(stream: EventStream<null>): Promise<void> {
    clock.advance(500)
    // An empty list changes nothing, and is taken when all before it is done.
    await stream.accept([], null)
  }

  it('takes the first list as known, and gives what comes after it, oldest first, once', async () => {
    const stream = open()
    const node = enter(stream, 'n')
    await stream.accept(list(1, 2), null)
    await stream.accept(list(1, 2, 3, 4), null)
    await settle(stream)
    await stream.accept(list(2, 3, 4), null)
    assert.deepEqual(node.ids(), [3, 4])
    assert.ok(node.given.every(({ late, redelivered }) => !late && !redelivered))
  })

  it('gives the first list to a node that wants it', async () => {
    const stream = open()
    const node = enter(stream, 'n', { first: 'deliver' })
    await stream.accept(list(1, 2), null)
    assert.deepEqual(node.ids(), [1, 2])
    assert.ok(node.given.every(({ late }) => !late))
  })

  it('gives the first event of a panel that had none', async () => {
    const stream = open()
    const node = enter(stream, 'n')
    await stream.accept([], null)
    await stream.accept(list(1), null)
    assert.deepEqual(node.ids(), [1])
  })

  it('gives each of several nodes every event', async () => {
    const stream = open()
    const [one, other] = [enter(stream, 'one'), enter(stream, 'other')]
    await stream.accept(list(1), null)
    await stream.accept(list(1, 2), null)
    assert.deepEqual(one.ids(), [2])
    assert.deepEqual(other.ids(), [2])
  })

  it('gives after a restart what was missed, marked as late, and nothing twice', async () => {
    const before = open()
    enter(before, 'n')
    await before.accept(list(1), null)
    await before.accept(list(1, 2), null)
    await settle(before)
    const after = open()
    const node = enter(after, 'n')
    await after.accept(list(1, 2, 3), null)
    await settle(after)
    await after.accept(list(1, 2, 3, 4), null)
    assert.deepEqual(
      node.given.map(({ event, late, redelivered }) => [event.event, late, redelivered]),
      [
        [3, true, false],
        [4, false, false],
      ],
    )
  })

  it('leaves out what was missed where the node does not want it', async () => {
    const before = open()
    enter(before, 'n')
    await before.accept(list(1), null)
    await settle(before)
    const after = open()
    const node = enter(after, 'n', { missed: 'skip' })
    await after.accept(list(1, 2), null)
    await settle(after)
    await after.accept(list(1, 2, 3), null)
    assert.deepEqual(node.ids(), [3])
  })

  it('gives again, flagged, what was on its way when the process was killed', async () => {
    const killed = open()
    const lost = enter(killed, 'n')
    await killed.accept(list(1), null)
    await settle(killed)
    await killed.accept(list(1, 2, 3), null)
    assert.deepEqual(lost.ids(), [2, 3])
    const after = open()
    const node = enter(after, 'n')
    await after.accept(list(1, 2, 3, 4), null)
    assert.deepEqual(
      node.given.map(({ event, redelivered }) => [event.event, redelivered]),
      [
        [2, true],
        [3, true],
        [4, false],
      ],
    )
    assert.deepEqual(
      node.given.slice(0, 2).map(({ key }) => key),
      lost.given.map(({ key }) => key),
    )
  })

  it('gives a node that was away for a moment what the others got meanwhile', async () => {
    const stream = open()
    const [stays, goes] = [enter(stream, 'stays'), enter(stream, 'goes')]
    await stream.accept(list(1), null)
    goes.leave()
    await stream.accept(list(1, 2), null)
    await settle(stream)
    const back = enter(stream, 'goes')
    await stream.accept(list(1, 2), null)
    await settle(stream)
    assert.deepEqual(stays.ids(), [2])
    assert.deepEqual(back.ids(), [2])
    assert.equal(back.given[0]?.late, true)
  })

  it('lets a node that is added later begin with what comes after it', async () => {
    const stream = open()
    enter(stream, 'old')
    await stream.accept(list(1, 2), null)
    const added = enter(stream, 'new')
    await stream.accept(list(), null)
    await stream.accept(list(1, 2), null)
    await stream.accept(list(1, 2, 3), null)
    assert.deepEqual(added.ids(), [3])
  })

  it('tells a gap once, with both its edges, and what is shown behind it', async () => {
    const stream = open()
    const node = enter(stream, 'n')
    await stream.accept(list(1, 2), null)
    await stream.accept(list(10, 11), null)
    await settle(stream)
    await stream.accept(list(10, 11), null)
    assert.deepEqual(
      node.gaps.map(({ lastKnown, oldestShown }) => [lastKnown?.id, oldestShown?.id]),
      [[2, 10]],
    )
    assert.deepEqual(node.ids(), [10, 11])
  })

  it('begins anew where the panel is another one', async () => {
    const before = open('A1')
    enter(before, 'n')
    await before.accept(list(1), null)
    await settle(before)
    const after = open('B2')
    const node = enter(after, 'n')
    await after.accept(list(20, 21), null)
    assert.deepEqual([node.ids(), node.gaps], [[], []])
  })

  it('goes on, and says so, where the cursor cannot be written', async () => {
    const stream = open('A1', join(folder, 'no', '\0', 'events.json'))
    const node = enter(stream, 'n')
    await stream.accept(list(1), null)
    await stream.accept(list(1, 2), null)
    await settle(stream)
    assert.deepEqual(node.ids(), [2])
    assert.ok(losses.length > 0)
  })

  it('confirms at once what was sent when it is closed, and takes no list any more', async () => {
    const before = open()
    const left = enter(before, 'n')
    await before.accept(list(1), null)
    await before.accept(list(1, 2), null)
    for (let turn = 0; turn < 25; turn += 1) await new Promise(setImmediate)
    await before.close()
    await before.accept(list(1, 2, 3), null)
    assert.deepEqual(left.ids(), [2])
    const after = open()
    const node = enter(after, 'n')
    await after.accept(list(1, 2, 3), null)
    assert.deepEqual(
      node.given.map(({ event, redelivered }) => [event.event, redelivered]),
      [[3, false]],
    )
  })

  it('gives again, flagged, what was still on a wire when it was closed', async () => {
    const before = open()
    enter(before, 'n')
    await before.accept(list(1), null)
    await before.accept(list(1, 2), null)
    await before.close()
    const after = open()
    const node = enter(after, 'n')
    await after.accept(list(1, 2), null)
    assert.deepEqual(
      node.given.map(({ event, redelivered }) => [event.event, redelivered]),
      [[2, true]],
    )
  })

  it('keeps what a node was to be given that leaves in that very moment', async () => {
    const stream = open()
    const leaving = enter(stream, 'n')
    await stream.accept(list(1), null)
    const delivery = stream.accept(list(1, 2), null)
    leaving.leave()
    await delivery
    await settle(stream)
    const back = enter(stream, 'n')
    await stream.accept(list(1, 2), null)
    assert.deepEqual([leaving.ids(), back.ids()], [[], [2]])
  })

  it('sees no gap behind events that were on their way when the process was killed', async () => {
    const first = open()
    enter(first, 'n')
    await first.accept(list(1), null)
    await first.accept(list(1, 2, 3), null)
    const second = open()
    const node = enter(second, 'n')
    await second.accept(list(3, 4), null)
    assert.deepEqual([node.gaps, node.ids()], [[], [3, 4]])
  })
})
