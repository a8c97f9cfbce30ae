import assert from 'node:assert/strict'
import { neverAborted } from '../../../harness/account.ts'
import { info, stateSet } from '../../../harness/fixtures/samples.ts'
import { type CommandEnd, CommandedPanel, setState } from '../../../harness/panel/commanded-panel.ts'
import type { StateView } from '../../../src/panel/state/partition-state.ts'
import type { Fault } from '../../../src/simulator/faults/active-faults.ts'
import { staysHandled } from '../../../src/simulator/faults/service-faults.ts'
import { otherCase, vocabularyFaults } from '../../../src/simulator/faults/vocabulary-faults.ts'

const disarm = setState('DISARM')
const outcome = ({ done, error }: CommandEnd) => (done ? 'done' : (error?.message ?? ''))

const faults = vocabularyFaults.map((make) => make())

describe('What the setup of the panel does not define', () => {
  let at: CommandedPanel
  let view: StateView | undefined
  beforeEach(async () => {
    at = await CommandedPanel.open()
    view = undefined
    at.panel.state.subscribe({
      snapshot: (snapshot) => {
        view = snapshot.view
      },
      condition: () => {},
    })
  })
  afterEach(() => at.close())

  for (const fault of faults) {
    it(`refuses no disarm and no arming, makes nothing offline and drops no partition: ${fault.name}`, async () => {
      at.simulator.faults.start(fault)
      assert.equal(outcome(await at.run(setState('AWAY', -1))), 'done')
      await at.pass(61_000)
      assert.deepEqual(at.states, ['AWAY', 'AWAY', 'AWAY'])
      assert.equal(at.panel.online, true)
      assert.deepEqual(
        view?.partitions.map(({ id }) => id).filter((id) => id !== 9),
        [1, 2, 3],
      )
      assert.equal(outcome(await at.run(disarm)), 'done')
      assert.equal(outcome(await at.run(setState('DISARM', -1))), 'done')
      assert.deepEqual([at.states, at.sent.length], [['DISARM', 'DISARM', 'DISARM'], 3])
    })
  }

  it('drops no partition whose id is a text without a number, and commands it by that text', async () => {
    const odd = (part: unknown): unknown =>
      Array.isArray(part)
        ? part.map((one) => (typeof one === 'number' ? `P${one}` : odd(one)))
        : part !== null && typeof part === 'object'
          ? Object.fromEntries(
              Object.entries(part).map(([name, value]) => [name, name === 'id' ? `P${value}` : odd(value)]),
            )
          : part
    for (const operation of ['status', 'panel_info'])
      at.simulator.faults.start(
        {
          name: 'odd ids of partitions',
          answer: (getOriginal) => {
            const reply = getOriginal()
            const body = reply.body as { partitions: object[] }
            return { ...reply, body: { ...body, partitions: odd(body.partitions) } }
          },
        },
        { operation },
      )
    const { account } = at.harness
    const sent: unknown[] = []
    const send = account.sendCommand.bind(account)
    // Stands for a service that knows these texts.
    account.sendCommand = (operation, order) => {
      const { partition } = order.body as { partition: string }
      sent.push(partition)
      return send(operation, { ...order, body: { ...order.body, partition: Number(partition.slice(1)) } })
    }
    await at.panel.state.read(neverAborted())
    assert.deepEqual(
      view?.partitions.map(({ name }) => name),
      ['House', 'Workshop', 'Garage'],
    )
    const second = view?.partitions[1]?.id ?? assert.fail()
    assert.equal(outcome(await at.run(setState('AWAY', second))), 'done')
    assert.equal(outcome(await at.run(setState('DISARM', second))), 'done')
    assert.deepEqual(sent, ['P2', 'P2'])
  })

  it('does not keep a word in other letters from being that word', async () => {
    at.simulator.faults.start(otherCase('small'))
    at.simulated.open(2)
    const { error } = await at.run(setState('AWAY'))
    assert.match(error?.message ?? '', /Close or bypass: Kitchen window \(zone 2\)/)
    at.simulated.close(2)
    at.simulator.faults.start(staysHandled())
    assert.equal(outcome(await at.run(setState('HOME', 1, ['NOENTRY']))), 'done')
    await at.pass(61_000)
    const { value, options } = view?.partitions[0] ?? {}
    assert.deepEqual([value, options], ['HOME', ['NOENTRY']])
    assert.equal((await at.run(setState('HOME', 1, ['NOENTRY']))).done?.view.already, true)
  })

  /** Has the setup name these states. */
  const define = (states: readonly object[], partitions?: readonly object[]) => {
    const body = {
      ...info({ id: 1, name: 'House' }, { id: 2 }, { id: 3 }),
      ...(partitions && { partitions }),
      state_sets: { all: states },
    }
    at.simulator.faults.start(
      { name: 'setup', answer: () => ({ status: 200, body }) },
      { operation: 'panel_info' },
    )
  }

  it('refuses no disarm if it is the state DISARM itself, or if no state is defined', async () => {
    at.simulated.arm(-1, 'AWAY')
    define(stateSet.filter(({ name }) => name !== 'DISARM'))
    assert.equal(outcome(await at.run(disarm)), 'done')
    await at.close()
    at = await CommandedPanel.open()
    at.simulated.arm(1, 'AWAY')
    define([])
    assert.equal(outcome(await at.run(disarm)), 'done')
  })

  it('refuses no disarm of the other partitions if one of them cannot be disarmed, or needs it not', async () => {
    at.simulated.arm(1, 'AWAY')
    define(stateSet.map((one) => (one.name === 'DISARM' ? { ...one, transitions: ['AWAY'] } : one)))
    assert.ok((await at.run(setState('DISARM', -1))).done)
    assert.equal(at.states[0], 'DISARM')
  })

  describe('or says not to be in use,', () => {
    const unused = [4, 5, 6]
    const withUnused = (fields: object): Fault => ({
      name: 'unused partitions',
      answer: (getOriginal, { operation }) => {
        const reply = structuredClone(getOriginal())
        const body = reply.body as { partitions?: object[] }
        if (operation !== 'status' && operation !== 'panel_info') return reply
        const [first] = body.partitions ?? []
        const more = unused.map((id) => ({
          ...first,
          id,
          name: '',
          active: false,
          state: 'DISARM',
          ...fields,
        }))
        return { ...reply, body: { ...body, partitions: [...(body.partitions ?? []), ...more] } }
      },
    })

    it('is not waited for by a command for the whole panel', async () => {
      at.simulator.faults.start(withUnused({ ready: false }))
      assert.equal(outcome(await at.run(setState('AWAY', -1))), 'done')
      assert.equal((await at.run(setState('AWAY', -1))).done?.view.already, true)
      at.simulator.faults.clear()
      at.simulated.disarm(-1)
      at.simulator.faults.start(withUnused({ ready: true }))
      at.simulator.faults.start(staysHandled())
      assert.equal(outcome(await at.run(setState('HOME', -1))), 'done')
      assert.equal(outcome(await at.run(setState('DISARM', -1))), 'done')
    })

    it('is armed and disarmed if a command names it: the panel decides', async () => {
      at.simulator.faults.start(withUnused({ ready: true }))
      assert.equal((await at.run(setState('DISARM', 5))).error?.status, 400)
      assert.equal(at.sent.length, 1)
    })
  })
})
