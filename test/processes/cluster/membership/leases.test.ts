import assert from 'node:assert/strict'
import { FakeClock } from '../../../../harness/clock/fake-clock.ts'
import { until } from '../../../../harness/clock/until.ts'
import {
  type ClusterInstance,
  ClusterInstances,
  lastingTimes,
  shortTimes,
} from '../../../../harness/cluster/cluster-instances.ts'
import { advanceSharedClock, connectScripts } from '../../../../harness/cluster/connected-scripts.ts'
import { HeartbeatCounter } from '../../../../harness/cluster/heartbeat-counter.ts'
import { describeWithRedis } from '../../../../harness/redis-server.ts'
import { type Clock, systemClock } from '../../../../src/clock.ts'
import type { Cluster } from '../../../../src/cluster/cluster.ts'
import { Membership, membershipTimes } from '../../../../src/cluster/membership/membership.ts'

const { heartbeat, lease } = lastingTimes.membership

const panels = Array.from({ length: 10 }, (_, index) => `panel${index}`)

/** Wants leases, and returns the function that tells which of them are held. */
function wanting({ cluster }: ClusterInstance, names: readonly string[] = panels): () => string[] {
  for (const name of names) cluster.panels.leases.lease(name).want()
  return () => names.filter((name) => cluster.panels.leases.lease(name).isHeld)
}

