import assert from 'node:assert/strict'
import fc from 'fast-check'
import { anyJson } from '../../../harness/fixtures/any-json.ts'
import { parseValid } from '../../../harness/fixtures/samples.ts'
import { assertShape } from '../../../harness/fixtures/shape.ts'
import {
  type License,
  license,
  licenseNotice,
  licenseRefusal,
  licenseReminder,
  licenseValidity,
} from '../../../src/service/responses/license.ts'
import { parse } from '../../../src/service/schema.ts'

const shown = {
  name: 'Gold',
  hmac: 'c0ffee',
  valid: { not_after: '2027-01-31T23:30:00+02:00', not_before: '2026-01-01T00:00:00+02:00' },
  features: [{ allowed: true, description: '', feature: 'resolve' }],
  limits: [{ description: 'Systems', limit: 'panels', value: 250 }],
}

const at = (time: string) => Date.parse(time)

/** Returns a license that allows or forbids these features. */
function allowing(features: Record<string, boolean>): License {
  return parseValid(license, {
    name: 'Gold',
    features: Object.entries(features).map(([feature, allowed]) => ({ feature, allowed })),
  })
}

describe('A license', () => {
  // @spec 2.2
  it('keeps the fields that the interface specification shows', () => {
    assert.deepEqual(parseValid(license, { ...shown, secret: 'no' }), shown)
  })

  it('uses defaults for missing fields', () => {
    assert.deepEqual(parseValid(license, {}), {
      name: '',
      hmac: '',
      valid: { not_after: '', not_before: '' },
      features: [],
      limits: [],
    })
  })

  // @spec 8.1
  it('keeps features and limits that we do not know; drops and counts those without a name or a value', () => {
    const parsed = parse(license, {
      features: [{ feature: 'telepathy', allowed: false }, { feature: 'x' }, { allowed: true }],
      limits: [{ limit: 'moons', value: 2 }, { limit: 'x' }, { value: 1 }],
    })
    assert.equal(parsed?.dropped, 4)
    assert.equal(parsed.value.features[0]?.feature, 'telepathy')
    assert.equal(parsed.value.limits[0]?.limit, 'moons')
  })

  it('has its declared shape for any JSON, and parsing never throws', () => {
    const any = anyJson(['not_after', 'not_before', 'feature', 'allowed', 'limit', 'value', 'description'])
    fc.assert(
      fc.property(fc.record({ name: any, valid: any, features: fc.array(any), limits: any }), (answer) => {
        const checked = parseValid(license, answer)
        assertShape(checked, {
          name: 'string',
          hmac: 'string',
          valid: { not_after: 'string', not_before: 'string' },
          features: [{ allowed: 'boolean', description: 'string', feature: 'string' }],
          limits: [{ description: 'string', limit: 'string', value: 'number' }],
        })
        licenseNotice(checked, 0)
        licenseRefusal(checked, 'events')
      }),
    )
  })
})

