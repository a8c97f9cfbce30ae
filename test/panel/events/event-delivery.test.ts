import assert from 'node:assert/strict'
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FakeClock } from '../../../harness/clock/fake-clock.ts'
import { event } from '../../../harness/fixtures/samples.ts'
import { Cursor, type CursorState } from '../../../src/panel/events/cursor.ts'
import { type DeliveredEvent, EventDelivery, type Gap } from '../../../src/panel/events/event-delivery.ts'
import type { EventPolicy } from '../../../src/panel/events/subscription.ts'
import type { KeyholderError } from '../../../src/service/error.ts'
import type { PanelEvent } from '../../../src/service/responses/events.ts'

/** Lists are numbered by their events' ids: `list(3, 4)` shows the events 3 and 4. */
function list(...ids: number[]): PanelEvent[] {
  return ids.map((id) => event({ event: id, datetime: `2026-01-02 03:04:${String(id).padStart(2, '0')}` }))
}

describe('the stream of a panel’s events', () => {
  let folder: string
  let clock: FakeClock
  let losses: KeyholderError[]
  let recoveries: number
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keyholder-'))
    clock = new FakeClock()
    losses = []
    recoveries = 0
  })
  afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }))

  /** A stream as a process opens it; what was there before is left behind as by a kill. */
  function open(
    serial = 'A1',
    path = join(folder, 'events.json'),
    cursor = new Cursor(path),
  ): EventDelivery<null> {
    return new EventDelivery<null>(serial, cursor, clock, {
      outage: (error) => losses.push(error),
      recovery: () => {
        recoveries += 1
      },
      notice: () => {},
    })
  }

  /** A node and what it was given. */
  function enter(stream: EventDelivery<null>, id: string, policy: Partial<EventPolicy> = {}) {
    const given: DeliveredEvent[] = []
    const gaps: Gap[] = []
    const leave = stream.subscribe(id, {
      policy: { first: 'skip', missed: 'deliver', ...policy },
      events: (deliveries) => given.push(...deliveries),
      gap: (gap) => gaps.push(gap),
    })
    const ids = () => given.map(({ event }) => event.event)
    const flags = () => given.map(({ event, redelivered }) => [event.event, redelivered])
    return { given, gaps, leave, ids, flags }
  }

  /** Another copy of the cursor as a kill in this moment leaves it. */
  async function kill(): Promise<string> {
    const path = join(folder, 'killed.json')
    await copyFile(join(folder, 'events.json'), path)
    return path
  }

  /** Lets messages get off the wires. */
  async function turns(): Promise<void> {
    for (let turn = 0; turn < 25; turn += 1) await new Promise(setImmediate)
  }

  /** Lets the half second pass that a flow is given, and waits for what is written after it. */
  async function settle(stream: EventDelivery<null>): Promise<void> {
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

  it('says before it sends what it cannot note that the cursor cannot be written', async () => {
    const stream = open()
    const lossesBefore: string[][] = []
    stream.subscribe('n', {
      policy: { first: 'skip', missed: 'deliver' },
      events: () => lossesBefore.push(losses.map(({ code }) => code)),
      gap: () => assert.fail('a gap'),
    })
    await stream.accept(list(1), null)
    await settle(stream)
    await rm(join(folder, 'events.json'))
    await mkdir(join(folder, 'events.json'))
    await stream.accept(list(1, 2), null)
    // The next write may have failed by then too.
    assert.deepEqual(
      lossesBefore.map(([first]) => first),
      ['BAD_SETTING'],
    )
  })

  it('goes on where a node leaves as soon as it is given the first list', async () => {
    const stream = open()
    const leave = stream.subscribe('leaving', {
      policy: { first: 'deliver', missed: 'deliver' },
      events: () => leave(),
      gap: () => {},
    })
    await stream.accept(list(1), null)
    assert.deepEqual(losses, [])
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

  it('gives again, flagged, what a list in hand brought while it was being closed', async () => {
    let closing = Promise.resolve()
    class ClosingCursor extends Cursor {
      override intend(keys: readonly string[]): Promise<void> {
        closing = before.close()
        return super.intend(keys)
      }
    }
    const before = open('A1', undefined, new ClosingCursor(join(folder, 'events.json')))
    const left = enter(before, 'n')
    await before.accept(list(1), null)
    await before.accept(list(1, 2), null)
    await closing
    assert.deepEqual(left.ids(), [2])
    const after = open()
    const node = enter(after, 'n')
    await after.accept(list(1, 2), null)
    assert.deepEqual(node.flags(), [[2, true]])
  })

  it('tries once more to write the cursor when it is closed, where that failed before', async () => {
    const path = join(folder, 'keyholder', 'events.json')
    await writeFile(join(folder, 'keyholder'), '')
    const before = open('A1', path)
    enter(before, 'n')
    await before.accept(list(1), null)
    await settle(before)
    assert.equal(before.error?.code, 'BAD_SETTING')
    await rm(join(folder, 'keyholder'))
    await before.close()
    assert.equal(before.error, undefined)
    const after = open('A1', path)
    const node = enter(after, 'n')
    await after.accept(list(1, 2), null)
    assert.deepEqual(node.flags(), [[2, false]])
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

  it('takes back from a node that stops what is still on a wire, and gives it again, flagged', async () => {
    const stream = open()
    const [goes, stays] = [enter(stream, 'goes', { missed: 'skip' }), enter(stream, 'stays')]
    await stream.accept(list(1), null)
    await stream.accept(list(1, 2), null)
    goes.leave()
    const back = enter(stream, 'goes', { missed: 'skip' })
    await settle(stream)
    await stream.accept(list(1, 2), null)
    await settle(stream)
    await stream.accept(list(1, 2), null)
    assert.deepEqual([goes.ids(), back.ids(), stays.ids()], [[2], [2], [2]])
    assert.equal(back.given[0]?.redelivered, true)
  })

  it('gives what was on its way when the process was killed to a node too that wants nothing of what it missed', async () => {
    const killed = open()
    enter(killed, 'n', { missed: 'skip' })
    await killed.accept(list(1), null)
    await settle(killed)
    await killed.accept(list(1, 2), null)
    const after = open()
    const node = enter(after, 'n', { missed: 'skip' })
    await after.accept(list(1, 2, 3), null)
    assert.deepEqual(
      node.given.map(({ event, redelivered }) => [event.event, redelivered]),
      [[2, true]],
    )
  })

  it('knows after a kill in the very first moment how far each node was', async () => {
    const killed = open()
    enter(killed, 'all', { first: 'deliver' })
    enter(killed, 'later ones')
    await killed.accept(list(1), null)
    const after = open()
    const [all, later] = [enter(after, 'all', { first: 'deliver' }), enter(after, 'later ones')]
    await after.accept(list(1, 2), null)
    assert.deepEqual([all.ids(), later.ids()], [[1, 2], [2]])
    assert.deepEqual(
      all.given.map(({ redelivered }) => redelivered),
      [true, false],
    )
  })

  it('remembers what was on its way where the first list after a kill is empty or half', async () => {
    const killed = open()
    enter(killed, 'n')
    await killed.accept(list(1), null)
    await settle(killed)
    await killed.accept(list(1, 2, 3), null)
    const after = open()
    const node = enter(after, 'n')
    for (const hiccup of [list(), list(1, 2)]) await after.accept(hiccup, null).then(() => settle(after))
    await after.accept(list(1, 2, 3), null)
    assert.deepEqual(
      node.given.map(({ event, redelivered }) => [event.event, redelivered]),
      [
        [2, true],
        [3, true],
      ],
    )
  })

  it('flags what it gives of the first list where all that was known is gone, and waits for one that is not empty', async () => {
    await writeFile(join(folder, 'events.json'), '')
    const stream = open()
    const [all, none] = [enter(stream, 'all', { first: 'deliver' }), enter(stream, 'none')]
    await stream.accept([], null)
    await stream.accept(list(1, 2), null)
    await settle(stream)
    await stream.accept(list(1, 2, 3), null)
    assert.deepEqual(none.ids(), [3])
    assert.deepEqual(
      all.given.map(({ event, redelivered }) => [event.event, redelivered]),
      [
        [1, true],
        [2, true],
        [3, false],
      ],
    )
  })

  it('tells its nodes while the cursor cannot be written, and recovers by itself, without a new event', async () => {
    const stream = open('A1', join(folder, 'keyholder', 'events.json'))
    const told: (string | undefined)[] = []
    stream.subscribe('n', {
      policy: { first: 'skip', missed: 'deliver' },
      events: () => {},
      gap: () => {},
      cursor: () => told.push(stream.error?.code),
    })
    await writeFile(join(folder, 'keyholder'), '')
    await stream.accept(list(1), null)
    await settle(stream)
    assert.equal(stream.error?.code, 'BAD_SETTING')
    await rm(join(folder, 'keyholder'))
    await stream.accept(list(1), null)
    await settle(stream)
    assert.deepEqual([told[0], told.at(-1), stream.error], ['BAD_SETTING', undefined, undefined])
    const after = open('A1', join(folder, 'keyholder', 'events.json'))
    const node = enter(after, 'n')
    await after.accept(list(1, 2), null)
    assert.deepEqual(node.ids(), [2])
  })

  it('does not take an intent that can be written for a recovery', async () => {
    const path = join(folder, 'events.json')
    await mkdir(`${path}.new`)
    const stream = open('A1', path)
    const node = enter(stream, 'n')
    for (const ids of [[1], [1, 2], [1, 2, 3]])
      await stream.accept(list(...ids), null).then(() => settle(stream))
    assert.deepEqual([node.ids(), recoveries], [[2, 3], 0])
    await rm(`${path}.new`, { recursive: true })
    await stream.accept(list(1, 2, 3), null)
    await settle(stream)
    assert.equal(recoveries, 1)
  })

  it('drops a list whose bringer went away while others were before it', async () => {
    const stream = open()
    const node = enter(stream, 'n')
    await stream.accept(list(1), null)
    await stream.accept(list(1, 2), null)
    const gone = new AbortController()
    const dropped = stream.accept(list(1, 2, 3), null, gone.signal)
    gone.abort()
    clock.advance(500)
    await dropped
    assert.deepEqual(node.ids(), [2])
    await stream.accept(list(1, 2, 3), null)
    assert.deepEqual(node.ids(), [2, 3])
  })

  for (const missed of ['deliver', 'skip'] as const) {
    it(`keeps flagged for a node that stays away over a restart what was on its way at a kill (missed: ${missed})`, async () => {
      const killed = open()
      for (const id of ['stays', 'away']) enter(killed, id, { missed })
      await killed.accept(list(1), null)
      await settle(killed)
      await killed.accept(list(1, 2), null)
      const path = await kill()
      const without = open('A1', path)
      const stays = enter(without, 'stays', { missed })
      await without.accept(list(1, 2), null)
      await settle(without)
      await turns()
      await without.close()
      const after = open('A1', path)
      const [still, back] = [enter(after, 'stays', { missed }), enter(after, 'away', { missed })]
      await after.accept(list(1, 2), null)
      await settle(after)
      assert.deepEqual([stays.flags(), back.flags(), still.flags()], [[[2, true]], [[2, true]], []])
      assert.deepEqual((await new Cursor(path).load('A1')).intended, new Set())
    })
  }

  it('flags what it took back from a node also where a kill comes after the cursor was saved', async () => {
    const stream = open()
    const goes = enter(stream, 'goes', { missed: 'skip' })
    enter(stream, 'stays')
    await stream.accept(list(1), null)
    await settle(stream)
    await stream.accept(list(1, 2), null)
    goes.leave()
    await settle(stream)
    const after = open('A1', await kill())
    const [back, stays] = [enter(after, 'goes', { missed: 'skip' }), enter(after, 'stays')]
    await after.accept(list(1, 2), null)
    assert.deepEqual([goes.ids(), back.flags(), stays.flags()], [[2], [[2, true]], []])
  })

  it('flags what was on its way at a kill also after a second one while the first run of a new node is noted', async () => {
    const first = open()
    enter(first, 'old')
    await first.accept(list(1), null)
    await settle(first)
    await first.accept(list(1, 2), null)
    /** Its process is killed before what is about to be sent is noted. */
    let isKilled = (_path: string) => {}
    const killed = new Promise<string>((resolve) => {
      isKilled = resolve
    })
    class KilledCursor extends Cursor {
      override async intend(): Promise<void> {
        isKilled(await kill())
        return new Promise(() => {})
      }
    }
    const second = open('A1', undefined, new KilledCursor(join(folder, 'events.json')))
    for (const id of ['old', 'new']) enter(second, id)
    void second.accept(list(1, 2, 3), null)
    const third = open('A1', await killed)
    const old = enter(third, 'old')
    await third.accept(list(1, 2, 3), null)
    assert.deepEqual(old.flags()[0], [2, true])
  })

  it('forgets nothing that was on its way because the list of the next run was half', async () => {
    const killed = open()
    enter(killed, 'n')
    await killed.accept(list(1), null)
    await settle(killed)
    await killed.accept(list(1, 2, 3), null)
    const path = await kill()
    const half = open('A1', path)
    enter(half, 'n')
    await half.accept(list(1, 2), null)
    await settle(half)
    const whole = open('A1', path)
    const node = enter(whole, 'n')
    await whole.accept(list(1, 2, 3), null)
    assert.deepEqual(node.flags(), [[3, true]])
  })

  it('keeps nothing for a node that was deleted for good once the list has moved on', async () => {
    const killed = open()
    for (const id of ['stays', 'deleted']) enter(killed, id)
    await killed.accept(list(1), null)
    await settle(killed)
    await killed.accept(list(1, 2), null)
    const path = await kill()
    const stream = open('A1', path)
    enter(stream, 'stays')
    const intended = async () => (await readFile(path, 'utf8')).split('\n').slice(1)
    await stream.accept(list(1, 2), null)
    await settle(stream)
    assert.equal((await intended()).length, 1)
    for (let id = 3; id < 400; id += 50) {
      await stream.accept(list(...Array.from({ length: 50 }, (_, at) => id + at)), null)
      await settle(stream)
    }
    assert.deepEqual(await intended(), [])
  })

  it('has written all it writes when it is closed, whatever was taken back from a node that is gone for good', async () => {
    let writing = 0
    let written = Promise.resolve()
    class SlowCursor extends Cursor {
      override async save(state: CursorState, open?: readonly string[]): Promise<void> {
        writing += 1
        await written
        await super.save(state, open)
        writing -= 1
      }
    }
    const stream = open('A1', undefined, new SlowCursor(join(folder, 'events.json')))
    const [gone, stays] = [enter(stream, 'gone'), enter(stream, 'stays')]
    await stream.accept(list(1), null)
    await settle(stream)
    await stream.accept(list(1, 2), null)
    gone.leave()
    await settle(stream)
    await stream.accept(list(1, 2, 3), null)
    await turns()
    let goOn = () => {}
    written = new Promise((resolve) => {
      goOn = resolve
    })
    clock.advance(500)
    stays.leave()
    let isClosed = false
    const closing = stream.close().then(() => {
      isClosed = true
    })
    await turns()
    assert.deepEqual([writing, isClosed], [1, false])
    goOn()
    await closing
    assert.deepEqual([writing, clock.pending], [0, 0])
  })

  it('leaves nothing behind that writes over the next stream where it is closed with a list in hand', async () => {
    let noted = Promise.resolve()
    class SlowCursor extends Cursor {
      override async intend(keys: readonly string[]): Promise<void> {
        await noted
        return super.intend(keys)
      }
    }
    const before = open('A1', undefined, new SlowCursor(join(folder, 'events.json')))
    const [gone, left] = [enter(before, 'gone'), enter(before, 'n')]
    await before.accept(list(1), null)
    await settle(before)
    await before.accept(list(1, 2), null)
    gone.leave()
    await settle(before)
    let goOn = () => {}
    noted = new Promise((resolve) => {
      goOn = resolve
    })
    void before.accept(list(1, 2, 3), null)
    await turns()
    left.leave()
    const closing = before.close()
    goOn()
    await closing
    assert.equal(clock.pending, 0)
    const next = open()
    enter(next, 'n')
    clock.advance(100)
    await next.accept(list(1, 2, 3, 4), null)
    // What the closed stream would have been due for; the next one's half second is not over.
    clock.advance(400)
    await turns()
    const after = open('A1', await kill())
    const node = enter(after, 'n')
    await after.accept(list(1, 2, 3, 4), null)
    assert.deepEqual(node.flags(), [
      [3, true],
      [4, true],
    ])
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