describeWithRedis('The leases of a cluster', (server) => {
  let instances: ClusterInstances

  beforeEach(async () => {
    await server.empty()
    instances = new ClusterInstances(server)
  })
  afterEach(() => instances.close())

  it('are all held by an instance that is alone', async () => {
    const held = wanting(await instances.add('one'))
    await until(() => held().length === 10)
  })

  it('are shared evenly, each by one instance, and each instance knows the names of the others', async () => {
    const one = await instances.add('one')
    const other = await instances.add('other')
    const [ofOne, ofOther] = [wanting(one), wanting(other)]
    await until(() => ofOne().length === 5 && ofOther().length === 5)
    assert.deepEqual([...ofOne(), ...ofOther()].sort(), panels)
    await until(() => one.cluster.status.instances.length === 2)
    assert.deepEqual(one.cluster.status.instances, ['one', 'other'])
    assert.deepEqual(one.cluster.status.leases, { wanted: 10, held: 5, passed: 0 })
    await until(() => one.cluster.panels.leases.lease(ofOther()[0] ?? '').holder === 'other')
  })

  it('are passed to an instance that comes later, until both have their share', async () => {
    const ofOne = wanting(await instances.add('one'))
    await until(() => ofOne().length === 10)
    const ofOther = wanting(await instances.add('other'))
    await until(() => ofOne().length === 5 && ofOther().length === 5)
    assert.equal(new Set([...ofOne(), ...ofOther()]).size, 10)
  })

  it('are passed by the hundred without a look at all leases for each of them', async () => {
    let reads = 0
    const clock: Clock = {
      ...systemClock,
      monotonic: () => {
        reads += 1
        return systemClock.monotonic()
      },
    }
    const names = Array.from({ length: 300 }, (_, index) => `panel${index}`)
    const one = await instances.add('one', clock)
    const ofOne = wanting(one, names)
    for (const work of ['state', 'events', 'devices'])
      for (const name of names) one.cluster.panels.leases.lease(name, work).want()
    await until(() => ofOne().length === 300)
    reads = 0
    wanting(await instances.add('other'), names)
    const isPassed = () => one.cluster.status.leases.held === 150
    while (!isPassed()) {
      // These are looks too.
      reads -= 600
      await new Promise(setImmediate)
    }
    assert.ok(reads < 100_000, `${reads} times`)
  })

  it('are taken by the thousand without a look at all leases for each hundred of them', async () => {
    let reads = 0
    class CountingClock extends FakeClock {
      override monotonic(): number {
        reads += 1
        return super.monotonic()
      }
    }
    const readsToTake = async (count: number) => {
      const { cluster } = await instances.add(`${count}`, new CountingClock())
      const names = Array.from({ length: count }, (_, index) => `panel${index}`)
      reads = 0
      wanting({ cluster, kill: () => {} }, names)
      const last = cluster.panels.leases.lease(names.at(-1) ?? '')
      let isTaken = false
      last.onChange(() => {
        isTaken = last.isHeld
      })
      await until(() => isTaken)
      const found = reads
      await cluster.close()
      return found
    }
    const [few, many] = [await readsToTake(1000), await readsToTake(2000)]
    assert.ok(many < 2.1 * few, `${few} times, then ${many}`)
  })

  it('are passed only after the work that is under way', async () => {
    const one = await instances.add('one')
    const ofOne = wanting(one)
    await until(() => ofOne().length === 10)
    for (const panel of panels)
      assert.equal(await one.cluster.panels.leases.lease(panel).begin('state', 0), 0)
    const beats = new HeartbeatCounter()
    const ofOther = wanting(await instances.add('other', beats))
    await until(() => beats.count >= 6)
    assert.deepEqual([ofOne().length, ofOther().length], [10, 0])
    for (const panel of panels) one.cluster.panels.leases.lease(panel).end('state')
    await until(() => ofOther().length === 5)
  })

  it('are not interrupted for a wish that is over before it could be fulfilled', async () => {
    const beats = new HeartbeatCounter()
    const { cluster } = await instances.add('one', beats)
    const held = wanting({ cluster, kill: () => {} })
    await until(() => held().length === 10)
    const lease = cluster.panels.leases.lease('panel0')
    let losses = 0
    lease.onChange(() => {
      if (!lease.isHeld) losses += 1
    })
    for (const panel of panels) assert.equal(await cluster.panels.leases.lease(panel).begin('state', 0), 0)
    const other = await instances.add('other')
    const ofOther = wanting(other)
    await until(() => cluster.status.instances.length === 2)
    await beats.pass(3)
    await other.cluster.close()
    await until(() => cluster.status.instances.length === 1)
    for (const panel of panels) cluster.panels.leases.lease(panel).end('state')
    await beats.pass(3)
    assert.equal(await lease.begin('state', 0), 0)
    assert.deepEqual([losses, held().length, ofOther().length], [0, 10, 0])
  })

  it('that only one instance wants are all held by it, soon after its share', async () => {
    await instances.add('one')
    const ofOther = wanting(await instances.add('other'))
    await until(() => ofOther().length === 10)
  })

  it('are taken over after a kill, once the lease has ended, and not before', async () => {
    const one = await instances.add('one')
    const other = await instances.add('other')
    const [ofOne, ofOther] = [wanting(one), wanting(other)]
    await until(() => ofOne().length === 5 && ofOther().length === 5)
    const { scripts, command, close } = await connectScripts(server)
    const { session } = other.cluster
    const sessionEnd = async () => Number(await command('ZSCORE', 'members', session))
    one.kill()
    for (let quarter = 1; quarter < 4; quarter += 1) {
      await advanceSharedClock({ scripts }, lease / 4)
      for (let beat = 0; beat < 4; beat += 1) {
        const before = await sessionEnd()
        while (before > 0 && (await sessionEnd()) === before) {}
      }
      assert.equal(ofOther().length, 5)
    }
    await advanceSharedClock({ scripts }, lease / 4)
    await until(() => ofOther().length === 10)
    close()
  })

  it('are taken over at once when an instance leaves or does not want them any more', async () => {
    const one = await instances.add('one')
    const stop = one.cluster.panels.leases.lease('panel0').want()
    const ofOne = wanting(one, ['panel0', 'panel1'])
    await until(() => ofOne().length === 2)
    const ofOther = wanting(await instances.add('other'), ['panel0', 'panel1'])
    stop()
    assert.ok(one.cluster.panels.leases.lease('panel0').isHeld || ofOther().length > 0)
    await one.cluster.close()
    await until(() => ofOther().length === 2)
  })

  it('are given up by the last wish alone', async () => {
    const { cluster } = await instances.add('one')
    const [first, second] = [
      cluster.panels.leases.lease('panel').want(),
      cluster.panels.leases.lease('panel').want(),
    ]
    await until(() => cluster.panels.leases.lease('panel').isHeld)
    first()
    first()
    assert.equal(cluster.panels.leases.lease('panel').isHeld, true)
    second()
    assert.equal(cluster.panels.leases.lease('panel').isHeld, false)
  })

  it('are not held any more, before others may take them, when the server does not answer, and again when it does', async () => {
    const { validity } = shortTimes.membership
    assert.ok(membershipTimes.validity < membershipTimes.lease && validity < shortTimes.membership.lease)
    instances = new ClusterInstances(server, shortTimes)
    const clock = new FakeClock()
    const { cluster } = await instances.add('one', clock)
    const changes: boolean[] = []
    const panel = cluster.panels.leases.lease('panel')
    panel.onChange(() => changes.push(panel.isHeld))
    panel.want()
    await until(() => panel.isHeld)
    const fence = panel.fence
    server.pause()
    clock.advance(validity - 1)
    const before = panel.isHeld
    clock.advance(1)
    const after = panel.isHeld
    server.resume()
    assert.deepEqual([before, after], [true, false])
    await until(() => {
      clock.advance(heartbeat)
      return panel.isHeld
    })
    assert.deepEqual(changes, [true, false, true])
    // It had lapsed here alone, or there too; another token then keeps out what was begun before.
    assert.ok(fence !== undefined && panel.fence !== undefined)
  })

  it('go with the lease of their panel; one that its holder does not want goes elsewhere', async () => {
    const one = await instances.add('one')
    const ofOne = wanting(one, ['panel0'])
    await until(() => ofOne().length === 1)
    const other = await instances.add('other')
    wanting(other, ['panel0'])
    const node = (cluster: Cluster, name: string) => cluster.panels.leases.lease('panel0', name)
    for (const { cluster } of [one, other]) node(cluster, 'node1').want()
    node(other.cluster, 'node2').want()
    await until(() => node(one.cluster, 'node1').isHeld && node(other.cluster, 'node2').isHeld)
    assert.equal(node(other.cluster, 'node1').isHeld, false)
    await instances.killAndExpire(one)
    await until(
      () => node(other.cluster, 'node1').isHeld && other.cluster.panels.leases.lease('panel0').isHeld,
    )
  })

  it('of works and of nodes go with that of their panel, which is wanted with them; the figures count panels alone', async () => {
    const one = await instances.add('one')
    const names = ['panel0', 'panel1'].flatMap((panel) =>
      ['node1', 'node2'].map((node) => [panel, 'state', node]),
    )
    const paths = [...names, ['panel0', 'state'], ['panel1', 'state'], ['panel0'], ['panel1']]
    for (const path of names) one.cluster.panels.leases.lease(...path).want()
    const heldBy = ({ cluster }: ClusterInstance) =>
      paths.filter((path) => cluster.panels.leases.lease(...path).isHeld).length
    await until(() => heldBy(one) === 8)
    assert.deepEqual(one.cluster.status.leases, { wanted: 2, held: 2, passed: 0 })
    const other = await instances.add('other')
    for (const path of names) other.cluster.panels.leases.lease(...path).want()
    await until(() => heldBy(one) === 4 && heldBy(other) === 4)
    const panel = other.cluster.panels.leases.lease('panel0').isHeld ? 'panel0' : 'panel1'
    for (const path of paths)
      assert.equal(other.cluster.panels.leases.lease(...path).isHeld, path[0] === panel, path.join(' '))
    await instances.killAndExpire(one)
    await until(() => heldBy(other) === 8)
  })

  it('of a panel is not passed during a work that goes with it, also if two pollers have begun it and one has ended', async () => {
    const one = await instances.add('one')
    const works = ['panel0', 'panel1'].map((panel) => one.cluster.panels.leases.lease(panel, 'state'))
    for (const work of works) work.want()
    await until(() => works.every(({ isHeld }) => isHeld))
    const begin = async () => {
      for (const work of works) assert.equal(await work.begin('state', 60_000), 0)
    }
    await begin()
    await begin()
    for (const work of works) work.end('state')
    const beats = new HeartbeatCounter()
    const other = await instances.add('other', beats)
    const elsewhere = ['panel0', 'panel1'].map((panel) => other.cluster.panels.leases.lease(panel, 'state'))
    for (const work of elsewhere) work.want()
    await until(() => beats.count >= 6)
    await begin()
    for (const work of works) work.end('state')
    assert.equal(elsewhere.filter(({ isHeld }) => isHeld).length, 0)
    for (const work of works) work.end('state')
    await until(() => elsewhere.filter(({ isHeld }) => isHeld).length === 1)
  })

  it('of a panel is not passed while what was sent to one of its nodes is not confirmed', async () => {
    const one = await instances.add('one')
    const path = (panel: string) => [panel, 'events', 'node'] as const
    const nodes = ['panel0', 'panel1'].map((panel) => one.cluster.panels.leases.lease(...path(panel)))
    for (const node of nodes) node.want()
    await until(() => nodes.every(({ isHeld }) => isHeld))
    const releases = nodes.map((node) => node.keep?.())
    const beats = new HeartbeatCounter()
    const other = await instances.add('other', beats)
    const elsewhere = ['panel0', 'panel1'].map((panel) => other.cluster.panels.leases.lease(...path(panel)))
    for (const node of elsewhere) node.want()
    await until(() => beats.count >= 6)
    assert.equal(elsewhere.filter(({ isHeld }) => isHeld).length, 0)
    for (const release of releases) release?.()
    await until(() => elsewhere.filter(({ isHeld }) => isHeld).length === 1)
  })

  it('of a node that the instance with its panel does not have goes elsewhere, and stays there', async () => {
    const [one, other] = [await instances.add('one'), await instances.add('other')]
    one.cluster.panels.leases.lease('panel0', 'state', 'node1').want()
    await until(() => one.cluster.panels.leases.lease('panel0', 'state', 'node1').isHeld)
    const node2 = other.cluster.panels.leases.lease('panel0', 'state', 'node2')
    node2.want()
    await until(() => node2.isHeld)
    one.cluster.panels.leases.lease('panel0', 'state', 'node2').want()
    await until(() => one.cluster.panels.leases.lease('panel0', 'state', 'node2').holder === 'other')
    assert.deepEqual([one.cluster.panels.leases.lease('panel0', 'state').isHeld, node2.isHeld], [true, true])
  })

  it('have a new session with a higher number after the server has lost its data', async () => {
    const { cluster } = await instances.add('one')
    const held = wanting({ cluster, kill: () => {} }, ['panel'])
    await until(() => held().length === 1)
    const before = Number(cluster.panels.leases.lease('panel').fence?.split(' ')[0])
    await server.restart()
    await until(() => held().length === 0)
    await until(() => held().length === 1)
    assert.ok(Number(cluster.panels.leases.lease('panel').fence?.split(' ')[0]) > before)
  })
})

