import assert from 'node:assert/strict'
import { until } from '../../../../harness/clock/until.ts'
import { connectScripts } from '../../../../harness/cluster/connected-scripts.ts'
import { addNode, PanelInstances } from '../../../../harness/cluster/panel-instances.ts'
import { describeWithRedis } from '../../../../harness/redis-server.ts'
import { requestsTo } from '../../../../harness/simulator.ts'
import { type Clock, systemClock } from '../../../../src/clock.ts'
import { tell } from '../../../../src/cluster/lua/followers.lua.ts'
import { script } from '../../../../src/cluster/redis/scripts.ts'
import { hour, minute } from '../../../../src/duration.ts'
import { status } from '../../../../src/simulator/faults/response-faults.ts'

const times = { fetchedAt: 0, at: 0, sentAt: 0 }

/** Intervals in seconds. An answer may be three of them old: on a busy machine, one of 0.2 comes too late now and then. */
const counted = { stateEvery: 60, devicesEvery: 3, eventsEvery: 3 }

describeWithRedis('Different nodes for one panel on several instances', (server) => {
  let instances: PanelInstances

  beforeEach(async () => {
    await server.empty()
    instances = await PanelInstances.start(server)
  })
  afterEach(() => instances.close())

  /** Returns the names of the published answers and of the instances that follow. */
  async function published(): Promise<string[]> {
    const { connection, close } = await connectScripts(server)
    const keys = (await connection.send('KEYS', ['*'])) as Buffer[]
    close()
    return keys
      .map((key) => `${key}`.split(':').slice(2).join(':'))
      .filter((key) => /^(answers|followers)/.test(key))
  }

  async function untilNothingIsPublished(): Promise<void> {
    while ((await published()).length > 0) {}
  }

  it('all get the state from the polls of one instance, with the right times; nobody asks twice', async () => {
    // Another machine, with another wall clock.
    const ahead: Clock = { ...systemClock, wall: () => systemClock.wall() + hour }
    const one = await instances.add('one', counted)
    const automation = addNode(one.panel.state, 'automation')
    await until(() => automation.views.length > 0)
    const other = await instances.add('other', counted, ahead)
    const dashboard = addNode(other.panel.state, 'dashboard')
    await until(() => dashboard.views.length > 0)
    const pollAgain = async () => {
      const [seen, shown] = [automation.views.length, dashboard.views.length]
      one.panel.state.refresh()
      await until(() => automation.views.length > seen && dashboard.views.length > shown)
    }
    await pollAgain()
    assert.equal(requestsTo(instances.simulator, 'auth'), 1)
    assert.equal(dashboard.status, 'fine')
    const before = { views: automation.views.length, asked: requestsTo(instances.simulator, 'status') }
    for (const _ of [1, 2, 3]) await pollAgain()
    const [asked, polls] = [
      requestsTo(instances.simulator, 'status') - before.asked,
      automation.views.length - before.views,
    ]
    assert.equal(asked, polls)
    for (const { view, fetchedAt, at, sentAt } of dashboard.views) {
      assert.deepEqual(view?.partitions, automation.views.at(-1)?.view?.partitions)
      // The two clocks of another machine mean nothing here.
      const age = systemClock.monotonic() - at
      assert.ok(Math.abs(systemClock.wall() + hour - fetchedAt - age) < minute)
      assert.ok(age > 0 && age < minute && sentAt <= at && at - sentAt < minute)
    }
    assert.deepEqual(new Set(dashboard.views.map(({ at }) => at)).size, dashboard.views.length)
    assert.equal(other.panel.account.phase, 'signed-out')
  })

  it('get the devices and the events in the same way', async () => {
    const one = await instances.add('one', counted)
    const other = await instances.add('other', counted)
    const nodes = [addNode(one.panel.devices, 'node1'), addNode(one.panel.events, 'node2')]
    await until(() => nodes.every(({ views }) => views.length > 0))
    const elsewhere = [addNode(other.panel.devices, 'node3'), addNode(other.panel.events, 'node4')]
    await until(() => elsewhere.every(({ views }) => views.length >= 2))
    const countsOf = () => [requestsTo(instances.simulator, 'events'), nodes[1]?.views.length ?? 0] as const
    const [askedBefore, polledBefore] = countsOf()
    await until(() => elsewhere.every(({ views }) => views.length >= 5))
    const [asked, polled] = countsOf()
    // The one that is under way has no view yet.
    const beyond = asked - askedBefore - (polled - polledBefore)
    assert.ok(beyond === 0 || beyond === 1, `${asked - askedBefore} requests, ${polled - polledBefore} polls`)
    assert.deepEqual(elsewhere[0]?.views.at(-1)?.view, nodes[0]?.views.at(-1)?.view)
    assert.equal(requestsTo(instances.simulator, 'auth'), 1)
    assert.equal(other.panel.title, one.panel.title)
  })

  it('get the faults that the panel reports of itself, which only the instance that polls asks for', async () => {
    const panel = instances.simulator.world.panel('A1B2C3')
    const itself = panel.devices.find(({ device_type }) => device_type === 'CONTROL_PANEL') ?? assert.fail()
    panel.lowBattery(itself.id)
    const one = await instances.add('one', counted)
    one.panel.polls.faults.await()
    // The events tell what the panel has.
    addNode(one.panel.events, 'events1')
    const node = addNode(one.panel.devices, 'node1')
    const typesOf = ({ views }: typeof node) => views.at(-1)?.view.faults?.present.map(({ type }) => type)
    await until(() => typesOf(node)?.includes('LOW_BATTERY') === true)
    const other = await instances.add('other', counted)
    addNode(other.panel.events, 'events2')
    const elsewhere = addNode(other.panel.devices, 'node2')
    const { connection, close } = await connectScripts(server)
    const countOf = async () => {
      const [key] = ((await connection.send('KEYS', ['*answers:*devices'])) as Buffer[]).map(String)
      return key === undefined ? 0 : Number(await connection.send('HLEN', [key]))
    }
    // Devices, status, troubles and alerts, each with its stamp.
    while ((await countOf()) < 8) {}
    close()
    for (const operation of ['troubles', 'alerts'])
      instances.simulator.faults.start(status(500), { operation })
    other.panel.polls.faults.await()
    await until(() => typesOf(elsewhere) !== undefined)
    assert.deepEqual(typesOf(elsewhere), ['LOW_BATTERY'])
  })

  it('are polled as often as the quickest of them needs, from its first answer on', async () => {
    const one = await instances.add('one', { stateEvery: 3600 })
    const slow = addNode(one.panel.state, 'slow')
    await until(() => slow.views.length > 0)
    const other = await instances.add('other', { stateEvery: 0.2 })
    const quick = addNode(other.panel.state, 'quick')
    await until(() => quick.views.length >= 3)
    quick.leave()
    await untilNothingIsPublished()
  })

  it('cost nothing more if only one instance delivers: no answer is published, and none stays when the last one leaves', async () => {
    const one = await instances.add('one')
    const node = addNode(one.panel.state, 'node')
    await until(() => node.views.length > 0)
    const other = await instances.add('other')
    const copy = addNode(other.panel.state, 'node')
    await until(() => copy.status === 'standby: one')
    await until(() => node.views.length >= 5)
    assert.deepEqual([await published(), copy.views], [[], []])
    const second = addNode(other.panel.state, 'second')
    await until(() => second.views.length > 0)
    assert.deepEqual((await published()).sort(), ['answers:panel1 state', 'followers:panel1 state'])
    second.leave()
    await untilNothingIsPublished()
    assert.deepEqual([copy.status, copy.views], ['standby: one', []])
    const third = addNode(other.panel.state, 'third')
    await until(() => third.views.length > 0)
    await instances.killAndExpire(other)
    await untilNothingIsPublished()
  })

  it('share answers that nobody can read who does not have the secrets of the account', async () => {
    const { panel, cluster } = await instances.add('one')
    const node = addNode(panel.state, 'node')
    await until(() => node.views.length > 0)
    const other = addNode((await instances.add('other')).panel.state, 'other')
    await until(() => other.views.length > 0)
    const { connection, close } = await connectScripts(server)
    const fields = (await connection.send('HGETALL', ['keyholder:{test}:answers:panel1 state'])) as Buffer[]
    const places = (await connection.send('KEYS', ['*:description:*'])) as Buffer[]
    assert.ok(places.length >= 4, 'the version, and what describes the panel')
    fields.push(...places, ...((await connection.send('MGET', places)) as Buffer[]))
    for (const place of places) assert.ok(Number(await connection.send('PTTL', [place])) > 0)
    close()
    const { serials, userCode, email, password } = instances.simulator
    const text = fields.map((field) => field.toString('latin1')).join(' ')
    assert.ok(fields.length >= 4, 'status and alarms')
    for (const secret of [serials[0], userCode, email, password, 'partitions', 'House']) {
      assert.ok(!text.includes(`${secret}`), secret)
    }
    const { answers } = cluster.userStores('user')
    const [question, key, answer] = ['question', Buffer.alloc(32, 1), { value: new Map([[1, 2]]), ...times }]
    await answers?.publish('panel1 state', question, answer, key)
    assert.deepEqual((await answers?.find('panel1 state', question, key))?.value, answer.value)
    for (const [at, which, secret] of [
      ['panel1 devices', question, key],
      ['panel1 state', 'another', key],
      ['panel1 state', question, Buffer.alloc(32, 2)],
    ] as const) {
      assert.equal(await answers?.find(at, which, secret), undefined)
    }
  })

  it('take a panel over without a request for what never changes, unless the user asks', async () => {
    const descriptions = [
      'version',
      'panels',
      'panel_info',
      'feature_set',
      'event-profiles/en_US',
      'panel/login',
      'auth',
    ]
    const asked = () => descriptions.map((name) => `${name} ${requestsTo(instances.simulator, name)}`)
    const one = await instances.add('one')
    const nodes = [addNode(one.panel.state, 'node1'), addNode(one.panel.events, 'node2')]
    await until(() => nodes.every(({ views }) => views.length > 1))
    const before = asked()
    assert.deepEqual(
      before,
      descriptions.map((name) => `${name} 1`),
    )
    await instances.killAndExpire(one)
    const other = await instances.add('other')
    const elsewhere = [addNode(other.panel.state, 'node1'), addNode(other.panel.events, 'node2')]
    await until(() => elsewhere.every(({ views }) => views.length > 1))
    assert.deepEqual([asked(), other.panel.title], [before, one.panel.title])
    assert.equal((await other.panel.account.negotiate()).length > 0, true)
    assert.equal(requestsTo(instances.simulator, 'version'), 2)
  })

  it('with the same id send on each instance, if they are set so', async () => {
    const [one, other] = [await instances.add('one'), await instances.add('other')]
    const nodes = [one, other].map(({ panel }) => addNode(panel.state, { id: 'node', instances: 'every' }))
    await until(() => nodes.every(({ views }) => views.length >= 3))
    assert.equal(requestsTo(instances.simulator, 'auth'), 1)
  })

  it('and two of its config nodes in one process are polled once, and give the panel to another instance together', async () => {
    const one = await instances.add('one')
    const twin = instances.openTwin(one)
    const [first, second] = [addNode(one.panel.state, 'first'), addNode(twin.state, 'second')]
    await until(() => first.views.length > 0 && second.views.length > 0)
    const [seen, asked] = [first.views.length, requestsTo(instances.simulator, 'status')]
    await until(() => first.views.length >= seen + 5 && second.views.length >= 6)
    const [polls, more] = [first.views.length - seen, requestsTo(instances.simulator, 'status') - asked]
    assert.ok(more <= polls + 1, `${more} requests, ${polls} polls`)
    const other = await instances.add('other')
    const [third, fourth] = [addNode(other.panel.state, 'first'), addNode(other.panel.state, 'second')]
    await until(() => third.status === 'standby: one' && fourth.status === 'standby: one')
    first.leave()
    second.leave()
    await until(() => third.views.length > 0 && fourth.views.length > 0)
  })

  it('go on after a kill of the instance that polls', async () => {
    const one = await instances.add('one')
    const automation = addNode(one.panel.state, 'automation')
    await until(() => automation.views.length > 0)
    const other = await instances.add('other')
    const copy = addNode(other.panel.state, 'automation')
    const dashboard = addNode(other.panel.state, 'dashboard')
    await until(() => dashboard.views.length > 0)
    assert.deepEqual(copy.views, [])
    await instances.killAndExpire(one)
    const seen = dashboard.views.length
    await until(() => copy.views.length > 0 && dashboard.views.length > seen + 2)
  })

  it('ask for themselves when nobody publishes the answers any more that are still there', async () => {
    const settings = { stateEvery: 5 }
    const one = await instances.add('one', settings)
    const automation = addNode(one.panel.state, 'automation')
    await until(() => automation.views.length > 0)
    const other = await instances.add('other', settings)
    const dashboard = addNode(other.panel.state, 'dashboard')
    await until(() => dashboard.views.length > 0)
    // Its poll stays under way.
    instances.simulator.hang('status')
    // The answers that are there are older than a follower takes.
    const isOld = () => Date.now() - (other.panel.state.latest?.fetchedAt ?? Number.POSITIVE_INFINITY) > 8000
    await until(isOld)
    assert.equal(other.panel.account.phase, 'signed-out')
    const { scripts, close } = await connectScripts(server)
    // As an instance with another user code tells it, whose answers this one cannot read.
    await scripts.run(script(tell), ['hints'], ['answers:200 panel1 state'])
    close()
    await until(() => other.panel.account.phase !== 'signed-out')
    assert.equal(other.cluster.panels.leases.lease('panel1', 'state').isHeld, false)
  })

  it('show why the polls of another instance fail, until they are answered again', async () => {
    const [one, other] = [await instances.add('one', counted), await instances.add('other', counted)]
    const automation = addNode(one.panel.state, 'automation')
    await until(() => automation.views.length > 0)
    const dashboard = addNode(other.panel.state, 'dashboard')
    await until(() => dashboard.views.length > 0)
    const mend = instances.simulator.faults.start(status(500), { operation: 'status' })
    one.panel.state.pollNow()
    await until(() => dashboard.status === 'failing')
    const condition = dashboard.conditions.at(-1)
    assert.ok(condition?.state === 'failing')
    const { code, message } = condition.error
    assert.equal(code, 'SERVER_ERROR')
    assert.match(message, /^The Node-RED instance one polls this panel for this node, and its polls fail\./)
    assert.equal(other.panel.account.phase, 'signed-out')
    mend()
    one.panel.state.pollNow()
    await until(() => dashboard.status === 'fine')
  })

  it('ask the service for a caller that reads now', async () => {
    const settings = { stateEvery: 3600 }
    const [one, other] = [await instances.add('one', settings), await instances.add('other', settings)]
    const node = addNode(one.panel.state, 'node')
    await until(() => node.views.length > 0)
    const follower = addNode(other.panel.state, 'follower')
    await until(() => follower.views.length > 0)
    const asked = requestsTo(instances.simulator, 'status')
    await other.panel.state.read(new AbortController().signal)
    assert.equal(requestsTo(instances.simulator, 'status'), asked + 1)
  })

  it('see at once what a command on any of the instances has changed', async () => {
    const settings = { stateEvery: 3600 }
    const [one, other] = [await instances.add('one', settings), await instances.add('other', settings)]
    const node = addNode(one.panel.state, 'node')
    await until(() => node.views.length > 0)
    other.panel.polls.settle()
    await until(() => node.views.length > 1)
    const follower = addNode(other.panel.state, 'follower')
    await until(() => follower.views.length > 0)
    const seen = follower.views.length
    other.panel.polls.settle()
    await until(() => follower.views.length > seen)
    assert.equal(other.panel.account.replies, 0)
  })
})
