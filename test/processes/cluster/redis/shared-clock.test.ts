import assert from 'node:assert/strict'
import { FakeClock } from '../../../../harness/clock/fake-clock.ts'
import { until } from '../../../../harness/clock/until.ts'
import {
  type ConnectedScripts,
  connectScripts,
  stepServerClock,
} from '../../../../harness/cluster/connected-scripts.ts'
import { describeWithRedis } from '../../../../harness/redis-server.ts'
import { systemClock } from '../../../../src/clock.ts'
import { script } from '../../../../src/cluster/redis/scripts.ts'
import { SharedClock } from '../../../../src/cluster/redis/shared-clock.ts'

const tell = script('return {time, time}')

async function timeOf({ scripts }: ConnectedScripts): Promise<number> {
  const [time] = (await scripts.run(tell, [])) as [number]
  return time
}

/** Returns a result with the milliseconds that it took. */
async function timed<T>(work: () => Promise<T>): Promise<[T, number]> {
  const begin = systemClock.monotonic()
  const result = await work()
  return [result, systemClock.monotonic() - begin]
}

describe('The estimate of the shared clock', () => {
  it('follows the quickest of the last ten answers on the monotonic clock', () => {
    const clock = new FakeClock()
    const shared = new SharedClock(clock)
    assert.deepEqual([shared.now(), shared.latestPossible()], [0, 0])
    clock.advance(1000)
    shared.note(50_000, 0, 1000)
    assert.deepEqual([shared.now(), shared.latestPossible()], [50_500, 51_000])
    shared.note(51_000, 990, 1000)
    assert.deepEqual([shared.now(), shared.latestPossible()], [51_005, 51_010])
    clock.advance(500)
    shared.note(51_700, 1000, 1500)
    assert.equal(shared.latestPossible(), 51_510)
    for (let slow = 0; slow < 10; slow += 1) shared.note(51_800, 1000, 1500)
    assert.equal(shared.latestPossible(), 52_300)
  })

  it('never goes back', () => {
    const clock = new FakeClock()
    const shared = new SharedClock(clock)
    shared.note(50_000, 0, 0)
    clock.advance(100)
    assert.equal(shared.now(), 50_100)
    for (let again = 0; again < 10; again += 1) shared.note(49_000, 100, 100)
    assert.equal(shared.now(), 50_100)
    clock.advance(2000)
    assert.equal(shared.now(), 51_000)
  })
})

describeWithRedis('The shared clock', (server) => {
  const instances: ConnectedScripts[] = []
  const connect = async (options = {}) => {
    const instance = await connectScripts(server, options)
    instances.push(instance)
    return instance
  }

  afterEach(async () => {
    for (const { close } of instances.splice(0)) close()
    await server.restart()
  })

  it('begins with the wall clock of the server and goes on with it', async () => {
    const instance = await connect()
    const wallBefore = systemClock.wall()
    const [before, longest] = await timed(() => timeOf(instance))
    assert.ok(before >= wallBefore - 1 && before <= systemClock.wall() + 1)
    const [, shortest] = await timed(() => until(() => systemClock.wall() > wallBefore + 50))
    const [after, last] = await timed(() => timeOf(instance))
    const passed = after - before
    assert.ok(passed >= shortest - 5 && passed <= longest + shortest + last + 5, `${passed}`)
  })

  it('does not go back when the clock of the server does', async () => {
    const instance = await connect()
    const begin = systemClock.monotonic()
    const before = await timeOf(instance)
    await stepServerClock(instance, -3_600_000)
    const after = await timeOf(instance)
    assert.ok(after >= before && after - before <= systemClock.monotonic() - begin + 110)
    assert.ok((await timeOf(instance)) >= after)
  })

  it('gains at most 100 ms and a round trip by a step of the server, of whatever length', async () => {
    const instance = await connect()
    const begin = systemClock.monotonic()
    const before = await timeOf(instance)
    for (let step = 1; step <= 3; step += 1) {
      await stepServerClock(instance, 3_600_000)
      await timeOf(instance)
    }
    const gained = (await timeOf(instance)) - before
    assert.ok(gained <= systemClock.monotonic() - begin + 3 * 110)
  })

  it('gains at most a second by a step if the caller does not know the time', async () => {
    const begin = systemClock.monotonic()
    const [before, instance] = [await timeOf(await connect()), await connect()]
    instance.sharedClock.reset()
    await stepServerClock(instance, 3_600_000)
    const gained = (await timeOf(instance)) - before
    assert.ok(gained <= systemClock.monotonic() - begin + 1100)
  })
})

describeWithRedis('The handshake', (server) => {
  let instance: ConnectedScripts

  beforeEach(async () => {
    await server.empty()
    instance = await connectScripts(server, { quiet: { blank: 72_000, other: 5000 } })
  })
  afterEach(() => instance.close())

  const whatIsFound = ({ handshakes }: ConnectedScripts) =>
    handshakes.map(({ found, quiet }) => [found, quiet])

  it('finds that it knows nothing, and begins a quiet time as long as an attempt counts', async () => {
    assert.deepEqual(whatIsFound(instance), [['blank', 72_000]])
    const second = await connectScripts(server)
    const [handshake] = second.handshakes
    assert.equal(handshake?.found, 'known')
    assert.ok((handshake?.quiet ?? 0) > 60_000)
    second.close()
  })

  it('finds that another server has its data, and begins a short quiet time', async () => {
    await instance.command('HSET', 'server', 'run', 'another', 'quiet', 0)
    const second = await connectScripts(server, { quiet: { blank: 72_000, other: 5000 } })
    assert.deepEqual(whatIsFound(second), [['other', 5000]])
    second.close()
  })

  it('refuses a state of another format', async () => {
    await instance.command('HSET', 'server', 'format', 99)
    await assert.rejects(connectScripts(server), { code: 'BAD_SETTING', message: /^Cluster name/ })
  })
})
