import assert from 'node:assert/strict'
import { neverAborted } from '../../../harness/account.ts'
import { until } from '../../../harness/clock/until.ts'
import { CommandedInstances } from '../../../harness/cluster/commanded-instances.ts'
import { addNode } from '../../../harness/cluster/panel-instances.ts'
import { TcpProxy } from '../../../harness/cluster/tcp-proxy.ts'
import { setState } from '../../../harness/panel/commanded-panel.ts'
import { describeWithRedis } from '../../../harness/redis-server.ts'
import { second } from '../../../src/duration.ts'
import type { Panel } from '../../../src/panel/panel.ts'
import { type Simulator, startSimulator } from '../../../src/simulator/simulator.ts'

describeWithRedis('Instances of a cluster whose Redis is slow', (server) => {
  let simulator: Simulator
  let instances: CommandedInstances
  let way: TcpProxy

  beforeEach(async () => {
    await server.empty()
    simulator = await startSimulator({ panels: 1, speed: 10 })
    instances = new CommandedInstances(server, simulator)
    way = await TcpProxy.start(server.port)
  })
  afterEach(async () => {
    await instances.close()
    await way.close()
    await simulator.close()
  })

  const add = async (name: string, own = {}) => {
    const [panel] = await instances.add(name, own)
    return panel ?? assert.fail()
  }
  /** Sends a command, and returns the milliseconds until the service had it. */
  const command = async ({ commands }: Panel, state: string) => {
    const begin = performance.now()
    const isSent = () => simulator.requests.some(({ path }) => path.endsWith('/set_state'))
    const done = commands.execute(setState(state, -1), neverAborted())
    await Promise.race([done, until(isSent)])
    const took = performance.now() - begin
    assert.ok(isSent())
    await done
    return took
  }

  it('poll and command with 3 s there and back', async () => {
    const panel = await add('one', { address: way.address })
    const { views } = addNode(panel.state, 'node')
    await until(() => views.length > 0)
    way.delayAnswers(3 * second)
    const took = await command(panel, 'AWAY')
    console.log(`      sent after ${(took / second).toFixed(1)} s`)
    const seen = views.length
    panel.state.refresh()
    await until(() => views.length > seen)
  })

  it('leave a panel to a quicker one if the way takes longer than a session lasts, and say why', async () => {
    const slow = await add('slow', { address: way.address })
    const node = addNode(slow.state, 'node')
    await until(() => node.views.length > 0)
    const other = addNode((await add('quick')).state, 'node')
    way.delayAnswers(5 * second)
    await until(() => other.views.length > 0)
    await until(() => node.status === 'failing')
    const latest = node.conditions.at(-1)
    assert.equal(latest?.state === 'failing' && latest.error.code, 'SHARED_STATE_AWAY')
    await assert.rejects(slow.commands.execute(setState('AWAY', -1), neverAborted()), {
      code: 'SHARED_STATE_AWAY',
    })
  })
})
