import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { until } from '../../../harness/clock/until.ts'
import {
  countObjects,
  lowestStats,
  type ProcessStats,
  processStatsCode,
  readProcessStats,
} from '../../../harness/metrics/process-stats.ts'
import { repetitions } from '../../../harness/mocha/depth.ts'
import { seed } from '../../../harness/mocha/seed.ts'
import { createEventLoad, type EventLoad, noneLost } from '../../../harness/node-red/event-load.ts'
import type { DeployKind, NodeRedProcess } from '../../../harness/node-red/node-red-process.ts'
import type { FlowNode } from '../../../harness/node-red/recorded-flow.ts'
import { type NodeRedHarness, panelId, startNodeRedHarness } from '../../../harness/node-red.ts'
import { requestsTo } from '../../../harness/simulator.ts'
import { hang, latency } from '../../../src/simulator/faults/network-faults.ts'
import { Random } from '../../../src/simulator/random.ts'

const kinds: readonly DeployKind[] = ['full', 'flows', 'nodes']
const megabyte = 1024 * 1024

/** Two readings of the figures come before the end: the first deploys still fill what is kept. */
const deploys = repetitions(200, 60)

/** The requests that an account has on the way at most: three of callers that wait, and a poll. */
const places = 4

/** Looks at all objects, of half a second each, after which a busy machine has ended all that is kept for a while. */
const maxLooks = 100

/** A button that presses itself four times a second. */
const asking = (id: string): FlowNode => ({
  id: `ask ${id}`,
  type: 'inject',
  repeat: '0.25',
  props: [{ p: 'payload' }],
  payload: '',
  payloadType: 'date',
  wires: [[id]],
})

const nodes: FlowNode[] = [
  { id: 'events', type: 'keyholder-events', first: 'deliver' },
  { id: 'one type', type: 'keyholder-events', typeIds: [86] },
  { id: 'state', type: 'keyholder-state', emit: 'poll' },
  { id: 'readings', type: 'keyholder-readings', emit: 'poll', kinds: ['temperature'] },
  { id: 'query', type: 'keyholder-query', operation: 'panel_info' },
  ...['state', 'readings', 'query', 'events'].map(asking),
]

