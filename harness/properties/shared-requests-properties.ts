import assert from 'node:assert/strict'
import fc from 'fast-check'
import { second } from '../../src/duration.ts'
import { Panel } from '../../src/panel/panel.ts'
import { latency } from '../../src/simulator/faults/network-faults.ts'
import { neverAborted, startAccountHarness } from '../account.ts'

const every = 30 * second
const polls = 4

/** The wishes of nodes of one panel; times in milliseconds since the first node was opened. */
interface Wishes {
  /** Milliseconds before the first node is opened, which decide how far the next polls are away. */
  before: number
  /** Milliseconds that an answer takes at most. */
  latency: number
  /** The times at which further nodes are opened. */
  opened: number[]
  /** The times at which all open nodes ask at once. */
  asked: number[]
}

const anyWishes: fc.Arbitrary<Wishes> = fc.record({
  before: fc.nat(every),
  latency: fc.integer({ min: 1, max: 3 * second }),
  opened: fc.array(fc.nat(2 * every), { minLength: 1, maxLength: 49 }),
  asked: fc.array(fc.nat(polls * every), { maxLength: 4 }),
})

const turn = () => new Promise(setImmediate)

/** Returns the requests of some polls, with their times, that one or all of the nodes cause. */
async function requestsFor(wishes: Wishes, isAlone: boolean): Promise<string[]> {
  const at = await startAccountHarness()
  const reports = { outage: () => {}, recovery: () => {}, notice: () => {} }
  const intervals = { stateEvery: every, eventsEvery: every, devicesEvery: every }
  const settings = { id: 'p1', name: '', allowCommands: false, ...at.panel, ...intervals }
  const panel = new Panel(settings, at.account, at.folder, reports)
  const open = () => {
    const subscriber = { snapshot: () => {}, condition: () => {} }
    leavers.push(panel.state.subscribe(subscriber))
    subscribers.push(subscriber)
  }
  const leavers: (() => void)[] = []
  const subscribers: { snapshot(): void; condition(): void }[] = []
  const askAll = async () => {
    for (const subscriber of subscribers) {
      panel.state.read(neverAborted(), subscriber).catch(() => {})
      // Node-RED passes a message to each node in a turn of its own.
      await turn()
    }
  }
  try {
    await at.time.pass(wishes.before)
    at.simulator.faults.start(latency(1, wishes.latency))
    const begun = at.clock.monotonic()
    open()
    const steps = [
      ...(isAlone ? [] : wishes.opened.map((time) => ({ time, take: open }))),
      ...wishes.asked.map((time) => ({ time, take: askAll })),
    ].sort((one, other) => one.time - other.time)
    for (const { time, take } of steps) {
      await at.time.pass(begun + time - at.clock.monotonic())
      await take()
    }
    await at.time.pass(begun + (polls + 1) * every - at.clock.monotonic())
    return at.simulator.requests.map(({ path, at: time }) => `${path.split('/').at(-1)} ${time - begun}`)
  } finally {
    for (const leave of leavers) leave()
    await at.close()
  }
}

/** Adds tests of the requests of many nodes of one panel, each with `numRuns` random beginnings. */
export function testSharedRequests(numRuns: number): void {
  it('are those of one node, at the same times, whenever the nodes are opened and ask', async () => {
    await fc.assert(
      fc.asyncProperty(anyWishes, async (wishes) => {
        assert.deepEqual(await requestsFor(wishes, false), await requestsFor(wishes, true))
      }),
      { numRuns },
    )
  })

  it('are as many for each poll, however soon it comes after the first one', async () => {
    const anyStart = fc.record({ before: fc.nat(every), latency: fc.integer({ min: 1, max: 3 * second }) })
    await fc.assert(
      fc.asyncProperty(anyStart, async (start) => {
        const requests = await requestsFor({ ...start, opened: [], asked: [] }, true)
        const count = (name: string) => requests.filter((one) => one.startsWith(`${name} `)).length
        const late = Number(requests.at(-1)?.startsWith('status '))
        assert.equal(count('alarms') + late, count('status'), requests.join(', '))
      }),
      { numRuns },
    )
  })
}
