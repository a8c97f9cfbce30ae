import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { issuedFiles } from '../../../../harness/certificates/issued-certificates.ts'
import { certificateFiles } from '../../../../harness/certificates/test-certificate.ts'
import { FakeClock } from '../../../../harness/clock/fake-clock.ts'
import { until } from '../../../../harness/clock/until.ts'
import { FakeSentinel } from '../../../../harness/cluster/fake-sentinel.ts'
import { describeWithRedis, findFreePort, withRedis } from '../../../../harness/redis-server.ts'
import { systemClock } from '../../../../src/clock.ts'
import { clusterSettings } from '../../../../src/cluster/cluster-settings.ts'
import { Connection, type ConnectionOptions } from '../../../../src/cluster/redis/connection.ts'
import { quietTimes } from '../../../../src/cluster/redis/handshake.ts'
import { away, refusal } from '../../../../src/cluster/redis/redis-error.ts'
import { checkServerInfo } from '../../../../src/cluster/redis/server-info.ts'
import { second } from '../../../../src/duration.ts'
import { type ErrorCode, KeyholderError } from '../../../../src/service/error.ts'
import type { RawSettings } from '../../../../src/settings.ts'

const secret = 'Canary-Redis-7'

describeWithRedis('The connection to the shared state', (server) => {
  const opened: Connection[] = []

  function open(settings: RawSettings = {}, options: Partial<ConnectionOptions> = {}): Connection {
    const connection = new Connection(clusterSettings({ address: server.address, ...settings }), {
      clock: systemClock,
      handshake: async () => {},
      onChange: () => {},
      ...options,
    })
    opened.push(connection)
    connection.open()
    return connection
  }

  afterEach(() => {
    for (const connection of opened.splice(0)) connection.close()
  })

  /** Waits until an attempt has failed; its error has the code and says no secret. */
  async function assertFails(connection: Connection, code: ErrorCode, message: RegExp): Promise<void> {
    await until(() => connection.failure !== undefined)
    const { failure } = connection
    assert.ok(failure instanceof KeyholderError)
    assert.equal(failure.code, code, failure.message)
    assert.match(failure.message, message)
    assert.ok(!failure.message.includes(secret))
    await assert.rejects(connection.send('PING', []), { code })
  }

  it('sends commands once the handshake is done', async () => {
    const found: string[] = []
    const connection = open(
      {},
      {
        async handshake(sender, { runId }) {
          assert.equal(connection.isOpen, false)
          assert.equal(`${await sender.send('PING', [])}`, 'PONG')
          found.push(runId)
        },
      },
    )
    await assert.rejects(connection.send('PING', []), { code: 'SHARED_STATE_AWAY' })
    await until(() => connection.isOpen)
    assert.match(found.join(), /^[\da-f]{40}$/)
    assert.equal(`${await connection.send('ECHO', ['here'])}`, 'here')
  })

  it('is made again within the time in which nothing is sent after a failover', async () => {
    const clock = new FakeClock()
    let handshakes = 0
    const handshake = async () => {
      handshakes += 1
      throw away('the server is a replica')
    }
    open({}, { clock, handshake })
    const pauses: number[] = []
    while (pauses.length < 8) {
      await until(() => handshakes === pauses.length + 1 && clock.pending === 1)
      pauses.push(clock.untilNext ?? 0)
      clock.advance(clock.untilNext ?? 0)
    }
    assert.deepEqual(pauses.slice(0, 3), [100, 200, 400])
    // A connect takes 5 seconds at most, and an answer 3.
    assert.ok(Math.max(...pauses) + 8 * second < quietTimes.other, `${pauses}`)
  })

  it('is made again after the server was gone, with another handshake', async () => {
    let handshakes = 0
    const changes: boolean[] = []
    const connection = open(
      {},
      {
        handshake: async () => {
          handshakes += 1
        },
        onChange: () => changes.push(connection.isOpen),
      },
    )
    await until(() => connection.isOpen)
    await server.kill()
    await until(() => !connection.isOpen)
    await assert.rejects(connection.send('PING', []), { code: 'SHARED_STATE_AWAY' })
    await server.restart()
    await until(() => connection.isOpen)
    assert.equal(handshakes, 2)
    assert.deepEqual([changes[0], changes[1], changes.at(-1)], [true, false, true])
  })

  it('is away, and not unprotected, if the server ends each connection at once', async () => {
    // In a process of its own, so that the end comes before this process looks at the connection.
    const program = `require('node:net').createServer((socket) => socket.resetAndDestroy())
      .listen(0, '127.0.0.1', function () { console.log(this.address().port) })`
    const closing = spawn(process.execPath, ['-e', program])
    try {
      const [port] = await once(closing.stdout, 'data')
      const address = `redis://127.0.0.1:${Number(port)}`
      // Only some of them end so soon.
      const connections = Array.from({ length: 100 }, () => open({ address }))
      for (const connection of connections)
        await assertFails(connection, 'SHARED_STATE_AWAY', /cannot be reached/)
    } finally {
      closing.kill()
    }
  })

  it('asks the next Sentinel if one accepts but does not answer', async () => {
    const [silent, good] = [await FakeSentinel.start(), await FakeSentinel.start(server.port)]
    try {
      // The clock stands still: the time for all Sentinels does not end.
      const connection = open({ address: `${silent.address},${good.address}` }, { clock: new FakeClock() })
      await until(() => connection.isOpen)
      assert.ok(silent.connections > 0)
    } finally {
      await Promise.all([silent.close(), good.close()])
    }
  })

  it('fails and is tried again if no Sentinel answers', async () => {
    const silent = await FakeSentinel.start()
    try {
      const clock = new FakeClock()
      const failures: (ErrorCode | undefined)[] = []
      const onChange = () => failures.push(connection.failure?.code)
      const connection = open({ address: silent.address }, { clock, onChange })
      await until(() => silent.connections === 1)
      clock.advance(5 * second)
      assert.deepEqual(failures, ['SHARED_STATE_AWAY'])
      clock.advance(100)
      await until(() => silent.connections === 2)
    } finally {
      await silent.close()
    }
  })

  it('is left if the server does not answer; a command without an answer is not sent again', async () => {
    const connection = open()
    await until(() => connection.isOpen)
    await connection.send('SET', ['count', 0])
    server.pause()
    await assert.rejects(connection.send('INCR', ['count']), {
      code: 'SHARED_STATE_AWAY',
      message: /no answer/,
    })
    assert.equal(connection.isOpen, false)
    server.resume()
    await until(() => connection.isOpen)
    // The paused server has read the command and carries it out once.
    assert.equal(`${await connection.send('GET', ['count'])}`, '1')
  })

  it('fails with the name of the field if the password is wrong or missing, and says no password', async () => {
    await server.restart({ args: ['--requirepass', 'right'] })
    await assertFails(open({ password: secret }), 'BAD_SETTING', /^Password of the cluster/)
    await assertFails(open(), 'BAD_SETTING', /^Password of the cluster: the server requires/)
    const denied = refusal('DENIED Redis is running in protected mode because protected mode is enabled')
    assert.match(denied.message, /^Password of the cluster: the server has no password/)
    const connection = open({ password: 'right' })
    await until(() => connection.isOpen)
    await server.restart({ args: [] })
  })

  it('fails with the name of the field if the user may not do what is needed', async () => {
    await server.restart({ args: ['--user', 'app', 'on', '>right', '~other:*', '+@connection'] })
    await assertFails(
      open({ username: 'app', password: 'right' }),
      'BAD_SETTING',
      /^User name of the cluster/,
    )
    await server.restart({ args: [] })
  })

  it('is left if the configuration of the server has changed so that it may remove data, until it is corrected', async () => {
    const clock = new FakeClock()
    const connection = open({}, { clock })
    await until(() => connection.isOpen)
    const setPolicy = (policy: string) =>
      withRedis(server, (client) => client.config('SET', 'maxmemory-policy', policy))
    await connection.check()
    assert.equal(connection.isOpen, true)
    await setPolicy('allkeys-lru')
    await connection.check()
    assert.equal(connection.isOpen, false)
    assert.match(`${connection.failure?.message}`, /noeviction/)
    await setPolicy('noeviction')
    clock.advance(5 * second)
    await until(() => connection.isOpen)
  })

  it('fails while nothing listens, and while the server is one that it cannot use', async () => {
    const nowhere = `redis://127.0.0.1:${await findFreePort()}`
    await assertFails(open({ address: nowhere }), 'SHARED_STATE_AWAY', /ECONNREFUSED/)
    await assertFails(open({ address: nowhere.slice(8) }), 'SHARED_STATE_AWAY', /cannot be reached/)
    await assertFails(open({ address: `${server.address}/99` }), 'BAD_SETTING', /^Address of the cluster/)
    await server.restart({ args: ['--maxmemory-policy', 'allkeys-lru'] })
    await assertFails(open(), 'BAD_SETTING', /noeviction/)
    await server.restart({ args: [] })
  })

  it('checks the certificate of the server, by the authority in the settings', async () => {
    const port = await findFreePort()
    await server.restart({
      args: [
        ...['--tls-port', `${port}`, '--tls-auth-clients', 'no'],
        ...['--tls-cert-file', issuedFiles.issued, '--tls-key-file', certificateFiles.key],
        ...['--tls-ca-cert-file', issuedFiles.authority],
      ],
    })
    const address = `rediss://127.0.0.1:${port}`
    const connection = open({ address, caFile: issuedFiles.authority })
    await until(() => connection.isOpen)
    await assertFails(open({ address }), 'TLS', /CA certificate/)
    await assertFails(open({ address, caFile: certificateFiles.key }), 'BAD_SETTING', /^CA certificate/)
    await server.restart({ args: [] })
  })

  it('says how to install the client if it is missing', async () => {
    const load = () => Promise.reject(new Error('Cannot find package'))
    await assertFails(open({}, { load }), 'NOT_CONFIGURED', /npm install ioredis/)
  })

  it('is closed for good', async () => {
    const connection = open()
    await until(() => connection.isOpen)
    const waiting = connection.send('BLPOP', ['nothing', 0])
    connection.close()
    await assert.rejects(waiting, { code: 'CLOSED' })
    await assert.rejects(connection.send('PING', []), { code: 'CLOSED' })
  })

  it('does not connect any more if it is closed before the client is loaded', async () => {
    const { default: library } = await import('ioredis')
    const calls = new EventEmitter()
    class NotedClient extends library.Redis {
      override async connect(): Promise<void> {
        calls.emit('call', 'connect')
      }
      override disconnect(): void {
        calls.emit('call', 'disconnect')
      }
    }
    const connection = open({}, { load: async () => ({ ...library, Redis: NotedClient }) })
    connection.close()
    assert.deepEqual(await once(calls, 'call'), ['disconnect'])
  })
})

