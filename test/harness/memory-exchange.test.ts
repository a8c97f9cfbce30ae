import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { type AccountHarness, neverAborted, startAccountHarness } from '../../harness/account.ts'
import { answerOverConnections } from '../../harness/clock/memory-exchange.ts'
import { type Attempt, HttpClient } from '../../src/account/http/http-client.ts'
import type { KeyholderError } from '../../src/service/error.ts'
import { operations } from '../../src/service/operations.ts'
import type { Fault, FaultScope } from '../../src/simulator/faults/active-faults.ts'
import { faultCatalogue } from '../../src/simulator/faults/fault-catalogue.ts'
import { latency, reset } from '../../src/simulator/faults/network-faults.ts'
import { type ScriptedResponse, scriptedResponse } from '../../src/simulator/faults/response-faults.ts'

type Request = Pick<Attempt, 'method' | 'url'> & Partial<Attempt>

/** The requests to all operations of the service, and some that it refuses. */
const requests: readonly Request[] = [
  ...Object.values(operations).map(({ method, path }) => ({
    method,
    url: `${path.startsWith('/rest_api') ? '' : '/rest_api/14.0'}${path}`.replace('{locale}', 'de_DE'),
  })),
  { method: 'POST', url: '/rest_api/14.0/panel/login', body: { panel_serial: 'Ä', user_code: '' } },
  { method: 'GET', url: '/rest_api/14.0/status', headers: { 'User-Token': 'wrong' } },
  { method: 'GET', url: '/rest_api/14.0/status', headers: { 'User-Token': '' } },
  { method: 'GET', url: '/rest_api/13.0/events?index=1' },
  { method: 'GET', url: '/rest_api/7.0/status' },
  { method: 'GET', url: '/rest_api/14.0/none%20such/../..//x' },
  { method: 'GET', url: '/elsewhere' },
  { method: 'GET', url: '' },
]

/** Answers with what HTTP itself does something about. */
const scripted: readonly ScriptedResponse[] = [
  { status: 200, body: 'Grüße \ud800', headers: { 'Content-Type': ' text/plain ', 'retry-after': ' 7 ' } },
  { status: 200, body: '[]', headers: { Date: 'Mon, 02 Nov 2026 10:00:00 GMT', Age: '77' } },
  { status: 200, headers: { 'Retry-After': 'ten\nseconds' } },
  { status: 200, headers: { 'Retry-After': 'zehn Sekunden nach zwölf' } },
  { status: 200, body: '{}', headers: { 'Content-Length': '1' } },
  { status: 200, body: ','.repeat(100_001) },
  { status: 200, body: ' '.repeat(4 * 1024 * 1024 + 1) },
  { status: 101, body: '{}' },
  { status: 204, body: '{}' },
  { status: 205, body: '{}' },
  { status: 304, body: '{}' },
  { status: 404 },
  { status: 999, body: '{}' },
  { status: 1000, body: '{}' },
  { status: 200, body: '[]', delay: 9999 },
  { status: 200, body: '[]', delay: 10_000 },
]

interface ActiveFault {
  create(): Fault
  scope?: FaultScope
}

const answers: readonly ActiveFault[] = [
  { create: () => ({ name: 'no fault' }) },
  ...faultCatalogue.filter((create) => !isOfConnection(create())).map((create) => ({ create })),
  ...scripted.map((response) => ({
    create: () => ({
      ...scriptedResponse(response),
      name: `scripted response ${JSON.stringify(response).slice(0, 80)}`,
    }),
    scope: { operation: 'events' },
  })),
]

function isOfConnection({ send, needsConnection = send !== undefined }: Fault): boolean {
  return needsConnection
}

