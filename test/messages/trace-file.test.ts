import assert from 'node:assert/strict'
import fc from 'fast-check'
import { type AccountHarness, startAccountHarness } from '../../harness/account.ts'
import { Canaries } from '../../harness/fixtures/canaries.ts'
import { plantSecrets } from '../../harness/fixtures/planted-secrets.ts'
import { secretsIn, secretTexts, withSecrets } from '../../harness/fixtures/private-data.ts'
import { maxTraceBytes, maxTraceTime, TraceRecorder } from '../../src/account/requests/trace-recorder.ts'
import { minute, second } from '../../src/duration.ts'
import { traceFile } from '../../src/messages/trace-file.ts'
import { asReceived, readable } from '../../src/service/operations.ts'
import type { JsonValue } from '../../src/service/schema.ts'
import type { Fault } from '../../src/simulator/faults/active-faults.ts'
import { status } from '../../src/simulator/faults/response-faults.ts'
import { Random } from '../../src/simulator/random.ts'
import { parseTrace } from '../../src/simulator/trace-replay.ts'

const versions = { plugin: '0.2.0', nodeRed: '4.1.0', node: '20.19.0' }
const reads = Object.values(readable).map(asReceived)

describe('A trace', () => {
  let harness: AccountHarness
  let trace: TraceRecorder
  beforeEach(async () => {
    harness = await startAccountHarness({ panels: 1 })
    trace = new TraceRecorder(harness.panel.serial, harness.clock)
    harness.account.history.traces.set(trace.serial, trace)
  })
  afterEach(() => harness.close())

  const file = () => traceFile({ trace, versions, account: harness.account })
  const lines = (): { [name: string]: JsonValue }[] =>
    file()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
  const linesOf = (operation: string) => lines().filter(({ op }) => op === operation)
  const ask = async (operation = reads.find(({ name }) => name === 'status'), locale = 'en_US') => {
    assert.ok(operation)
    const answer = harness.account.sendRead(operation, { ...harness.createRequest(), locale })
    await harness.waitFor(answer.catch(() => {}))
  }
  const askAll = async () => {
    for (const operation of reads) await ask(operation)
  }

  it('has a line for each answer that is new, and counts the equal ones', async () => {
    const { world } = harness.simulator
    await ask()
    await harness.time.pass(10 * second)
    await ask()
    world.panel(harness.panel.serial).arm(1, 'AWAY', { exitDelay: 0 })
    await harness.time.pass(10 * second)
    await ask()
    const [first, second_] = linesOf('status')
    assert.deepEqual([first?.times, first?.until, second_?.times], [2, 10 * second, undefined])
    assert.deepEqual(second_?.at, 20 * second)
    assert.deepEqual(second_?.change, [
      '{',
      { partitions: ['[', [['{', { state: ['=', 'AWAY'] }, []], 2]] },
      [],
    ])
  })

  it('makes no request', async () => {
    await ask()
    const before = harness.simulator.requests.length
    file()
    assert.equal(harness.simulator.requests.length, before)
    assert.equal(trace.requests, before)
  })

  it('has refusals with status, reason and Retry-After, and requests without an answer', async () => {
    harness.simulator.faults.start(status(429, { retryAfter: '60' }), { operation: 'status', times: 1 })
    await ask()
    await harness.time.pass(2 * minute)
    harness.simulator.faults.start(status(403, { body: { error: 10010, error_reason_code: 'NotAllowed' } }), {
      operation: 'status',
      times: 1,
    })
    await ask()
    harness.simulator.hang('status')
    await ask()
    const [limited, refused, unanswered] = linesOf('status')
    assert.deepEqual([limited?.status, limited?.retryAfter], [429, 60 * second])
    assert.deepEqual(refused?.change, ['=', { error: 10010, error_reason_code: 'NotAllowed' }])
    assert.deepEqual([unanswered?.error, unanswered?.ms], ['TIMEOUT', 10 * second])
  })

  it('gives the same text the same stand-in from the first answer to the last, and keeps the order of event ids', async () => {
    const panel = harness.simulator.world.panel(harness.panel.serial)
    await ask(reads.find(({ name }) => name === 'panels'))
    for (const zone of [1, 2]) {
      panel.log({ type_id: 60, zone })
      await ask(reads.find(({ name }) => name === 'events'))
    }
    const { serial, answers } = parseTrace(file())
    const bodies = answers.map(({ operation, response }) => ({
      operation,
      body: response.body as JsonValue[],
    }))
    const [listed] = bodies.find(({ operation }) => operation === 'panels')?.body ?? []
    assert.equal((listed as { panel_serial: string }).panel_serial, serial)
    const events = bodies.filter(({ operation }) => operation === 'events').at(-1)?.body ?? []
    const ids = events.map((event) => (event as { event: number }).event)
    assert.ok(ids.length >= 2)
    assert.deepEqual(
      ids,
      ids.toSorted((one, other) => one - other),
    )
  })

  it('has no secret, in whatever answers they are planted: fields, names, texts, error texts and web pages', async () => {
    const secretPage: Fault = {
      name: 'page',
      answer: () => ({ status: 503, body: `<html>${secretTexts.join(' ')}</html>` }),
    }
    const secretError = (words: readonly string[]): Fault => ({
      name: 'error',
      answer: () => ({
        status: 400,
        phrase: words.join(' ').replace(/[^\x20-\x7e]/g, ''),
        headers: {
          'X-Secret': encodeURIComponent(words.join(' ')),
          'Content-Type': 'cafebabe73917391/user_token_7391; x=7391',
        },
        body: {
          error: 7391,
          error_message: `No session token for ${words.join(', ')}`,
          error_reason_code: words[0],
          extras: words.map((word) => ({ key: word, value: word })),
        },
      }),
    })
    for (const [seed, share] of [
      [1, 0.05],
      [3, 1],
    ] as const) {
      const stop = harness.simulator.faults.start(plantSecrets(seed, share))
      await askAll()
      await askAll()
      stop()
    }
    for (const fault of [secretPage, secretError(secretTexts), secretError(secretTexts.toReversed())]) {
      const stop = harness.simulator.faults.start(fault, { operation: 'status' })
      await ask()
      stop()
      await harness.time.pass(10 * minute)
    }
    const text = file()
    assert.ok(text.length > 10_000)
    assert.deepEqual(secretsIn(text), [])
  })

  it('has no secret, whatever answers follow one another', async () => {
    await askAll()
    const large = ['event_profiles', 'feature_set']
    const answers = parseTrace(file()).answers.filter(
      ({ operation, response }) => response.status === 200 && !large.includes(operation),
    )
    assert.ok(answers.length > 10)
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer(), fc.constantFrom(0.05, 0.5, 1)), { maxLength: 4 }),
        (plants) => {
          const recorder = new TraceRecorder('7345128', harness.clock)
          for (const [seed, share] of plants)
            for (const { operation, response } of answers) {
              const answer = response.body as JsonValue
              const body = JSON.stringify(withSecrets(answer, new Random(seed), share))
              const outcome = { operation, status: 200, code: null, tookMs: 5 }
              recorder.note(outcome, { status: 200, retryAfter: undefined, date: undefined, body })
            }
          assert.deepEqual(secretsIn(traceFile({ trace: recorder, versions, account: harness.account })), [])
        },
      ),
      { numRuns: 10 },
    )
  })

  it('has no password, code, token, serial or address, even if the service repeats them everywhere', async () => {
    const canaries = new Canaries(harness.simulator)
    canaries.add(harness.panel.serial)
    canaries.add(harness.simulator.email)
    canaries.add(new URL(harness.simulator.url).host)
    const account = harness.openAccount({ password: harness.simulator.password })
    account.history.traces.set(trace.serial, trace)
    harness.simulator.faults.start(canaries.echo({ inData: true }))
    const panel = { ...harness.panel, userCode: harness.simulator.userCode }
    for (const operation of reads) {
      const request = { ...harness.createRequest(), panel, locale: 'en_US' }
      await harness.waitFor(account.sendRead(operation, request).catch(() => {}))
    }
    assert.ok(trace.requests > 10)
    canaries.assertUnseenIn(file())
  })

  it('ends by itself after a day', async () => {
    await ask()
    await harness.time.pass(maxTraceTime)
    await ask()
    assert.equal(trace.ended, 'time')
    assert.deepEqual(
      [lines()[0]?.ended, lines()[0]?.duration, linesOf('status').length],
      ['time', maxTraceTime, 1],
    )
    assert.equal(linesOf('status')[0]?.times, undefined)
  })

  it('ends before it has more than 5 MB, and says so', async () => {
    let count = 0
    harness.simulator.faults.start(
      {
        name: 'large answers',
        answer: () => {
          count += 1
          return {
            status: 200,
            body: Array.from({ length: 5000 }, (_, at) => `${count}-${at} ${'x'.repeat(90)}`),
          }
        },
      },
      { operation: 'alarms' },
    )
    for (let round = 0; round < 15; round += 1) await ask(reads.find(({ name }) => name === 'alarms'))
    assert.equal(trace.ended, 'size')
    assert.ok(trace.bytes <= maxTraceBytes + 600_000)
    assert.equal(lines()[0]?.ended, 'size')
    assert.ok(Buffer.byteLength(file()) <= maxTraceBytes)
    const requests = trace.requests
    await ask()
    assert.equal(trace.requests, requests)
  })

  it('goes with its account, but not with a deploy', async () => {
    const { history } = harness.account
    await harness.releaseAccount(harness.account)
    await harness.time.pass(9 * minute)
    const deployed = harness.openAccount()
    assert.equal(deployed.history.traces.size, 1)
    await harness.releaseAccount(deployed)
    await harness.time.pass(11 * minute)
    assert.equal(harness.openAccount().history.traces.size, 0)
    assert.equal(history.traces.size, 0)
  })

  it('has no answers about another panel', async () => {
    trace = new TraceRecorder('other', harness.clock)
    harness.account.history.traces.set(trace.serial, trace)
    await askAll()
    assert.deepEqual(
      lines()
        .slice(1)
        .map(({ op }) => op),
      ['version', 'auth'],
    )
  })
})
