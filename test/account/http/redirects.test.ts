import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { promisify } from 'node:util'
import { type AccountHarness, startAccountHarness } from '../../../harness/account.ts'
import { moduleExtension } from '../../../harness/module-extension.ts'
import type { KeyholderError } from '../../../src/service/error.ts'
import { operations } from '../../../src/service/operations.ts'
import type { ScriptedResponse } from '../../../src/simulator/faults/response-faults.ts'

const run = promisify(execFile)

const statuses = [300, 301, 302, 303, 305, 307, 308]

describe('A redirect', () => {
  let scene: AccountHarness
  /** Another host, as far as one machine can have one; connections to it are counted. */
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

  const readStatus = () => scene.account.sendRead(operations.status, scene.createRequest())
  const answerNext = (operation: string, answer: ScriptedResponse) =>
    scene.simulator.respondOnce(operation, answer)

  /** The possible targets of a redirect; those without a host lead back to the service. */
  const targets = (): string[] => [
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

  /**
   * Returns everything that the simulator and the other host received, after time for further
   * requests.
   */
  async function seen(): Promise<{ operations: string[]; arrived: number }> {
    await new Promise((resolve) => setTimeout(resolve, 20))
    const operations = scene.simulator.requests.map(({ path }) => path.replace(/^.*?\/14\.0\//, ''))
    return { operations, arrived }
  }

  for (const operation of ['auth', 'panel/login', 'status']) {
    it(`of ${operation} is an error that is neither followed nor retried`, async () => {
      const before = { auth: [], 'panel/login': ['auth'], status: ['auth', 'panel/login'] }[operation] ?? []
      for (const status of statuses) {
        const other = scene.openAfterRestart({ url: `${scene.simulator.url}/rest_api/14.0` })
        const count = scene.simulator.requests.length
        answerNext(operation, { status, headers: { Location: `http://127.0.0.1:${port}/${operation}` } })
        const error = await refusalOf(other.sendRead(operations.status, scene.createRequest()))
        assert.equal(error.code, 'BAD_RESPONSE')
        assert.equal(error.status, status)
        assert.match(
          error.message,
          /redirects are not followed\. Check "Service address" in the alarm account node/,
        )
        const all = await seen()
        assert.deepEqual(all.operations.slice(count), [...before, operation])
        assert.equal(all.arrived, 0)
        // A failed sign-in is followed by a backoff.
        scene.clock.advance(60_000)
      }
    })
  }

  it('is not followed to any target, including the service itself', async () => {
    await readStatus()
    for (const place of targets()) {
      const count = scene.simulator.requests.length
      answerNext('status', { status: 307, headers: { Location: place } })
      assert.equal((await refusalOf(readStatus())).code, 'BAD_RESPONSE', place)
      const all = await seen()
      assert.deepEqual(all.operations.slice(count), ['status'], place)
      assert.equal(all.arrived, 0, place)
    }
  })

  it('of the version request is an error too', async () => {
    answerNext('version', { status: 302, headers: { Location: `http://127.0.0.1:${port}/` } })
    assert.equal((await refusalOf(readStatus())).code, 'BAD_RESPONSE')
    assert.deepEqual(await seen(), { operations: ['/rest_api/version'], arrived: 0 })
  })

  it('does not reveal its target in the error message', async () => {
    answerNext('auth', { status: 302, headers: { Location: 'https://evil.example/?token=canary' } })
    assert.doesNotMatch((await refusalOf(readStatus())).message, /evil|canary/)
  })

  it('is not triggered by other headers or by a page that names another address', async () => {
    await readStatus()
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
    answerNext('status', { status: 200, headers, body })
    await readStatus()
    answerNext('status', {
      status: 200,
      headers,
      body: `<html><head><meta http-equiv="refresh" content="0;url=${there}"></head></html>`,
    })
    assert.equal((await refusalOf(readStatus())).code, 'BAD_RESPONSE')
    answerNext('status', { status: 201, headers, body })
    await readStatus()
    await readStatus()
    assert.equal((await seen()).arrived, 0)
  })

  it('is not made by proxy variables in the environment', async () => {
    const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy']
    const proxies = Object.fromEntries(names.map((name) => [name, `http://127.0.0.1:${port}`]))
    // In a separate process, because Node reads these variables at startup, from version 24 on.
    const env = { ...process.env, ...proxies, NODE_USE_ENV_PROXY: '1', NO_PROXY: '', no_proxy: '' }
    const transport = new URL(`../../../src/account/http/http-client${moduleExtension}`, import.meta.url).href
    const clock = new URL(`../../../src/clock${moduleExtension}`, import.meta.url).href
    const script = `
      import { HttpClient } from ${JSON.stringify(transport)}
      import { systemClock } from ${JSON.stringify(clock)}
      const { signal } = new AbortController()
      for (const url of process.argv.slice(1)) {
        await new HttpClient({ timeout: 5, caFile: '' }, systemClock)
          .fetch({ method: 'GET', url, headers: {}, signal })
          .then(({ status }) => console.log(status), ({ code }) => console.log(code))
      }`
    // The second server does not speak TLS, but the test only needs to know which server is contacted.
    const urls = [`${scene.simulator.url}/nowhere`, scene.simulator.url.replace('http:', 'https:')]
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script, ...urls], { env })
    assert.deepEqual([stdout.split('\n').slice(0, 2), (await seen()).arrived], [['404', 'TLS'], 0])
  })
})

/** Returns the error with which a request is rejected. */
function refusalOf(request: Promise<unknown>): Promise<KeyholderError> {
  return request.then(
    () => assert.fail('it should have been refused'),
    (thrown) => thrown,
  )
}