describe('An answer of a simulator in memory', () => {
  let at: AccountHarness
  let client: HttpClient
  let sentOverHttp = 0
  const count = () => {
    sentOverHttp += 1
  }

  beforeEach(() => {
    sentOverHttp = 0
    subscribe('http.client.request.start', count)
  })
  afterEach(() => unsubscribe('http.client.request.start', count))

  const start = async (isOverConnection: boolean) => {
    at = await startAccountHarness()
    if (isOverConnection) answerOverConnections(at.simulator)
    client = new HttpClient({ timeout: 10, caFile: '' }, at.clock)
  }
  const fetch = ({ url, headers = {}, signal = neverAborted(), ...rest }: Request) =>
    client.fetch({ headers, signal, ...rest, url: at.simulator.url + url })
  /** Returns what a caller gets of an attempt: the answer, or the error without the number of the port. */
  const outcome = (attempt: Promise<unknown>) =>
    at.waitFor(attempt).catch(({ code, message, detail }: KeyholderError & { detail?: unknown }) => {
      const text = JSON.stringify({ code, message, detail })
      return text.replaceAll(new URL(at.simulator.url).host, 'host')
    })

  /** Sends all requests while the service has a fault, and returns all that the client and the service know of them. */
  async function play({ create, scope }: ActiveFault, isOverConnection: boolean): Promise<unknown> {
    await start(isOverConnection)
    try {
      const { simulator } = at
      const { email, password, userCode, serials, world, accounts } = simulator
      const post = async (operation: string, body: Attempt['body'], headers = {}) => {
        const request = { method: 'POST', url: `/rest_api/14.0/${operation}`, body, headers } as const
        return JSON.parse((await fetch(request)).body)
      }
      const signIn = { email, password, app_id: 'app' }
      const { user_token } = await post('auth', signIn)
      const user = { 'User-Token': user_token }
      const login = { panel_serial: serials[0], user_code: userCode, app_id: 'app' }
      const { session_token } = await post('panel/login', login, user)
      const headers = { ...user, 'Session-Token': session_token }
      const fields = { ...signIn, ...login, partition: -1, state: 'HOME', options: [] }
      simulator.faults.start(create(), scope)
      const outcomes = []
      for (const request of requests) {
        const body = request.method === 'POST' ? { ...fields, ...request.body } : undefined
        const seen: number[] = []
        const onSend = () => seen.push(simulator.requests.length)
        const told = await outcome(
          fetch({ ...request, headers: { ...headers, ...request.headers }, body, onSend }),
        )
        outcomes.push([request.url, seen, told, at.clock.monotonic()])
      }
      assert.equal(sentOverHttp > 0, isOverConnection || isOfConnection(create()))
      const { signIns, panelLogins } = accounts
      const events = world.panels.map((panel) => panel.events)
      return structuredClone([outcomes, simulator.requests, simulator.defects, signIns, panelLogins, events])
    } finally {
      await at.close()
    }
  }

  for (const fault of answers) {
    it(`is the one over a connection, at the same time: ${fault.create().name}`, async () => {
      const inMemory = await play(fault, false)
      sentOverHttp = 0
      assert.deepEqual(inMemory, await play(fault, true))
    })
  }

  const version = { method: 'GET', url: '/rest_api/version' } as const

  for (const [what, end, code] of [
    ['its fault ends', (endFault) => endFault(), 'NETWORK'],
    ['the simulator is closed', () => at.simulator.close(), 'NETWORK'],
    ['the client leaves', (_endFault, life) => life.abort(), 'CLOSED'],
  ] satisfies [string, (endFault: () => void, life: AbortController) => unknown, string][]) {
    it(`that is withheld ends as over a connection when ${what}`, async () => {
      const ends = []
      for (const isOverConnection of [false, true]) {
        await start(isOverConnection)
        const endFault = at.simulator.faults.start(latency(5000))
        const life = new AbortController()
        const told = outcome(fetch({ ...version, signal: life.signal }))
        await at.time.pass(1000)
        await end(endFault, life)
        ends.push([await told, at.clock.monotonic(), at.clock.pending, at.simulator.requests])
        assert.match(JSON.stringify(ends), new RegExp(code))
        await at.close()
      }
      assert.deepEqual(ends[0], ends[1])
    })
  }

  it('comes over a connection while a fault or a header needs one, and else without HTTP', async () => {
    await start(false)
    await fetch(version)
    const end = at.simulator.faults.start(reset(), { operation: 'status' })
    assert.equal(sentOverHttp, 0)
    await fetch(version)
    assert.equal(sentOverHttp, 1)
    end()
    await fetch(version)
    at.simulator.hang('version')
    await assert.rejects(at.waitFor(fetch(version)), { code: 'TIMEOUT' })
    await fetch(version)
    assert.deepEqual([sentOverHttp, at.simulator.requests.length], [2, 5])
    await fetch({ ...version, headers: { 'User-Token': 'wörd' } })
    assert.deepEqual([sentOverHttp, at.simulator.requests.length], [3, 6])
    await at.close()
  })

  it('is not asked for if the client leaves before, or as soon as it hears that it is being sent', async () => {
    await start(false)
    const life = new AbortController()
    let sent = 0
    const leave = () => {
      sent += 1
      life.abort()
    }
    for (const _ of ['as it is sent', 'before']) {
      const asked = fetch({ ...version, signal: life.signal, onSend: leave })
      await assert.rejects(asked, { code: 'CLOSED' })
      await at.time.settle()
    }
    assert.deepEqual([sent, at.simulator.requests], [1, []])
    await at.close()
  })
})
