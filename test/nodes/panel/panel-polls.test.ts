import assert from 'node:assert/strict'
import { processTime } from '../../../harness/clock/process-fake-clock.ts'
import { createPart, withoutNodes } from '../../../harness/flow/flow-part.ts'
import { until, useFlowHarness } from '../../../harness/flow.ts'
import { requestsTo } from '../../../harness/simulator.ts'
import type { Simulator } from '../../../src/simulator/simulator.ts'

const state = { type: 'keyholder-state', emit: 'poll', partitions: [1] }
const everything = { state, events: { type: 'keyholder-events' }, readings: { type: 'keyholder-readings' } }

/** The defaults of version 0.1, in seconds, which saved flows have. */
const formerDefaults = { stateEvery: 30, eventsEvery: 60, devicesEvery: 300 }
const everyPoll = ['status', 'events', 'devices']

describe('The polls of keyholder-panel', () => {
  const harness = useFlowHarness()

  /** Returns the requests of ten minutes, by operation. */
  const minutesOf = async (simulator: Simulator) => {
    const count = () => [...everyPoll, 'alarms'].map((operation) => requestsTo(simulator, operation))
    const before = count()
    for (let minute = 0; minute < 10; minute += 1) await processTime.pass(60_000)
    return count().map((after, index) => after - (before[index] ?? 0))
  }

  it('are shared by all nodes: 50 nodes cause as many requests as one', async () => {
    const cost = async (count: number) => {
      const nodes = Object.fromEntries(Array.from({ length: count }, (_, index) => [`node${index}`, state]))
      const { simulator, flow } = await harness.start({ panel: formerDefaults, nodes })
      await flow.output('node0').next()
      const counts = await minutesOf(simulator)
      assert.deepEqual([simulator.accounts.signIns, simulator.accounts.panelLogins], [1, 1])
      await harness.stopFlow()
      return counts
    }
    assert.deepEqual(await cost(1), [20, 0, 0, 20])
    assert.deepEqual(await cost(50), [20, 0, 0, 20])
  })

  it('are made only for subscribed data, and end with the last subscriber', async () => {
    const nodes = { ...everything, second: state }
    const { simulator, part: all, flow } = await harness.start({ panel: formerDefaults, nodes })
    await flow.output('second').next()
    assert.deepEqual(await minutesOf(simulator), [20, 10, 2, 20])
    await flow.deploy(withoutNodes(all, 'state', 'readings'))
    assert.deepEqual(await minutesOf(simulator), [20, 10, 0, 20])
    await flow.deploy(withoutNodes(all, ...all.ids.keys()))
    assert.deepEqual(await minutesOf(simulator), [0, 0, 0, 0])
    await flow.deploy(all)
    await flow.output('second').takeNew(1)
    assert.deepEqual(await minutesOf(simulator), [20, 10, 2, 20])
  })

  it('are made at the pace of the situation where no interval is entered, and else as entered', async () => {
    const minutes = async (panel: object) => {
      const { simulator, flow } = await harness.start({ panel, nodes: everything })
      await flow.output('state').next()
      const counts = await minutesOf(simulator)
      await harness.stopFlow()
      return counts
    }
    // Nothing happens: the state every 15 s, the alarms every 17 s, the events every 90 s, the devices every 120 s.
    const paced = await minutes({ stateEvery: '', eventsEvery: '', devicesEvery: '' })
    for (const [nth, expected] of [40, 6.7, 5, 35.3].entries())
      assert.ok(Math.abs((paced[nth] ?? 0) - expected) <= 1 + expected / 20, `${paced}`)
    assert.deepEqual(await minutes({ ...formerDefaults, devicesEvery: '120' }), [20, 10, 5, 20])
  })

  it('tell the log and Catch nodes once that the request limit holds them back, with the remedy', async () => {
    const { flow } = await harness.start({
      account: { requestsPerMinute: 6 },
      panel: { stateEvery: '', eventsEvery: '', devicesEvery: '' },
      nodes: { ...everything, second: state },
    })
    for (let minute = 0; minute < 30; minute += 1) await processTime.pass(60_000)
    const errors = flow.caught.all.map(({ error }) => error)
    assert.equal(errors.length, 1)
    assert.equal(errors[0]?.code, 'RATE_LIMITED')
    assert.match(errors[0]?.message ?? '', /raise "Request limit" as far as your provider allows/)
    const lines = flow.logged.map((line) => String((line as { msg?: unknown }).msg))
    assert.equal(lines.filter((line) => line.includes('"Request limit"')).length, 1)
  }).timeout(60_000)

  it('of a demo panel are made at least every ten seconds, even if longer intervals are set', async () => {
    const simulator = await harness.startSimulator()
    const readings = { type: 'keyholder-readings', emit: 'poll', kinds: ['warnings'] }
    const flow = await harness.startParts([
      createPart(simulator, {
        account: { source: 'demo', url: '', requestsPerMinute: 1 },
        credentials: { email: '', password: '', userCode: '' },
        panel: { ...formerDefaults, serial: '' },
        nodes: { state, readings },
      }),
    ])
    try {
      for (const node of ['state', 'readings']) {
        const times = new Set<number>()
        while (times.size < 4) times.add(Date.parse((await flow.output(node).next()).fetchedAt))
        const [first = 0, ...others] = times
        // During an exit delay of the demo household, the state is polled more often.
        assert.ok(
          others.every((time, at) => time - ([first, ...others][at] ?? 0) <= 10_000),
          node,
        )
      }
    } finally {
      // The demo runs until its account is deleted.
      await flow.deploy()
    }
  })

  it('end with Node-RED', async () => {
    const { simulator, flow } = await harness.start({ nodes: everything })
    await flow.output('state').take(3)
    await harness.stopFlow()
    assert.deepEqual(await minutesOf(simulator), [0, 0, 0, 0])
  })

  it('end while the account is rejected', async () => {
    const simulator = await harness.startSimulator()
    const flow = await harness.startAt(simulator, { credentials: { password: 'wrong' }, nodes: everything })
    await flow.status('state').next(({ fill }) => fill === 'red')
    const requests = simulator.requests.length
    await minutesOf(simulator)
    assert.equal(simulator.requests.length, requests)
  })

  for (const operation of [
    'version',
    'auth',
    'panels',
    'panel/login',
    'panel_info',
    'feature_set',
    'status',
    'events',
    'devices',
  ]) {
    it(`do not prevent a node from closing while ${operation} hangs`, async () => {
      const simulator = await harness.startSimulator()
      simulator.hang(operation, Number.POSITIVE_INFINITY)
      const flow = await harness.startParts([createPart(simulator, { nodes: everything })])
      for (const name of Object.keys(everything)) flow.input(name)
      await until(() => requestsTo(simulator, operation) > 0)
      await harness.stopFlow()
    })
  }
})
