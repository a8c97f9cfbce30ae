import assert from 'node:assert/strict'
import { useFlowHarness } from '../../../harness/flow.ts'
import { requestsTo } from '../../../harness/simulator.ts'

const type = 'keyholder-state'
/** So long that messages come only from inputs. */
const rarePolls = { stateEvery: 600_000 }

describe('An input of the node keyholder-state', () => {
  const harness = useFlowHarness()

  it('reads at once and is always answered, even if nothing has changed', async () => {
    const { simulator, home, flow } = await harness.start({
      panel: rarePolls,
      nodes: { state: { type, partitions: [1] } },
    })
    const out = flow.output('state')
    await out.next()
    assert.equal(requestsTo(simulator, 'status'), 1)
    home.arm(1, 'AWAY')
    flow.input('state')
    assert.equal((await out.next()).payload, 'ARMING')
    flow.input('state')
    const again = await out.next()
    assert.deepEqual([again.payload, again.state.previous], ['ARMING', 'DISARM'])
    await flow.completed.take(2)
    assert.equal(requestsTo(simulator, 'status'), 3)
    assert.equal(out.all.length, 3)
  })

  it('is answered on the incoming message, with its other properties, and on its clones', async () => {
    const { flow } = await harness.start({ panel: rarePolls, nodes: { state: { type } } })
    await flow.output('state').take(3)
    const req = { of: 'somebody else' }
    const message = {
      _msgid: 'mine',
      topic: 'old',
      payload: 'old',
      state: 'old',
      count: 7,
      req,
      list: [{ a: 1 }],
    }
    flow.input('state', message)
    const answers = await flow.output('state').take(3)
    assert.equal(answers[0], message)
    assert.deepEqual(
      answers.map(({ _msgid, topic, payload, count, list }) => [_msgid, topic, payload, count, list]),
      [1, 2, 3].map((id) => ['mine', `Home/partition/${id}`, 'DISARM', 7, [{ a: 1 }]]),
    )
    assert.equal(new Set(answers.map(({ list }) => list)).size, 3)
    assert.equal(answers[0]?.req, req)
    for (const { state, partition } of answers)
      assert.deepEqual([state.value, partition.active], ['DISARM', true])
  })

  it('sends a change to the flow once, not twice', async () => {
    const beat = { type, emit: 'poll', partitions: [1] }
    const { home, flow } = await harness.start({
      panel: { stateEvery: 1 },
      nodes: { beat, withInput: { type, partitions: [1] }, other: { type, partitions: [1] } },
    })
    await flow.output('beat').take(2)
    // Right after a poll, so that the input is the first to find the change.
    home.arm(1, 'AWAY')
    flow.input('withInput', { fromInput: true })
    await flow.output('beat').take(3)
    const received = (name: string) =>
      flow.output(name).all.map(({ payload, fromInput }) => [payload, fromInput])
    assert.deepEqual(received('withInput'), [
      ['DISARM', undefined],
      ['ARMING', true],
    ])
    assert.deepEqual(received('other'), [
      ['DISARM', undefined],
      ['ARMING', undefined],
    ])
  })

  it('is answered separately from simultaneous ones, with a single request', async () => {
    const { simulator, flow } = await harness.start({
      panel: rarePolls,
      nodes: { state: { type, partitions: [2] } },
    })
    await flow.output('state').next()
    const before = requestsTo(simulator, 'status')
    for (let number = 1; number <= 20; number += 1) flow.input('state', { number })
    const numbers = (await flow.output('state').take(20)).map(({ number }) => number)
    assert.deepEqual(
      numbers.sort((one, other) => one - other),
      Array.from({ length: 20 }, (_, index) => index + 1),
    )
    assert.equal(requestsTo(simulator, 'status') - before, 1)
  })

  it('that reaches many nodes at once is answered by each of them once, and changes others once', async () => {
    const beat = { type, emit: 'poll', partitions: [1] }
    const { flow } = await harness.start({
      panel: rarePolls,
      nodes: { one: beat, two: beat, three: beat, other: beat },
    })
    const withInput = ['one', 'two', 'three']
    const all = [...withInput, 'other']
    for (const name of all) await flow.output(name).next()
    for (const name of withInput) flow.input(name, { fromInput: true })
    for (const name of all) await flow.output(name).next()
    for (const name of withInput) flow.input(name, { fromInput: true })
    for (const name of all) await flow.output(name).next()
    const received = (name: string) => flow.output(name).all.map(({ fromInput }) => fromInput)
    for (const name of withInput) assert.deepEqual(received(name), [undefined, true, true])
    assert.deepEqual(received('other'), [undefined, undefined, undefined])
  })

  it('is answered while the first poll is still in flight', async () => {
    const { flow } = await harness.start({ panel: rarePolls, nodes: { state: { type, partitions: [1] } } })
    flow.input('state', { fromInput: true })
    const answer = await flow.output('state').next(({ fromInput }) => fromInput)
    assert.equal(answer.payload, 'DISARM')
  })

  it('reaches Catch with NOT_FOUND if the panel has none of the partitions', async () => {
    const { flow } = await harness.start({ nodes: { state: { type, partitions: [9] } } })
    flow.input('state', { _msgid: 'mine', count: 7 })
    const { error, _msgid, count } = await flow.caught.next()
    assert.deepEqual([error.code, error.source.type, _msgid, count], ['NOT_FOUND', type, 'mine', 7])
    assert.match(error.message, /^KeyholderError: [A-Z].+ none of the partitions .+ Change "Partitions".+\.$/)
    assert.deepEqual(flow.output('state').all, [])
  })

  it('reaches Catch if the service fails, and the next one is answered', async () => {
    const { simulator, flow } = await harness.start({
      panel: rarePolls,
      nodes: { state: { type, partitions: [1] } },
    })
    await flow.output('state').next()
    simulator.respondOnce('status', { status: 500, body: 'out of order' })
    flow.input('state', { count: 7 })
    const { error, count } = await flow.caught.next()
    assert.deepEqual([error.code, count], ['SERVER_ERROR', 7])
    assert.deepEqual((await flow.status('state').next(({ fill }) => fill === 'red')).text, 'service error')
    flow.input('state')
    await flow.output('state').next()
    await flow.status('state').next(({ fill, text }) => fill === 'green' && text === 'disarmed, ready')
  })
})
