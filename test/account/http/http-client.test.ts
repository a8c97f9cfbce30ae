import assert from 'node:assert/strict'
import dns from 'node:dns'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import promises from 'node:fs/promises'
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import { syncBuiltinESMExports } from 'node:module'
import type { AddressInfo, TcpNetConnectOpts } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { gzipSync } from 'node:zlib'
import { FakeClock } from '../../../harness/clock/fake-clock.ts'
import { HttpClient, plainConnector } from '../../../src/account/http/http-client.ts'

const secrets = {
  password: 'canary-password',
  'User-Token': 'canary-user-token',
  'Session-Token': 'canary-session',
}

describe('An HTTP request', () => {
  let servers: Server[]
  let seen: IncomingMessage[]
  let clock: FakeClock
  beforeEach(() => {
    clock = new FakeClock()
    servers = []
    seen = []
  })
  afterEach(() => {
    for (const server of servers) {
      server.close()
      server.closeAllConnections()
    }
  })

  async function serve(answer: RequestListener): Promise<string> {
    const server = createServer((request, response) => {
      seen.push(request)
      answer(request, response)
    })
    servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  function attempt(url: string, { timeout = 5, caFile = '' } = {}, signal = new AbortController().signal) {
    const { password, ...headers } = secrets
    const httpClient = new HttpClient({ timeout, caFile }, clock)
    return httpClient.fetch({ method: 'POST', url: `${url}/auth`, headers, body: { password }, signal })
  }

  /** Returns the error of a request, after checking that it contains nothing that was sent. */
  async function errorOf(
    attempt: Promise<unknown>,
  ): Promise<{ name: string; code: string; message: string }> {
    const error = await attempt.then(
      () => assert.fail('it should have failed'),
      (thrown) => thrown,
    )
    const everything =
      inspect(error, { depth: Number.POSITIVE_INFINITY, showHidden: true }) + JSON.stringify(error)
    assert.ok(!everything.includes('canary'), everything)
    assert.equal(error.name, 'KeyholderError')
    assert.equal(error.cause, undefined)
    return error
  }

  it('returns any answer unchanged, with its status, its Retry-After and its Age', async () => {
    const url = await serve((_, response) => {
      response.writeHead(503, { 'Retry-After': '7', Age: '9', 'Content-Type': 'text/plain' }).end('busy')
    })
    const { date = '', ...reply } = await attempt(url)
    const headers = { retryAfter: '7', age: '9', contentType: 'text/plain' }
    assert.deepEqual(reply, { status: 503, ...headers, body: 'busy' })
    assert.ok(Date.parse(date) > 0)
    assert.equal(seen.length, 1)
  })

  it('is never repeated automatically', async () => {
    const url = await serve((request) => request.socket.destroy())
    assert.equal((await errorOf(attempt(url))).code, 'NETWORK')
    assert.equal(seen.length, 1)
  })

  it('is not repeated if the reused connection was closed at the same moment', async () => {
    const url = await serve((request, response) => {
      if (seen.length === 1) response.end('{}')
      else request.socket.resetAndDestroy()
    })
    assert.equal((await attempt(url)).status, 200)
    assert.equal((await errorOf(attempt(url))).code, 'NETWORK')
    assert.equal(seen.length, 2)
    assert.equal(new Set(seen.map(({ socket }) => socket)).size, 1, 'one connection for both')
  })

  it('does not follow redirects, so that no token reaches another host', async () => {
    const elsewhere = await serve((_, response) => response.end('{}'))
    const url = await serve((_, response) => response.writeHead(307, { Location: elsewhere }).end())
    assert.equal((await attempt(url)).status, 307)
    assert.equal(seen.length, 1)
  })

  // @spec 8.4, sizes
  it('fails after its timeout, both without an answer and with one that arrives endlessly byte by byte', async () => {
    const hanging = await serve(() => clock.advance(5000))
    assert.equal((await errorOf(attempt(hanging))).code, 'TIMEOUT')
    const late = await serve((_, response) => {
      clock.advance(4999)
      response.end('{}')
    })
    assert.equal((await attempt(late)).status, 200)
    const dripping = await serve((_, response) => {
      const drip = () => {
        response.write(' ')
        clock.advance(1000)
        if (!response.destroyed) setImmediate(drip)
      }
      drip()
    })
    assert.equal((await errorOf(attempt(dripping))).code, 'TIMEOUT')
    assert.equal(clock.pending, 0)
  })

  it('closes a connection that the service switches to another protocol, and hears no error of it', async () => {
    const ends: Promise<unknown>[] = []
    let isReset = false
    const url = await serve(({ socket }) => {
      ends.push(once(socket, 'close'))
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n', () => {
        if (isReset) socket.resetAndDestroy()
      })
    })
    assert.equal((await errorOf(attempt(url))).code, 'NETWORK')
    isReset = true
    assert.equal((await errorOf(attempt(url))).code, 'NETWORK')
    await Promise.all(ends)
    assert.equal(ends.length, 2)
  })

  // @spec 8.4, sizes
  it('fails at 4 MB, even if the compressed answer was small', async () => {
    const large = await serve((_, response) => {
      const more = (): void => {
        while (response.write(Buffer.alloc(65_536, ' ')));
        response.once('drain', more)
      }
      more()
    })
    assert.equal((await errorOf(attempt(large))).code, 'RESPONSE_TOO_LARGE')
    const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024))
    const packed = await serve((_, response) =>
      response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(bomb),
    )
    assert.equal((await errorOf(attempt(packed))).code, 'RESPONSE_TOO_LARGE')
  })

  // @spec sizes
  it('fails above 100,000 JSON values, which would block Node-RED for long', async () => {
    let values = 100_000
    const url = await serve((_, response) => response.end(`[${Array(values).fill(1).join()}]`))
    assert.equal((await attempt(url)).status, 200)
    values += 1
    const { code, message } = await errorOf(attempt(url))
    assert.equal(code, 'RESPONSE_TOO_LARGE')
    assert.match(message, /100,000 values/)
  })

  it('accepts an answer in up to 20,000 chunks, and not in more, also if many arrive together', async () => {
    const answerIn = (chunks: number) =>
      serve((_, response) => {
        response.writeHead(200, { 'Transfer-Encoding': 'chunked' })
        response.flushHeaders()
        response.socket?.end(`${'1\r\n \r\n'.repeat(chunks)}0\r\n\r\n`)
      })
    assert.equal((await attempt(await answerIn(19_000))).body.length, 19_000)
    const { code, message } = await errorOf(attempt(await answerIn(21_000)))
    assert.equal(code, 'RESPONSE_TOO_LARGE')
    assert.match(message, /has more than 20,000 chunks/)
  })

  it('accepts up to a hundred informational responses before the answer', async () => {
    let heads = 100
    const url = await serve((_, response) => {
      for (let head = 0; head < heads; head += 1) response.writeProcessing()
      // The client needs time to close the connection first: an answer in the same chunk would be read
      // with them.
      const answer = (turns: number): void => {
        if (turns === 0) response.end('{}')
        else if (!response.destroyed) setImmediate(answer, turns - 1)
      }
      answer(1000)
    })
    assert.equal((await attempt(url)).status, 200)
    heads += 1
    assert.equal((await errorOf(attempt(url))).code, 'NETWORK')
  })

  it('reports a network failure, an unknown host name and an unreadable certificate file', async () => {
    assert.equal((await errorOf(attempt('http://127.0.0.1:1'))).code, 'NETWORK')
    assert.match((await errorOf(attempt('https://no-such-host.invalid'))).message, /no-such-host\.invalid/)
    assert.equal(
      (await errorOf(attempt('http://127.0.0.1:1', { caFile: '/no/such.pem' }))).code,
      'BAD_SETTING',
    )
  })

  it('gives each address of a host a share of its time, two seconds at least', async () => {
    const asked: unknown[] = []
    const { connect } = plainConnector
    plainConnector.connect = (options) => {
      asked.push((options as TcpNetConnectOpts).autoSelectFamilyAttemptTimeout)
      return connect(options)
    }
    try {
      const url = await serve((_, response) => response.setHeader('Connection', 'close').end('{}'))
      for (const timeout of [5, 10, 60]) await attempt(url, { timeout })
    } finally {
      plainConnector.connect = connect
    }
    assert.deepEqual(asked, [2000, 2500, 15_000])
  })

  it('names the addresses that it has tried', async () => {
    const { lookup } = dns
    const found = ['127.0.0.1', '127.0.0.2'].map((address) => ({ address, family: 4 }))
    dns.lookup = ((_host: string, _options: unknown, call: (error: null, all: object[]) => void) =>
      call(null, found)) as typeof lookup
    try {
      const { message } = await errorOf(attempt('http://two.example.com:1'))
      assert.match(
        message,
        /two\.example\.com:1 cannot be reached \(ECONNREFUSED, 127\.0\.0\.1, 127\.0\.0\.2\)/,
      )
    } finally {
      dns.lookup = lookup
    }
  })

  it('ends at its timeout, and when its signal is aborted, also while the certificate file cannot be read to its end', async () => {
    const { stat } = promises
    promises.stat = (() => new Promise(() => {})) as unknown as typeof stat
    syncBuiltinESMExports()
    try {
      const overdue = errorOf(attempt('http://127.0.0.1:1', { caFile: '/mnt/hangs.pem' }))
      clock.advance(5000)
      assert.equal((await overdue).code, 'BAD_SETTING')
      const life = new AbortController()
      const left = errorOf(attempt('http://127.0.0.1:1', { caFile: '/mnt/hangs.pem' }, life.signal))
      life.abort()
      assert.equal((await left).code, 'CLOSED')
    } finally {
      promises.stat = stat
      syncBuiltinESMExports()
    }
  })

  it('reads no pipe, no device and no large file as a certificate', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ca-'))
    try {
      const large = join(folder, 'large.pem')
      writeFileSync(large, Buffer.alloc(1024 * 1024 + 1))
      for (const caFile of ['/dev/zero', large])
        assert.equal((await errorOf(attempt('http://127.0.0.1:1', { caFile }))).code, 'BAD_SETTING')
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it('reports a server that does not speak TLS', async () => {
    const url = await serve((_, response) => response.end())
    assert.equal((await errorOf(attempt(url.replace('http:', 'https:')))).code, 'TLS')
  })

  it('closes its connection when it is cut off, and none that has passed to the next attempt', async () => {
    let arrived = (_response: ServerResponse) => {}
    const url = await serve((_, response) => arrived(response))
    const fetch = () => {
      const held = { cutOff: () => {} }
      const attempt = { method: 'GET', url, headers: {}, held, signal: new AbortController().signal } as const
      const waits = new Promise<ServerResponse>((resolve) => {
        arrived = resolve
      })
      return { held, waits, answer: new HttpClient({ timeout: 5, caFile: '' }, clock).fetch(attempt) }
    }
    const first = fetch()
    ;(await first.waits).end('1')
    assert.equal((await first.answer).body, '1')
    const second = fetch()
    const response = await second.waits
    first.held.cutOff()
    response.end('2')
    assert.equal((await second.answer).body, '2')
    const third = fetch()
    const closed = once(await third.waits, 'close')
    third.held.cutOff()
    assert.equal((await errorOf(third.answer)).code, 'NETWORK')
    await closed
    assert.equal(seen[0]?.socket, seen[2]?.socket)
  })

  it('fails when its signal is aborted', async () => {
    const life = new AbortController()
    const url = await serve(() => life.abort())
    assert.equal((await errorOf(attempt(url, {}, life.signal))).code, 'CLOSED')
  })
})
