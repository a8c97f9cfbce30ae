import assert from 'node:assert/strict'
import { type AccountHarness, startAccountHarness } from '../../../harness/account.ts'
import { Canaries } from '../../../harness/fixtures/canaries.ts'
import { second } from '../../../src/duration.ts'
import { type Operation, operations } from '../../../src/service/operations.ts'
import type { RawSettings } from '../../../src/settings.ts'
import { faultCatalogue } from '../../../src/simulator/faults/fault-catalogue.ts'
import { hang, latency } from '../../../src/simulator/faults/network-faults.ts'
import { status } from '../../../src/simulator/faults/response-faults.ts'
import { tokenRevoked } from '../../../src/simulator/faults/service-faults.ts'

describe('The request log of an account', () => {
  let at: AccountHarness
  let debug: string[]
  let trace: string[]

  async function begin(settings: RawSettings = {}, versions?: string[]): Promise<void> {
    debug = []
    trace = []
    const log = { debug: (line: string) => debug.push(line), trace: (line: string) => trace.push(line) }
    at = await startAccountHarness(versions ? { versions } : {}, settings, log)
  }

  const read = (lane: 'urgent' | 'poll' = 'urgent') =>
    at.account.sendRead(operations.status, { ...at.createRequest(), lane })
  const refused = (wait: Promise<unknown>, code: string) => assert.rejects(wait, { code })
  const forget = () => {
    debug.length = 0
    trace.length = 0
  }

  afterEach(() => at.close())

  describe('contains one line for each attempt at level debug,', () => {
    it('with method, operation, status, milliseconds, lane and the remaining requests', async () => {
      await begin({ requestsPerMinute: 30 })
      await at.waitFor(read())
      assert.deepEqual(debug, [
        'GET "version": answer 200 in 0 ms (urgent, 29 of 30 requests left in this minute)',
        'POST "auth": answer 200 in 0 ms (urgent, 28 of 30 requests left in this minute)',
        'POST "panel/login": answer 200 in 0 ms (urgent, 27 of 30 requests left in this minute)',
        'GET "status": answer 200 in 0 ms (urgent, 26 of 30 requests left in this minute)',
      ])
    })

    it('with the error code, if the service rejects it', async () => {
      await begin()
      await at.waitFor(read())
      forget()
      at.simulator.faults.start(status(500), { operation: 'status' })
      await refused(at.waitFor(read('poll')), 'SERVER_ERROR')
      assert.match(debug.join('\n'), /^GET "status": answer 500 SERVER_ERROR in 0 ms \(poll, \d+ of 6000 /)
      assert.equal(debug.length, 1)
    })

    it('with TIMEOUT and its duration, if no answer arrives', async () => {
      await begin({ timeout: 3 })
      await at.waitFor(read())
      forget()
      at.simulator.faults.start(hang(), { operation: 'status' })
      await refused(at.waitFor(read()), 'TIMEOUT')
      assert.match(debug.join('\n'), /^GET "status": TIMEOUT in 3000 ms \(urgent, /)
      assert.equal(debug.length, 1)
    })
  })

  describe('explains at level trace why a request waits, is repeated or is not sent:', () => {
    it('the time in the queue', async () => {
      await begin({ requestsPerMinute: 4 })
      await at.waitFor(read())
      assert.match(trace.at(-1) ?? '', /^"status": sending after [1-9]\d{3,} ms in the queue$/)
    })

    it('a pause that the service asked for, which has no line at level debug', async () => {
      await begin()
      await at.waitFor(read())
      forget()
      at.simulator.faults.start(status(429, { retryAfter: '60' }), { operation: 'status', times: 1 })
      await refused(at.waitFor(read()), 'RATE_LIMITED')
      at.clock.advance(20 * second)
      await refused(at.waitFor(read()), 'RATE_LIMITED')
      assert.deepEqual(trace.slice(1), [
        '"status": no requests for 60 s, as the service asked',
        '"status": not sent, RATE_LIMITED; no requests for 40 s',
      ])
      assert.equal(debug.length, 1)
    })

    it('an expired token', async () => {
      await begin()
      await at.waitFor(read())
      forget()
      at.simulator.faults.start(tokenRevoked('user'), { operation: 'status', times: 1 })
      await at.waitFor(read())
      assert.ok(
        trace.includes('"status": user token expired; repeating the request once with a new token'),
        trace.join('\n'),
      )
    })

    it('another version of the service', async () => {
      await begin({}, ['13.0', '14.0'])
      at.simulator.respondOnce('version', { status: 200, body: { rest_versions: ['13.0'] } })
      await at.waitFor(read())
      at.clock.advance(31 * second)
      forget()
      at.simulator.respondOnce('status', { status: 404, body: 'not found' })
      await at.waitFor(read())
      const lines = trace.filter((line) => /version/.test(line) && !/sending/.test(line))
      assert.deepEqual(lines, [
        '"version": requesting it again, because the service may have changed it',
        '"status": the version of the service has changed; repeating the request once',
      ])
    })

    it('a rejected password', async () => {
      await begin({ password: 'wrong' })
      await refused(at.waitFor(read()), 'BAD_CREDENTIALS')
      forget()
      await refused(at.waitFor(read()), 'BAD_CREDENTIALS')
      assert.deepEqual([debug, trace], [[], ['"auth": not sent, because it was rejected before']])
    })

    it('a sign-in that failed a short time ago', async () => {
      await begin()
      at.simulator.faults.start(status(500), { operation: 'auth' })
      await refused(at.waitFor(read()), 'SERVER_ERROR')
      forget()
      await refused(at.waitFor(read()), 'SERVER_ERROR')
      assert.deepEqual([debug, trace], [[], ['"auth": not sent, because it failed a short time ago']])
    })

    it('an equal request in flight, and a recent answer', async () => {
      await begin()
      await at.waitFor(read())
      forget()
      at.simulator.faults.start(latency(second), { operation: 'panels' })
      const panels = (maxAge: number) =>
        at.account.sendRead(operations.panels, { ...at.createRequest(), maxAge })
      await at.waitFor(Promise.all([panels(0), panels(0)]))
      await panels(10 * second)
      assert.deepEqual(
        trace.filter((line) => line.includes('not sent')),
        [
          '"panels": not sent, the answer to an equal request is awaited',
          '"panels": not sent, a recent answer is used',
        ],
      )
      assert.equal(debug.length, 1)
    })
  })

  const reads: readonly Operation<unknown>[] = [operations.status, operations.devices, operations.panels]
  for (const make of faultCatalogue) {
    it(`contains no secret that the service repeats, with the fault: ${make().name}`, async () => {
      await begin({ timeout: 1 })
      const canaries = new Canaries(at.simulator)
      for (const secret of [at.panel.serial, at.account.settings.email]) canaries.add(secret)
      const { password, userCode } = at.simulator
      const account = at.openAccount({ password })
      const panel = { ...at.panel, userCode }
      const ask = async () => {
        const request = { ...at.createRequest(), panel }
        for (const operation of reads) await at.waitFor(account.sendRead(operation, request)).catch(() => {})
        const body = { partition: -1, state: 'DISARM' }
        const sending = account.sendCommand(operations.setState, { panel, body, signal: request.signal })
        const sent = await at.waitFor(sending).catch(() => undefined)
        if (sent === undefined || !('token' in sent)) return
        canaries.add(sent.token)
        const progress = account.sendRead(operations.processStatus, { ...request, token: sent.token })
        await at.waitFor(progress).catch(() => {})
      }
      await ask()
      at.simulator.faults.start(canaries.echo({ inData: true }))
      at.simulator.faults.start(make())
      await ask()
      assert.ok(debug.length >= 8 && trace.length >= 8)
      canaries.assertUnseenIn([debug, trace])
    })
  }

  it('never prevents an answer, even if it throws', async () => {
    const fail = () => {
      throw new TypeError('the disk of the log is full')
    }
    at = await startAccountHarness({}, {}, { debug: fail, trace: fail })
    const { value } = await at.waitFor(read())
    assert.ok(value.partitions.length > 0)
  })

  it('belongs to the account that made the attempt, if several accounts share a sign-in', async () => {
    await begin()
    const lines: string[] = []
    await at.waitFor(read())
    void at.releaseAccount(at.account)
    forget()
    const other = at.openAccount({}, { debug: (line) => lines.push(line) })
    await at.waitFor(other.sendRead(operations.status, at.createRequest()))
    assert.deepEqual([debug, lines.length], [[], 1])
  })
})
