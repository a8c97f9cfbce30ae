import assert from 'node:assert/strict'
import { FakeClock } from '../../../../harness/clock/fake-clock.ts'
import { until } from '../../../../harness/clock/until.ts'
import { ClusterInstances } from '../../../../harness/cluster/cluster-instances.ts'
import { HeartbeatCounter } from '../../../../harness/cluster/heartbeat-counter.ts'
import { addNode, PanelInstances } from '../../../../harness/cluster/panel-instances.ts'
import { describeWithRedis } from '../../../../harness/redis-server.ts'
import { requestsTo } from '../../../../harness/simulator.ts'
import { withoutKillGuard } from '../../../../harness/without-kill-guard.ts'
import { Rejected } from '../../../../src/account/service-user/auth/judgement.ts'
import { RejectedCredentials } from '../../../../src/account/service-user/auth/rejected-credentials.ts'
import { hour, minute } from '../../../../src/duration.ts'
import type { PollOutcome } from '../../../../src/panel/lease.ts'
import { KeyholderError } from '../../../../src/service/error.ts'

describeWithRedis('A panel whose polls fail on one instance', (server) => {
  let instances: PanelInstances

  beforeEach(async () => {
    await server.empty()
    instances = await PanelInstances.start(server)
  })
  afterEach(() => instances.close())

  it('is passed to another one that wants it, with all nodes; the first one shows why, and stays in standby', async () => {
    const one = await instances.add('one', { userCode: '9999' })
    const failing = addNode(one.panel.state, 'node')
    await until(() => failing.status === 'failing')
    const other = await instances.add('other')
    const node = addNode(other.panel.state, 'node')
    await until(() => node.views.length >= 5)
    assert.deepEqual(failing.conditions.at(-1), {
      state: 'standby',
      holder: 'other',
      ownFailure: 'WRONG_USER_CODE',
    })
    assert.deepEqual(one.cluster.status.leases, { wanted: 1, held: 0, passed: 1 })
    assert.deepEqual(other.cluster.status.leases, { wanted: 1, held: 1, passed: 0 })
    assert.equal(requestsTo(instances.simulator, 'panel/login'), 2)
  })

  it('comes back when the instance that has taken it fails, though the polls have failed here a moment ago', async () => {
    const one = await instances.add('one', { userCode: '9999' })
    const failing = addNode(one.panel.state, 'node')
    const other = await instances.add('other')
    addNode(other.panel.state, 'node')
    await until(() => failing.status === 'standby: other' && one.cluster.status.leases.passed === 1)
    await instances.killAndExpire(other)
    await until(() => failing.status === 'failing' && one.cluster.status.leases.held === 1)
    assert.equal(one.cluster.status.leases.passed, 0)
  })
})

