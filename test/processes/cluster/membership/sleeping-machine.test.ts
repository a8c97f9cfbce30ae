import assert from 'node:assert/strict'
import { FakeClock } from '../../../../harness/clock/fake-clock.ts'
import { until } from '../../../../harness/clock/until.ts'
import { ClusterInstances, shortTimes } from '../../../../harness/cluster/cluster-instances.ts'
import { setState } from '../../../../harness/panel/commanded-panel.ts'
import { runCommand } from '../../../../harness/panel/running-command.ts'
import { describeWithRedis } from '../../../../harness/redis-server.ts'
import type { Cluster } from '../../../../src/cluster/cluster.ts'
import { membershipTimes } from '../../../../src/cluster/membership/membership.ts'
import { minute } from '../../../../src/duration.ts'

describeWithRedis('An instance whose machine sleeps, so that only the wall clock goes on,', (server) => {
  let clock: FakeClock
  let instances: ClusterInstances
  let cluster: Cluster

  beforeEach(async () => {
    await server.restart({})
    clock = new FakeClock()
    instances = new ClusterInstances(server, { quiet: shortTimes.quiet })
    cluster = (await instances.add('one', clock)).cluster
  })
  afterEach(() => instances.close())

  const sleep = (ms: number) => clock.stepWall(ms)
  const untilBeating = (isTrue: () => boolean) =>
    until(() => {
      clock.advance(membershipTimes.heartbeat)
      return isTrue()
    })

  it('does not send a command that it was allowed to send before', async () => {
    const arming = runCommand(cluster.panels.commands('panel', 'A1B2C3').commandQueue, setState('AWAY'))
    await until(() => arming.turn !== undefined)
    await arming.turn?.beginSending()
    sleep(minute)
    assert.equal(arming.turn?.maySend(), false)
  })

  it('holds no lease when it wakes, and tells so when it asks for them again', async () => {
    const lease = cluster.panels.leases.lease('panel')
    lease.want()
    await until(() => lease.isHeld)
    const changes: boolean[] = []
    lease.onChange(() => changes.push(lease.isHeld))
    sleep(membershipTimes.validity)
    assert.deepEqual([lease.isHeld, lease.fence], [false, undefined])
    await untilBeating(() => lease.isHeld)
    assert.deepEqual(changes, [false, true])
  })

  it('makes no attempt that was counted before', async () => {
    const { rateLimits } = cluster.userStores('user')
    rateLimits.limit = 3
    assert.ok(await rateLimits.take('command'))
    const late = rateLimits.take('command')
    sleep(minute)
    assert.equal(await late, undefined)
  })
})
