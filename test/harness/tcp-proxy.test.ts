import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { TcpProxy } from '../../harness/cluster/tcp-proxy.ts'

describe('The way to a server', () => {
  let server: Server
  let proxy: TcpProxy
  let client: Socket
  const arrived: string[] = []

  beforeEach(async () => {
    server = createServer((socket) => {
      socket.pipe(socket)
      socket.on('data', () => server.emit('heard'))
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    proxy = await TcpProxy.start((server.address() as AddressInfo).port)
    client = connect(Number(new URL(proxy.address).port), '127.0.0.1')
    client.setNoDelay(true)
    arrived.length = 0
    client.on('data', (chunk) => arrived.push(`${chunk}`))
    await once(client, 'connect')
  })

  afterEach(async () => {
    client.destroy()
    await proxy.close()
    server.close()
  })

  const echoed = async (text: string) => {
    while (arrived.join('') !== text) await once(client, 'data')
  }

  it('can delay answers, and keeps their order when it is quick again', async () => {
    proxy.delayAnswers(120)
    const from = performance.now()
    client.write('one ')
    await echoed('one ')
    assert.ok(performance.now() - from >= 118, `${performance.now() - from} ms`)
    client.write('two ')
    await once(server, 'heard')
    // The echo reaches the way.
    for (let turns = 0; turns < 5; turns += 1) await new Promise(setImmediate)
    proxy.delayAnswers(0)
    client.write('three')
    await echoed('one two three')
  })
})