describe('The notice about a license', () => {
  const notice = (time: string) => licenseNotice(parseValid(license, shown), at(time))

  it('is absent while the license is valid, including the first and the last second', () => {
    for (const time of ['2025-12-31T22:00:00Z', '2026-06-01T00:00:00Z', '2027-01-31T21:30:00Z']) {
      assert.equal(notice(time), undefined)
    }
  })

  // @spec 2.2
  it('reports when the license ended, with the date as the service writes it', () => {
    assert.equal(
      notice('2027-01-31T21:30:01Z'),
      'The account\'s license "Gold" ended on 2027-01-31. Ask your alarm provider to renew it.',
    )
  })

  it('reports the date from which the license is valid', () => {
    assert.equal(
      notice('2025-12-31T21:59:59Z'),
      'The account\'s license "Gold" is not valid before 2026-01-01.',
    )
  })

  it('omits the name of a license that has none', () => {
    const nameless = parseValid(license, { valid: shown.valid })
    assert.match(licenseNotice(nameless, at('2030-01-01')) ?? '', /^The account's license ended on/)
  })

  it('is absent if the service sends no times or unreadable ones', () => {
    for (const not_after of ['', 'never', '0000-00-00T00:00:00+00:00']) {
      assert.equal(licenseNotice(parseValid(license, { valid: { not_after } }), at('2030-01-01')), undefined)
    }
  })
})

describe('The reminder that a license ends', () => {
  const reminder = (time: string) => licenseReminder(parseValid(license, shown), at(time))

  // @spec 2.2
  it('is there during the last 30 days, to the last second, with the date as the service writes it', () => {
    const sentence = 'The account\'s license "Gold" ends on 2027-01-31. Ask your alarm provider to renew it.'
    assert.equal(reminder('2027-01-01T21:29:59Z'), undefined)
    assert.equal(reminder('2027-01-01T21:30:00Z'), sentence)
    assert.equal(reminder('2027-01-31T21:30:00Z'), sentence)
    assert.equal(reminder('2027-01-31T21:30:01Z'), undefined)
  })

  it('is absent for a license without an end, which is always valid', () => {
    const endless = parseValid(license, {})
    assert.equal(licenseReminder(endless, at('2030-01-01')), undefined)
    assert.equal(licenseValidity(endless, at('2030-01-01')), 'valid')
  })

  it('follows from the validity, which tells a license that is not valid yet from one that ended', () => {
    const validity = (time: string) => licenseValidity(parseValid(license, shown), at(time))
    const times = ['2025-12-31', '2026-06-01', '2027-01-15', '2027-02-01']
    assert.deepEqual(times.map(validity), ['not-yet', 'valid', 'ending', 'ended'])
  })
})

describe('The features of a license', () => {
  const isAllowed = (features: Record<string, boolean>) =>
    licenseRefusal(allowing(features), 'events') === undefined

  it('are allowed or forbidden as the license states', () => {
    assert.equal(isAllowed({ resolve: false, 'resolve/panel_event_log': true }), true)
    assert.equal(isAllowed({ resolve: true, 'resolve/panel_event_log': false }), false)
  })

  it('follow the statement about their parent feature if the license does not mention them', () => {
    assert.equal(isAllowed({ resolve: false }), false)
    assert.equal(isAllowed({ resolve: true }), true)
  })

  it('are allowed if the license mentions neither the feature nor its parent, so that the service decides', () => {
    assert.equal(isAllowed({}), true)
  })
})

describe('The operations that a license covers', () => {
  const cases = {
    events: ['resolve/panel_event_log'],
    standard_log: ['resolve/panel_event_log'],
    rri_results: ['resolve/remote_inspection', 'resolve/panel_diagnostic'],
    configuration_list: ['resolve/panel_configuration'],
    set_state: ['resolve/panel_set_state'],
  }
  for (const [operation, features] of Object.entries(cases)) {
    // @spec license-features
    it(`include ${operation} unless the license forbids ${features.join(' and ')}`, () => {
      const forbidding = Object.fromEntries(features.map((feature) => [feature, false]))
      assert.match(
        licenseRefusal(allowing(forbidding), operation) ?? '',
        new RegExp(`does not allow "${operation}`),
      )
      for (const feature of features) {
        assert.equal(licenseRefusal(allowing({ ...forbidding, [feature]: true }), operation), undefined)
      }
    })
  }

  it('include an operation that needs no particular feature', () => {
    assert.equal(licenseRefusal(allowing({ resolve: false }), 'panels'), undefined)
  })

  // @spec 5.8
  it('exclude an operation with a sentence that names the missing feature', () => {
    assert.equal(
      licenseRefusal(allowing({ resolve: false }), 'events'),
      'The account\'s license "Gold" does not allow "events", which needs resolve/panel_event_log. Ask your alarm provider to add it.',
    )
  })
})
