import { connectScripts } from '../../harness/cluster/connected-scripts.ts'
import { RedisServer, redisProgram } from '../../harness/redis-server.ts'

/**
 * Runs `work` with a Redis server of its own, which has had its first handshake: otherwise the instances would wait for
 * 72 seconds.
 */
export async function withRedisServer<T>(work: (server: RedisServer) => Promise<T>): Promise<T> {
  const program = redisProgram()
  if (program === undefined)
    throw new Error('There is no redis-server. Install it, or name one in REDIS_SERVER.')
  const server = new RedisServer(program)
  await server.start()
  try {
    const first = await connectScripts(server)
    first.close()
    return await work(server)
  } finally {
    await server.stop()
  }
}
