import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { until } from '../../../../harness/clock/until.ts'
import { ClusterInstances } from '../../../../harness/cluster/cluster-instances.ts'
import { cursorFolder } from '../../../../harness/cursors/cursor-files.ts'
import { createEventLoad, type EventLoad, noneLost } from '../../../../harness/node-red/event-load.ts'
import type { FlowNode } from '../../../../harness/node-red/recorded-flow.ts'
import { type NodeRedHarness, startNodeRedHarness } from '../../../../harness/node-red.ts'
import { describeWithRedis } from '../../../../harness/redis-server.ts'
import { minute } from '../../../../src/duration.ts'

describeWithRedis('A real Node-RED that moves into a cluster and out of it', (server) => {
  let harness: NodeRedHarness
  let load: EventLoad

  beforeEach(async () => {
    await server.restart({})
    await prepare()
    harness = await startNodeRedHarness()
    load = createEventLoad(harness, 'one', 'two')
  })
  afterEach(async () => {
    load.stop()
    await harness.close()
  })

  /** A server that knows nothing of a cluster would let the instance wait for 72 seconds. */
  async function prepare(): Promise<void> {
    const instances = new ClusterInstances(server)
    await instances.add('handshake')
    await instances.close()
  }

  const inCluster = (flows: readonly FlowNode[]): FlowNode[] => [
    {
      id: 'cluster',
      type: 'keyholder-cluster',
      address: server.address,
      clusterName: 'test',
      instance: 'here',
    },
    ...flows.map((node) => (node.id === 'account' ? { ...node, cluster: 'cluster' } : node)),
  ]
  /** Removes the logs of the requests, as if the latest one was sent more than a minute ago: then nobody pauses. */
  const forgetRequests = async () => {
    const folder = cursorFolder(harness)
    const logs = readdirSync(folder).filter((name) => /^user-.*\.log$/.test(name))
    assert.ok(logs.length > 0)
    for (const name of logs) await rm(join(folder, name))
  }
  /** Waits until the folder has these cursors and no others. */
  const untilFiles = (...names: string[]) =>
    until(() => {
      const found = readdirSync(cursorFolder(harness)).filter((name) => /^events-.*\.json$/.test(name))
      return `${found.sort()}` === `${names}`
    }, `${names}`)

  /** The number of messages about events. */
  const messageCount = () =>
    ['one', 'two']
      .flatMap((id) => harness.messages.from(id).all)
      .filter(({ topic }) => topic.includes('/event/')).length

  it('gets each event once unflagged, also in a Redis that was emptied meanwhile', async () => {
    const node = { type: 'keyholder-events', first: 'deliver' }
    const flows = await harness.writeFlows([
      { id: 'one', ...node },
      { id: 'two', ...node },
    ])
    const restart = async (next: readonly FlowNode[], added: number, { isLater = false } = {}) => {
      assert.equal(await nodeRed.stop(), 0)
      if (isLater) await forgetRequests()
      load.addEvents(added)
      const { email, password, userCode } = harness.simulator
      await harness.writeFlowFile(next, { account: { email, password }, panel: { userCode } })
      nodeRed = harness.startNodeRed()
      await load.finish()
    }
    load.addEvents(3)
    let nodeRed = harness.startNodeRed()
    await load.finish()
    await untilFiles('events-panel.json')

    await restart(inCluster(flows), 3, { isLater: true })
    await untilFiles('events-panel.json', 'events-panel~one.json', 'events-panel~two.json')
    const flaggedBefore = load.flaggedCount
    assert.ok(flaggedBefore <= 2, 'no more than the last event of each node, which may be on a wire')

    await server.restart({})
    await prepare()
    await restart(inCluster(flows), 3, { isLater: true })
    assert.ok(load.flaggedCount >= flaggedBefore + 2 * 3, 'what happened meanwhile')

    const { requests } = harness.simulator
    const sentBefore = requests.length
    await restart(flows, 3)
    const [last = Number.NaN, first = Number.NaN] = requests.slice(sentBefore - 1).map(({ at }) => at)
    assert.ok(first - last >= minute, `a request after ${first - last} ms`)
    assert.deepEqual(load.counts, noneLost)
    // Of each stop, the last event of each node may be on a wire.
    const repeated = messageCount() - 2 * load.count
    assert.ok(repeated <= 2 * 3, `${repeated} repeated, with a flag`)
  })
})
