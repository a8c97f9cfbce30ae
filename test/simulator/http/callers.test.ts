import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { FakeClock } from '../../../harness/clock/fake-clock.ts'
import { type Simulator, startSimulator } from '../../../src/simulator/simulator.ts'

describe('The service of the simulator', () => {
  let simulator: Simulator
  before(async () => {
    simulator = await startSimulator({ clock: new FakeClock() })
  })
  after(() => simulator.close())

  async function statusOf(path: string, method: string, headers: Record<string, string>): Promise<number> {
    const { port } = new URL(simulator.url)
    const sent = request({ host: '127.0.0.1', port, path, method, headers, setHost: false })
    sent.end(method === 'POST' ? '{}' : undefined)
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    response.resume()
    return response.statusCode ?? 0
  }

  const routes = [
    ['GET', '/rest_api/version'],
    ['POST', '/rest_api/14.0/auth'],
    ['GET', '/rest_api/14.0/status'],
    ['GET', '/nothing/here'],
  ] as const

  it('refuses a request of another web page, or for another host, on all routes', async () => {
    const { host, origin } = new URL(simulator.url)
    const foreign: Record<string, string>[] = [
      { Host: 'evil.example' },
      { Host: `evil.example:${new URL(simulator.url).port}` },
      { Host: host, Origin: 'https://evil.example' },
      { Host: host, Origin: 'null' },
      { Host: host, 'Sec-Fetch-Site': 'cross-site' },
      { Host: host, Origin: origin, 'Sec-Fetch-Site': 'same-site' },
    ]
    for (const [method, path] of routes)
      for (const headers of foreign)
        assert.equal(await statusOf(path, method, headers), 403, `${path} ${JSON.stringify(headers)}`)
    assert.equal(simulator.accounts.signIns, 0)
  })

  it('answers programs of this machine, and a page of its own', async () => {
    const { host, origin, port } = new URL(simulator.url)
    for (const headers of [
      { Host: host },
      { Host: `localhost:${port}` },
      // A forwarded port.
      { Host: '127.0.0.1:1' },
      { Host: host, Origin: origin, 'Sec-Fetch-Site': 'same-origin' },
      { Host: host, 'Sec-Fetch-Site': 'none' },
    ])
      for (const [method, path] of routes) assert.notEqual(await statusOf(path, method, headers), 403, path)
  })
})
