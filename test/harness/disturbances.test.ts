import assert from 'node:assert/strict'
import fc from 'fast-check'
import { anyDisturbance } from '../../harness/disturbances/any-disturbance.ts'
import { blockEventLoop, blockedLoop } from '../../harness/disturbances/blocked-loop.ts'
import { ComputingFlow } from '../../harness/disturbances/computing-flow.ts'
import { incompleteAnswers } from '../../harness/disturbances/incomplete-answer.ts'
import {
  disturb,
  type LastingDisturbance,
  type Surroundings,
} from '../../harness/disturbances/lasting-disturbance.ts'
import { lateEvents } from '../../harness/disturbances/late-events.ts'
import { slowFlow } from '../../harness/disturbances/slow-flow.ts'
import { slowService } from '../../harness/disturbances/slow-service.ts'
import { slowStore, slowStores } from '../../harness/disturbances/slow-store.ts'
import { Slowness } from '../../harness/disturbances/slowness.ts'
import { wrongMachineClock, wrongPanelClock } from '../../harness/disturbances/wrong-clock.ts'
import { signedIn } from '../../harness/simulator/api-client.ts'
import { useSimulatorHarness } from '../../harness/simulator.ts'
import { minute, second } from '../../src/duration.ts'

const day = 24 * 60 * minute
const forEver = Number.POSITIVE_INFINITY

