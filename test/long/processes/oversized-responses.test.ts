import assert from 'node:assert/strict'
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { repetitions } from '../../../harness/mocha/depth.ts'
import type { ClientResult, ClientTask } from '../../../harness/oversized-responses/client-process.ts'
import {
  completeResponse,
  drippingResponse,
  endlessResponse,
  type RawResponse,
  RawServer,
} from '../../../harness/oversized-responses/raw-server.ts'
import { assertWithinLimits, costOfResponse } from '../../../harness/oversized-responses/response-cost.ts'
import { type Simulator, startSimulator } from '../../../src/simulator/simulator.ts'

const megabyte = 1024 * 1024
const cap = 4 * megabyte

describe('An oversized response costs little memory, and no time beyond the timeout', () => {
  describe('on the wire', () => {
    let server: RawServer
    let url: string

    beforeEach(async () => {
      server = new RawServer()
      url = await server.open()
    })
    afterEach(() => server.close())

    const head = (...headers: string[]) => ['HTTP/1.1 200 OK', ...headers, '', ''].join('\r\n')
    const spaces = Buffer.alloc(megabyte, ' ')
    const chunk = Buffer.concat([Buffer.from('100000\r\n'), spaces, Buffer.from('\r\n')])
    const nothing = Buffer.alloc(200 * megabyte)
    const packed = gzipSync(nothing)
    const quick = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }

    const large = 'RESPONSE_TOO_LARGE'
    const cases: [what: string, said: string, answer: RawResponse][] = [
      [
        '260 MB of known length',
        large,
        endlessResponse(head(`Content-Length: ${260 * megabyte}`), spaces, 260),
      ],
      ['260 MB in chunks', large, endlessResponse(head('Transfer-Encoding: chunked'), chunk, 260)],
      ['260 MB until the connection ends', large, endlessResponse(head('Connection: close'), spaces, 260)],
      ['a gzip bomb', large, completeResponse(packed, 'Content-Encoding: gzip\r\n')],
      ['a gzip bomb in gzip', '200', completeResponse(gzipSync(packed), 'Content-Encoding: gzip\r\n')],
      [
        'a gzip bomb in gzip that says so',
        '200',
        completeResponse(gzipSync(packed), 'Content-Encoding: gzip, gzip\r\n'),
      ],
      ['a deflate bomb', large, completeResponse(deflateSync(nothing), 'Content-Encoding: deflate\r\n')],
      [
        'a bare deflate bomb',
        large,
        completeResponse(
          deflateRawSync(nothing, { strategy: constants.Z_FIXED }),
          'Content-Encoding: deflate\r\n',
        ),
      ],
      [
        'a brotli bomb',
        large,
        completeResponse(brotliCompressSync(nothing, quick), 'Content-Encoding: br\r\n'),
      ],
      [
        'gzip that is none',
        'BAD_RESPONSE',
        completeResponse(Buffer.from('no gzip'), 'Content-Encoding: gzip\r\n'),
      ],
      [
        'gzip that ends too soon',
        'BAD_RESPONSE',
        (socket) => {
          socket.write(head('Content-Encoding: gzip', 'Connection: close'))
          socket.end(gzipSync('{"serial": "none"}').subarray(0, 20))
        },
      ],
      ['a body just below the cap', '200', completeResponse(Buffer.alloc(cap, ' '))],
      ['a byte every 100 ms', 'TIMEOUT', drippingResponse(head('Content-Length: 1000'), () => ' ', 100)],
      ['nothing at all', 'TIMEOUT', () => {}],
      [
        'nothing after the first lines',
        'TIMEOUT',
        (socket) => socket.write('HTTP/1.1 200 OK\r\nServer: x\r\n'),
      ],
      [
        'header lines without end',
        'TIMEOUT',
        drippingResponse('HTTP/1.1 200 OK\r\n', (n) => `X-${n}: x\r\n`, 20),
      ],
      [
        'a flood of header lines',
        'BAD_RESPONSE',
        endlessResponse('HTTP/1.1 200 OK\r\n', `X: ${'x'.repeat(1000)}\r\n`),
      ],
      [
        'a header line without end',
        'BAD_RESPONSE',
        endlessResponse('HTTP/1.1 200 OK\r\nX: ', 'x'.repeat(65_536)),
      ],
      ['half a body', 'TIMEOUT', (socket) => socket.write(`${head('Content-Length: 100')}[`)],
      ['another protocol', 'NETWORK', switching],
      [
        'another protocol and 260 MB of it',
        'NETWORK',
        (socket) => {
          switching(socket)
          endlessResponse('', spaces, 260)(socket)
        },
      ],
      ['another protocol that is not named', '101', (socket) => socket.write('HTTP/1.1 101 Go on\r\n\r\n')],
      ['no content', '204', (socket) => socket.write('HTTP/1.1 204 No Content\r\n\r\n')],
      ['nothing new', '304', (socket) => socket.write('HTTP/1.1 304 Not Modified\r\n\r\n')],
      ['a promise to go on', 'TIMEOUT', (socket) => socket.write('HTTP/1.1 100 Continue\r\n\r\n')],
      [
        'early hints without end',
        'TIMEOUT',
        drippingResponse('', () => 'HTTP/1.1 103 Early Hints\r\n\r\n', 20),
      ],
      [
        'a flood of early hints',
        'NETWORK',
        endlessResponse('', 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(1000)),
      ],
      ['a flood of promises', 'NETWORK', endlessResponse('', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(1000))],
      ['an end instead of an answer', 'NETWORK', (socket) => socket.end()],
      ['an end within the head', 'NETWORK', (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Le')],
      ['an end within the body', 'NETWORK', (socket) => socket.end(`${head('Content-Length: 100')}[`)],
      ['a reset', 'NETWORK', (socket) => socket.resetAndDestroy()],
      ['no HTTP', 'BAD_RESPONSE', (socket) => socket.write('SSH-2.0-OpenSSH_9.2\r\n')],
      [
        'two lengths',
        'BAD_RESPONSE',
        (socket) => socket.write(head('Content-Length: 1', 'Content-Length: 2')),
      ],
    ]

    for (const [what, said, answer] of cases) {
      it(`${what}: ${said}`, async () => {
        server.response = answer
        // Only an answer that never ends runs into the time-out; a busy machine has time for the others.
        const task: ClientTask = { ask: 'attempt', url, timeout: said === 'TIMEOUT' ? 1 : 60 }
        const outcome = await costOfResponse(task)
        assert.equal(outcome.said, said, outcome.sentence)
        assertWithinLimits(outcome)
        const heavy = server.requests.filter((line) => line.includes('/heavy'))
        const runs = server.requests.filter((line) => line.includes('/light')).length / 10
        assert.equal(heavy.length, runs, 'asked once')
      })
    }

    function switching(socket: Parameters<RawResponse>[0]): void {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n')
    }
  })

  describe('as JSON', () => {
    let simulator: Simulator
    beforeEach(async () => {
      simulator = await startSimulator()
    })
    afterEach(() => simulator.close())

    async function asked(ask: ClientTask['ask'], operation: string, json: string): Promise<ClientResult> {
      const { url, email, password, serials, userCode } = simulator
      const account = { email, password, serial: serials[0] ?? '', userCode }
      const task: ClientTask = { ask, url, timeout: 60, account }
      const answer = { status: 200, body: json, times: Number.POSITIVE_INFINITY }
      const outcome = await costOfResponse(
        { ...task },
        () => simulator.respondOnce(operation, answer),
        () => simulator.restore(),
      )
      assertWithinLimits(outcome)
      return outcome
    }

    /** A list of as many of these entries as may be in 4 MB. */
    const full = (entry: string) => {
      const count = Math.floor((cap - 2) / (entry.length + 1))
      return `[${Array(count).fill(entry).join()}]`
    }
    const listOf = (count: number, entry: (at: number) => unknown) =>
      JSON.stringify(Array.from({ length: count }, (_, at) => entry(at)))
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)

    /** Whole entries, to be shown in the longest lists that are known, and in ones that no panel has. */
    const event = (at: number, changes: object = {}) => ({
      event: at + 1,
      type_id: 89,
      label: 'DISARM',
      description: 'Disarmed',
      appointment: 'Somebody',
      datetime: new Date(1.7e12 + at * 61_000).toISOString().slice(0, 19).replace('T', ' '),
      video: false,
      device_type: 'USER',
      zone: 1,
      name: 'Somebody',
      partitions: [1],
      ...changes,
    })
    const meteo = { date: '2026-01-01T00:00:00', value: 1 }
    const device = (at: number, changes: object = {}) => ({
      id: at,
      device_type: 'ZONE',
      device_number: at,
      name: `Door ${at}`,
      warnings: [{ type: 'OPENED' }],
      partitions: [1],
      traits: {
        rssi: { current: 'strong', last_updated: '2026-01-01 00:00:00' },
        location: { name: 'Hall' },
        meteo_info: { brightness: meteo, temperature: meteo },
      },
      ...changes,
    })
    const twin = { event: 0, datetime: '2026-01-01 00:00:00' }
    const long = 'x'.repeat(megabyte)
    const warnings = Array.from({ length: 12_000 }, (_, at) => ({ type: `W${at}` }))

    for (const [what, ask, said, json] of [
      ['1,000 events', 'events', '1000 messages', listOf(1000, event)],
      ['1,000 events of one second', 'events', '1000 messages', listOf(1000, (at) => event(at, twin))],
      ['5,000 stubs of events', 'events', 'BAD_RESPONSE', listOf(5000, (at) => ({ event: at }))],
      ['250 devices', 'devices', '1500 messages', listOf(250, device)],
      ['501 devices', 'devices', 'BAD_RESPONSE', listOf(501, device)],
      // Twice the same device, so that the two are compared.
      ['a device with 12,000 warnings', 'devices', '12 messages', listOf(2, () => device(0, { warnings }))],
      [
        'a device with a name of 1 MB',
        'devices',
        '18 messages',
        listOf(3, (at) => device(at, at ? {} : { name: long })),
      ],
      [
        'an event with an actor of 1 MB',
        'events',
        '1 messages',
        listOf(1, (at) => event(at, { appointment: long })),
      ],
    ] as const) {
      it(`${what}: ${said}`, async () => {
        const outcome = await asked(ask, ask, json)
        assert.equal(outcome.said, said, outcome.sentence)
        assert.ok(outcome.topic < 20_000, `a topic of ${outcome.topic} characters`)
      })
    }

    const asks = [
      ['events', 'events'],
      ['devices', 'devices'],
      ['state', 'status'],
      ['query events', 'events'],
    ] as const
    for (const [ask, operation] of asks.slice(0, repetitions(asks.length, 1))) {
      describe(`for ${ask}`, () => {
        for (const [what, json] of [
          ['lists in lists, 200,000 deep', nested(200_000)],
          ['lists in lists, 2,000,000 deep', nested(2_000_000)],
          ['objects in objects, 600,000 deep', `${'{"a":'.repeat(600_000)}1${'}'.repeat(600_000)}`],
          ['4 MB of empty objects', full('{}')],
          ['4 MB of empty lists', full('[]')],
          ['4 MB of digits', full('1')],
          ['100,000 tiny entries', listOf(100_000, (at) => ({ id: at, event: at }))],
          [
            '300,000 different names',
            JSON.stringify(Object.fromEntries(Array.from({ length: 300_000 }, (_, at) => [`n${at}`, 1]))),
          ],
        ] as const) {
          it(`${what}: RESPONSE_TOO_LARGE`, async () => {
            const { said, sentence } = await asked(ask, operation, json)
            assert.equal(said, 'RESPONSE_TOO_LARGE', sentence)
          })
        }

        for (const [what, json] of [
          ['lists in lists, 90,000 deep', nested(90_000)],
          ['objects in objects, 45,000 deep', `${'{"a":'.repeat(45_000)}1${'}'.repeat(45_000)}`],
          ['a text of 4 MB', JSON.stringify('x'.repeat(cap - 2))],
          ['a text of 4 MB in another alphabet', JSON.stringify('ж'.repeat(cap / 2 - 2))],
        ] as const) {
          it(`${what}: no message made of it`, async () => {
            const { said } = await asked(ask, operation, json)
            assert.match(said, /^(BAD_RESPONSE|0 messages|1 messages)$/)
          })
        }
      })
    }
  })
})
