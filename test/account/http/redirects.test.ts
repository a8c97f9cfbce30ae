import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { promisify } from 'node:util'
import { type AccountHarness, startAccountHarness } from '../../../harness/account.ts'
import type { KeyholderError } from '../../../src/service/error.ts'
import { operations } from '../../../src/service/operations.ts'
import type { ScriptedResponse } from '../../../src/simulator/faults/response-faults.ts'

const run = promisify(execFile)

const statuses = [300, 301, 302, 303, 305, 307, 308]

describe('A redirect', () => {
  let scene: AccountHarness
  /** Another host, as far as a test on one machine can have one: whatever arrives there is noted. */
  let elsewhere: Server
  let arrived: number
  let port: number

  beforeEach(async () => {
    scene = await startAccountHarness()
    arrived = 0
    elsewhere = createServer((socket) => {
      arrived += 1
      socket.on('error', () => {})
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}')
    })
    await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve))
    port = (elsewhere.address() as AddressInfo).port
  })
  afterEach(async () => {
    elsewhere.close()
    await scene.close()
  })

  const askStatus = () => scene.account.sendRead(operations.status, scene.createRequest())
  const lay = (operation: string, answer: ScriptedResponse) => scene.simulator.respondOnce(operation, answer)

  /** The places a redirect may name; those without a host lead back to the service. */
  const places = (): string[] => [
    `http://127.0.0.1:${port}/`,
    `http://localhost:${port}/rest_api/14.0/status`,
    `https://127.0.0.1:${port}/`,
    `//127.0.0.1:${port}/auth`,
    `\\\\127.0.0.1:${port}\\auth`,
    `http://user:word@127.0.0.1:${port}/`,
    `${scene.simulator.url}@127.0.0.1:${port}/`,
    '/rest_api/14.0/panels',
    'panels',
    '?again',
    '',
    'javascript:alert(1)',
    'file:///etc/passwd',
    'unix:/run/docker.sock:/info',
    `ftp://127.0.0.1:${port}/`,
  ]

  /** Everything that the simulator and the other host saw, after a moment in which more could have come. */
  async function seen(): Promise<{ operations: string[]; arrived: number }> {
    await new Promise((resolve) => setTimeout(resolve, 20))
    const operations = scene.simulator.requests.map(({ path }) => path.replace(/^.*?\/14\.0\//, ''))
    return { operations, arrived }
  }

  for (const operation of ['auth', 'panel/login', 'status']) {
    it(`of ${operation} is an error, and is neither followed nor tried again`, async () => {
      const before = { auth: [], 'panel/login': ['auth'], status: ['auth', 'panel/login'] }[operation] ?? []
      for (const status of statuses) {
        const other = scene.openAfterRestart({ url: `${scene.simulator.url}/rest_api/14.0` })
        const count = scene.simulator.requests.length
        lay(operation, { status, headers: { Location: `http://127.0.0.1:${port}/${operation}` } })
        const error = await refusalOf(other.sendRead(operations.status, scene.createRequest()))
        assert.equal(error.code, 'BAD_RESPONSE')
        assert.equal(error.status, status)
        assert.match(error.message, /redirects are not followed\. Check "Service" in the alarm account node/)
        const all = await seen()
        assert.deepEqual(all.operations.slice(count), [...before, operation])
        assert.equal(all.arrived, 0)
        // A sign-in that fails is followed by a pause.
        scene.clock.advance(60_000)
      }
    })
  }

  it('is not followed wherever it leads, also back to the service itself', async () => {
    await askStatus()
    for (const place of places()) {
      const count = scene.simulator.requests.length
      lay('status', { status: 307, headers: { Location: place } })
      assert.equal((await refusalOf(askStatus())).code, 'BAD_RESPONSE', place)
      const all = await seen()
      assert.deepEqual(all.operations.slice(count), ['status'], place)
      assert.equal(all.arrived, 0, place)
    }
  })

  it('of the question for the versions is an error too', async () => {
    lay('version', { status: 302, headers: { Location: `http://127.0.0.1:${port}/` } })
    assert.equal((await refusalOf(askStatus())).code, 'BAD_RESPONSE')
    assert.deepEqual(await seen(), { operations: ['/rest_api/version'], arrived: 0 })
  })

  it('tells neither log nor flow where it leads', async () => {
    lay('auth', { status: 302, headers: { Location: 'https://evil.example/?token=canary' } })
    assert.doesNotMatch((await refusalOf(askStatus())).message, /evil|canary/)
  })

  it('has no other words: what headers or a page say of other places is not followed', async () => {
    await askStatus()
    const there = `http://127.0.0.1:${port}/`
    const headers = {
      Location: there,
      'Content-Location': there,
      Link: `<${there}>; rel=preload, <${there}>; rel=preconnect`,
      Refresh: `0; url=${there}`,
      'Alt-Svc': `h2="127.0.0.1:${port}"; ma=86400, http/1.1="127.0.0.1:${port}"`,
      'Set-Cookie': 'a=b',
    }
    const body = { connected: true, partitions: [{ id: -1, state: 'DISARM', status: '', ready: true }] }
    lay('status', { status: 200, headers, body })
    await askStatus()
    lay('status', {
      status: 200,
      headers,
      body: `<html><head><meta http-equiv="refresh" content="0;url=${there}"></head></html>`,
    })
    assert.equal((await refusalOf(askStatus())).code, 'BAD_RESPONSE')
    lay('status', { status: 201, headers, body })
    await askStatus()
    await askStatus()
    assert.equal((await seen()).arrived, 0)
  })

  it('is not what a proxy in the environment makes of a request either', async () => {
    const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy']
    const proxies = Object.fromEntries(names.map((name) => [name, `http://127.0.0.1:${port}`]))
    // A process of its own, since Node looks at them when it starts, from version 24 on.
    const env = { ...process.env, ...proxies, NODE_USE_ENV_PROXY: '1', NO_PROXY: '', no_proxy: '' }
    const transport = new URL('../../../src/account/http/http-client.js', import.meta.url).href
    const clock = new URL('../../../src/clock.js', import.meta.url).href
    const script = `
      import { HttpClient } from ${JSON.stringify(transport)}
      import { systemClock } from ${JSON.stringify(clock)}
      const { signal } = new AbortController()
      for (const url of process.argv.slice(1)) {
        await new HttpClient({ timeout: 5, caFile: '' }, systemClock)
          .fetch({ method: 'GET', url, headers: {}, signal })
          .then(({ status }) => console.log(status), ({ code }) => console.log(code))
      }`
    // The second speaks no TLS: it is enough to see who was asked.
    const urls = [`${scene.simulator.url}/nowhere`, scene.simulator.url.replace('http:', 'https:')]
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script, ...urls], { env })
    assert.deepEqual([stdout.split('\n').slice(0, 2), (await seen()).arrived], [['404', 'TLS'], 0])
  })
})

/** The error with which a question is refused. */
function refusalOf(asked: Promise<unknown>): Promise<KeyholderError> {
  return asked.then(
    () => assert.fail('it should have been refused'),
    (thrown) => thrown,
  )
}