describeWithRedis('A work of the holder of a lease', (server) => {
  let instances: ClusterInstances
  let one: ClusterInstance
  let other: ClusterInstance
  const minGap = 60_000

  beforeEach(async () => {
    await server.empty()
    instances = new ClusterInstances(server)
    one = await instances.add('one')
    one.cluster.panels.leases.lease('panel').want()
    await until(() => one.cluster.panels.leases.lease('panel').isHeld)
    other = await instances.add('other')
    other.cluster.panels.leases.lease('panel').want()
  })
  afterEach(() => instances.close())

  it('is begun by the holder alone', async () => {
    assert.equal(await other.cluster.panels.leases.lease('panel').begin('state', 0), Number.POSITIVE_INFINITY)
    assert.equal(await one.cluster.panels.leases.lease('panel').begin('state', 0), 0)
  })

  it('is not begun again before its time, after a takeover too; another work is', async () => {
    assert.equal(await one.cluster.panels.leases.lease('panel').begin('state', minGap), 0)
    one.cluster.panels.leases.lease('panel').end('state')
    assert.equal(await one.cluster.panels.leases.lease('panel').begin('state', minGap), 0)
    one.cluster.panels.leases.lease('panel').end('state')
    await one.cluster.close()
    await until(() => other.cluster.panels.leases.lease('panel').isHeld)
    const left = await other.cluster.panels.leases.lease('panel').begin('state', minGap)
    assert.ok(left > 0 && left <= minGap, `${left}`)
    assert.equal(await other.cluster.panels.leases.lease('panel').begin('events', minGap), 0)
    assert.equal(await other.cluster.panels.leases.lease('panel').begin('state', 0), 0)
  })

  it('counts from the request whose answer it has used', async () => {
    assert.equal(await one.cluster.panels.leases.lease('panel').begin('state', 0), 0)
    one.cluster.panels.leases.lease('panel').end('state', 'answered', minGap)
    assert.equal(await one.cluster.panels.leases.lease('panel').begin('events', 0), 0)
    one.cluster.panels.leases.lease('panel').end('events', 'answered', 0)
    await one.cluster.close()
    await until(() => other.cluster.panels.leases.lease('panel').isHeld)
    assert.equal(await other.cluster.panels.leases.lease('panel').begin('state', minGap), 0)
    const left = await other.cluster.panels.leases.lease('panel').begin('events', minGap)
    assert.ok(left > 0 && left <= minGap, `${left}`)
  })

  it('is not ended by the late end of one that was begun before the lease was lost', async () => {
    const lease = one.cluster.panels.leases.lease('panel')
    await other.cluster.close()
    assert.equal(await lease.begin('state', 0), 0)
    const before = lease.fence
    await server.restart()
    await until(() => lease.isHeld && lease.fence !== before)
    assert.equal(await lease.begin('state', 0), 0)
    const heir = (await instances.add('heir')).cluster.panels.leases.lease('panel')
    lease.end('state')
    await instances.killAndExpire(one)
    heir.want()
    await until(() => heir.isHeld)
    assert.equal(await heir.begin('state', minGap), 0)
  })

  it('is begun again after a gap of its own if its process was killed, though it had ended: nobody has looked since', async () => {
    assert.equal(await one.cluster.panels.leases.lease('panel').begin('state', minGap), 0)
    assert.equal(await one.cluster.panels.leases.lease('panel').begin('events', minGap), 0)
    one.cluster.panels.leases.lease('panel').end('events')
    // Sent before the kill.
    assert.equal(
      await other.cluster.panels.leases.lease('panel').begin('events', 0),
      Number.POSITIVE_INFINITY,
    )
    await instances.killAndExpire(one)
    await until(() => other.cluster.panels.leases.lease('panel').isHeld)
    const left = await other.cluster.panels.leases.lease('panel').begin('state', 0, minGap)
    assert.ok(left > 0 && left < minGap, `${left}`)
    assert.equal(await other.cluster.panels.leases.lease('panel').begin('state', minGap), 0)
    assert.equal(await other.cluster.panels.leases.lease('panel').begin('events', minGap), 0)
  })

  it('is put off by one that a killed process has left open no longer than by the one before it', async () => {
    const lease = one.cluster.panels.leases.lease('panel')
    assert.equal(await lease.begin('state', 0), 0)
    lease.end('state', 'answered', minGap)
    assert.equal(await lease.begin('state', 0), 0)
    await instances.killAndExpire(one)
    await until(() => other.cluster.panels.leases.lease('panel').isHeld)
    assert.equal(await other.cluster.panels.leases.lease('panel').begin('state', minGap, minGap), 0)
  })
})

describeWithRedis('A heartbeat', (server) => {
  it('is answered with the wishes of all instances only after one of them has changed', async () => {
    await server.empty()
    const { scripts, sharedClock, handshakes, close } = await connectScripts(server)
    const answers: boolean[] = []
    let wishes = 'none'
    const membership = new Membership({
      scripts,
      sharedClock,
      clock: systemClock,
      clusterName: 'test',
      instance: 'one',
      generation: () => handshakes[0]?.generation,
      wishes: () => wishes,
      onHeartbeat: (heartbeat) => answers.push(heartbeat.wishes !== undefined),
      onLapse: () => {},
    })
    await membership.enter(scripts)
    for (const next of ['none', 'panel', 'panel']) {
      wishes = next
      const { length } = answers
      membership.hurry()
      await until(() => answers.length > length)
    }
    assert.deepEqual(answers, [true, false, true, false])
    await membership.leave()
    close()
  })
})
