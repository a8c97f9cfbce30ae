import assert from 'node:assert/strict'
import type { Flow } from '../support/flow.ts'
import { part, without } from '../support/flow-part.ts'
import { requestsTo, until, useLab } from '../support/lab.ts'
import { lateness } from '../support/lateness.ts'

const state = { type: 'keyholder-state', emit: 'poll', partitions: [1] }
const everything = { state, events: { type: 'keyholder-events' }, readings: { type: 'keyholder-readings' } }

describe('The polls of keyholder-panel', () => {
  const lab = useLab()

  /** A panel at another service, whose polls are the beat by which the silence of the first is measured. */
  const metronome = async () => part(await lab.simulator(), { nodes: { beat: state } })
  const someIntervals = async (flow: Flow) => {
    await flow.out('beat').takeNew(4)
  }

  it('are made once for all who listen: 50 nodes cost what one costs', async () => {
    const fifty = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`node${index}`, state]))
    const { simulator, flow } = await lab.run({ nodes: fifty })
    await flow.out('node49').take(6)
    const told = flow.out('node0').all.length
    const polls = requestsTo(simulator, 'status')
    assert.ok(polls >= 6 && polls <= told + 1, `${told} told, ${polls} polls`)
    // Of the first poll they may be young enough for the second, and those of the latest perhaps not asked yet.
    const alarms = requestsTo(simulator, 'alarms')
    assert.ok(alarms >= polls - 2 && alarms <= polls, `${alarms} times the alarms in ${polls} polls`)
    assert.deepEqual([simulator.accounts.signIns, simulator.accounts.panelLogins], [1, 1])
    assert.deepEqual(
      ['devices', 'events'].map((operation) => requestsTo(simulator, operation)),
      [0, 0],
    )
  })

  it('are made of what somebody listens to, and end with the last who does', async () => {
    const simulator = await lab.simulator()
    const beat = await metronome()
    const all = part(simulator, { nodes: { ...everything, second: state } })
    const flow = await lab.flow([all, beat])
    const count = () => ['status', 'events', 'devices'].map((operation) => requestsTo(simulator, operation))
    const growth = async () => {
      await flow.out('beat').takeNew(2)
      const before = count()
      await someIntervals(flow)
      return count().map((after, index) => after > (before[index] ?? 0))
    }
    await flow.out('second').next()
    assert.deepEqual(await growth(), [true, true, true])
    await flow.deploy(without(all, 'state', 'readings'), beat)
    assert.deepEqual(await growth(), [true, true, false])
    await flow.deploy(without(all, ...all.ids.keys()), beat)
    assert.deepEqual(await growth(), [false, false, false])
    await flow.deploy(all, beat)
    assert.deepEqual(await growth(), [true, true, true])
  })

  it('end with Node-RED', async () => {
    const { simulator, flow } = await lab.run({ nodes: everything })
    await flow.out('state').take(3)
    await lab.stop()
    const later = await lab.flow([await metronome()])
    const requests = simulator.requests.length
    await someIntervals(later)
    assert.equal(simulator.requests.length, requests)
  })

  it('end while the account is rejected', async () => {
    const simulator = await lab.simulator()
    const rejected = part(simulator, { credentials: { password: 'wrong' }, nodes: everything })
    const flow = await lab.flow([rejected, await metronome()])
    await flow.light('state').next(({ fill }) => fill === 'red')
    const requests = simulator.requests.length
    await someIntervals(flow)
    assert.equal(simulator.requests.length, requests)
  })

  for (const operation of [
    'version',
    'auth',
    'panels',
    'panel/login',
    'panel_info',
    'status',
    'events',
    'devices',
  ]) {
    it(`do not keep a node from closing within a second while ${operation} hangs`, async () => {
      const simulator = await lab.simulator()
      simulator.hang(operation, Number.POSITIVE_INFINITY)
      const flow = await lab.flow([part(simulator, { nodes: everything })])
      for (const name of Object.keys(everything)) flow.input(name)
      await until(() => requestsTo(simulator, operation) > 0)
      const { late } = await lateness(() => lab.stop())
      assert.ok(late < 1000, `${late} ms`)
    })
  }
})