describe('A disturbance that ends nothing', () => {
  const at = useSimulatorHarness(signedIn)
  let end: AbortController
  let surroundings: Surroundings

  beforeEach(() => {
    end = new AbortController()
    const { clock, simulator } = at
    const flow = new ComputingFlow(clock)
    surroundings = { clock, simulator, serial: at.panel.serial, stores: new Slowness(), flow }
  })

  const start = (disturbance: LastingDisturbance) => disturb(disturbance, surroundings, end.signal)
  const finish = () => {
    end.abort()
    // The last slow answers.
    at.clock.advance(3 * second)
  }
  const listed = async (operation: string) => (await at.caller.get(operation)).body
  const partitions = async () => (await listed('status')).partitions

  /** Returns the milliseconds of the clock that a request takes. */
  const timeOf = async (operation: string) => {
    const from = at.clock.monotonic()
    const state = { isAnswered: false }
    const request = at.caller.get(operation).then(() => {
      state.isAnswered = true
    })
    const limit = performance.now() + 20_000
    for (let isWithheld = false; !state.isAnswered && performance.now() < limit; ) {
      await new Promise(setImmediate)
      isWithheld = at.simulator.withheldPorts.length > 0
      if (isWithheld) at.clock.advance(100)
    }
    await request
    return at.clock.monotonic() - from
  }

  it('lets the service answer after its time, for one operation or for all', async () => {
    start(slowService(1200, 'status', minute))
    assert.deepEqual([await timeOf('status'), await timeOf('devices')], [1200, 0])
    start(slowService(3000, undefined, minute))
    assert.equal(await timeOf('devices'), 3000)
    at.clock.advance(minute)
    assert.equal(await timeOf('devices'), 0)
    finish()
  })

  it('lets answers that are under way at its end arrive', async () => {
    start(slowService(3000, undefined, forEver))
    const answer = at.caller.get('devices')
    while (at.simulator.withheldPorts.length === 0) await new Promise(setImmediate)
    finish()
    assert.ok((await answer).body.length > 0)
  })

  it('lets stores answer after its time, in the order of the calls', async () => {
    class Store {
      #notes: string[] = []
      limit = 0
      get notes() {
        return this.#notes
      }
      async note(text: string) {
        this.#notes.push(text)
        return text
      }
      async fail() {
        throw new Error('refused')
      }
    }
    const store = slowStore(new Store(), surroundings.stores, at.clock)
    const answers: string[] = []
    start(slowStores(1200, minute))
    void store.note('one').then((text) => answers.push(text))
    const failure = assert.rejects(store.fail(), { message: 'refused' })
    store.limit = 5
    assert.deepEqual([store.notes, store.limit], [['one'], 5])
    end.abort()
    void store.note('two').then((text) => answers.push(text))
    for (const [ms, expected] of [
      [1199, []],
      [1, ['one', 'two']],
    ] as const) {
      at.clock.advance(ms)
      await new Promise(setImmediate)
      assert.deepEqual(answers, expected)
    }
    await failure
    assert.equal(await store.note('three'), 'three')
  })

  it('blocks the event loop at once, or during a request', async () => {
    let ranAt = 0
    const from = at.clock.monotonic()
    at.clock.after(1000, () => {
      ranAt = at.clock.monotonic() - from
    })
    start(blockedLoop(5000, 'now'))
    at.clock.advance(0)
    assert.equal(ranAt, 5000)
    start(blockedLoop(2000, 'during a request'))
    assert.deepEqual([await timeOf('status'), await timeOf('status')], [2000, 0])
    finish()
  })

  it('blocks the event loop of a real process', async () => {
    let isOver = false
    setTimeout(() => {
      isOver = true
    }, 1)
    const from = performance.now()
    blockEventLoop(50)
    assert.ok(performance.now() - from >= 50)
    assert.equal(isOver, false)
  })

  it('lets a flow compute 25 ms for each message', () => {
    const from = at.clock.monotonic()
    const { flow } = surroundings
    flow.receive()
    start(slowFlow(minute))
    for (let messages = 0; messages < 40; messages += 1) flow.receive()
    end.abort()
    flow.receive()
    assert.equal(at.clock.monotonic() - from, 1000)
  })

  it('leaves an entry out of one answer', async () => {
    const all = await listed('devices')
    start(incompleteAnswers('devices', 1, 'once', minute))
    assert.deepEqual(await listed('devices'), all.toSpliced(1, 1))
    assert.deepEqual(await listed('devices'), all)
    finish()
  })

  it('leaves all entries out of each answer until its end', async () => {
    at.panel.panic(at.panel.devices.find(({ device_type }) => device_type === 'KEYFOB')?.id ?? 0)
    for (const operation of ['devices', 'alarms', 'events'] as const) {
      assert.ok((await listed(operation)).length > 0, operation)
      start(incompleteAnswers(operation, 'all', 'always', minute))
      assert.deepEqual([await listed(operation), await listed(operation)], [[], []])
    }
    at.clock.advance(minute)
    for (const operation of ['devices', 'alarms', 'events']) assert.ok((await listed(operation)).length > 0)
    finish()
  })

  it('leaves a partition out of a status', async () => {
    const all = await partitions()
    start(incompleteAnswers('status', 0, 'once', minute))
    assert.deepEqual(await partitions(), all.slice(1))
    assert.deepEqual(await partitions(), all)
    finish()
  })

  it('sets the clock of the machine wrong, for two minutes or for ever', () => {
    const wrongBy = (since: number) => at.clock.wall() - since - at.clock.monotonic()
    const since = at.clock.wall() - at.clock.monotonic()
    start(wrongMachineClock(3_600_000, 2 * minute))
    start(wrongMachineClock(-30 * day, forEver))
    assert.equal(wrongBy(since), 3_600_000 - 30 * day)
    at.clock.advance(2 * minute)
    assert.equal(wrongBy(since), -30 * day)
    end.abort()
    assert.equal(wrongBy(since), 0)
  })

  it('sets the clock of the panel wrong, which dates its events and alarms', async () => {
    const latest = () => at.panel.events.at(-1)?.datetime
    const { simulator } = at
    start(wrongPanelClock(-3_600_000, 2 * minute))
    at.panel.log({ type_id: 86 })
    assert.equal(latest(), '2026-11-20 11:00:00')
    at.panel.panic(at.panel.devices.find(({ device_type }) => device_type === 'KEYFOB')?.id ?? 0)
    assert.equal((await listed('alarms'))[0].datetime, '2026-11-20 11:00:00')
    assert.equal(new Date(simulator.world.time.now()).toISOString(), '2026-11-20T12:00:00.000Z')
    at.clock.advance(2 * minute)
    at.panel.log({ type_id: 86 })
    assert.equal(latest(), '2026-11-20 12:02:00')
    at.panel.disarm(-1)
    finish()
  })

  it('lets events arrive late, behind newer ones, with their own times', () => {
    const times = () => at.panel.events.map(({ datetime }) => datetime.slice(-8))
    start(lateEvents(90, 2 * minute))
    at.panel.log({ type_id: 86 })
    at.clock.advance(minute)
    at.panel.log({ type_id: 89 })
    assert.deepEqual(times(), [])
    at.clock.advance(30 * second)
    assert.deepEqual(times(), ['12:00:00'])
    at.clock.advance(30 * second)
    at.panel.log({ type_id: 86 })
    assert.deepEqual(times(), ['12:00:00', '12:01:00', '12:02:00'])
  })

  it('says in words what it is, and leaves nothing behind', async () => {
    const before = new Map<string, unknown>()
    for (const operation of ['status', 'devices']) before.set(operation, await listed(operation))
    await fc.assert(
      fc.asyncProperty(anyDisturbance, async (disturbance) => {
        const words = fc.stringify(disturbance)
        assert.equal(words, disturbance.description)
        assert.match(words, /, for (\S+ s|ever)$/)
        const wall = at.clock.wall() - at.clock.monotonic()
        const one = new AbortController()
        disturb(disturbance, surroundings, one.signal)
        one.abort()
        at.clock.advance(3 * second)
        const { stores, flow } = surroundings
        assert.deepEqual([stores.ms, flow.slowness.ms, at.panel.clock.offset], [0, 0, 0])
        assert.equal(at.clock.pending, 0)
        for (const operation of ['status', 'devices'])
          assert.deepEqual([await timeOf(operation), await listed(operation)], [0, before.get(operation)])
        assert.equal(at.clock.wall() - at.clock.monotonic(), wall)
      }),
      { numRuns: 50 },
    )
  })
})
