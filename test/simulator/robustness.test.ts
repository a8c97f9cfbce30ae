import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { FakeClock } from '../../harness/clock/fake-clock.ts'
import { until } from '../../harness/clock/until.ts'
import { ApiClient, signedIn } from '../../harness/simulator/api-client.ts'
import { type Simulator, startSimulator } from '../../src/simulator/simulator.ts'

/** Sends a request, waits for two other requests, and disconnects; fails if there was a response. */
async function assertUnanswered(caller: ApiClient, operation: string): Promise<void> {
  const controller = new AbortController()
  const url = `${caller.simulator.url}/rest_api/14.0/${operation}`
  const unanswered = assert.rejects(fetch(url, { signal: controller.signal }), { name: 'AbortError' })
  await until(() => caller.simulator.requests.some(({ path }) => path.endsWith(`/${operation}`)))
  await caller.get('panels')
  controller.abort()
  await unanswered
}

describe('the simulator, when it gets malformed requests', () => {
  let simulator: Simulator
  let caller: ApiClient

  before(async () => {
    simulator = await startSimulator({ clock: new FakeClock() })
    caller = await signedIn(simulator)
  })

  after(async () => {
    assert.deepEqual(simulator.defects, [])
    await simulator.close()
  })

  for (const body of ['{', '[]', 'null', '"text"', '7', '\u0000', '{"email":1}']) {
    it(`answers the body ${JSON.stringify(body)} with 400`, async () => {
      const reply = await caller.request('POST', '/rest_api/14.0/auth', body)
      assert.equal(reply.status, 400)
      assert.equal(typeof reply.body.error, 'number')
    })
  }

  for (const value of [{}, [], true, null, '']) {
    it(`answers 400 when a text field holds ${JSON.stringify(value)}`, async () => {
      const { status, body } = await caller.post('auth', { email: value, password: value, app_id: value })
      assert.equal(status, 400)
      assert.equal(body.extras.length, 3)
    })
  }

  it('treats a missing body as an empty object', async () => {
    const { body } = await caller.request('POST', '/rest_api/14.0/auth')
    assert.equal(body.extras.length, 3)
  })

  it('answers a body above 1 MB with 413', async () => {
    const { status } = await caller.request('POST', '/rest_api/14.0/auth', 'x'.repeat(1024 * 1024 + 1))
    assert.equal(status, 413)
    const fits = await caller.request('POST', '/rest_api/14.0/auth', ' '.repeat(1024 * 1024))
    assert.equal(fits.status, 400)
  })

  const paths = [
    '//',
    '/rest_api',
    '/rest_api/',
    '/rest_api/14.0',
    '/rest_api/14.0/',
    '/rest_api/14.0/status/',
    '/rest_api/14.0/had/rules/event-profiles',
    '/rest_api/14.0/had/rules/event-profiles/',
    '/rest_api/14.0/had/rules/event-profiles/en_US/more',
    '/rest_api/14.0/had/rules/event-profileX/en_US',
    '/rest_api/14.0/__proto__',
    '/rest_api/constructor/status',
    '/%',
    `/${'x'.repeat(5000)}`,
  ]
  for (const path of paths) {
    it(`answers ${path.slice(0, 50)} with 404`, async () => {
      assert.equal((await caller.request('GET', path)).status, 404)
    })
  }

  it('answers the wrong method with 405', async () => {
    const { status, headers } = await caller.request('GET', '/rest_api/14.0/auth')
    assert.equal(status, 405)
    assert.equal(headers.get('allow'), 'POST')
    assert.equal((await caller.request('DELETE', '/rest_api/14.0/status')).status, 405)
  })

  // @spec 4
  it('ignores a query', async () => {
    assert.equal((await caller.get('events?limit=1&x=%')).status, 200)
  })

  it('answers data that is not HTTP with 400 and keeps running', async () => {
    const { port } = new URL(simulator.url)
    const said = await new Promise<string>((resolve, reject) => {
      const socket = connect(Number(port), '127.0.0.1', () => socket.write('nonsense\r\n\r\n'))
      socket.once('data', (data) => resolve(data.toString()))
      socket.once('error', reject)
    })
    assert.match(said, /^HTTP\/1\.1 400 /)
    assert.equal((await caller.get('status')).status, 200)
  })

  it('keeps running after a client disconnects in the middle of a request', async () => {
    const { port } = new URL(simulator.url)
    await new Promise<void>((resolve) => {
      const socket = connect(Number(port), '127.0.0.1', () => {
        socket.write('POST /rest_api/14.0/auth HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"email"')
        socket.destroy()
      })
      socket.once('close', () => resolve())
    })
    assert.equal((await caller.get('status')).status, 200)
  })
})

