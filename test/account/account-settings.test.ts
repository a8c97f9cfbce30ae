import assert from 'node:assert/strict'
import { accountSettings } from '../../src/account/account-settings.ts'
import type { RawSettings } from '../../src/settings.ts'

const own = { appId: '5f0c9d4e-8f5b-4c93-a0c5-0b7a2c6c1f11', deviceInfo: 'test' }
const good = { url: 'https://alarm.example', email: 'a@example.org', password: 'secret' }

function check(raw: RawSettings) {
  return accountSettings({ ...good, ...raw }, own)
}

describe('The settings of an account', () => {
  it('use the defaults of the contract for missing values', () => {
    const { password, ...settings } = accountSettings(good, own)
    assert.equal(password, 'secret')
    assert.deepEqual(settings, {
      ...own,
      url: 'https://alarm.example',
      urlIsBase: false,
      apiVersion: '',
      api: 'user',
      locale: 'en_US',
      timeZone: 'UTC',
      requestsPerMinute: 30,
      requestsPerDay: undefined,
      timeout: 10,
      caFile: '',
      email: 'a@example.org',
    })
  })

  it('accept numbers as texts, as environment variables provide them', () => {
    assert.equal(check({ requestsPerMinute: '12' }).requestsPerMinute, 12)
    assert.equal(check({ requestsPerDay: '9000' }).requestsPerDay, 9000)
    assert.equal(check({ requestsPerDay: 0 }).requestsPerDay, 0)
  })

  it('keep a complete base address, and ignore a slash at the end of an address', () => {
    assert.deepEqual(pick(check({ url: 'https://alarm.example/rest_api/13.0/' })), [
      'https://alarm.example/rest_api/13.0',
      true,
    ])
    assert.deepEqual(pick(check({ url: ' https://alarm.example:8443/ ' })), [
      'https://alarm.example:8443',
      false,
    ])
    assert.deepEqual(pick(check({ url: 'http://127.0.0.1:8080' })), ['http://127.0.0.1:8080', false])
    assert.deepEqual(pick(check({ url: 'http://[::1]:8080' })), ['http://[::1]:8080', false])
    // Other notations of the same address.
    for (const url of ['http://0x7f.1', 'http://2130706433', 'HTTP://127.1']) {
      assert.deepEqual(pick(check({ url })), ['http://127.0.0.1', false])
    }
  })

  it('accept each number up to both of its limits', () => {
    for (const requestsPerMinute of [1, 6000]) {
      assert.equal(check({ requestsPerMinute }).requestsPerMinute, requestsPerMinute)
    }
    for (const timeout of [0.1, 300]) assert.equal(check({ timeout }).timeout, timeout)
  })

  it('keep a password unchanged, including its spaces', () => {
    assert.equal(check({ password: ' pass word ' }).password, ' pass word ')
  })

  const wrong: [string, RawSettings, string, RegExp][] = [
    [
      'a missing url',
      { url: '' },
      'NOT_CONFIGURED',
      /^Service address is empty: enter it in the alarm account node\.$/,
    ],
    ['a missing e-mail', { email: undefined }, 'NOT_CONFIGURED', /E-mail is empty/],
    ['a missing password', { password: '' }, 'NOT_CONFIGURED', /Password is empty/],
    [
      'a url without scheme',
      { url: 'alarm.example' },
      'BAD_SETTING',
      /^Service address: it must begin with https:\/\/\.$/,
    ],
    ['http:// to a remote host', { url: 'http://alarm.example' }, 'BAD_SETTING', /Service address: .*https/],
    ...[
      'http://127.0.0.1.evil.example',
      'http://localhost.evil.example',
      'http://localhost.',
      'http://0.0.0.0',
      'http://128.0.0.1',
      'http://[::]',
      'http://[::ffff:127.0.0.1]',
    ].map((url): (typeof wrong)[number] => [
      `${url}, which is not a loopback address`,
      { url },
      'BAD_SETTING',
      /Service address: .*https/,
    ]),
    [
      'http:// to a host that only looks like loopback',
      { url: 'http://127.0.0.1@evil.example' },
      'BAD_SETTING',
      /^Service address: it must not contain a user name, a password, \? or #\. Enter one such as https:\S+$/,
    ],
    ...[
      ['user name', 'https://me@alarm.example'],
      ['password', 'https://:secret@alarm.example'],
      ['question mark', 'https://alarm.example?a'],
      ['number sign', 'https://alarm.example#a'],
    ].map(([what, url]): (typeof wrong)[number] => [
      `a url that contains a ${what}`,
      { url },
      'BAD_SETTING',
      /^Service address: it must not contain a user name, a password, \? or #\. Enter one such as https:\S+$/,
    ]),
    [
      'a url without a host',
      { url: 'https://' },
      'BAD_SETTING',
      /^Service address: this is not a web address\. Enter one such as https:/,
    ],
    [
      'an unknown time zone',
      { timeZone: 'Mars/Olympus' },
      'BAD_SETTING',
      /^Time zone: "Mars\/Olympus" is not a known time zone/,
    ],
    [
      'an unknown locale',
      { locale: 'xx_YY' },
      'BAD_SETTING',
      /^Language: "xx_YY" is not a language with its region/,
    ],
    ['a locale in another format', { locale: 'english' }, 'BAD_SETTING', /Language: /],
    ['a negative number of requests a day', { requestsPerDay: -1 }, 'BAD_SETTING', /Requests per day: "-1"/],
    ['a cap of zero', { requestsPerMinute: 0 }, 'BAD_SETTING', /"0" is not a whole number from 1 to 6000\.$/],
    ['a fractional cap', { requestsPerMinute: 1.5 }, 'BAD_SETTING', /Request limit: "1\.5" is not a whole/],
    ['a cap that is not a number', { requestsPerMinute: 'many' }, 'BAD_SETTING', /Request limit.*many/],
    [
      'a negative timeout',
      { timeout: -1 },
      'BAD_SETTING',
      /^Timeout: "-1" is not a number from 0\.1 to 300\.$/,
    ],
    [
      'an apiVersion that is not a version',
      { apiVersion: 'latest' },
      'BAD_SETTING',
      /^API version: "latest" is not a version\. Enter one such as/,
    ],
    [
      'an apiVersion that is too old',
      { apiVersion: '4.0' },
      'UNSUPPORTED_VERSION',
      /^API version: 4\.0 is too old\. Enter 8\.0 or above/,
    ],
    [
      'an unknown api',
      { api: 'admin' },
      'BAD_SETTING',
      /^Account type: "admin" is unknown\. Select "End user" or "Installer"\.$/,
    ],
  ]
  for (const [what, raw, code, sentence] of wrong) {
    it(`are rejected with one sentence that names the field: ${what}`, () => {
      assert.throws(
        () => check(raw),
        (error: Error & { code: string }) => {
          assert.equal(error.code, code)
          assert.match(error.message, sentence)
          assert.ok(!error.message.includes('secret'))
          return true
        },
      )
    })
  }

  function pick({ url, urlIsBase }: { url: string; urlIsBase: boolean }) {
    return [url, urlIsBase]
  }
})
