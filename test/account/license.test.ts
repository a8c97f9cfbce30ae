import assert from 'node:assert/strict'
import { type AccountHarness, startAccountHarness } from '../../harness/account.ts'
import { noon } from '../../harness/fixtures/health-samples.ts'
import { parseValid } from '../../harness/fixtures/samples.ts'
import { exceededLimits, LicenseCheck, licenseHealth } from '../../src/account/license.ts'
import { operations } from '../../src/service/operations.ts'
import { license } from '../../src/service/responses/license.ts'

const day = 24 * 60 * 60 * 1000
const end = Date.UTC(2027, 0, 31, 21, 30)
const shown = {
  name: 'Canary tier',
  hmac: 'canary',
  valid: { not_before: '2026-01-01T00:00:00+02:00', not_after: '2027-01-31T23:30:00+02:00' },
  limits: [
    { limit: 'central_station_num', value: 10, description: 'Canary' },
    { limit: 'panels', value: 2 },
    { limit: 'panels_neo', value: 1 },
    { limit: 'canary_of_jane', value: 1 },
  ],
}
const parsed = parseValid(license, shown)
const usedOf = (types: readonly string[] | undefined) =>
  licenseHealth(parsed, types, noon).limits.map(({ limit, used }) => [limit, used])

describe('The license in the health of an account', () => {
  // @spec 2.2
  it('has its times in ISO 8601 and UTC, and no text of the service', () => {
    const { limits, ...rest } = licenseHealth(parsed, [], noon)
    assert.deepEqual(rest, {
      validity: 'valid',
      notBefore: '2025-12-31T22:00:00.000Z',
      notAfter: '2027-01-31T21:30:00.000Z',
    })
    assert.doesNotMatch(JSON.stringify(limits), /canary/i)
    const { notBefore, notAfter } = licenseHealth(parseValid(license, {}), [], noon)
    assert.deepEqual([notBefore, notAfter], [null, null])
  })

  // @spec 8.1, license-enforcement
  it('counts the panels of each family, if the family of every panel is known', () => {
    const used = (panels: number | null, neo: number | null) => [
      ['central_station_num', null],
      ['panels', panels],
      ['panels_neo', neo],
    ]
    assert.deepEqual(usedOf(undefined), used(null, null))
    assert.deepEqual(usedOf([]), used(0, 0))
    assert.deepEqual(usedOf(['POWER_MASTER', 'Neo', 'POWER_MASTER']), used(2, 1))
    assert.deepEqual(usedOf(['POWER_MASTER', 'SIMULATED']), used(null, null))
  })

  it('counts a list of panels once, however often it is asked', () => {
    let reads = 0
    const types = new Proxy(['POWER_MASTER', 'NEO'], {
      get: (list, member) => {
        reads += 1
        return Reflect.get(list, member)
      },
    })
    const first = usedOf(types)
    reads = 0
    assert.deepEqual(usedOf(types), first)
    assert.equal(reads, 0)
  })

  it('names a limit only if more than it allows is used', () => {
    assert.deepEqual(exceededLimits(parsed, ['POWER_MASTER', 'POWER_MASTER', 'NEO']), [])
    assert.deepEqual(exceededLimits(parsed, ['NEO', 'NEO']), [
      'The account\'s license "Canary tier" allows 1 system ("panels_neo"), and the account has 2. Ask your alarm provider to extend it.',
    ])
  })
})

describe('The check of a license', () => {
  // @spec 2.2
  it('reports once, from 30 days ahead, that the license ends, and that a limit is exceeded', () => {
    const notices: string[] = []
    const check = new LicenseCheck((sentence) => notices.push(sentence))
    check.check(parsed, 'status', undefined, end - 30 * day - 1)
    assert.equal(notices.length, 0)
    for (const types of [undefined, ['NEO', 'NEO'], ['NEO', 'NEO']]) {
      check.check(parsed, 'status', types, end - 30 * day)
      check.check(parsed, 'alarms', types, end)
    }
    assert.deepEqual(
      notices.map((line) => line.replace('The account\'s license "Canary tier"', '')),
      [
        ' ends on 2027-01-31. Ask your alarm provider to renew it.',
        ' allows 1 system ("panels_neo"), and the account has 2. Ask your alarm provider to extend it.',
      ],
    )
    // Only what the license does not cover is a problem of the operation.
    assert.ok(!check.uncovered.has('status'))
  })
})

describe('The license of an account', () => {
  let at: AccountHarness
  beforeEach(async () => {
    at = await startAccountHarness({}, { api: 'service' })
  })
  afterEach(() => at.close())

  it('is in its health after the sign-in, with the panels of its list', async () => {
    const before = at.account.health
    assert.equal(before.license, undefined)
    await at.account.sendRead(operations.panels, at.createRequest())
    const { license } = at.account.health
    assert.equal(license?.validity, 'valid')
    assert.deepEqual(
      license.limits.map(({ limit, value, used }) => [limit, value, used]),
      [
        ['central_station_num', 10, null],
        ['panels', 1000, null],
        ['panels_dual_path', 100, null],
        ['panels_neo', 1000, null],
      ],
    )
    const panel = { alias: '', role: '', customization: null, panel_model: '' }
    at.account.knowledge.notePanels([
      { ...panel, panel_serial: 'ONE', type: 'POWER_MASTER' },
      { ...panel, panel_serial: 'TWO', type: 'Neo' },
    ])
    assert.deepEqual(
      at.account.health.license?.limits.map(({ used }) => used),
      [null, 1, null, 1],
    )
  })

  it('is absent for the account of an end user', async () => {
    const account = at.openAccount({ api: 'user' })
    await account.sendRead(operations.panels, at.createRequest())
    assert.equal(account.health.license, undefined)
  })
})
