import assert from 'node:assert/strict'
import { until } from '../../../../harness/clock/until.ts'
import { type ConnectedScripts, connectScripts } from '../../../../harness/cluster/connected-scripts.ts'
import { mostWithin } from '../../../../harness/cluster/fleet/instance-fleet.ts'
import { NodeRedInstances } from '../../../../harness/cluster/node-red-instances.ts'
import { TcpProxy } from '../../../../harness/cluster/tcp-proxy.ts'
import { createEventLoad, noneLost } from '../../../../harness/node-red/event-load.ts'
import type { FlowNode } from '../../../../harness/node-red/recorded-flow.ts'
import type { FlowMessage } from '../../../../harness/recorder.ts'
import { describeWithRedis } from '../../../../harness/redis-server.ts'
import { requestsTo } from '../../../../harness/simulator.ts'

const minute = 60_000

describeWithRedis('Two real Node-REDs in a cluster', (server) => {
  let instances: NodeRedInstances
  let looking: ConnectedScripts | undefined

  beforeEach(() => server.restart({}))
  afterEach(async () => {
    looking?.close()
    await instances.close()
  })

  /** Waits for a status of a node of the tab. */
  const status = (text: string) =>
    instances.messages.from('tab status').next(({ status }) => status.text === text)

  it('share one sign-in; one polls, and after its kill the other one goes on: no event is lost, or repeated without a flag', async () => {
    instances = await NodeRedInstances.prepare(server)
    const { simulator, messages } = instances
    const events = [{ id: 'events', type: 'keyholder-events', first: 'deliver' }]
    const load = createEventLoad(instances, 'events')
    load.addEvents(3)
    const one = await instances.start('one', events)
    await load.finish()
    const two = await instances.start('two', events)
    await status('standby: one')
    load.addEvents(3)
    await load.finish()
    assert.equal(requestsTo(simulator, 'auth'), 1)
    await one.kill()
    load.addEvents(3)
    await load.finish()
    assert.deepEqual(load.counts, noneLost)
    assert.ok(load.flaggedCount <= 3, `${load.flaggedCount}`)
    // The second one has the token of the first one.
    assert.equal(requestsTo(simulator, 'auth'), 1)
    load.stop()
    await two.kill()
    assert.ok(messages.all.length > 0)
  })

  it('tell no state and no reading again that the killed one has told, but what has changed since', async () => {
    instances = await NodeRedInstances.prepare(server)
    const { simulator, messages } = instances
    const home = simulator.world.panel('A1B2C3')
    const [states, readings] = [messages.from('state'), messages.from('readings')]
    const nodes = [
      { id: 'state', type: 'keyholder-state', partitions: '1' },
      { id: 'readings', type: 'keyholder-readings' },
    ]
    const one = await instances.start('one', nodes)
    await Promise.all([states.next(), readings.next()])
    home.arm(1, 'AWAY', { exitDelay: 0, user: 'Alex' })
    assert.equal((await states.next(({ state }) => state.previous !== null)).state.value, 'AWAY')
    await instances.start('two', nodes)
    await status('standby: one')
    const told = [states.all.length, readings.all.length]
    await one.kill()
    // The second one has polled and shows the state: it had something to tell.
    const shown = messages.from('tab status')
    await shown.next(({ status }) => `${status.source.id} ${status.text}` === 'state armed away')
    assert.deepEqual([states.all.length, readings.all.length], told)
    home.disarm(1, { user: 'Robin' })
    const { state } = await states.next()
    assert.deepEqual([state.value, state.previous, states.all.length], ['DISARM', 'AWAY', (told[0] ?? 0) + 1])
    assert.equal(readings.all.length, told[1])
  })

  it('leave as soon as Node-RED is stopped, and when the cluster is disabled or deleted, but not at a deploy', async () => {
    instances = await NodeRedInstances.prepare(server)
    const { messages } = instances
    const nodes = [{ id: 'state', type: 'keyholder-state', emit: 'poll' }]
    const one = await instances.start('one', nodes)
    await messages.from('state').next()
    const two = await instances.start('two', nodes)
    await status('standby: one')
    looking = await connectScripts(server)
    const { command } = looking
    /** The instances of which the server knows: one that has ended without a word stays for five seconds. */
    const members = async () => (await command('HVALS', 'names')) as Buffer[]
    const names = async () => (await members()).map((name) => `${name}`).toSorted()
    const [session] = (await command('HKEYS', 'names')) as Buffer[]
    const flows = await one.get<FlowNode[]>('flows')
    // Node-RED answers before the flows have started.
    const deploy = async (changed: FlowNode[]) => {
      const starts = () => one.output.split('Started flows').length
      const before = starts()
      await one.deploy(changed)
      await until(() => starts() > before)
    }
    await deploy(flows)
    await messages.from('state').next()
    assert.deepEqual(await names(), ['one', 'two'])
    assert.equal(`${((await command('HKEYS', 'names')) as Buffer[])[0]}`, `${session}`)
    for (const changed of [
      flows.map((node) => (node.id === 'cluster' ? { ...node, d: true } : node)),
      flows.filter(({ id }) => id !== 'cluster'),
    ]) {
      await deploy(changed)
      assert.deepEqual(await names(), ['two'])
      await deploy(flows)
      const seen = messages.from('tab status').all.length
      await messages.until(() => messages.from('tab status').all.length > seen, 'the status of the first one')
      while ((await names()).length < 2) await messages.from('state').next()
    }
    await two.stop()
    assert.deepEqual(await names(), ['one'])
    await messages.from('state').next()
  })

  it('fail commands at once while the shared state is away, tell it once to Catch nodes, and go on when it is back', async () => {
    await server.restart({ appendOnly: true })
    instances = await NodeRedInstances.prepare(server)
    const { messages } = instances
    const one = await instances.start('one', [
      { id: 'state', type: 'keyholder-state', emit: 'poll' },
      { id: 'button', type: 'inject', repeat: '', wires: [['command']] },
      { id: 'command', type: 'keyholder-command', action: 'set_state', state: 'AWAY' },
      { id: 'health', type: 'keyholder-health', account: 'account' },
    ])
    await messages.from('state').next()
    await server.kill()
    const isAway = ({ payload }: FlowMessage) => payload.cluster?.state === 'away'
    const { payload, instance } = await messages.from('health').next(isAway)
    assert.deepEqual([payload.status, instance], ['offline', 'one'])
    assert.equal((await status('no shared state')).status.fill, 'yellow')
    const caught = messages.from('tab catch')
    const sentence = 'The shared state of the cluster cannot be reached'
    await one.press('button')
    const { error: refused } = await caught.next()
    assert.equal(refused.source.id, 'command')
    assert.ok(refused.message.includes(sentence), refused.message)
    const { error: report } = await caught.next()
    assert.notEqual(report.source.id, 'command')
    assert.ok(report.message.includes(sentence), report.message)
    assert.match(report.message, /The nodes continue by themselves\.$/)
    await server.restart()
    const seen = messages.from('state').all.length
    await messages.until(() => messages.from('state').all.length > seen, 'a poll')
    assert.equal(caught.all.length, 2)
  })

  it('do without one that is cut off: it sends nothing, the other one goes on, and it takes part again without repeats', async () => {
    const limit = 60
    instances = await NodeRedInstances.prepare(server, limit)
    const { simulator, messages } = instances
    const proxy = await TcpProxy.start(server.port)
    try {
      const nodes = [
        { id: 'events', type: 'keyholder-events', first: 'deliver' },
        { id: 'button', type: 'inject', repeat: '', wires: [['command']] },
        { id: 'command', type: 'keyholder-command', action: 'set_state', state: 'AWAY' },
      ]
      const health = (id: string) => ({ id, type: 'keyholder-health', account: 'account', every: 1 })
      const load = createEventLoad(instances, 'events')
      load.addEvents(2)
      const one = await instances.start('one', [...nodes, health('health of one')], {
        address: proxy.address,
      })
      await load.finish()
      const two = await instances.start('two', [...nodes, health('health of two')])
      await status('standby: one')
      proxy.cut()
      load.addEvents(2)
      await load.finish()
      const isCutOff = ({ payload }: FlowMessage) => payload.cluster?.state === 'away'
      const { payload } = await messages.from('health of one').next(isCutOff)
      assert.deepEqual([payload.status, payload.lastError.code], ['offline', 'SHARED_STATE_AWAY'])
      assert.ok(messages.from('health of two').all.every((message) => !isCutOff(message)))
      await two.kill()
      // The killed one may have sent a request that is answered now.
      const sent = simulator.requests.length
      const caught = messages.from('tab catch')
      await one.press('button')
      const { error } = await caught.next(({ error }) => error.source.id === 'command')
      assert.match(error.message, /was not carried out.* The shared state of the cluster cannot be reached/)
      const reports = () => caught.all.filter(({ error }) => error.source.id !== 'command')
      await messages.until(() => reports().length === 1, 'the report')
      assert.equal(simulator.requests.length, sent)
      load.addEvents(2)
      proxy.mend()
      await load.finish()
      assert.deepEqual(load.counts, noneLost)
      assert.equal(requestsTo(simulator, 'auth'), 1)
      assert.match(one.output, /The shared state of the cluster can be reached again/)
      assert.equal(reports().length, 1)
      const most = mostWithin(
        simulator.requests.map(({ at }) => at),
        minute,
      )
      assert.ok(most <= limit, `${most}`)
    } finally {
      await proxy.close()
    }
  })

  it('stay below the request limit of both together', async () => {
    const limit = 12
    instances = await NodeRedInstances.prepare(server, limit)
    const { simulator, messages } = instances
    const nodes = (instance: string) => [
      { id: 'state', type: 'keyholder-state', emit: 'poll' },
      { id: 'button', type: 'inject', repeat: '', wires: [['query']] },
      { id: 'query', type: 'keyholder-query', operation: 'status' },
      { id: `health of ${instance}`, type: 'keyholder-health', account: 'account', every: 1 },
    ]
    await instances.start('one', nodes('one'))
    const two = await instances.start('two', nodes('two'))
    await status('standby: one')
    // One of them polls as often as it can, and the other one asks until it must wait.
    const isWaiting = () => {
      const { waiting, usedLastMinute } = messages.from('health of two').all.at(-1)?.payload.budget ?? {}
      return waiting > 0 && usedLastMinute >= 0.8 * limit
    }
    for (let asked = 1; !isWaiting(); asked += 1) {
      await two.press('button')
      await messages.until(() => isWaiting() || messages.from('query').all.length === asked, 'an answer')
    }
    const most = mostWithin(
      simulator.requests.map(({ at }) => at),
      minute,
    )
    assert.ok(most >= 0.8 * limit && most <= limit, `${most}`)
  })
})
