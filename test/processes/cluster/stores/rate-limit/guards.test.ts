import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FakeClock } from '../../../../../harness/clock/fake-clock.ts'
import { type ConnectedScripts, connectScripts } from '../../../../../harness/cluster/connected-scripts.ts'
import { describeWithRedis } from '../../../../../harness/redis-server.ts'
import { AttemptLog } from '../../../../../src/account/service-user/rate-limit/attempt-log.ts'
import { SharedRateLimits } from '../../../../../src/cluster/stores/rate-limit/rate-limits.ts'
import { minute, second } from '../../../../../src/duration.ts'
import { KeyholderError } from '../../../../../src/service/error.ts'

describeWithRedis('The log of an instance, for a process after it that is alone', (server) => {
  let folder: string
  let clock: FakeClock
  let connected: ConnectedScripts
  let store: SharedRateLimits
  const held = () => new AttemptLog(join(folder, 'attempts.log'), clock).recallBackoff()

  beforeEach(async () => {
    await server.restart()
    folder = await mkdtemp(join(tmpdir(), 'keyholder-'))
    clock = new FakeClock()
    connected = await connectScripts(server, { clock })
    await connected.command('ZADD', 'members', 9e15, 1)
    store = new SharedRateLimits({
      scripts: connected.scripts,
      clock,
      user: 'user1',
      session: () => 1,
      onForgotten: () => {},
      attemptLog: new AttemptLog(join(folder, 'attempts.log'), clock),
    })
    await store.recall()
  })
  afterEach(async () => {
    connected.close()
    await rm(folder, { recursive: true, maxRetries: 10 })
  })

  it('has the guard that is open, whatever else has ended', async () => {
    const [end] = [await store.guardKill(5 * minute), await store.guardKill(5 * minute)]
    await end()
    const failure = new KeyholderError('SERVER_ERROR', 'The service failed.')
    await store.startBackoff(10 * second, failure, false)
    clock.advance(minute)
    assert.equal(await held(), 4 * minute)
    store.endBackoff()
    await (await store.guardKill(second))()
    assert.equal(await held(), 4 * minute)
  })

  it('has the backoff when the last guard has ended', async () => {
    const end = await store.guardKill(5 * minute)
    await store.startBackoff(minute, new KeyholderError('RATE_LIMITED', 'Pause.'), true)
    await end()
    assert.equal(await held(), minute)
  })
})
