import assert from 'node:assert/strict'
import { NodeRedInstances } from '../../../../harness/cluster/node-red-instances.ts'
import type { FlowNode } from '../../../../harness/node-red/recorded-flow.ts'
import { describeWithRedis } from '../../../../harness/redis-server.ts'
import { requestsTo } from '../../../../harness/simulator.ts'

const minMessages = 12

describeWithRedis('Two real Node-REDs with nodes of their own for one panel', (server) => {
  let instances: NodeRedInstances

  beforeEach(async () => {
    await server.restart({})
    instances = await NodeRedInstances.prepare(server)
  })
  afterEach(() => instances.close())

  /** Returns how many polls a node has reported, one message for each partition or device. */
  const pollsOf = (node: string) =>
    new Set(instances.messages.from(node).all.map(({ fetchedAt }) => fetchedAt)).size

  /** Returns a state node whose messages are recorded for each instance as `<id> of <instance>` too. */
  function stateNode(id: string, instance: string, fields: object = {}): FlowNode[] {
    const from = JSON.stringify(`${id} of ${instance}`)
    const func = `return { payload: { from: ${from}, message: msg } }`
    return [
      { id, type: 'keyholder-state', emit: 'poll', ...fields, wires: [[`mark ${id}`]] },
      { id: `mark ${id}`, type: 'function', func, outputs: 1, wires: [['post tab']] },
    ]
  }

  /**
   * Waits for a period in which an operation is requested about once for each poll that both nodes report. Two pollers
   * would send twice as many in every period; a busy machine spoils some, as messages come late and answers time out.
   */
  async function isOnePoller(operation: string, nodes: string): Promise<void> {
    const reported = () => Math.min(...['automation', 'dashboard'].map((of) => pollsOf(`${nodes} of ${of}`)))
    for (;;) {
      const [requests, polls] = [requestsTo(instances.simulator, operation), reported()]
      await instances.messages.until(() => reported() >= polls + minMessages, `polls of the ${nodes}`)
      if (requestsTo(instances.simulator, operation) - requests < 1.5 * minMessages) return
    }
  }

  it('each get the messages of their own nodes, with one sign-in and one poll for both', async () => {
    const { simulator, messages } = instances
    const nodes = (of: string) => [
      { id: `state of ${of}`, type: 'keyholder-state', emit: 'poll' },
      { id: `readings of ${of}`, type: 'keyholder-readings', emit: 'poll' },
    ]
    await instances.start('automation', nodes('automation'))
    await messages.from('state of automation').next()
    await messages.from('readings of automation').next()
    await instances.start('dashboard', nodes('dashboard'), {}, 'panel of another flow')
    await messages.from('state of dashboard').next()
    await messages.from('readings of dashboard').next()
    // The polls of the devices read the status too, those of the state alone the alarms.
    await isOnePoller('alarms', 'state')
    await isOnePoller('devices', 'readings')
    assert.equal(requestsTo(simulator, 'auth'), 1)
    const [of, other] = ['automation', 'dashboard'].map(
      (one) => messages.from(`state of ${one}`).all.at(-1)?.payload,
    )
    assert.equal(of, other)
  })

  it('both send for a node that is set so, and only one of them for any other', async () => {
    const { simulator, messages } = instances
    const nodes = (instance: string) => [
      ...stateNode('everywhere', instance, { instances: 'every' }),
      ...stateNode('once', instance),
    ]
    await instances.start('one', nodes('one'))
    await messages.from('once of one').next()
    await instances.start('two', nodes('two'))
    await messages
      .from('tab status')
      .next(({ status }) => status.text === 'standby: one' && status.source.id === 'once')
    for (const instance of ['one', 'two'])
      await messages.from(`everywhere of ${instance}`).takeNew(minMessages)
    assert.deepEqual(messages.from('once of two').all, [])
    assert.equal(requestsTo(simulator, 'auth'), 1)
  })

  it('keep each node alive during a rolling update: one that the first lacks is sent by the second, and all after its end', async () => {
    const { messages } = instances
    const before = await instances.start('before', stateNode('old', 'before'))
    await messages.from('old of before').next()
    await instances.start('after', [...stateNode('old', 'after'), ...stateNode('new', 'after')])
    await messages.from('new of after').take(minMessages)
    assert.deepEqual(messages.from('old of after').all, [])
    await before.kill()
    await messages.from('old of after').take(minMessages)
    await messages.from('new of after').takeNew(minMessages)
  })
})
