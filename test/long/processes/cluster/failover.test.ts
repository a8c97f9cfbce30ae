import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { assertKept } from '../../../../harness/cluster/fleet/fleet-assertions.ts'
import { TcpProxy } from '../../../../harness/cluster/tcp-proxy.ts'
import { isDeep } from '../../../../harness/mocha/depth.ts'
import { describeWithRedis, RedisServer, withRedis } from '../../../../harness/redis-server.ts'

// Half a minute of four processes each. A replica that lacks writes is the hardest of them, so every run has it.
const itDeep = isDeep ? it : it.skip

describeWithRedis(
  'Two processes of a cluster with panels',
  (server) => {
    itDeep(
      'lose no event, repeat none without a flag and keep to the cap while the server is killed and comes back empty',
      async () => {
        await server.restart({})
        await assertKept(server, {
          instances: ['one', 'two'],
          other: async () => {
            await pause(5000)
            await server.restart()
            await pause(20_000)
          },
        })
      },
    )

    itDeep(
      'lose no event, repeat none without a flag and keep to the cap while the server is killed for three seconds and comes back with its append-only file',
      async () => {
        await server.restart({ appendOnly: true })
        await assertKept(server, {
          instances: ['one', 'two'],
          other: async () => {
            await pause(5000)
            await server.kill()
            await pause(3000)
            await server.restart()
            await pause(15_000)
          },
        })
        await server.restart({})
      },
    )

    itDeep(
      'lose no event, repeat none without a flag and keep to the cap while one of them is cut off from the server',
      async () => {
        await server.restart({})
        const proxy = await TcpProxy.start(server.port)
        try {
          await assertKept(server, {
            instances: ['one', 'two'],
            addressFor: (instance) => (instance === 'one' ? proxy.address : server.address),
            other: async () => {
              await pause(5000)
              proxy.cut()
              await pause(20_000)
              proxy.mend()
              await pause(10_000)
            },
          })
        } finally {
          await proxy.close()
        }
      },
    )

    it('lose no event, repeat none without a flag and keep to the cap while a replica takes over that lacks the writes of the last second', async () => {
      await server.restart({})
      const replica = new RedisServer(server.program)
      const proxy = await TcpProxy.start(server.port)
      try {
        await replica.start({ args: ['--replicaof', '127.0.0.1', `${server.port}`] })
        await assertKept(server, {
          instances: ['one', 'two'],
          addressFor: () => proxy.address,
          other: () =>
            withRedis(replica, async (client) => {
              await pause(5000)
              assert.match(await client.info('replication'), /^master_link_status:up/m)
              await client.replicaof('NO', 'ONE')
              await pause(1000)
              proxy.leadTo(replica.port)
              await server.kill()
              await pause(15_000)
            }),
        })
      } finally {
        await proxy.close()
        await replica.stop()
      }
    })
  },
  { isLong: true },
)