describe('Redeploys of a real Node-RED under load', () => {
  let harness: NodeRedHarness
  let nodeRed: NodeRedProcess
  let load: EventLoad
  let flows: FlowNode[]

  beforeEach(async () => {
    const settings = { logging: { console: { level: 'trace', metrics: false, audit: false } } }
    harness = await startNodeRedHarness({}, { settings, code: processStatsCode })
    // What hangs is given up after a second and a half, so that polls go on between the deploys.
    flows = await harness.writeFlows(nodes, { every: 0.1, timeout: 1.5 })
    load = createEventLoad(harness, 'events')
    nodeRed = harness.startNodeRed({ nodeOptions: ['--expose-gc'] })
    load.addEvents()
    await load.finish()
  })
  afterEach(async () => {
    load.stop()
    await harness.close()
  })

  /** Milliseconds that each close of one of our nodes took, as Node-RED says. */
  const closes = () =>
    [...nodeRed.output.matchAll(/Stopped node keyholder-\S+ \((\d+)ms\)/g)].map(([, took]) => Number(took))

  /** Lets calls hang that begin from now on. */
  const letHang = (random: Random) => {
    for (const operation of ['status', 'devices', 'panel_info', 'events']) {
      if (random.between(0, 3) === 0) harness.simulator.hang(operation)
    }
  }

  /** Figures at rest: nothing more happens, all is told, and nothing hangs. */
  const atRest = async () => {
    harness.simulator.restore()
    const looks: ProcessStats[] = []
    // On a busy machine, work can be under way during a whole look.
    for (let look = 0; look < 3; look += 1) {
      await load.finish()
      // Each reading collects the garbage of the whole heap twice.
      looks.push(await readProcessStats(nodeRed, 2))
    }
    return lowestStats(looks)
  }

  // Timers and objects of calls that are under way come and go; those that one deploy or one call leaves behind would be dozens.
  const isFlat = (before: ProcessStats, after: ProcessStats) => {
    assert.deepEqual(increases(before.handles, after.handles, 10), [])
    assert.deepEqual(increases(before.listeners, after.listeners, 2), [])
    assert.doesNotMatch(nodeRed.output, /MaxListenersExceeded/)
  }

  /** Counts again if calls were under way, or connections are kept for the next call: what was left behind stays. */
  const hasNoMoreObjects = async (before: Record<string, number>) => {
    for (let looks = 1; ; looks += 1) {
      const more = increases(before, await countObjects(nodeRed), 10)
      if (more.length === 0) return
      assert.ok(looks < maxLooks, more.join())
      await load.finish()
    }
  }

  /** Nine of ten: in the others the machine may have stood still. That a close waits for nothing, test/nodes shows. */
  const isQuick = () => {
    const took = closes().sort((one, other) => one - other)
    const most = took[Math.floor(0.9 * took.length)] ?? Number.POSITIVE_INFINITY
    assert.ok(most <= 1000, `${most} ms`)
    assert.doesNotMatch(nodeRed.output, /Close timed out/)
  }

  it(`leak no timer, socket, listener or memory, close within a second, and cost no sign-in and no event: ${deploys} of all kinds (SEED=${seed})`, async () => {
    const random = new Random(seed)
    const figures: ProcessStats[] = []
    let objects: Record<string, number> = {}
    for (let deploy = 0; deploy < deploys; deploy += 1) {
      if (deploy % 30 === 20) figures.push(await atRest())
      if (deploy === 50) objects = await countObjects(nodeRed)
      load.start({ every: 100, most: 20 })
      letHang(random)
      await pause(random.between(0, 400))
      const kind = kinds[deploy % kinds.length] ?? 'full'
      const node = ['events', 'state', 'readings', 'query'][random.between(0, 3)] ?? 'events'
      await nodeRed.deploy(changed(flows, node, { name: `Deploy ${deploy}` }), kind)
    }
    figures.push(await atRest())
    const [first, last] = [figures[1], figures.at(-1)]
    assert.ok(first && last)
    isFlat(first, last)
    await hasNoMoreObjects(objects)
    const grown = figures.slice(1).map(({ heap }) => (heap - first.heap) / megabyte)
    console.log(
      `      heap after ${figures.length} looks: ${grown.map((one) => one.toFixed(2)).join(', ')} MB; ${JSON.stringify(last)}; longest close ${Math.max(...closes())} ms`,
    )
    assert.ok(Math.max(...grown.slice(-2)) < 2, `${grown}`)
    isQuick()
    assert.deepEqual(load.counts, noneLost)
    assert.deepEqual(
      [requestsTo(harness.simulator, 'auth'), requestsTo(harness.simulator, 'panel/login')],
      [1, 1],
    )
    assert.ok(nodeRed.isRunning)
  })

  it(`leak nothing when settings change back and forth, and panels are removed and added (SEED=${seed})`, async () => {
    const random = new Random(seed)
    const without = flows.filter(({ id }) => id !== panelId)
    const variants = [
      changed(flows, 'account', { timeout: 2 }),
      flows,
      changed(flows, panelId, { name: 'Another name' }),
      flows,
      without,
      flows,
    ]
    const figures: ProcessStats[] = []
    let objects: Record<string, number> = {}
    for (let deploy = 0; deploy < repetitions(72, 36); deploy += 1) {
      if (deploy % 24 === 12) figures.push(await atRest())
      if (deploy === 12) objects = await countObjects(nodeRed)
      load.start({ every: 100, most: 5 })
      letHang(random)
      await pause(random.between(0, 200))
      const variant = variants[deploy % variants.length] ?? flows
      // Node-RED forgets the credentials of a node that is removed.
      const credentials = { userCode: harness.simulator.userCode }
      const withCode = variant.map((node) => (node.id === panelId ? { ...node, credentials } : node))
      await nodeRed.deploy(withCode, kinds[random.between(0, 2)])
    }
    figures.push(await atRest())
    const [first, last] = [figures[0], figures.at(-1)]
    assert.ok(first && last)
    isFlat(first, last)
    await hasNoMoreObjects(objects)
    isQuick()
    assert.deepEqual(load.counts, noneLost)
    assert.deepEqual(
      [requestsTo(harness.simulator, 'auth'), requestsTo(harness.simulator, 'panel/login')],
      [1, 1],
    )
  })

  it('during the sign-in cost one sign-in each, and leak nothing', async () => {
    const { simulator } = harness
    const before = await atRest()
    const objects = await countObjects(nodeRed)
    for (let round = 1; round <= repetitions(10, 3); round += 1) {
      simulator.faults.start(latency(400), { operation: 'auth', times: 1 })
      simulator.accounts.expireUserTokens()
      await until(() => requestsTo(harness.simulator, 'auth') === round + 1, 'a sign-in')
      for (const kind of kinds)
        await nodeRed.deploy(changed(flows, 'state', { name: `${kind} ${round}` }), kind)
      await load.finish()
      assert.equal(requestsTo(harness.simulator, 'auth'), round + 1)
    }
    isFlat(before, await atRest())
    await hasNoMoreObjects(objects)
    isQuick()
    assert.deepEqual(load.counts, noneLost)
  })

  it('during a pause that the service requested send nothing until its end, and leak nothing', async () => {
    const { simulator } = harness
    const before = await atRest()
    const objects = await countObjects(nodeRed)
    for (let round = 1; round <= repetitions(5, 2); round += 1) {
      simulator.respondOnce('status', { status: 429, headers: { 'Retry-After': '2' } })
      const from = simulator.requests.length
      const refused = () =>
        simulator.requests.find(({ status }, index) => index >= from && status === 429)?.at
      await until(() => refused() !== undefined, 'a refusal')
      for (const kind of kinds)
        await nodeRed.deploy(changed(flows, 'state', { name: `${kind} ${round}` }), kind)
      const over = (refused() ?? 0) + 2000
      await until(() => simulator.requests.some(({ at }) => at >= over), 'the end of the pause')
      const meanwhile = simulator.requests.filter(({ at }) => at > over - 2000 && at < over)
      // Those that were on the way when the service refused one of them, and the next in their places: on a busy machine the
      // client reads the refusal later.
      assert.ok(meanwhile.length <= 2 * places, `${meanwhile.length} in the pause`)
      await load.finish()
    }
    isFlat(before, await atRest())
    await hasNoMoreObjects(objects)
    isQuick()
    assert.deepEqual(load.counts, noneLost)
    assert.deepEqual(
      [requestsTo(harness.simulator, 'auth'), requestsTo(harness.simulator, 'panel/login')],
      [1, 1],
    )
  })

  it('do not prevent Node-RED from stopping while all requests hang', async () => {
    const { simulator } = harness
    // Longer than Node-RED waits for a node.
    await nodeRed.deploy(changed(flows, 'account', { timeout: 60 }))
    simulator.faults.start(hang())
    await until(() => simulator.withheldPorts.length > 0, 'a request that hangs')
    assert.equal(await nodeRed.stop(), 0)
    assert.doesNotMatch(nodeRed.output, /Close timed out/)
  })
})

/** Returns those counts that have increased by more than `most`, in words. */
function increases(before: Record<string, number>, after: Record<string, number>, most: number): string[] {
  return Object.entries(after)
    .filter(([kind, count]) => count > (before[kind] ?? 0) + most)
    .map(([kind, count]) => `${kind}: from ${before[kind] ?? 0} to ${count}`)
}

/** The flows with other fields in one node. */
function changed(flows: readonly FlowNode[], id: string, fields: object): FlowNode[] {
  return flows.map((node) => (node.id === id ? { ...node, ...fields } : node))
}
