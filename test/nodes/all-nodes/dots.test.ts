import assert from 'node:assert/strict'
import { processTime } from '../../../harness/clock/process-fake-clock.ts'
import type { RunningFlow } from '../../../harness/flow/running-flow.ts'
import { useFlowHarness } from '../../../harness/flow.ts'
import { status as answering } from '../../../src/simulator/faults/response-faults.ts'

const nodes = {
  state: { type: 'keyholder-state' },
  events: { type: 'keyholder-events' },
  incident: { type: 'keyholder-incident' },
  conditions: { type: 'keyholder-conditions' },
  readings: { type: 'keyholder-readings' },
  bridge: { type: 'keyholder-home-assistant' },
}
const names = Object.keys(nodes)
const shown = (flow: RunningFlow, name: string) => flow.status(name).all.at(-1)

/** Waits until the dots of all nodes have a color. */
async function allShow(flow: RunningFlow, color: string, of = names): Promise<void> {
  await processTime.until(() =>
    of.every((name) => shown(flow, name)?.fill === color && shown(flow, name)?.shape === 'dot'),
  )
}

describe('The dot below every node of a panel', () => {
  const harness = useFlowHarness()

  it('is red while a partition is in alarm or an incident is open, and green before and after', async () => {
    const { home, flow } = await harness.start({ nodes })
    await allShow(flow, 'green')
    home.arm(1, 'AWAY', { exitDelay: 0 })
    home.open(2)
    await allShow(flow, 'red')
    const { name: label } = home.zone(2)
    assert.match(shown(flow, 'conditions')?.text ?? '', RegExp(`^ALARM: ${label}`))
    assert.match(shown(flow, 'readings')?.text ?? '', RegExp(label))
    // Restored, but armed: nobody has ended it.
    home.close(2)
    await flow.status('incident').next(({ text }) => text.startsWith('restored'))
    const since = names.map((name) => flow.status(name).all.length)
    await processTime.pass(5000)
    for (const [at, name] of names.entries()) {
      const later = flow.status(name).all.slice(since[at])
      assert.deepEqual(
        later.filter(({ fill }) => fill !== 'red'),
        [],
        name,
      )
    }
    home.disarm(1)
    await allShow(flow, 'green', ['state', 'events', 'incident', 'readings', 'bridge'])
    // The alarm is in memory, which is in the list.
    assert.equal(shown(flow, 'conditions')?.fill, 'yellow')
  })

  it('is red for an incident that only the events tell, also of a node that reads only events', async () => {
    const { home, flow } = await harness.start({ nodes: { events: nodes.events } })
    await allShow(flow, 'green', ['events'])
    home.tamper(2)
    await allShow(flow, 'red', ['events'])
    home.restoreTamper(2)
    await allShow(flow, 'green', ['events'])
  })

  it('stands beside the alarm and not beside "disarmed" during a tamper while all is disarmed', async () => {
    const { home, flow } = await harness.start({ nodes: { state: nodes.state, events: nodes.events } })
    await allShow(flow, 'green', ['state', 'events'])
    home.tamper(2)
    await flow.status('state').next(({ fill, text }) => fill === 'red' && /^ALARM: /.test(text))
    home.restoreTamper(2)
    await flow.status('state').next(({ fill, text }) => fill === 'green' && !/ALARM/.test(text))
  })

  it('is not changed by a duress', async () => {
    const { home, flow } = await harness.start({ nodes })
    await allShow(flow, 'green')
    home.log({ type_id: 15, device_type: 'USER', zone: 1, appointment: 'Anna' })
    await flow.output('incident').next(({ payload }) => payload.kind === 'duress')
    await processTime.pass(5000)
    for (const name of names)
      assert.deepEqual(
        flow
          .status(name)
          .all.filter(({ fill, shape }) => fill !== 'green' && fill !== 'blue' && shape === 'dot'),
        [],
        name,
      )
    assert.deepEqual(flow.output('conditions').all, [])
  })

  it('is yellow during an entry delay and an exit delay', async () => {
    const { home, flow } = await harness.start({ nodes })
    await allShow(flow, 'green')
    home.arm(1, 'AWAY', { exitDelay: 10 })
    await allShow(flow, 'yellow')
    await allShow(flow, 'green')
    home.open(1)
    await allShow(flow, 'yellow')
  })

  it('is yellow below the nodes that show it while a partition is not ready', async () => {
    const { home, flow } = await harness.start({
      nodes: { ...nodes, other: { type: 'keyholder-state', partitions: [3] } },
    })
    await allShow(flow, 'green')
    home.open(1)
    await allShow(flow, 'yellow', ['state', 'conditions', 'readings', 'bridge'])
    assert.match(shown(flow, 'state')?.text ?? '', /^not ready/)
    for (const name of ['events', 'incident', 'other']) assert.equal(shown(flow, name)?.fill, 'green', name)
  })

  for (const [cause, text] of [
    ['the service fails', 'service error'],
    ['the panel is offline', 'panel offline'],
  ] as const) {
    it(`stays red and says so when ${cause}`, async () => {
      const { simulator, home, flow } = await harness.start({ nodes })
      await allShow(flow, 'green')
      home.arm(1, 'AWAY', { exitDelay: 0 })
      home.open(2)
      await allShow(flow, 'red')
      if (cause === 'the service fails') simulator.faults.start(answering(500))
      else home.goOffline()
      const since = names.map((name) => flow.status(name).all.length)
      await processTime.until(() =>
        ['state', 'events', 'incident', 'conditions'].every((name) => shown(flow, name)?.text.includes(text)),
      )
      for (const [at, name] of names.entries())
        for (const { fill, shape } of flow.status(name).all.slice(since[at]))
          assert.deepEqual([fill, shape], ['red', 'dot'], name)
      assert.match(shown(flow, 'state')?.text ?? '', RegExp(`^ALARM: ${text}: `))
    })
  }

  it('is red again after a restart while the alarm runs', async () => {
    const { home, flow, part } = await harness.start({ nodes })
    await allShow(flow, 'green')
    home.tamper(2)
    await allShow(flow, 'red')
    await harness.stopFlow()
    const again = await harness.startParts([part])
    await allShow(again, 'red')
    assert.equal(again.output('conditions').all.length, 0)
  })
})
