import assert from 'node:assert/strict'
import fc from 'fast-check'
import { classifyError } from '../../src/service/classify-error.ts'

/** An error body as real services send it (seen in the field). */
function body(error: number, reason: string, extras: [string, unknown][] = [], message = ''): string {
  return JSON.stringify({
    error,
    error_message: message,
    error_reason_code: reason,
    extras: extras.map(([key, value]) => ({ key, value })),
  })
}

type Row = [what: string, status: number, text: string, operation: string, effect: string, code: string]

const rows: Row[] = [
  [
    'a wrong password, reported as 400 instead of 401',
    400,
    body(10004, 'WrongCombination', [['email', 'wrong_combination']]),
    'auth',
    'rejected',
    'BAD_CREDENTIALS',
  ],
  ['a sign-in refused without a body', 401, '', 'auth', 'refused', 'BAD_RESPONSE'],
  [
    'a sign-in refused for a reason that only mentions the e-mail',
    400,
    body(10099, 'NotVerified', [['email', 'not_verified']], 'The email and password wait for a check'),
    'auth',
    'refused',
    'BAD_RESPONSE',
  ],
  ['a wrong user code', 400, body(10021, 'WrongUserCode'), 'panel/login', 'rejected', 'WRONG_USER_CODE'],
  [
    'a user code that is too short',
    400,
    body(10001, 'BadRequestParams', [['user_code', 'minLength:4']]),
    'panel/login',
    'rejected',
    'WRONG_USER_CODE',
  ],
  [
    'a serial that does not belong to the account',
    400,
    body(10001, 'BadRequestParams', [['panel_serial', 'incorrect']]),
    'panel/login',
    'rejected',
    'BAD_SETTING',
  ],
  ['a wrong code, reported the older way', 444, '', 'panel/login', 'rejected', 'WRONG_USER_CODE'],
  ['wrong credentials, reported the older way', 445, '', 'auth', 'rejected', 'BAD_CREDENTIALS'],
  [
    'a rejected appId',
    400,
    body(10001, 'BadRequestParams', [['app_id', 'format']]),
    'auth',
    'hold',
    'BAD_SETTING',
  ],
  [
    'a user who is not allowed to sign in here',
    403,
    body(10010, 'NotAllowed'),
    'auth',
    'hold',
    'NOT_ALLOWED',
  ],
  ['an expired session', 440, '', 'status', 'session token expired', 'SESSION_EXPIRED'],
  [
    'an expired session, reported the older way',
    441,
    '',
    'status',
    'session token expired',
    'SESSION_EXPIRED',
  ],
  [
    'an expired session, reported the newer way',
    400,
    body(400, 'InvalidRequestFormat', [], 'Unable to recognize session token'),
    'status',
    'session token expired',
    'SESSION_EXPIRED',
  ],
  [
    'a request without a signed-in user',
    403,
    body(10002, 'UserAuthRequired'),
    'status',
    'session token expired',
    'SESSION_EXPIRED',
  ],
  [
    'an expired user token',
    401,
    body(10003, 'WrongUserToken'),
    'panels',
    'user token expired',
    'SESSION_EXPIRED',
  ],
  [
    'an expired user token at the panel login',
    403,
    body(10002, 'UserAuthRequired'),
    'panel/login',
    'user token expired',
    'SESSION_EXPIRED',
  ],
  [
    'an operation that the user is not allowed to use',
    403,
    body(10010, 'NotAllowed'),
    'users',
    'failed',
    'NOT_ALLOWED',
  ],
  ['an unreachable panel', 400, body(400, 'PanelNotConnected'), 'status', 'failed', 'PANEL_OFFLINE'],
  ['a panel that is still being discovered', 446, '', 'status', 'failed', 'PANEL_OFFLINE'],
  ['an unknown operation', 404, '', 'alarms', 'not there', 'NOT_FOUND'],
  [
    'a removed API version, reported with an HTML page',
    404,
    '<html></html>',
    'status',
    'not there',
    'NOT_FOUND',
  ],
  [
    'a temporary block of sign-ins',
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
  ['a firewall that blocks the sign-in', 403, '<!doctype html>', 'auth', 'hold', 'SERVER_ERROR'],
  ['an internal error of the service', 500, '', 'status', 'failed', 'SERVER_ERROR'],
  ['a redirect', 302, '', 'status', 'failed', 'BAD_RESPONSE'],
  ['a redirect with an HTML page', 302, '<html>Moved</html>', 'status', 'failed', 'BAD_RESPONSE'],
  ['an unknown status', 418, '', 'status', 'failed', 'BAD_RESPONSE'],
]

describe('The classification of an error response', () => {
  for (const [what, status, text, operation, effect, code] of rows) {
    // @spec error-body
    it(`maps ${what} to the effect "${effect}" and the code ${code}`, () => {
      const verdict = classifyError({ status, retryAfter: undefined, date: undefined, body: text }, operation)
      assert.equal(verdict.effect, effect)
      assert.equal(verdict.error.code, code)
      assert.equal(verdict.error.status, status)
    })
  }

  it('returns the duration of a block in seconds, and an hour for a limit that only a person can lift', () => {
    const seconds = (status: number, text: string) =>
      classifyError({ status, retryAfter: undefined, date: undefined, body: text }, 'auth').seconds
    assert.equal(seconds(420, body(10020, 'LoginTemporaryBlocked', [['timeout', '44']])), 44)
    assert.equal(seconds(420, body(10020, 'LoginTemporaryBlocked', [['timeout', 'soon']])), undefined)
    assert.equal(seconds(442, ''), 3600)
  })

  it('passes on a reason code of the service, and no text that is not a plain word', () => {
    const reason = (word: string) =>
      classifyError({ status: 400, retryAfter: undefined, date: undefined, body: body(1, word) }, 'status')
        .error.reason
    assert.equal(reason('PanelNotConnected'), 'PanelNotConnected')
    assert.equal(reason('token 1234-5678'), undefined)
    assert.equal(reason('x'.repeat(100)), undefined)
  })

  it('shows if the service names a reason, in a word or with a number other than the status', () => {
    const names = (text: string) =>
      classifyError({ status: 400, retryAfter: undefined, date: undefined, body: text }, 'auth').namesReason
    assert.deepEqual(
      [body(400, 'PanelBusy'), body(10099, ''), body(400, ''), '{"message":"upstream"}', ''].map(names),
      [true, true, false, false, false],
    )
  })

  it('leaves out a reason that repeats a secret', () => {
    const reply = { status: 400, retryAfter: undefined, date: undefined, body: body(1, 'hunter2') }
    assert.equal(classifyError(reply, 'status', (word) => word === 'hunter2').error.reason, undefined)
    assert.equal(classifyError(reply, 'status', (word) => word === 'hunter3').error.reason, 'hunter2')
  })

  it('never throws, for any body', () => {
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
