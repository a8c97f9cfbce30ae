import assert from 'node:assert/strict'
import { FakeClock } from '../../../harness/clock/fake-clock.ts'
import { watchCluster } from '../../../nodes/config/cluster-outage.ts'
import { OpenClusters } from '../../../nodes/config/open-cluster.ts'
import type { ClusterStatus } from '../../../src/cluster/cluster.ts'
import { Cluster } from '../../../src/cluster/cluster.ts'
import { clusterSettings } from '../../../src/cluster/cluster-settings.ts'
import { away } from '../../../src/cluster/redis/redis-error.ts'
import { namesake } from '../../../src/cluster/warnings.ts'
import { second } from '../../../src/duration.ts'

describe('A warning of a cluster', () => {
  it('is given once, if its reason lasts for ten seconds', () => {
    const { clock, made, open } = start()
    const said: string[] = []
    const refuse = () => assert.fail()
    const notice = (text: string) => said.push(text)
    const stop = watchCluster(open(), clock, { outage: refuse, recovery: refuse, notice })
    const cluster = made[0] ?? assert.fail()
    for (const warnings of [['one'], [], ['one', 'two'], ['one']]) {
      cluster.warnings = warnings
      cluster.become('connected')
      clock.advance(10 * second)
    }
    assert.deepEqual(said, ['one', 'two'])
    stop()
  })
})

/** A cluster without a server, whose state a test sets. */
class FakeCluster {
  state: ClusterStatus['state'] = 'connecting'
  isOpen = false
  awaySince = 0
  warnings: string[] = []
  readonly #onChange: () => void

  constructor(onChange: () => void) {
    this.#onChange = onChange
  }

  get status(): ClusterStatus {
    const error = this.state === 'away' ? away('test') : undefined
    const { state, awaySince, warnings } = this
    return { state, error, awaySince, warnings } as Partial<ClusterStatus> as ClusterStatus
  }

  become(state: ClusterStatus['state'], awaySince = 0): void {
    this.state = state
    this.awaySince = awaySince
    this.#onChange()
  }

  open(): void {
    this.isOpen = true
  }

  async close(): Promise<void> {
    this.isOpen = false
  }
}

function start() {
  const clock = new FakeClock()
  const made: FakeCluster[] = []
  const clusters = new OpenClusters(clock, (_settings, onChange) => {
    const cluster = new FakeCluster(onChange)
    made.push(cluster)
    return cluster as unknown as Cluster
  })
  const open = (host = 'one') => clusters.open('id', clusterSettings({ address: `rediss://${host}` }))
  return { clock, clusters, made, open }
}

describe('The cluster of a config node', () => {
  it('closes at once if it is left, even while it is in use, and a later use opens it anew', () => {
    const { clusters, made, open } = start()
    const used = open()
    clusters.leave((id) => id === 'another')
    assert.equal(made[0]?.isOpen, true)
    clusters.leave((id) => id === 'id')
    assert.equal(made[0]?.isOpen, false)
    open()
    used.release()
    assert.equal(made[1]?.isOpen, true)
  })

  it('is the same for all its accounts, outlives a redeploy, and closes ten seconds after its last use', () => {
    const { clock, made, open } = start()
    const [one, other] = [open(), open()]
    one.release()
    one.release()
    clock.advance(60 * second)
    assert.equal(made[0]?.isOpen, true, 'the other one uses it')
    other.release()
    clock.advance(9 * second)
    const again = open()
    clock.advance(60 * second)
    assert.equal(made[0]?.isOpen, true)
    again.release()
    clock.advance(10 * second)
    assert.deepEqual([made.length, made[0]?.isOpen], [1, false])
    open()
    assert.deepEqual([made.length, made[1]?.isOpen], [2, true])
  })

  it('is closed and made anew when its settings have changed', () => {
    const { made, open } = start()
    open('one').release()
    open('other')
    assert.deepEqual([made[0]?.isOpen, made[1]?.isOpen], [false, true])
  })

  it('is tried when the first attempt to connect has ended, in whatever way', async () => {
    for (const state of ['connected', 'away'] as const) {
      const { made, open } = start()
      const { tried } = open()
      made[0]?.become(state)
      await tried
    }
  })
})