describe('A server', () => {
  const info = (fields: Record<string, string>) =>
    Object.entries({ redis_version: '7.0.15', run_id: 'abc', role: 'master', ...fields })
      .map(([name, value]) => `${name}:${value}`)
      .join('\r\n')

  it('is usable from version 6.2 on, with its identity', () => {
    assert.deepEqual(
      checkServerInfo(info({ redis_version: '6.2.1', product: 'Redis 6.2.1', aof_enabled: '1' })),
      {
        runId: 'abc',
        version: '6.2.1',
        product: 'Redis 6.2.1',
        isAppendOnly: true,
        needsReplicas: false,
      },
    )
    assert.throws(() => checkServerInfo(info({ redis_version: '6.0.16' })), {
      code: 'BAD_SETTING',
      message: /6\.2/,
    })
  })

  it('takes writes only while it has replicas, if it tells how many there are', () => {
    assert.equal(checkServerInfo(info({ min_slaves_good_slaves: '0' })).needsReplicas, true)
  })

  it('may remove keys that expire, since the service can be asked again for ours, but no others', () => {
    assert.ok(checkServerInfo(info({ maxmemory_policy: 'volatile-lru' })))
    assert.throws(() => checkServerInfo(info({ maxmemory_policy: 'allkeys-lfu' })), { code: 'BAD_SETTING' })
  })

  it('is away while it loads its data or is a replica', () => {
    for (const fields of [{ loading: '1' }, { role: 'slave' }])
      assert.throws(() => checkServerInfo(info(fields as Record<string, string>)), {
        code: 'SHARED_STATE_AWAY',
      })
  })
})
