import assert from 'node:assert/strict'
import { neverAborted } from '../../../../harness/account.ts'
import { until } from '../../../../harness/clock/until.ts'
import {
  type CommandedInstance,
  CommandedInstances,
} from '../../../../harness/cluster/commanded-instances.ts'
import { setState } from '../../../../harness/panel/commanded-panel.ts'
import { describeWithRedis } from '../../../../harness/redis-server.ts'
import { momentOf, systemClock } from '../../../../src/clock.ts'
import type { BypassRecord } from '../../../../src/panel/commands/bypass/bypass-records.ts'
import { type Simulator, startSimulator } from '../../../../src/simulator/simulator.ts'

describeWithRedis('The bypasses of a cluster', (server) => {
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

  const armPastOpenZones = { ...setState('AWAY', 1), openZones: 'bypass', restoreBypass: true } as const
  const home = () => simulator.world.panel(simulator.serials[0] ?? '')
  const isBypassed = (zone: number) => home().zone(zone).traits.bypass?.enabled === true
  /** Waits until there are so many records. */
  const untilRecords = async ({ bypasses }: CommandedInstance, count: number) => {
    while ((await bypasses.read().catch(() => undefined))?.length !== count) await new Promise(setImmediate)
  }

  /** Leaves what an instance leaves that is killed between two steps of an arming. */
  async function leaveBehind({ bypasses }: CommandedInstance, phase: BypassRecord['phase']): Promise<void> {
    home().bypass(2, true)
    const record = {
      partition: 1,
      state: 'AWAY',
      phase,
      restore: true,
      zones: [2],
      at: momentOf(systemClock),
    }
    await bypasses.write(new Map([[1, record]]))
  }

  it('of an instance that was killed are taken back by another one after a disarm, without its files', async () => {
    const [one, other] = [await instances.addOne('one'), await instances.addOne('other')]
    for (const { panel } of [one, other]) await panel.commands.start()
    home().open(2)
    const { view } = await one.panel.commands.execute(armPastOpenZones, neverAborted())
    assert.deepEqual(
      view.bypassed?.map(({ zone }) => zone),
      [2],
    )
    await instances.killAndExpire(one)
    // Named by the other instance, which did not bypass it.
    const again = await other.panel.commands.execute(armPastOpenZones, neverAborted())
    assert.deepEqual([again.view.already, again.view.bypassed?.map(({ zone }) => zone)], [true, [2]])
    await other.panel.commands.execute(setState('DISARM', 1), neverAborted())
    await until(() => !isBypassed(2))
    await untilRecords(other, 0)
  })

  it('of an arming that a kill has interrupted are taken back before the next arming', async () => {
    const [one, other] = [await instances.addOne('one'), await instances.addOne('other')]
    await other.panel.commands.start()
    await leaveBehind(one, 'bypassing')
    await instances.killAndExpire(one)
    await other.panel.commands.execute(setState('AWAY', 1), neverAborted())
    assert.equal(isBypassed(2), false)
    assert.deepEqual(await other.bypasses.read(), [])
  })

  it('are left alone as soon as a flow bypasses the zone through another instance', async () => {
    const [one, other] = [await instances.addOne('one'), await instances.addOne('other')]
    await leaveBehind(one, 'armed')
    const command = { action: 'bypass', zone: 2, enabled: true } as const
    await other.panel.commands.execute(command, neverAborted())
    assert.deepEqual(await one.bypasses.read(), [])
  })

  it('of a live instance are settled by it alone; what it gives up or is gone, by another one', async () => {
    const [one, other] = [await instances.addOne('one'), await instances.addOne('other')]
    await leaveBehind(one, 'armed')
    const owners = async ({ bypasses }: CommandedInstance) =>
      (await bypasses.read()).map(({ isOwn, isAlive }) => ({ isOwn, isAlive }))
    assert.deepEqual(await owners(one), [{ isOwn: true, isAlive: true }])
    assert.deepEqual(await owners(other), [{ isOwn: false, isAlive: true }])
    await instances.killAndExpire(one)
    assert.deepEqual(await owners(other), [{ isOwn: false, isAlive: false }])
    await assert.rejects(one.bypasses.write(new Map([[1, undefined]])), { code: 'SHARED_STATE_AWAY' })
    assert.equal((await owners(other)).length, 1)
  })

  it('are known again after the server has lost its data', async () => {
    const one = await instances.addOne('one')
    await leaveBehind(one, 'armed')
    await server.restart({})
    await untilRecords(one, 1)
    const [{ zones, phase } = { zones: [], phase: '' }] = await one.bypasses.read()
    assert.deepEqual([zones, phase], [[2], 'armed'])
  })
})
