import assert from 'node:assert/strict'
import { ApiClient } from '../../harness/simulator/api-client.ts'
import { parseRecording } from '../../src/simulator/replay.ts'
import { startSimulator } from '../../src/simulator/simulator.ts'

const file = (own: object = {}) =>
  JSON.stringify({
    format: 'keyholder-diagnostics-1',
    account: { type: 'user', apiVersion: '12.0' },
    serial: 1_000_042,
    answers: {
      session: { answer: { customization: null } },
      devices: { answer: [{ id: 1_000_001 }] },
      event_profiles: { answer: [] },
      status: { error: { code: 'NOT_ALLOWED', status: 403, reason: 'NotAllowed' } },
      events: { error: { code: 'TIMEOUT', status: null, reason: null } },
      alarms: { error: { code: 'BAD_RESPONSE', status: 200, reason: null } },
    },
    ...own,
  })

describe('A recording', () => {
  it('is refused with a sentence if it is not a diagnostics file', () => {
    for (const [text, says] of [
      ['{', /not JSON/],
      ['[]', /not a diagnostics file/],
      ['null', /not a diagnostics file/],
      [file({ format: 'keyholder-diagnostics-9' }), /not a diagnostics file/],
      [file({ serial: null }), /no serial number/],
    ] as const)
      assert.throws(() => parseRecording(text), says)
    assert.equal(parseRecording(file({ answers: 'none', account: null })).responses.size, 0)
  })

  it('is served in its version for its serial number, with its answers and errors and nothing else', async () => {
    const simulator = await startSimulator({ replay: parseRecording(file()) })
    try {
      const client = new ApiClient(simulator, '12.0')
      assert.deepEqual(simulator.serials, ['1000042'])
      const { body } = await client.request('GET', '/rest_api/version')
      assert.deepEqual([body.rest_versions, body.installer_versions], [['12.0'], []])
      assert.deepEqual(Object.keys((await client.signIn()).body), ['user_token', 'customization'])
      await client.logIn('1000042')
      assert.deepEqual((await client.get('devices')).body, [{ id: 1_000_001 }])
      assert.deepEqual((await client.get('had/rules/event-profiles/de_DE')).body, [])
      const { status, body: refusal } = await client.get('status')
      assert.deepEqual([status, refusal.error_reason_code], [403, 'NotAllowed'])
      assert.equal((await client.get('events')).status, 504)
      assert.equal((await client.get('alarms')).body, 'not usable')
      assert.equal((await client.get('users')).status, 404)
      assert.equal((await client.post('set_state', { partition: -1, state: 'AWAY' })).status, 404)
    } finally {
      await simulator.close()
    }
  })

  for (const status of [-1, 0, 99, 101, 199, 200.5, 1000, 1e9])
    it(`with the status ${status}, which no answer can have, is served as an answer that did not come`, async () => {
      const answers = { session: { answer: {} }, panels: { error: { code: 'SERVER_ERROR', status } } }
      const simulator = await startSimulator({ replay: parseRecording(file({ answers })) })
      try {
        const client = new ApiClient(simulator, '12.0')
        await client.signIn()
        assert.equal((await client.get('panels')).status, 504)
      } finally {
        await simulator.close()
      }
    })

  it('of a refused sign-in refuses the sign-in', async () => {
    const answers = {
      session: { error: { code: 'BAD_CREDENTIALS', status: 400, reason: 'WrongCombination' } },
    }
    const simulator = await startSimulator({ replay: parseRecording(file({ answers })) })
    try {
      const { status, body } = await new ApiClient(simulator, '12.0').signIn()
      assert.deepEqual([status, body.error_reason_code], [400, 'WrongCombination'])
    } finally {
      await simulator.close()
    }
  })
})
