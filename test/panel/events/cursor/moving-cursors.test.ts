import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { FakeClock } from '../../../../harness/clock/fake-clock.ts'
import { event } from '../../../../harness/fixtures/samples.ts'
import { seed } from '../../../../harness/mocha/seed.ts'
import { portionDelay, turnsInFlight } from '../../../../src/panel/events/cursor/cursor-commit.ts'
import type { CursorState } from '../../../../src/panel/events/cursor/cursor-format.ts'
import type { CursorStore } from '../../../../src/panel/events/cursor/cursor-store.ts'
import type { NodeCursor } from '../../../../src/panel/events/cursor/node-cursor.ts'
import { EventDelivery } from '../../../../src/panel/events/event-delivery.ts'
import { lastingLease } from '../../../../src/panel/lease.ts'
import { localPanelStores, nodeCursors } from '../../../../src/panel/panel-stores.ts'
import type { PanelEvent } from '../../../../src/service/responses/events.ts'

const serial = 'A1'

/** The events that a node has received, from all processes; an exclamation mark is at those that may be repeats. */
class Received {
  readonly texts: string[] = []
  readonly ids = new Set<number>()
  readonly repeatedUnflagged: number[] = []
  gaps = 0

  note(id: number, redelivered: boolean): void {
    if (this.ids.has(id) && !redelivered) this.repeatedUnflagged.push(id)
    this.ids.add(id)
    this.texts.push(`${id}${redelivered ? '!' : ''}`)
  }
}

function eventOf(id: number): PanelEvent {
  return event({ event: id, datetime: new Date(Date.UTC(2026, 0, 2) + id * 1000).toISOString().slice(0, 19) })
}

/** The part that the server of a cluster has of a node. */
class ServerState {
  state: CursorState | null = null
  intended = new Set<string>()
  /** True if an instance that was ahead of it has joined, and nobody has saved since. */
  isBehind = false
}

/** A cursor that the instances of a cluster share, as the instance sees it that has these files, or another one. */
function sharedCursor(server: ServerState, files: NodeCursor | undefined): CursorStore {
  return {
    isShared: true,
    load: async (serial) => {
      const { state, intended } = server
      const loaded = state === null ? await files?.load(serial) : undefined
      if ((await files?.join()) === true && state !== null) server.isBehind = true
      if (state !== null) return { state, intended, doubtful: server.isBehind }
      return {
        state: loaded?.state ?? null,
        intended: new Set([...intended, ...(loaded?.intended ?? [])]),
        doubtful: loaded?.doubtful ?? false,
      }
    },
    intend: async (keys) => {
      for (const key of keys) server.intended.add(key)
    },
    save: async (state, open = []) => {
      Object.assign(server, { state, intended: new Set(open), isBehind: false })
      await files?.copy(state)
    },
  }
}

/** The calls of its cursor that a process makes before it is killed, and if the last one of them has an effect. */
interface Death {
  calls: number
  isCarriedOut: boolean
}

/** A cursor whose process is killed. */
class MortalCursor implements CursorStore {
  readonly #cursor: CursorStore
  readonly #death: Death | undefined
  #calls = 0
  #die = () => {}
  readonly died = new Promise<void>((resolve) => {
    this.#die = resolve
  })

  constructor(cursor: CursorStore, death: Death | undefined) {
    this.#cursor = cursor
    this.#death = death
  }

  get isShared() {
    return this.#cursor.isShared
  }

  // A process that has not read the cursor has done nothing.
  load(serial: string) {
    return this.#cursor.load(serial)
  }

  intend(keys: readonly string[]) {
    return this.#live(() => this.#cursor.intend(keys))
  }

  save(state: CursorState, open?: readonly string[]) {
    return this.#live(() => this.#cursor.save(state, open))
  }

