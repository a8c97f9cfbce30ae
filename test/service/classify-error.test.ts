import assert from 'node:assert/strict'
import fc from 'fast-check'
import { classifyError } from '../../src/service/classify-error.ts'

/** The error body of real services (field fact). */
function body(error: number, reason: string, extras: [string, unknown][] = [], message = ''): string {
  return JSON.stringify({
    error,
    error_message: message,
    error_reason_code: reason,
    extras: extras.map(([key, value]) => ({ key, value })),
  })
}

type Row = [what: string, status: number, text: string, operation: string, meaning: string, code: string]

const rows: Row[] = [
  [
    'a wrong password, which is 400 and not 401',
    400,
    body(10004, 'WrongCombination', [['email', 'wrong_combination']]),
    'auth',
    'rejected',
    'BAD_CREDENTIALS',
  ],
  ['a sign-in refused without a word', 401, '', 'auth', 'rejected', 'BAD_CREDENTIALS'],
  ['a wrong user code', 400, body(10021, 'WrongUserCode'), 'panel/login', 'rejected', 'WRONG_USER_CODE'],
  [
    'a user code too short',
    400,
    body(10001, 'BadRequestParams', [['user_code', 'minLength:4']]),
    'panel/login',
    'rejected',
    'WRONG_USER_CODE',
  ],
  [
    'a serial of somebody else',
    400,
    body(10001, 'BadRequestParams', [['panel_serial', 'incorrect']]),
    'panel/login',
    'rejected',
    'BAD_SETTING',
  ],
  ['a wrong code, older way', 444, '', 'panel/login', 'rejected', 'WRONG_USER_CODE'],
  ['wrong credentials, older way', 445, '', 'auth', 'rejected', 'BAD_CREDENTIALS'],
  [
    'an appId that is refused',
    400,
    body(10001, 'BadRequestParams', [['app_id', 'format']]),
    'auth',
    'hold',
    'BAD_SETTING',
  ],
  ['a user who may not sign in here', 403, body(10010, 'NotAllowed'), 'auth', 'hold', 'NOT_ALLOWED'],
  ['a session gone', 440, '', 'status', 'session token expired', 'SESSION_EXPIRED'],
  ['a session gone, older way', 441, '', 'status', 'session token expired', 'SESSION_EXPIRED'],
  [
    'a session gone, newer way',
    400,
    body(400, 'InvalidRequestFormat', [], 'Unable to recognize session token'),
    'status',
    'session token expired',
    'SESSION_EXPIRED',
  ],
  [
    'nobody signed in',
    403,
    body(10002, 'UserAuthRequired'),
    'status',
    'session token expired',
    'SESSION_EXPIRED',
  ],
  [
    'a user token gone',
    401,
    body(10003, 'WrongUserToken'),
    'panels',
    'user token expired',
    'SESSION_EXPIRED',
  ],
  [
    'a user token gone at the panel',
    403,
    body(10002, 'UserAuthRequired'),
    'panel/login',
    'user token expired',
    'SESSION_EXPIRED',
  ],
  ['what this user may not do', 403, body(10010, 'NotAllowed'), 'users', 'failed', 'NOT_ALLOWED'],
  ['a panel out of reach', 400, body(400, 'PanelNotConnected'), 'status', 'failed', 'PANEL_OFFLINE'],
  ['a panel being discovered', 446, '', 'status', 'failed', 'PANEL_OFFLINE'],
  ['an operation that is not there', 404, '', 'alarms', 'not there', 'NOT_FOUND'],
  ['a version that is gone, shown by a page', 404, '<html></html>', 'status', 'not there', 'NOT_FOUND'],
  [
    'a sign-in blocked for a time',
    420,
    body(10020, 'LoginTemporaryBlocked', [['timeout', 44]]),
    'auth',
    'hold',
    'LOGIN_BLOCKED',
  ],
  ['too many requests', 429, '', 'events', 'hold', 'RATE_LIMITED'],
  ['too many sign-ins', 442, '', 'auth', 'hold', 'LOGIN_BLOCKED'],
  ['too many devices', 443, '', 'auth', 'hold', 'LOGIN_BLOCKED'],
  ['too many sessions', 447, '', 'panel/login', 'hold', 'LOGIN_BLOCKED'],
  ['maintenance', 503, '', 'status', 'hold', 'SERVER_ERROR'],
  ['a firewall at the sign-in', 403, '<!doctype html>', 'auth', 'hold', 'SERVER_ERROR'],
  ['a failure of the service', 500, '', 'status', 'failed', 'SERVER_ERROR'],
  ['a redirect', 302, '', 'status', 'failed', 'BAD_RESPONSE'],
  ['a redirect with a page for people', 302, '<html>Moved</html>', 'status', 'failed', 'BAD_RESPONSE'],
  ['a status that nobody knows', 418, '', 'status', 'failed', 'BAD_RESPONSE'],
]

describe('The judgement over a refusal', () => {
  for (const [what, status, text, operation, meaning, code] of rows) {
    // @spec error-body
    it(`takes ${what} for: ${meaning}, ${code}`, () => {
      const verdict = classifyError({ status, retryAfter: undefined, date: undefined, body: text }, operation)
      assert.equal(verdict.effect, meaning)
      assert.equal(verdict.error.code, code)
      assert.equal(verdict.error.status, status)
    })
  }

  it('gives the time of a block in seconds, and an hour where only a person can lift a limit', () => {
    const seconds = (status: number, text: string) =>
      classifyError({ status, retryAfter: undefined, date: undefined, body: text }, 'auth').seconds
    assert.equal(seconds(420, body(10020, 'LoginTemporaryBlocked', [['timeout', '44']])), 44)
    assert.equal(seconds(420, body(10020, 'LoginTemporaryBlocked', [['timeout', 'soon']])), undefined)
    assert.equal(seconds(442, ''), 3600)
  })

  it('passes on the service’s word for the reason, and nothing that could be anything else', () => {
    const reason = (word: string) =>
      classifyError({ status: 400, retryAfter: undefined, date: undefined, body: body(1, word) }, 'status')
        .error.reason
    assert.equal(reason('PanelNotConnected'), 'PanelNotConnected')
    assert.equal(reason('token 1234-5678'), undefined)
    assert.equal(reason('x'.repeat(100)), undefined)
  })

  it('is not told when it is a secret that the service says again', () => {
    const reply = { status: 400, retryAfter: undefined, date: undefined, body: body(1, 'hunter2') }
    assert.equal(classifyError(reply, 'status', (word) => word === 'hunter2').error.reason, undefined)
    assert.equal(classifyError(reply, 'status', (word) => word === 'hunter3').error.reason, 'hunter2')
  })

  it('never throws, whatever the body is', () => {
    fc.assert(
      fc.property(fc.integer({ min: 300, max: 599 }), fc.oneof(fc.string(), fc.json()), (status, text) => {
        assert.equal(
          classifyError({ status, retryAfter: undefined, date: undefined, body: text }, 'status').error.name,
          'KeyholderError',
        )
      }),
    )
  })
})
