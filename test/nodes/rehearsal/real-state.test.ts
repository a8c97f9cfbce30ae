import assert from 'node:assert/strict'
import { existsSync, mkdirSync, renameSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'
import { processTime } from '../../../harness/clock/process-fake-clock.ts'
import { userDir } from '../../../harness/flow/running-flow.ts'
import { type StartedFlow, useFlowHarness } from '../../../harness/flow.ts'
import { minute, second } from '../../../src/duration.ts'
import type { Fault } from '../../../src/simulator/faults/active-faults.ts'

const seldom = { stateEvery: 2, eventsEvery: 2, devicesEvery: 2 }
const panel = { name: 'House', allowCommands: true, allowRehearsal: true, ...seldom }
const nodes = {
  incident: { type: 'keyholder-incident' },
  state: { type: 'keyholder-state', partitions: '1', initial: false },
  conditions: { type: 'keyholder-conditions' },
  readings: { type: 'keyholder-readings', kinds: 'open', initial: false },
  events: { type: 'keyholder-events' },
  command: { type: 'keyholder-command', partition: 1 },
}

/** The simulated time is a hundred times as fast. */
const fast = { speed: 100 }

/** A service that is down. */
const away: Fault = { name: 'away', answer: () => ({ status: 503, body: {} }) }

/** What a flow does at the end of a rehearsal. */
const endings: Record<string, (started: StartedFlow) => unknown> = {
  'somebody stops it': ({ flow }) => flow.input('command', { rehearse: false }),
  'something happens at the real panel': ({ home }) => {
    home.log({ type_id: 37, device_type: 'CONTROL_PANEL', zone: 0 })
  },
  'a command without the mark comes': ({ flow }) => flow.input('command', { payload: 'HOME' }),
  'a deploy changes the nodes': ({ flow, part }) =>
    flow.deploy({ ...part, nodes: part.nodes.map((node) => ({ ...node, x: 1 })) }),
  'a deploy changes one node': ({ flow, part }) =>
    flow.deploy({
      ...part,
      nodes: part.nodes.map((node) => ({ ...node, ...(node.id === part.ids.get('state') && { x: 1 }) })),
    }),
}

describe('After a rehearsal', () => {
  const harness = useFlowHarness()

  /** Starts a flow, and a rehearsal that has come to its alarm. */
  async function alarmed() {
    const started = await harness.start({ panel, nodes }, fast)
    const { flow, home } = started
    await processTime.pass(5 * second)
    home.open(3)
    await flow.output('conditions').next(({ payload }) => payload.length > 0)
    flow.input('command', { rehearse: { scene: 'burglary-window', faster: true } })
    await flow.output('incident').next(({ payload }) => payload.news === 'alarm')
    await flow
      .output('conditions')
      .next(({ payload }) => payload.some(({ kind }: { kind: string }) => kind === 'alarm'))
    await flow.output('state').next(({ payload }) => payload === 'ALARM')
    return started
  }

  /** Returns the last message of a node. */
  const last = ({ flow }: Pick<StartedFlow, 'flow'>, name: string) =>
    flow.output(name).all.at(-1) ?? assert.fail(`${name} has told nothing`)

  /** Compares the last word of each node with the real panel. */
  function assertTruth(started: Pick<StartedFlow, 'flow' | 'home'>) {
    const { flow, home } = started
    const [state, conditions, incident] = ['state', 'conditions', 'incident'].map((name) =>
      last(started, name),
    )
    const real = home.partitions[0]?.state
    assert.deepEqual(
      [state?.payload, state?.state.previous, state?.parts, state?.rehearsal],
      [real, real, undefined, undefined],
    )
    assert.deepEqual(
      conditions?.payload.map(({ kind, zone }: { kind: string; zone: number }) => [kind, zone]),
      [['open', 3]],
    )
    assert.deepEqual([conditions?.rehearsal, conditions?.reminder], [undefined, undefined])
    const { status, news, until, title, summary } = incident?.payload ?? {}
    assert.deepEqual(
      [status, news, title, incident?.rehearsal],
      ['closed', undefined, 'Rehearsal: The scene is over.', true],
    )
    assert.match(summary, /^Rehearsal: Burglary: /)
    assert.ok(Date.parse(until) > 0)
    const open = new Map(
      flow.output('readings').all.map(({ topic, payload, rehearsal }) => [topic, [payload, rehearsal]]),
    )
    assert.deepEqual(
      [...open.values()].filter(([payload, rehearsal]) => payload !== false || rehearsal !== undefined),
      [[true, undefined]],
    )
  }

  for (const [how, end] of Object.entries(endings))
    it(`that ends because ${how}, each node that told it says once how the real panel is`, async () => {
      const started = await alarmed()
      const { flow } = started
      const told = flow.output('events').all.length
      await end(started)
      await processTime.pass(10 * second)
      assertTruth(started)
      const real = (name: string) => flow.output(name).all.filter(({ rehearsal }) => rehearsal === undefined)
      assert.ok(
        flow
          .output('events')
          .all.slice(told)
          .every(({ payload }) => payload.typeId === 37),
      )
      const unchanged = real('state').filter(({ state }) => state.previous === state.value)
      assert.equal(unchanged.length, 1)
    })

  it('each node says so when Node-RED starts again', async () => {
    const started = await alarmed()
    const { part } = started
    await harness.stopFlow()
    const flow = await harness.startParts([part])
    await processTime.pass(10 * second)
    assertTruth({ ...started, flow })
  })

  it('a panel that does not answer is told of as soon as it does', async () => {
    const started = await alarmed()
    const { flow, simulator } = started
    const recover = simulator.faults.start(away)
    flow.input('command', { rehearse: false })
    await processTime.pass(10 * second)
    assert.equal(last(started, 'state').rehearsal, true)
    recover()
    await processTime.pass(2 * minute)
    assertTruth(started)
  })

  it('notes that cannot be read or removed for a while are read and removed then', async () => {
    const started = await alarmed()
    const { flow, part } = started
    const notes = join(userDir, 'keyholder', `rehearsal-${part.panel}.json`)
    renameSync(notes, `${notes}.away`)
    mkdirSync(notes)
    flow.input('command', { rehearse: false })
    await processTime.pass(10 * second)
    assert.equal(last(started, 'state').rehearsal, true)
    rmdirSync(notes)
    renameSync(`${notes}.away`, notes)
    await processTime.pass(2 * minute)
    assertTruth(started)
    assert.ok(!existsSync(notes))
  })
})