  async #live(call: () => Promise<void>) {
    this.#calls += 1
    if (this.#calls !== this.#death?.calls) return call()
    if (this.#death.isCarriedOut) await call()
    this.#die()
    await new Promise(() => {})
  }
}

/** Has a process deliver one list from a cursor, until it is killed, or ends in order. */
async function deliver(
  cursor: CursorStore,
  nodes: ReadonlyMap<string, Received>,
  ids: readonly number[],
  death?: Death,
): Promise<void> {
  const clock = new FakeClock()
  const reports = { outage: assert.fail, recovery: () => {}, notice: assert.fail }
  const lease = lastingLease
  const mortal = new MortalCursor(cursor, death)
  const delivery = new EventDelivery<null>(serial, { lease, cursor: mortal }, clock, reports)
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
  let isOver = false
  const life = async () => {
    await delivery.accept(ids.map(eventOf), null)
    await delivery.accept([], null)
    await delivery.close()
  }
  const ended = Promise.race([life(), mortal.died]).then(() => {
    isOver = true
  })
  // A list in portions waits for the clock after each of them. What was sent leaves the flight before the wait is over.
  while (!isOver) {
    await turnsInFlight()
    clock.advance(portionDelay / 2)
  }
  await ended
}

describe('The nodes of a panel that moves into a cluster and out of it', () => {
  let folder: string
  let nodes: Map<string, Received>
  let servers: Map<string, ServerState>

  beforeEach(start)
  afterEach(end)

  async function start() {
    folder = await mkdtemp(join(tmpdir(), 'keyholder-'))
    nodes = new Map(['one', 'two'].map((id) => [id, new Received()]))
    servers = new Map([...nodes.keys()].map((id) => [id, new ServerState()]))
  }

  async function end() {
    await rm(folder, { recursive: true, force: true, maxRetries: 10 })
  }

  const serverOf = (id: string) => servers.get(id) ?? assert.fail()
  /** The files of the instance, as a new process opens them. */
  const filesOf = (id: string) => nodeCursors({ id: 'panel', serial }, folder, assert.fail)({ id })

  /** The instance gets a list in a process that is alone. */
  async function alone(ids: readonly number[], death?: Death): Promise<void> {
    const stores = localPanelStores({ id: 'panel', serial }, folder)
    const byCursor = new Map<CursorStore, Map<string, Received>>()
    for (const [id, received] of nodes) {
      const cursor = stores.cursor({ id, instances: 'one' })
      byCursor.set(cursor, new Map([...(byCursor.get(cursor) ?? []), [id, received]]))
    }
    for (const [cursor, some] of byCursor) await deliver(cursor, some, ids, death)
  }

  /** A node gets a list in the cluster: from this instance, or from another one. */
  async function inCluster(
    id: string,
    isHere: boolean,
    ids: readonly number[],
    death?: Death,
  ): Promise<void> {
    const received = nodes.get(id) ?? assert.fail()
    const files = filesOf(id)
    await deliver(
      sharedCursor(serverOf(id), isHere ? files : undefined),
      new Map([[id, received]]),
      ids,
      death,
    )
    // As it does when it copies what the other one has saved.
    if (!isHere && serverOf(id).state !== null) await files.noteShared()
  }

  const textsOf = (id: string) => nodes.get(id)?.texts.join(' ')
  const files = async () => (await readdir(folder)).filter((name) => name.endsWith('.json')).sort()

  it('go on where they were, each for itself, and get what others may have sent with a flag', async () => {
    await alone([1])
    assert.deepEqual(await files(), ['events-panel.json'])
    for (const id of nodes.keys()) await inCluster(id, true, [1, 2])
    await inCluster('two', false, [1, 2, 3])
    await alone([1, 2, 3, 4])
    assert.deepEqual(await files(), ['events-panel.json', 'events-panel~one.json', 'events-panel~two.json'])
    await alone([1, 2, 3, 4, 5])
    assert.equal(textsOf('one'), '1 2 3! 4! 5')
    assert.equal(textsOf('two'), '1 2 3 3! 4! 5')
  })

  it('go on from the time before the cluster if only others have served them there', async () => {
    await alone([1])
    await inCluster('one', true, [1, 2])
    await inCluster('one', false, [1, 2])
    serverOf('two').state = serverOf('one').state
    await filesOf('two').noteShared()
    await alone([1, 2, 3])
    assert.equal(textsOf('two'), '1 2! 3!')
    await alone([1, 2, 3, 4])
    assert.equal(textsOf('two'), '1 2! 3! 4')
  })

  it('get with a flag in a cluster what they have received outside of it', async () => {
    await inCluster('one', true, [1])
    await alone([1, 2])
    await inCluster('one', true, [1, 2, 3])
    assert.equal(textsOf('one'), '1 2! 2! 3!')
    await inCluster('one', true, [1, 2, 3, 4])
    assert.equal(textsOf('one'), '1 2! 2! 3! 4')
  })

  it(`lose nothing without a gap and get nothing again without a flag, in random lives (SEED=${seed})`, async () => {
    const death = fc.record({ calls: fc.integer({ min: 1, max: 6 }), isCarriedOut: fc.boolean() })
    const step = fc.record({
      where: fc.constantFrom('alone' as const, 'here' as const, 'elsewhere' as const),
      added: fc.integer({ min: 0, max: 5 }),
      death: fc.option(death, { nil: undefined }),
      isEmptied: fc.boolean(),
    })
    const life = fc.record({
      steps: fc.array(step, { minLength: 2, maxLength: 9 }),
      window: fc.integer({ min: 4, max: 12 }),
    })
    const property = fc.asyncProperty(life, async ({ steps, window }) => {
      await end()
      await start()
      let count = 1
      // The instance that has worked until now moves first.
      let isKnown = false
      const list = () => Array.from({ length: count }, (_, index) => index + 1).slice(-window)
      for (const { where, added, death, isEmptied } of steps) {
        count += added
        if (where === 'alone') {
          await alone(list(), death)
          isKnown = false
          continue
        }
        const isHere = where === 'here' || !isKnown
        for (const id of nodes.keys()) {
          if (isHere && isEmptied) Object.assign(serverOf(id), new ServerState())
          await inCluster(id, isHere, list(), death)
        }
        isKnown = [...servers.values()].every(({ state }) => state !== null)
      }
      await alone(list())
      for (const [id, { ids, gaps, repeatedUnflagged }] of nodes) {
        assert.deepEqual(repeatedUnflagged, [], `${id} got an event again`)
        const first = Math.min(...ids)
        const missing = Array.from({ length: count }, (_, index) => index + 1).filter(
          (one) => one > first && !ids.has(one),
        )
        assert.ok(missing.length === 0 || gaps > 0, `${id} lost ${missing}`)
      }
    })
    await fc.assert(property, { numRuns: 30, seed })
  }).timeout(120_000)
})
