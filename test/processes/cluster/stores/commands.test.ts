import assert from 'node:assert/strict'
import { neverAborted } from '../../../../harness/account.ts'
import { until } from '../../../../harness/clock/until.ts'
import { CommandedInstances } from '../../../../harness/cluster/commanded-instances.ts'
import { connectScripts } from '../../../../harness/cluster/connected-scripts.ts'
import { testCopiedCommands } from '../../../../harness/cluster/copied-commands.ts'
import { setState } from '../../../../harness/panel/commanded-panel.ts'
import { describeWithRedis } from '../../../../harness/redis-server.ts'
import { requestsTo } from '../../../../harness/simulator.ts'
import { digest } from '../../../../src/account/account-registry.ts'
import { type Simulator, startSimulator } from '../../../../src/simulator/simulator.ts'

describeWithRedis('Two instances of a cluster', (server) => {
  beforeEach(() => server.restart({}))

  testCopiedCommands(server, 4, 2)
})

describeWithRedis('The commands of a cluster', (server) => {
  let simulator: Simulator
  let instances: CommandedInstances
  beforeEach(async () => {
    await server.restart({})
    simulator = await startSimulator({ panels: 1, speed: 10 })
    instances = new CommandedInstances(server, simulator)
  })
  afterEach(async () => {
    await instances.close()
    await simulator.close()
  })

  const sent = () => simulator.requests.filter(({ path }) => path.endsWith('/set_state')).length

  it('are sent although a command of another instance may still take effect', async () => {
    const [[one], [other]] = [await instances.add('one'), await instances.add('other')]
    assert.ok(one && other)
    const panel = simulator.world.panel(simulator.serials[0] ?? '')
    // The answer is lost, and the panel does nothing: what became of it is not known.
    simulator.respondOnce('set_state', { status: 500 })
    const flow = new AbortController()
    const unknown = one.commands.execute(setState('AWAY', -1), flow.signal)
    await until(() => sent() === 1)
    const disarming = other.commands.execute(setState('DISARM', -1), neverAborted())
    flow.abort()
    await assert.rejects(unknown, { code: 'CLOSED', reason: 'Unknown' })
    assert.equal((await disarming).view.already, false)
    assert.equal(sent(), 2)
    const again = await other.commands.execute(setState('DISARM', -1), neverAborted())
    assert.equal(again.view.already, true)
    assert.ok(panel.partitions.every(({ state }) => state === 'DISARM'))
  })

  it('are told once by another instance if that of the command is killed, with what became of them', async () => {
    const [one, other] = [await instances.addOne('one'), await instances.addOne('other')]
    await instances.addOne('third')
    for (const { panel } of [one, other]) await panel.start()
    // The service never answers: the command is sent, and its result is not known.
    simulator.faults.start({ name: 'silence', send: () => {} }, { operation: 'set_state' })
    one.panel.commands.execute(setState('AWAY', -1), neverAborted(), 'node').catch(() => {})
    await until(() => sent() === 1)
    const home = { ...setState('HOME', -1), openZones: 'bypass' } as const
    one.panel.commands.execute(home, neverAborted(), 'node').catch(() => {})
    const looking = await connectScripts(server)
    const panel = digest(new URL(simulator.url).host, simulator.serials[0] ?? '')
    while ((await looking.command('HLEN', `panel:${panel}:commands`)) !== 2);
    looking.close()
    await instances.killAndExpire(one)
    await until(() => instances.outages.length === 2)
    const sentences = instances.outages.map(({ message }) => message).sort()
    assert.match(sentences[0] ?? '', /AWAY.* may have been sent.* killed/)
    assert.match(sentences[1] ?? '', /HOME.* was not sent.* killed/)
  })

  const armPastOpenZones = { ...setState('AWAY', 1), openZones: 'bypass' } as const

  it('bypass open zones once, and name them in both answers, for a message that comes to two instances', async () => {
    const [[one], [other]] = [await instances.add('one'), await instances.add('other')]
    assert.ok(one && other)
    const home = simulator.world.panel(simulator.serials[0] ?? '')
    home.open(2)
    const answers = await Promise.all(
      [one, other].map((panel) => panel.commands.execute(armPastOpenZones, neverAborted(), 'node')),
    )
    const bypassed = [{ zone: 2, name: 'Kitchen window' }]
    assert.deepEqual(
      answers.map(({ view }) => view.bypassed),
      [bypassed, bypassed],
    )
    assert.equal(requestsTo(simulator, 'set_bypass_zone'), 1)
  })

  it('arm nothing past open zones after a disarm through another instance, and take the bypasses back', async () => {
    const [[one], [other]] = [await instances.add('one'), await instances.add('other')]
    assert.ok(one && other)
    const home = simulator.world.panel(simulator.serials[0] ?? '')
    for (const zone of [2, 3]) home.open(zone)
    const arming = assert.rejects(one.commands.execute(armPastOpenZones, neverAborted()), {
      reason: 'Replaced',
      message: /taken back after the disarm/,
    })
    await until(() => requestsTo(simulator, 'set_bypass_zone') >= 1)
    await other.commands.execute(setState('DISARM', 1), neverAborted())
    await arming
    await until(() => [1, 2, 3].every((zone) => home.zone(zone).traits.bypass?.enabled === false))
    assert.deepEqual([home.partitions[0]?.state, sent()], ['DISARM', 1], 'the disarm alone')
  })

  it('fail at once while the shared state is away, and say that nothing was sent', async () => {
    const [one] = await instances.add('one')
    assert.ok(one)
    await one.commands.execute(setState('DISARM', -1), neverAborted())
    assert.equal(sent(), 1)
    await server.kill()
    await assert.rejects(one.commands.execute(setState('AWAY', -1), neverAborted()), {
      code: 'SHARED_STATE_AWAY',
      message: /^The command AWAY for the whole panel was not carried out, and the nodes do not repeat it\./,
    })
    assert.equal(sent(), 1)
  })

  it('are not held up for long by one whose instance has not heard that it was added', async () => {
    const [one] = await instances.add('one')
    assert.ok(one)
    await one.commands.execute({ action: 'siren_off' }, neverAborted())
    const { connection, close } = await connectScripts(server)
    const [key = ''] = (await connection.send('KEYS', ['*:panel:*:commands'])) as Buffer[]
    const [id, text] = (await connection.send('HGETALL', [`${key}`])) as [Buffer, Buffer]
    const ended = JSON.parse(`${text}`)
    const added = { ...ended, ended: 0, state: 'waiting', seen: ended.seen - 4500 }
    await connection.send('HSET', [`${key}`, `${id}`, JSON.stringify(added)])
    close()
    await one.commands.execute({ action: 'siren_off' }, neverAborted())
  })

  it('are sent although what an earlier one may still do cannot be read any more', async () => {
    const [one] = await instances.add('one')
    assert.ok(one)
    await one.commands.execute({ action: 'siren_off' }, neverAborted())
    const { connection, close } = await connectScripts(server)
    const [key] = (await connection.send('KEYS', ['*:panel:*:commands'])) as Buffer[]
    await connection.send('HSET', [`${key}`.replace(/commands$/, 'effects'), '1', 'damaged'])
    close()
    await one.commands.execute({ action: 'siren_off' }, neverAborted())
  })

  it('leave nothing in Redis that tells who the panel is or what a command was', async () => {
    const [[one], [other]] = [await instances.add('one'), await instances.add('other')]
    const { serial = '' } = one?.settings ?? {}
    const connected = await connectScripts(server)
    const lines: string[] = []
    await Promise.all(
      [one, other].map((panel) => panel?.commands.execute(setState('AWAY', 1), neverAborted(), 'node')),
    )
    const keys = (await connected.connection.send('KEYS', ['*'])) as Buffer[]
    for (const key of keys) {
      const dump = (await connected.connection.send('DUMP', [key])) as Buffer
      lines.push(`${key}`, dump.toString('latin1'))
    }
    connected.close()
    assert.ok(keys.some((key) => `${key}`.endsWith(':outcomes')))
    for (const word of [serial, 'AWAY', 'set_state', 'tookMs', 'House', simulator.userCode]) {
      assert.ok(!lines.join('\n').includes(word), word)
    }
  })
})