describe('The report that the shared state is away', () => {
  it('is made once after ten seconds, and its end once', () => {
    const { clock, made, open } = start()
    const said: string[] = []
    const stop = watchCluster(open(), clock, {
      outage: ({ code }) => said.push(code),
      recovery: () => said.push('back'),
      notice: (sentence) => said.push(sentence),
    })
    const [cluster] = made
    cluster?.become('away', clock.monotonic())
    clock.advance(9 * second)
    cluster?.become('connected')
    clock.advance(60 * second)
    assert.deepEqual(said, [], 'a failover is not reported')
    cluster?.become('away', clock.monotonic())
    clock.advance(10 * second)
    cluster?.become('away', clock.monotonic() - 10 * second)
    assert.deepEqual(said, ['SHARED_STATE_AWAY'])
    cluster?.become('connected')
    cluster?.become('connected')
    assert.deepEqual(said, ['SHARED_STATE_AWAY', 'back'])
    stop()
    cluster?.become('away', clock.monotonic())
    clock.advance(60 * second)
    assert.equal(said.length, 2)
    assert.equal(clock.pending, 0)
  })
})

/** A clock that counts how often it is read. */
class CountingClock extends FakeClock {
  reads = 0

  override monotonic(): number {
    this.reads += 1
    return super.monotonic()
  }
}

describe('The status of a cluster with many panels', () => {
  /** Opens a cluster with this number of panels, each of which watches it; `fail` ends the first attempt to connect. */
  function openWatched(panels: number) {
    const clock = new CountingClock()
    let fail = () => {}
    const load = () => new Promise<never>((_resolve, reject) => (fail = () => reject(new Error('test'))))
    const clusters = new OpenClusters(
      clock,
      (settings, onChange) => new Cluster(settings, { clock, onChange, load }),
    )
    const opened = clusters.open('id', clusterSettings({ address: 'rediss://one' }))
    const reports = { outage: () => {}, recovery: () => {}, notice: () => {} }
    for (let panel = 0; panel < panels; panel += 1) {
      opened.cluster.panels.leases.lease(`panel${panel}`).want()
      watchCluster(opened, clock, reports)
    }
    return { clock, clusters, opened, fail: () => fail() }
  }

  /** Returns how often the clock is read when the status changes, and when each panel then looks at the status. */
  async function countReads(panels: number): Promise<{ change: number; looks: number }> {
    const { clock, clusters, opened, fail } = openWatched(panels)
    clock.advance(second)
    clock.reads = 0
    fail()
    await opened.tried
    const change = clock.reads
    clock.advance(second)
    clock.reads = 0
    for (let panel = 0; panel < panels; panel += 1) {
      assert.deepEqual(opened.cluster.status.leases, { wanted: panels, held: 0, passed: 0 })
    }
    clusters.leave(() => true)
    return { change, looks: clock.reads }
  }

  it('costs ten times as much for ten times the panels, and not a hundred times', async () => {
    const [few, many] = [await countReads(20), await countReads(200)]
    assert.ok(many.change < 20 * few.change, `${few.change} and ${many.change} reads`)
    assert.ok(many.looks < 20 * few.looks, `${few.looks} and ${many.looks} reads`)
  })
})

describe('A notice about an instance', () => {
  it('is given once, if two have the same name for ten seconds', () => {
    const { clock, made, open } = start()
    const said: string[] = []
    const refuse = () => assert.fail()
    const notice = (text: string) => said.push(text)
    const stop = watchCluster(open(), clock, { outage: refuse, recovery: refuse, notice })
    const cluster = made[0] ?? assert.fail()
    const set = (isSo: boolean) => {
      cluster.warnings = isSo ? [namesake] : []
      cluster.become('connected')
    }
    set(true)
    clock.advance(9 * second)
    set(false)
    clock.advance(60 * second)
    assert.deepEqual(said, [], 'a restart is not reported')
    for (const _again of [1, 2]) {
      set(true)
      clock.advance(10 * second)
    }
    assert.equal(said.length, 1)
    assert.match(said[0] ?? '', /has the same name .* Enter another Instance name/)
    stop()
    assert.equal(clock.pending, 0)
  })
})
