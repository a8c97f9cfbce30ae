import assert from 'node:assert/strict'
import { processClock } from '../../../harness/clock/process-fake-clock.ts'
import { useFlowHarness } from '../../../harness/flow.ts'
import { requestsTo } from '../../../harness/simulator.ts'
import { queryable } from '../../../src/service/operations.ts'

const type = 'keyholder-query'

describe('The node keyholder-query', () => {
  const harness = useFlowHarness()

  // @spec 4.5, 4.7, 4.9, 4.10
  it('answers every operation of the contract, with the field names of the service', async () => {
    const { simulator, flow } = await harness.start({ nodes: { query: { type } } })
    for (const operation of Object.keys(queryable)) {
      flow.input('query', { operation })
      const { payload, topic, panel, stale, fetchedAt, ...message } = await flow.output('query').next()
      assert.equal(topic, `Home/query/${operation}`)
      assert.equal(message.operation, operation)
      assert.equal(typeof payload, 'object')
      assert.deepEqual([panel.serial, stale], [simulator.serials[0], false])
      assert.equal(new Date(fetchedAt).toISOString(), fetchedAt)
    }
  })

  it('shows the operation and the time of the last answer as status', async () => {
    const { flow } = await harness.start({ nodes: { query: { type, operation: 'panels' } } })
    const status = flow.status('query')
    assert.equal((await status.next()).text, 'idle')
    flow.input('query')
    const { fetchedAt } = await flow.output('query').next()
    const time = new Date(fetchedAt).toTimeString().slice(0, 5)
    const { shape, text } = await status.next(({ fill }) => fill === 'green')
    assert.deepEqual([shape, text], ['dot', `panels, ${time}`])
  })

  it('returns the complete answer, including null and unknown members, without __proto__', async () => {
    const { simulator, flow } = await harness.start({ nodes: { query: { type, operation: 'devices' } } })
    const body = '[{"id":7,"warnings":null,"news":{"of":[1,null]},"__proto__":{"evil":true}}]'
    simulator.respondOnce('devices', { status: 200, body, headers: { 'Content-Type': 'application/json' } })
    flow.input('query')
    const { payload } = await flow.output('query').next()
    assert.deepEqual(payload, [{ id: 7, warnings: null, news: { of: [1, null] } }])
    assert.equal('evil' in Object(payload[0]), false)
  })

  it('uses operation and language of the message, and passes on its other properties', async () => {
    const { simulator, flow } = await harness.start({ nodes: { query: { type, operation: 'panels' } } })
    flow.input('query', { operation: 'event_profiles', locale: 'de_DE', count: 7 })
    const answer = await flow.output('query').next()
    assert.equal(answer.count, 7)
    assert.equal(answer.payload[0].profile.id, 'EP_ALERT')
    assert.equal(requestsTo(simulator, 'de_DE'), 1)
  })

  it('ignores the language for operations without one', async () => {
    const { flow } = await harness.start({
      nodes: { query: { type, operation: 'panels', locale: 'klingon' } },
    })
    flow.input('query')
    assert.equal((await flow.output('query').next()).payload.length, 2)
  })

  it('sends a new request only if the answer is older than maxAge', async () => {
    const { simulator, flow } = await harness.start({
      nodes: { query: { type, operation: 'users', maxAge: 3600 }, now: { type, operation: 'users' } },
    })
    for (const name of ['query', 'query', 'query']) {
      flow.input(name)
      await flow.output(name).next()
    }
    assert.equal(requestsTo(simulator, 'users'), 1)
    flow.input('now')
    await flow.output('now').next()
    assert.equal(requestsTo(simulator, 'users'), 2)
  })

  // @spec 4.1, license-enforcement
  it('returns the session with its license, but never its token', async () => {
    const simulator = await harness.startSimulator()
    const flow = await harness.startAt(simulator, {
      account: { api: 'service' },
      credentials: { userCode: simulator.installerCode },
      nodes: { query: { type, operation: 'session' } },
    })
    flow.input('query')
    const { payload } = await flow.output('query').next()
    assert.deepEqual(Object.keys(payload).sort(), ['info', 'license', 'server'])
    assert.ok(payload.license.features.length >= 18)
  })

  // @spec 2.1
  it('returns the complete session, including null and unknown members, without its tokens', async () => {
    const simulator = await harness.startSimulator()
    const details = { info: { email: null }, license: { name: 'Gold', grace: 7 }, news: [1, null] }
    const body = { ...details, user_token: 'will-not-do', refresh_token: 'nor-this' }
    simulator.respondOnce('auth', { status: 200, body })
    const flow = await harness.startAt(simulator, { nodes: { query: { type, operation: 'session' } } })
    flow.input('query')
    assert.deepEqual((await flow.output('query').next()).payload, details)
  })

  // @spec 5.8, license-features
  it('reports in status and log what the license does not cover, and still sends the request', async () => {
    const simulator = await harness.startSimulator()
    const body = {
      user_token: 'will-not-do',
      license: {
        name: 'Silver',
        valid: { not_before: '2020-01-01T00:00:00+00:00', not_after: '2021-01-01T00:00:00+00:00' },
        features: [],
        limits: [],
      },
    }
    simulator.respondOnce('auth', { status: 200, body })
    simulator.respondOnce('panels', { status: 200, body: [], times: 2 })
    const flow = await harness.startAt(simulator, {
      account: { api: 'service' },
      nodes: { query: { type, operation: 'panels' } },
    })
    flow.input('query')
    await flow.output('query').next()
    const status = await flow.status('query').next(({ fill }) => fill === 'yellow')
    assert.match(status.text, /license/)
    assert.match(JSON.stringify(flow.logged), /Silver.*ended on 2021-01-01/)
  })

  // @spec 2.13, 2.14, 4.9, 4.10
  it('adds ISO times and ages to inspections and configurations', async () => {
    const { flow } = await harness.start({ nodes: { query: { type, operation: 'rri_results' } } })
    const isSpaced = (raw: string, iso: string) => assert.equal(`${raw.replace(' ', 'T')}.000Z`, iso)
    flow.input('query')
    const { payload } = await flow.output('query').next()
    isSpaced(payload.rri_timestamp, payload.inspectedAt)
    assert.ok(payload.ageMs > 0)
    const [nothing, armed] = payload.tests
    assert.deepEqual([nothing.details.length, nothing.findings], [1, []])
    isSpaced(armed.details[0].timestamp, armed.findings[0].foundAt)
    flow.input('query', { operation: 'configuration_list' })
    for (const { date, downloadedAt, verifiedAt, ageMs } of (await flow.output('query').next()).payload) {
      assert.equal(Date.parse(downloadedAt), Date.parse(date.replace(/(\d\d)$/, ':$1')))
      assert.ok(verifiedAt > downloadedAt && ageMs > 0)
    }
  })

  // @spec 2.11, 4.7, 6.1
  it('joins the entries of the log with their event types, and answers with those since a time', async () => {
    const { simulator, flow } = await harness.start({
      nodes: { query: { type, operation: 'standard_log' }, other: { type, operation: 'panels' } },
    })
    flow.input('query')
    const { payload: all } = await flow.output('query').next()
    const [newest] = all
    assert.equal(newest.loggedAt, `${newest.time.replace(' ', 'T')}.000Z`)
    assert.equal(typeof newest.types[0].typeId, 'number')
    const after = new Date(Date.parse(newest.loggedAt) + 1000).toISOString()
    flow.input('query', { since: after })
    assert.deepEqual((await flow.output('query').next()).payload, [])
    processClock.advance(2000)
    simulator.world.panel('A1B2C3').log({ type_id: 89 })
    flow.input('query', { since: after })
    const { payload } = await flow.output('query').next()
    assert.deepEqual(
      payload.map(({ types }: { types: { typeId: number }[] }) => types.map(({ typeId }) => typeId)),
      [[89]],
    )
    flow.input('query', { since: newest.loggedAt })
    assert.equal((await flow.output('query').next()).payload.length, 2)
    const before = simulator.requests.length
    flow.input('query', { since: 'yesterday' })
    assert.equal((await flow.caught.next()).error.code, 'BAD_SETTING')
    assert.equal(simulator.requests.length, before)
    flow.input('other', { since: 'yesterday' })
    assert.equal((await flow.output('other').next()).payload.length, 2)
  })

  // @spec unknown-locale
  it('names the language that the service does not have', async () => {
    const { flow } = await harness.start({ nodes: { query: { type, operation: 'event_profiles' } } })
    flow.input('query', { locale: 'sv_SE' })
    const { error } = await flow.caught.next()
    assert.equal(error.code, 'BAD_SETTING')
    assert.match(error.message, /Language: the service does not have "sv_SE"/)
  })

  for (const [what, message, code] of [
    ['an unknown operation', { operation: 'make_coffee' }, 'NOT_FOUND'],
    ['the name of a built-in property', { operation: '__proto__' }, 'NOT_FOUND'],
    ['an unknown language', { operation: 'event_profiles', locale: 'klingon' }, 'BAD_SETTING'],
  ] as const) {
    it(`refuses ${what} with one sentence, and continues`, async () => {
      const { flow } = await harness.start({ nodes: { query: { type, operation: 'panels' } } })
      flow.input('query', { ...message })
      assert.equal((await flow.caught.next()).error.code, code)
      flow.input('query')
      assert.equal((await flow.output('query').next()).payload.length, 2)
    })
  }

  for (const [what, answer, code] of [
    ['an operation that the service does not have', { status: 404 }, 'NOT_FOUND'],
    [
      'an operation that the user is not allowed to use',
      { status: 403, body: { error: 10010 } },
      'NOT_ALLOWED',
    ],
    [
      'an answer with the wrong shape',
      { status: 200, body: '"text"', headers: { 'Content-Type': 'application/json' } },
      'BAD_RESPONSE',
    ],
    ['a web page', { status: 200, body: '<html></html>' }, 'BAD_RESPONSE'],
  ] as const) {
    it(`reports ${code} for ${what}`, async () => {
      const { simulator, flow } = await harness.start({ nodes: { query: { type, operation: 'users' } } })
      simulator.respondOnce('users', answer)
      flow.input('query')
      assert.equal((await flow.caught.next()).error.code, code)
    })
  }
})