describeWithRedis('Instances whose polls fail', (server) => {
  let instances: ClusterInstances

  beforeEach(async () => {
    await server.empty()
  })
  afterEach(() => instances.close())

  it('keep a panel that nobody else wants, without a moment in standby', async () => {
    instances = new ClusterInstances(server)
    const beats = new HeartbeatCounter()
    const { cluster } = await instances.add('one', beats)
    const { cluster: other } = await instances.add('other')
    other.panels.leases.lease('another', 'state').want()
    const lease = cluster.panels.leases.lease('panel', 'state')
    lease.want()
    await until(() => lease.isHeld)
    const changes: boolean[] = []
    lease.onChange(() => changes.push(lease.isHeld))
    for (let poll = 0; poll < 6; poll += 1) {
      assert.equal(await lease.begin('state', 0), 0)
      lease.end('state', 'NETWORK')
      await beats.pass(3)
    }
    assert.deepEqual(changes, [])
    assert.equal(cluster.status.leases.passed, 0)
  })

  it('get no other panels meanwhile', async () => {
    instances = new ClusterInstances(server)
    const beats = new HeartbeatCounter()
    const [one, other] = [await instances.add('one', beats), await instances.add('other')]
    const panels = ['panel0', 'panel1', 'panel2', 'panel3']
    for (const { cluster } of [one, other])
      for (const name of panels) cluster.panels.leases.lease(name, 'state').want()
    const heldBy = ({ cluster }: typeof one) =>
      panels.filter((name) => cluster.panels.leases.lease(name, 'state').isHeld)
    await until(() => heldBy(one).length === 2 && heldBy(other).length === 2)
    const [first = ''] = heldBy(one)
    const failing = one.cluster.panels.leases.lease(first, 'state')
    for (let poll = 0; poll < 3; poll += 1) {
      assert.equal(await failing.begin('state', 0), 0)
      failing.end('state', 'NETWORK')
    }
    await until(() => heldBy(other).length === 3)
    await beats.pass(12)
    assert.deepEqual([heldBy(one).length, heldBy(other).length], [1, 3])
  })

  it('pass it after the work that is under way, though the other instance has its share', async () => {
    instances = new ClusterInstances(server)
    const beats = new HeartbeatCounter()
    const one = (await instances.add('one', beats)).cluster
    const other = (await instances.add('other')).cluster
    const lease = one.panels.leases.lease('panel', 'state')
    lease.want()
    await until(() => lease.isHeld)
    for (const name of ['second', 'third']) other.panels.leases.lease(name).want()
    other.panels.leases.lease('panel', 'state').want()
    await until(() => other.status.leases.held === 2)
    assert.equal(await lease.begin('events', 0), 0)
    for (let poll = 0; poll < 3; poll += 1) {
      assert.equal(await lease.begin('state', 0), 0)
      lease.end('state', 'NETWORK')
    }
    await beats.pass(3)
    assert.equal(lease.isHeld, true)
    lease.end('events')
    await until(() => other.panels.leases.lease('panel', 'state').isHeld)
  })

  it('give a panel up at once if their secrets are rejected, to an instance that comes later or has others since', async () => {
    instances = new ClusterInstances(server)
    const clusters = [(await instances.add('one')).cluster, (await instances.add('other')).cluster]
    const wrong = clusters.map((cluster) => cluster.panels.leases.lease('panel', 'state'))
    const ends = wrong.map((lease) => lease.want())
    const poll = async (lease: (typeof wrong)[number] | undefined, outcome: PollOutcome) => {
      assert.equal(await lease?.begin('state', 0), 0)
      lease?.end('state', outcome)
    }
    const held = () => wrong.findIndex(({ isHeld }) => isHeld)
    await until(() => held() >= 0)
    const first = held()
    await poll(wrong[first], 'BAD_CREDENTIALS')
    await until(() => held() === 1 - first)
    await poll(wrong[1 - first], 'BAD_CREDENTIALS')
    // Deployed with the right one, without a rest.
    ends[first]?.()
    wrong[first]?.want()
    await until(() => held() === first)
    await poll(wrong[first], 'answered')
    const standby = wrong[1 - first]
    await until(() => standby?.holder !== undefined)
    assert.deepEqual([standby?.ownFailure, standby?.holderFailure], ['BAD_CREDENTIALS', undefined])
    await poll(wrong[first], 'BAD_CREDENTIALS')
    // Both of them fail: it stays where it is, and the other one shows why.
    await until(() => standby?.holderFailure === 'BAD_CREDENTIALS')
    const right = (await instances.add('right')).cluster.panels.leases.lease('panel', 'state')
    right.want()
    await until(() => right.isHeld)
  })

  for (const [what, codes] of [
    ['the same wrong secrets', ['wrong', 'wrong', 'wrong']],
    ['different wrong secrets', ['wrong', 'wrong too', 'just as wrong']],
  ] as const) {
    it(`try every ten minutes at most, and send ${what} once, if the polls of all of them fail`, async () => {
      const clock = new FakeClock()
      const membership = { heartbeat: minute, lease: 10 * minute, validity: 8 * minute }
      instances = new ClusterInstances(server, { quiet: { blank: 0, other: 0 }, membership })
      const attempts: string[] = []
      const members: { poll(): Promise<boolean>; settle(): Promise<void> }[] = []
      for (const [index, code] of codes.entries()) {
        const { cluster } = await instances.add(`${index}`, clock)
        const lease = cluster.panels.leases.lease('panel', 'state')
        lease.want()
        const { rejections } = cluster.userStores('user1')
        const credentials = new RejectedCredentials(rejections, clock, withoutKillGuard)
        const poll = async () => {
          if (!lease.isHeld || (await lease.begin('state', 0)) > 0) return false
          const attempt = credentials.attemptUnlessRejected(
            { secrets: [code], subject: 'panel 1' },
            async () => {
              attempts.push(code)
              throw new Rejected(new KeyholderError('WRONG_USER_CODE', 'Wrong.'))
            },
          )
          await assert.rejects(attempt, Rejected)
          lease.end('state', 'WRONG_USER_CODE')
          return true
        }
        // Answered after all that was sent before, and after what follows from that.
        const settle = async () => {
          for (let turn = 0; turn < 10; turn += 1) await rejections.load()
        }
        members.push({ poll, settle })
      }
      const holders: number[] = []
      const settle = () => Promise.all(members.map((member) => member.settle()))
      await settle()
      for (let now = 0; now < 6 * hour; now += minute) {
        clock.advance(minute)
        await settle()
        const polls = []
        for (const { poll } of members) polls.push(await poll())
        const polling = polls.flatMap((isPolling, index) => (isPolling ? [index] : []))
        assert.ok(polling.length <= 1)
        await settle()
        const [holder = holders.at(-1)] = polling
        if (holder !== undefined && holder !== holders.at(-1)) holders.push(holder)
      }
      assert.deepEqual(attempts.toSorted(), [...new Set(codes)].toSorted())
      assert.ok(holders.length > 3 && holders.length <= 3 * 6 * 6, `${holders}`)
      assert.equal(new Set(holders).size, 3)
    })
  }
})
