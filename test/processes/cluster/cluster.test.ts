import assert from 'node:assert/strict'
import { FakeClock } from '../../../harness/clock/fake-clock.ts'
import { until } from '../../../harness/clock/until.ts'
import {
  assertWorks,
  lastingTimes,
  shortTimes,
  waitOfFull,
} from '../../../harness/cluster/cluster-instances.ts'
import { connectScripts } from '../../../harness/cluster/connected-scripts.ts'
import { monitorRedis } from '../../../harness/cluster/redis-monitor.ts'
import { describeWithRedis } from '../../../harness/redis-server.ts'
import { systemClock } from '../../../src/clock.ts'
import { Cluster, type ClusterOptions } from '../../../src/cluster/cluster.ts'
import { clusterSettings } from '../../../src/cluster/cluster-settings.ts'
import { second } from '../../../src/duration.ts'
import { columnsOf } from '../../../src/panel/events/event-history.ts'
import type { RawSettings } from '../../../src/settings.ts'

describeWithRedis('A cluster', (server) => {
  const opened: Cluster[] = []

  function open(settings: RawSettings = {}, options: Partial<ClusterOptions> = {}): Cluster {
    const raw = { address: server.address, instance: 'one', ...settings }
    const cluster = new Cluster(clusterSettings(raw), { clock: systemClock, times: shortTimes, ...options })
    opened.push(cluster)
    cluster.open()
    return cluster
  }

  beforeEach(() => server.restart({}))
  afterEach(() => Promise.all(opened.splice(0).map((cluster) => cluster.close())))

  it('tells its status: who is there, what it holds, and the server', async () => {
    let changes = 0
    const onChange = () => {
      changes += 1
    }
    const cluster = open({}, { onChange })
    assert.deepEqual([cluster.status.state, cluster.status.instances], ['connecting', []])
    await until(() => cluster.status.state === 'connected')
    const other = open({ instance: 'other' })
    await until(() => cluster.status.instances.length === 2)
    const { instance, instances, leases, error, awaySince } = cluster.status
    assert.deepEqual(
      [instance, instances, leases],
      ['one', ['one', 'other'], { wanted: 0, held: 0, passed: 0 }],
    )
    assert.deepEqual([error, awaySince], [undefined, undefined])
    await other.close()
    await until(() => cluster.status.instances.length === 1)
    assert.ok(changes >= 3)
  })

  it('tells which settings of a panel differ from those of which instance, until they are the same', async () => {
    const [one, other] = [open({ instance: 'one' }), open({ instance: 'other' })]
    for (const cluster of [one, other]) cluster.panels.leases.lease('panel').want()
    one.panels.leases.noteSettings('panel', { 'Request limit': '20', Language: 'en_US' })
    other.panels.leases.noteSettings('panel', { 'Request limit': '120', Language: 'en_US' })
    await until(() => one.status.warnings.length > 0 && other.status.warnings.length > 0)
    const [[warning, ...more], [otherWarning]] = [one.status.warnings, other.status.warnings]
    assert.deepEqual(more, [])
    assert.match(`${warning}`, /^"Request limit" is 20 here and 120 in the Node-RED instance "other"/)
    assert.match(`${otherWarning}`, /^"Request limit" is 120 here and 20 in the Node-RED instance "one"/)
    other.panels.leases.noteSettings('panel', { 'Request limit': '20', Language: 'en_US' })
    await until(() => one.status.warnings.length === 0 && other.status.warnings.length === 0)
  })

  it('tells the name of another cluster on the same server that uses the same account', async () => {
    const clock = new FakeClock()
    const clusters = ['house', 'hosue'].map((clusterName) =>
      open({ clusterName }, { clock, times: lastingTimes }),
    )
    for (const cluster of clusters) {
      await until(() => cluster.status.state === 'connected')
      cluster.userStores('user1')
    }
    await until(() => {
      clock.advance(second)
      return clusters.every(({ status }) => status.warnings.length === 1)
    })
    assert.match(`${clusters[0]?.status.warnings}`, /"hosue", uses an account of this one.* Cluster name/)
    assert.match(`${clusters[1]?.status.warnings}`, /"house"/)
  })

  it('tells if another live instance has the same name', async () => {
    const [cluster, namesake] = [open(), open()]
    const isTold = ({ status }: Cluster) => status.warnings.some((one) => /has the same name/.test(one))
    await until(() => isTold(cluster) && isTold(namesake))
    await namesake.close()
    await until(() => !isTold(cluster))
    open({ instance: 'other' })
    await until(() => cluster.status.instances.length === 2)
    assert.equal(isTold(cluster), false)
  })

  it('tells since when it is away, and why', async () => {
    const cluster = open()
    await until(() => cluster.status.state === 'connected')
    await server.kill()
    await until(() => cluster.status.state === 'away')
    const { error, awaySince } = cluster.status
    assert.equal(error?.code, 'SHARED_STATE_AWAY')
    assert.ok(awaySince !== undefined && awaySince <= systemClock.monotonic())
    await assert.rejects(cluster.userStores('user').rateLimits.take('command'), { code: 'SHARED_STATE_AWAY' })
    await server.restart()
    await until(() => cluster.status.state === 'connected')
    assert.equal(cluster.status.awaySince, undefined)
  })

  it('lets those who wait for room fail at once when it is away', async () => {
    const cluster = open()
    await until(() => cluster.status.state === 'connected')
    const { rateLimits } = cluster.userStores('user')
    rateLimits.limit = 1
    assert.ok(await rateLimits.take('poll'))
    await waitOfFull(rateLimits, 'poll')
    await server.kill()
    await until(() => cluster.status.state === 'away')
    assert.equal(rateLimits.wait('poll'), 0)
  })

  it('tells how long nothing is sent after a first start', async () => {
    const quiet = { blank: 60_000, other: 5000 }
    const cluster = open({}, { times: { ...lastingTimes, quiet } })
    await until(() => cluster.status.state === 'connected')
    const { rateLimits } = cluster.userStores('user')
    const left = await waitOfFull(rateLimits, 'command')
    assert.ok(left <= 60_000, `${left}`)
  })

  it('does not mix with one of another name on the same server', async () => {
    const [one, other] = [open({ clusterName: 'test' }), open({ clusterName: 'production' })]
    await until(() => one.status.instances.length === 1 && other.status.instances.length === 1)
    for (const cluster of [one, other]) cluster.panels.leases.lease('panel').want()
    await until(() => one.panels.leases.lease('panel').isHeld && other.panels.leases.lease('panel').isHeld)
  })

  it('works with a user who has the rights that the error names, and no others', async () => {
    const rights = ['~keyholder:*', '+@read', '+@write', '+@scripting', '+@connection', '+info', '+time']
    await server.restart({ args: ['--user', 'app', 'on', '>right', ...rights] })
    const cluster = open({ username: 'app', password: 'right' })
    await assertWorks(cluster)
  })

  it('continues on a server that has another identity, and looks at each lease again', async () => {
    const cluster = open()
    const panel = cluster.panels.leases.lease('panel')
    panel.want()
    await until(() => panel.isHeld)
    const changes: boolean[] = []
    panel.onChange(() => changes.push(panel.isHeld))
    await server.restart({ appendOnly: true })
    await until(() => !changes[0] && changes.at(-1) === true)
  })

  for (const loss of ['a restart', 'FLUSHALL']) {
    it(`doubts its cursors after ${loss}, also if another instance was the first to notice`, async () => {
      const panels = [open({ instance: 'one' }), open({ instance: 'other' })].map((cluster) => {
        const name = `panel of ${cluster.status.instance}`
        const stores = { lease: cluster.panels.leases.lease(name), cursor: cluster.panels.cursor(name) }
        stores.lease.want()
        return stores
      })
      await until(() => panels.every(({ lease }) => lease.isHeld))
      for (const { cursor } of panels) assert.equal((await cursor.load('A1')).doubtful, false)
      const before = panels.map(({ lease }) => lease.fence)
      if (loss === 'a restart') await server.restart()
      else {
        const { connection, close } = await connectScripts(server)
        await connection.send('FLUSHALL', [])
        close()
      }
      await until(() => panels.every(({ lease }, index) => lease.isHeld && lease.fence !== before[index]))
      for (const { cursor } of panels) assert.equal((await cursor.load('A1')).doubtful, true)
    })
  }

  for (const isNew of [false, true]) {
    const heirs = isNew ? 'from the copy of another one, if it has none itself' : 'from its own copy'
    it(`continues with the cursor of an instance that ended together with the data of the server, ${heirs}`, async () => {
      const [one, other] = ['one', 'other'].map((instance) => open({ instance }, { times: lastingTimes }))
      assert.ok(one && other)
      const [lease, cursor] = [one.panels.leases.lease('panel'), one.panels.cursor('panel')]
      lease.want()
      await until(() => lease.isHeld)
      const copy = other.panels.cursor('panel')
      await cursor.load('A1')
      const columns = columnsOf({ hashes: [1], occurrences: [0], sequences: [1] }, 2)
      const memory = { ...columns, next: 2, order: 'oldest first', newest: null, moved: null } as const
      const state = { serial: 'A1', memory, positions: { node: 1 } }
      await cursor.save(state)
      let copies = 0
      const endMonitor = await monitorRedis(server, ([command, key], source) => {
        if (command === 'GET' && key === 'keyholder:{keyholder}:panel:panel:cursor' && source !== 'lua')
          copies += 1
      })
      // The second copy is read only after the first one has arrived.
      while (copies < 2) await cursor.save(state)
      endMonitor()
      await one.close()
      await server.kill()
      await until(() => other.status.state === 'away')
      await server.restart()
      await until(() => other.status.state === 'connected')
      const next = isNew ? open({ instance: 'new' }, { times: lastingTimes }) : other
      const heir = {
        lease: next.panels.leases.lease('panel'),
        cursor: isNew ? next.panels.cursor('panel') : copy,
      }
      heir.lease.want()
      await until(() => heir.lease.isHeld)
      const { state: kept, doubtful } = await heir.cursor.load('A1')
      assert.deepEqual([kept?.positions, doubtful], [{ node: 1 }, true])
      assert.equal((await heir.cursor.load('another')).state, null)
    })
  }

  it('is not disturbed by a listener that throws', async () => {
    const cluster = open()
    const panel = cluster.panels.leases.lease('panel')
    panel.onChange(() => {
      throw new Error('a defect of the listener')
    })
    panel.want()
    await until(() => panel.isHeld)
    await until(() => cluster.status.leases.held === 1)
  })
})