describe('the simulator, when a test scripts its responses', () => {
  let clock: FakeClock
  let simulator: Simulator
  let caller: ApiClient

  beforeEach(async () => {
    clock = new FakeClock()
    simulator = await startSimulator({ clock, maxLoggedRequests: 5 })
    caller = await signedIn(simulator)
  })

  afterEach(() => simulator.close())

  it('sends a scripted response once, then its own response', async () => {
    simulator.respondOnce('status', { status: 503, body: { busy: true }, headers: { 'retry-after': '7' } })
    const { status, body, headers } = await caller.get('status')
    assert.equal(status, 503)
    assert.deepEqual(body, { busy: true })
    assert.equal(headers.get('retry-after'), '7')
    assert.equal((await caller.get('status')).status, 200)
  })

  it('sends scripted responses in order, each as many times as requested', async () => {
    simulator.respondOnce('events', { status: 500, times: 2 })
    simulator.respondOnce('events', { status: 502, body: '<h1>Bad gateway</h1>' })
    const replies = [await caller.get('events'), await caller.get('events'), await caller.get('events')]
    assert.deepEqual(
      replies.map(({ status }) => status),
      [500, 500, 502],
    )
    assert.equal(replies[2]?.body, '<h1>Bad gateway</h1>')
    assert.match(replies[2]?.headers.get('content-type') ?? '', /^text\/html/)
  })

  it('replaces its own header with one of the scripted response', async () => {
    const headers = { 'content-type': 'application/json', 'Content-Length': '2' }
    simulator.respondOnce('status', { status: 200, body: '[]', headers })
    assert.deepEqual((await caller.get('status')).body, [])
  })

  it('accepts scripted responses for the version, the sign-in and operations with an argument', async () => {
    for (const name of ['version', 'auth', 'panel/login', 'had/rules/event-profiles']) {
      simulator.respondOnce(name, { status: 418 })
    }
    assert.equal((await caller.request('GET', '/rest_api/version')).status, 418)
    assert.equal((await caller.signIn()).status, 418)
    assert.equal((await caller.logIn()).status, 418)
    assert.equal((await caller.get('had/rules/event-profiles/en_US')).status, 418)
  })

  it('delays a scripted response by the requested time', async () => {
    simulator.respondOnce('status', { status: 200, body: {}, delay: 3000 })
    let answered = false
    const reply = caller.get('status').then(() => {
      answered = true
    })
    await caller.get('devices')
    assert.equal(clock.pending, 1)
    clock.advance(2999)
    await caller.get('devices')
    assert.equal(answered, false)
    clock.advance(1)
    await reply
  })

  it('hangs until the test restores the operation', async () => {
    simulator.hang('status', Number.POSITIVE_INFINITY)
    await assertUnanswered(caller, 'status')
    simulator.restore('status')
    assert.equal((await caller.get('status')).status, 200)
  })

  it('logs the newest requests without their queries', async () => {
    clock.advance(1234)
    for (let count = 0; count < 6; count += 1) await caller.get('panels?password=secret')
    assert.equal(simulator.requests.length, 5)
    assert.deepEqual(simulator.requests[0], {
      at: 1234,
      method: 'GET',
      path: '/rest_api/14.0/panels',
      status: 200,
    })
  })

  it('logs an unanswered request with status 0', async () => {
    simulator.hang('status')
    await assertUnanswered(caller, 'status')
    assert.equal(simulator.requests.find(({ path }) => path.endsWith('/status'))?.status, 0)
  })

  it('answers 500 and keeps the error when a response cannot be sent', async () => {
    simulator.respondOnce('status', { status: 200, body: {}, headers: { 'bad header': 'x' } })
    assert.equal((await caller.get('status')).status, 500)
    assert.equal(simulator.defects.length, 1)
  })
})

describe('starting and closing the simulator', () => {
  it('rejects a used port with one sentence and the code EADDRINUSE', async () => {
    const first = await startSimulator()
    const port = Number(new URL(first.url).port)
    await assert.rejects(startSimulator({ port, scenario: 'day', clock: new FakeClock() }), {
      code: 'EADDRINUSE',
      message: `The simulator cannot listen on port ${port} of 127.0.0.1: it is already in use; choose another port.`,
    })
    await first.close()
  })

  it('closes sockets, hanging requests and timers at once, and can be closed twice', async () => {
    const clock = new FakeClock()
    const simulator = await startSimulator({ clock, scenario: 'day' })
    const caller = new ApiClient(simulator)
    simulator.hang('auth')
    simulator.respondOnce('version', { status: 200, delay: 60_000 })
    const hanging = assert.rejects(caller.signIn())
    const delayed = assert.rejects(caller.request('GET', '/rest_api/version'))
    await caller.get('panels')
    assert.ok(clock.pending > 0)
    await simulator.close()
    await Promise.all([hanging, delayed])
    assert.equal(clock.pending, 0)
    await simulator.close()
    await assert.rejects(caller.get('panels'))
  })

  for (const speed of [0, -1, Number.NaN, 20_000]) {
    it(`rejects the speed ${speed}`, () =>
      assert.rejects(startSimulator({ speed }), { message: /^The speed must/ }))
  }

  it('listens on the loopback address only', async () => {
    const simulator = await startSimulator()
    assert.match(simulator.url, /^http:\/\/127\.0\.0\.1:\d+$/)
    for (const host of ['[::1]', '127.0.0.2']) {
      await assert.rejects(fetch(simulator.url.replace('127.0.0.1', host)), host)
    }
    await simulator.close()
  })
})
