import assert from 'node:assert/strict'
import { createConnection } from 'node:net'
import { describeWithRedis } from '../../../harness/redis-server.ts'

/** Sends one command as a line and returns the first line of the answer. */
function send(port: number, command: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(port, '127.0.0.1', () => socket.write(`${command}\r\n`))
    socket.once('error', reject)
    socket.once('data', (data) => {
      socket.destroy()
      resolve(`${data}`.split('\r\n')[0] ?? '')
    })
  })
}

describeWithRedis('The Redis server of the tests', (server) => {
  it('answers on a port of loopback', async () => {
    assert.equal(await send(server.port, 'PING'), '+PONG')
  })

  it('is empty after a restart', async () => {
    const { port } = server
    await send(port, 'SET key value')
    await server.restart()
    assert.equal(server.port, port)
    assert.equal(await send(port, 'EXISTS key'), ':0')
  })

  it('has its data again after a kill if it appends them to a file', async () => {
    await server.restart({ appendOnly: true })
    await send(server.port, 'SET key value')
    await server.kill()
    await assert.rejects(send(server.port, 'PING'), { code: 'ECONNREFUSED' })
    await server.restart()
    assert.equal(await send(server.port, 'EXISTS key'), ':1')
  })
})
