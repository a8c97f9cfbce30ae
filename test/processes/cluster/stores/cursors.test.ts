import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '../../../../harness/clock/until.ts'
import { type ClusterInstance, ClusterInstances } from '../../../../harness/cluster/cluster-instances.ts'
import { connectScripts } from '../../../../harness/cluster/connected-scripts.ts'
import { event } from '../../../../harness/fixtures/samples.ts'
import { describeWithRedis } from '../../../../harness/redis-server.ts'
import { systemClock } from '../../../../src/clock.ts'
import { EventDeliveries } from '../../../../src/panel/events/event-deliveries.ts'
import type { DeliveringNode } from '../../../../src/panel/lease.ts'
import { localPanelStores, nodeCursors, type PanelStores } from '../../../../src/panel/panel-stores.ts'

/** An instance with a node that gets the events of a panel. */
interface Delivering {
  instance: ClusterInstance
  stores: PanelStores
  deliveries: EventDeliveries<null>
  /** Ends the wish for the lease. */
  leave(): void
}

const node: DeliveringNode = { id: 'node', instances: 'one' }
const serial = 'A1'
const panel = { id: 'panel', serial }

describeWithRedis('The cursors of instances whose server is emptied', (server) => {
  const folders = new Map<string, string>()
  let instances: ClusterInstances
  let received: Map<number, boolean[]>

  beforeEach(async () => {
    await server.restart({})
    instances = new ClusterInstances(server)
    received = new Map()
  })
  afterEach(async () => {
    await instances.close()
    for (const folder of folders.values()) await rm(folder, { recursive: true, force: true, maxRetries: 10 })
    folders.clear()
  })

  const folderOf = async (name: string) => {
    const folder = folders.get(name) ?? (await mkdtemp(join(tmpdir(), 'keyholder-')))
    folders.set(name, folder)
    return folder
  }

  function subscribe(stores: PanelStores) {
    const reports = { outage: () => {}, recovery: () => {}, notice: assert.fail, gain: () => {} }
    const deliveries = new EventDeliveries<null>(serial, stores, systemClock, reports)
    const leave = deliveries.subscribe(node, {
      policy: { first: 'deliver', missed: 'deliver' },
      events: (events) => {
        for (const { event, redelivered } of events) {
          const id = event.event ?? 0
          received.set(id, [...(received.get(id) ?? []), redelivered])
        }
      },
      gap: () => assert.fail('a gap'),
    })
    return { deliveries, leave }
  }

  /** Starts an instance that has the files of this name. */
  async function start(name: string): Promise<Delivering> {
    const folder = await folderOf(name)
    const instance = await instances.add(name)
    const copyOf = nodeCursors(panel, folder, assert.fail)
    const stores = instance.cluster.panels.stores('digest', copyOf)
    return { instance, stores, ...subscribe(stores) }
  }

  async function startAlone(name: string): Promise<EventDeliveries<null>> {
    return subscribe(localPanelStores(panel, await folderOf(name))).deliveries
  }

  const isHeld = ({ stores }: Delivering) => stores.deliveryLease(node, 'events').isHeld

  /** Has the holder of the lease deliver a list, and save. */
  async function show(deliveries: EventDeliveries<null>, ...ids: number[]): Promise<void> {
    const list = ids.map((id) => event({ event: id, datetime: `2026-01-02 03:04:${10 + id}` }))
    await deliveries.accept(list, null)
    await deliveries.accept([], null)
  }

  /** Returns an instance that has sent event 1 in the cluster, then event 2 alone, and is in the cluster again. */
  async function returnAfterSendingAlone(): Promise<Delivering> {
    const one = await start('one')
    await until(() => isHeld(one))
    await show(one.deliveries, 1)
    await one.deliveries.close()
    await one.instance.cluster.close()
    const alone = await startAlone('one')
    await show(alone, 1, 2)
    await alone.close()
    const again = await start('one')
    await until(() => isHeld(again))
    return again
  }

  async function flush(): Promise<void> {
    const { connection, close } = await connectScripts(server)
    await connection.send('FLUSHALL', [])
    close()
  }

  /** Asserts that each event came, and nothing twice without a flag. */
  function assertDelivered(...ids: number[]): void {
    assert.deepEqual([...received.keys()].sort(), ids)
    for (const [id, flags] of received) assert.ok(flags.slice(1).every(Boolean), `${id} again, unflagged`)
  }

  it('begin with what a process has sent alone, if the server has nothing', async () => {
    const alone = await startAlone('one')
    await show(alone, 1, 2)
    await alone.close()
    const one = await start('one')
    await until(() => isHeld(one))
    await show(one.deliveries, 1, 2, 3)
    assert.deepEqual(
      [...received],
      [1, 2, 3].map((id) => [id, [false]]),
    )
  })

  it('flag what a process has sent alone after it was in the cluster before', async () => {
    const again = await returnAfterSendingAlone()
    await show(again.deliveries, 1, 2, 3)
    assertDelivered(1, 2, 3)
    assert.deepEqual(received.get(2), [true, true])
  })

  it('flag it on another instance, too, though the one that has sent it ends before it sends again', async () => {
    const again = await returnAfterSendingAlone()
    await show(again.deliveries)
    await again.deliveries.close()
    await again.instance.cluster.close()
    const two = await start('two')
    await until(() => isHeld(two))
    await show(two.deliveries, 1, 2, 3)
    assertDelivered(1, 2, 3)
  })

  for (const loss of ['FLUSHALL', 'a restart'] as const) {
    const empty = () => (loss === 'FLUSHALL' ? flush() : server.restart({}))

    it(`go on with the file after ${loss}, when all instances were dead meanwhile`, async () => {
      const one = await start('one')
      await until(() => isHeld(one))
      await show(one.deliveries, 1, 2)
      one.instance.kill()
      await instances.close()
      await empty()
      const again = await start('one')
      await until(() => isHeld(again))
      await show(again.deliveries, 1, 2, 3, 4)
      assertDelivered(1, 2, 3, 4)
      assert.deepEqual([received.get(1), received.get(3)], [[false], [true]])
    })
  }

  it('flag what other instances may have sent, if only a file of the time before the cluster is there', async () => {
    const alone = await startAlone('two')
    await show(alone, 1)
    await alone.close()
    const one = await start('one')
    await until(() => isHeld(one))
    await show(one.deliveries, 1, 2)
    const two = await start('two')
    await show(one.deliveries, 1, 2, 3)
    await untilNoted('two')
    two.leave()
    one.instance.kill()
    await instances.close()
    await server.restart({})
    received.set(1, [])
    const again = await start('two')
    await until(() => isHeld(again))
    await show(again.deliveries, 1, 2, 3)
    assertDelivered(1, 2, 3)
    assert.deepEqual(received.get(3), [false, true])
  })

  /** Waits until an instance has copied what another one has saved. */
  async function untilNoted(name: string): Promise<void> {
    const path = join(await folderOf(name), 'events-panel~node.json')
    await until(() => existsSync(path))
  }
})
