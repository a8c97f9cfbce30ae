import assert from 'node:assert/strict'
import { type AccountHarness, neverAborted, startAccountHarness } from '../../harness/account.ts'
import { issuedFiles, serverOptions } from '../../harness/certificates/issued-certificates.ts'
import { testCertificate } from '../../harness/certificates/test-certificate.ts'
import {
  allFindings,
  type FailedFinding,
  failures,
  isFailed,
  testTextsOfFindings,
} from '../../harness/properties/findings.ts'
import { checkConnection } from '../../src/account/connection-check.ts'
import { dialogError, KeyholderError } from '../../src/service/error.ts'
import { errorTable } from '../../src/service/error-table.ts'
import type { RawSettings } from '../../src/settings.ts'
import { hang, largeBody, reset } from '../../src/simulator/faults/network-faults.ts'
import { htmlPage, redirect, status } from '../../src/simulator/faults/response-faults.ts'
import { startSimulator } from '../../src/simulator/simulator.ts'

/** The parts of a failure that a dialog shows: the step, the text and the fields that it marks. */
const shown = ({ step, text, fields }: FailedFinding) => [step, text, ...fields].join(' ')

describe('The findings of a check', () => {
  let at: AccountHarness
  beforeEach(async () => {
    at = await startAccountHarness()
  })
  afterEach(() => at.close())

  const first = async (settings: RawSettings, userCode?: string) => {
    const [failure = assert.fail('the check passed')] = await failures(at, settings, userCode)
    return shown(failure)
  }

  // The long suite has all faults.
  testTextsOfFindings([hang, reset, htmlPage, () => largeBody(5e6), () => status(403)])

  it('have a text for each code that an attempt leads to without a refusal of the service', () => {
    const codes = [
      ...(['TIMEOUT', 'NETWORK', 'BAD_RESPONSE', 'RESPONSE_TOO_LARGE'] as const),
      ...(['UNSUPPORTED_VERSION', 'SHARED_STATE_AWAY'] as const),
    ]
    const without = codes.filter((code) => dialogError(new KeyholderError(code, '')).text === undefined)
    assert.deepEqual(without, [])
  })

  it('name the field that is wrong, before anything is sent', async () => {
    for (const [settings, expected] of [
      [{ url: '' }, 'finding.missing url'],
      [{ url: 'alarm.example.com' }, 'invalid.url url'],
      [{ url: 'http://alarm.example.com' }, 'invalid.urlPlain url'],
      [{ url: 'https://alarm.example.com/?a=b' }, 'invalid.urlParts url'],
      [{ email: '' }, 'finding.missing email'],
      [{ password: '' }, 'finding.missing password'],
      [{ timeZone: 'Moon/Crater' }, 'invalid.timeZone timeZone'],
      [{ locale: 'german' }, 'invalid.locale locale'],
      [{ apiVersion: 'new' }, 'invalid.apiVersion apiVersion'],
      [{ apiVersion: '4.0' }, 'invalid.apiVersion apiVersion'],
      [{ requestsPerMinute: 'many' }, 'invalid.requestsPerMinute requestsPerMinute'],
      [{ timeout: '0' }, 'invalid.timeout timeout'],
      [{ deviceInfo: `\${${'NOT_SET'}}` }, 'finding.variableUnset deviceInfo'],
      [{ caFile: '/nowhere.pem' }, 'finding.caFile caFile'],
      [{ caFile: '/nowhere.pem', apiVersion: '14.0' }, 'finding.caFile caFile'],
    ] as const) {
      assert.equal(await first(settings), `settings ${expected}`)
    }
    assert.equal(at.simulator.requests.length, 0)
  })

  it('tell an unknown host from one that refuses or closes the connection', async () => {
    assert.equal(await first({ url: 'https://nobody.invalid' }), 'host finding.hostUnknown url')
    assert.equal(await first({ url: 'http://127.0.0.1:9' }), 'host finding.connectionRefused url')
    const end = at.simulator.faults.start(reset('not done'))
    assert.equal(await first({}), 'host finding.connectionClosed url')
    end()
  })

  it('tell the reasons why a certificate is not accepted', async () => {
    for (const [certificate, expected] of [
      [testCertificate, 'certificateUntrusted url'],
      [serverOptions(issuedFiles.elsewhere), 'certificateOther url'],
      [serverOptions(issuedFiles.expired), 'certificateDate '],
      [serverOptions(issuedFiles.notYet), 'certificateDate '],
    ] as const) {
      const secure = await startSimulator({ tls: certificate })
      try {
        const caFile = certificate === testCertificate ? '' : issuedFiles.authority
        assert.equal(await first({ url: secure.url, caFile }), `host finding.${expected}`.trim())
      } finally {
        await secure.close()
      }
    }
    const secure = at.simulator.url.replace('http:', 'https:')
    assert.equal(await first({ url: secure }), 'host finding.noTls url')
  })

  it('say that no alarm service answers, whatever else does', async () => {
    for (const response of [
      { status: 404, body: 'not found' },
      { status: 401, body: 'Unauthorized' },
      { status: 403, body: { error: 'forbidden' } },
      { status: 405, body: 'no' },
      { status: 200, body: '<html>router</html>' },
      { status: 200, body: 'It works!' },
      { status: 200, body: { hello: 'world' } },
    ]) {
      at.simulator.respondOnce('version', response)
      assert.equal(await first({}), 'version finding.noService url', JSON.stringify(response))
    }
    const end = at.simulator.faults.start(redirect('https://elsewhere.example/'), { operation: 'version' })
    assert.equal(await first({}), 'version finding.noService url')
    end()
    const old = await startSimulator({ versions: ['4.0'] })
    assert.equal(await first({ url: old.url }), 'version finding.UNSUPPORTED_VERSION url')
    await old.close()
  })

  it('mark what may be wrong of a rejected sign-in or user code, also when it is not sent again', async () => {
    for (const _ of 'twice') {
      assert.equal(await first({ password: 'wrong' }), 'signIn finding.BAD_CREDENTIALS password email')
      assert.equal(await first({}, '9999'), 'userCode finding.userCodeRejected userCode')
    }
    assert.equal(at.simulator.accounts.signIns, 2)
    assert.equal(at.simulator.accounts.panelLogins, 1)
  })

  // @spec length-rules
  it('name the length that the service requires, also when the rejection was remembered', async () => {
    for (const [rule, text] of [
      ['minLength:6', 'finding.tooShort'],
      ['maxLength:3', 'finding.tooLong'],
    ]) {
      const body = { error: 10001, extras: [{ key: 'user_code', value: rule }] }
      at.simulator.respondOnce('panel/login', { status: 400, body })
      for (const _ of 'twice') {
        const [failure] = await failures(at, {}, `123${rule?.at(-1)}`)
        assert.deepEqual(
          [failure?.text, failure?.fields, failure?.values],
          [text, ['userCode'], { number: Number(rule?.at(-1)) }],
        )
      }
    }
    assert.equal(at.simulator.accounts.panelLogins, 0)
  })

  it('keep the text of a rejection that was remembered', async () => {
    const body = { error: 10001, extras: [{ key: 'panel_serial', value: 'incorrect' }] }
    at.simulator.respondOnce('panel/login', { status: 400, body })
    for (const _ of 'twice') assert.equal(await first({}, '4321'), 'userCode finding.serialUnknown serial')
    assert.equal(at.simulator.accounts.panelLogins, 0)
  })

  it('tell how long the account pauses, also after a restart', async () => {
    at.simulator.respondOnce('panels', { status: 429, headers: { 'Retry-After': '90' } })
    const [limited, again] = await failures(at)
    assert.deepEqual([limited?.text, limited?.pause], ['finding.RATE_LIMITED', 90])
    assert.equal(again?.text, 'finding.RATE_LIMITED')
    assert.ok((again?.pause ?? 0) > 0)
    const restarted = await allFindings(at, checkConnection(at.openAfterRestart(), neverAborted()))
    assert.equal(restarted.find(isFailed)?.text, 'finding.restarted')
  })

  // @spec 4.11, unknown-locale
  it('say if the service does not have the language, and list those that it names', async () => {
    const extras = [{ key: 'locale', value: 'one of de_DE, en_US' }]
    const body = { error: 10001, error_message: 'no sv_SE', extras }
    at.simulator.respondOnce('had/rules/event-profiles', { status: 400, body })
    const [failure] = await failures(at, { locale: 'sv_SE' })
    assert.ok(failure)
    assert.equal(shown(failure), 'language finding.languageUnknown locale')
    assert.deepEqual(failure.values, { locale: 'sv_SE', languages: 'de_DE, en_US' })
  })
})

describe('The error table', () => {
  it('has a text for the dialogs in each row, except those that only event nodes and queries meet', () => {
    const without = errorTable.filter(({ code, text, operation }) => {
      return (
        operation !== 'event_profiles' &&
        dialogError({ code, message: '', detail: { text } } as never).text === undefined
      )
    })
    assert.deepEqual(without, [])
  })
})
