import assert from 'node:assert/strict'
import {
  accountHealth,
  failure,
  healthFacts,
  noon,
  panelHealth,
} from '../../harness/fixtures/health-samples.ts'
import { source } from '../../harness/fixtures/samples.ts'
import { HealthChange, healthMessage, healthPayload } from '../../src/messages/health-message.ts'
import { type HealthStatus, healthStatus } from '../../src/messages/health-status.ts'
import { unopenedPanel } from '../../src/panel/panel-health.ts'
import { type ErrorCode, errorCodeRows, errorCodes } from '../../src/service/error-codes.ts'

type Facts = Parameters<typeof healthStatus>[0]

const iso = (after: number) => new Date(noon + after).toISOString()

describe('The health status', () => {
  const cases: [status: HealthStatus, when: string, facts: Partial<Facts>][] = [
    ['ok', 'everything works', {}],
    ['ok', 'the account has not signed in yet', { account: accountHealth({ phase: 'signed-out' }) }],
    ['ok', 'a sign-in is running', { account: accountHealth({ phase: 'signing-in' }) }],
    ['ok', 'no panel is chosen', { panel: undefined }],
    [
      'ok',
      'an earlier failure is resolved',
      { account: accountHealth({ latestFailure: failure('TIMEOUT') }) },
    ],
    ['ok', 'the panel has no subscribers', { panel: panelHealth({ state: 'idle' }) }],
    ['ok', 'one request got no answer', { account: accountHealth({ unanswered: 1, isFailing: true }) }],
    ['degraded', 'a poll fails', { panel: panelHealth({ state: 'failing', failing: ['SERVER_ERROR'] }) }],
    ['degraded', 'the last successful poll is too old', { panel: panelHealth({ state: 'stale' }) }],
    ['degraded', 'the cursor cannot be written', { panel: panelHealth({ cursorFails: true }) }],
    ['degraded', 'the polls of another instance fail', { panel: panelHealth({ holderFails: true }) }],
    [
      'degraded',
      'the sign-in fails',
      { account: accountHealth({ phase: 'signed-out', isFailing: true }), panel: undefined },
    ],
    ['offline', 'two requests in a row got no answer', { account: accountHealth({ unanswered: 2 }) }],
    ['offline', 'the panel is unreachable', { panel: panelHealth({ online: false }) }],
    [
      'offline',
      'polls fail because the panel is offline',
      { panel: panelHealth({ state: 'failing', failing: ['PANEL_OFFLINE'] }) },
    ],
    ['held', 'the account is paused', { account: accountHealth({ phase: 'held' }) }],
    [
      'held',
      'a pause after too many requests has ended and the next poll has not run yet',
      { panel: panelHealth({ failing: ['RATE_LIMITED'] }) },
    ],
    [
      'held',
      'a block of sign-ins has ended and the next poll has not run yet',
      { panel: panelHealth({ failing: ['LOGIN_BLOCKED'] }) },
    ],
    ['rejected', 'the password is rejected', { account: accountHealth({ phase: 'rejected' }) }],
    ['rejected', 'the user code is rejected', { panel: panelHealth({ isRejected: true }) }],
    ['rejected', 'the serial is not valid', { panel: panelHealth({ failing: ['BAD_SETTING'] }) }],
    [
      'rejected',
      'the API version of the service is too old',
      { panel: panelHealth({ failing: ['UNSUPPORTED_VERSION'] }) },
    ],
    ['rejected', 'a setting is missing', { unusable: failure('NOT_CONFIGURED') }],
    [
      'degraded',
      'a bug in this package keeps the panel from being opened',
      { unusable: failure('INTERNAL_ERROR'), panel: unopenedPanel },
    ],
  ]
  for (const [status, when, facts] of cases) {
    it(`is ${status} when ${when}`, () => {
      assert.equal(healthStatus({ ...healthFacts(), ...facts }), status)
    })
  }

  it('follows from the error code of a failing poll, with degraded for all codes that are not listed', () => {
    const known: Partial<Record<ErrorCode, HealthStatus>> = {
      NOT_CONFIGURED: 'rejected',
      BAD_SETTING: 'rejected',
      BAD_CREDENTIALS: 'rejected',
      WRONG_USER_CODE: 'rejected',
      UNSUPPORTED_VERSION: 'rejected',
      RATE_LIMITED: 'held',
      LOGIN_BLOCKED: 'held',
      PANEL_OFFLINE: 'offline',
      SHARED_STATE_AWAY: 'offline',
    }
    const statusOf = (code: ErrorCode) =>
      healthStatus({ ...healthFacts(), panel: panelHealth({ state: 'failing', failing: [code] }) })
    assert.deepEqual(
      errorCodes.map((code) => [code, statusOf(code)]),
      errorCodes.map((code) => [code, known[code] ?? 'degraded']),
    )
  })

  it('is the worst one that applies, in the order rejected, held, offline, degraded, ok', () => {
    const degraded = panelHealth({ state: 'failing', failing: ['SERVER_ERROR'] })
    const offline = { ...degraded, online: false }
    const held = accountHealth({ phase: 'held', unanswered: 9 })
    const rejected = { ...offline, isRejected: true }
    const steps: Partial<Facts>[] = [
      {},
      { panel: degraded },
      { panel: offline },
      { panel: offline, account: held },
      { panel: rejected, account: held },
    ]
    assert.deepEqual(
      steps.map((facts) => healthStatus({ ...healthFacts(), ...facts })),
      ['ok', 'degraded', 'offline', 'held', 'rejected'],
    )
  })
})

describe('The payload of a health message', () => {
  it('has account, budget, panel, last error, versions and unknown values, with times in ISO 8601 and UTC', () => {
    const account = accountHealth({
      phase: 'held',
      heldUntil: noon + 60_000,
      signIns: 2,
      latestFailure: failure('RATE_LIMITED', 10),
    })
    const unknown = {
      typeIds: [7001],
      deviceTypes: ['PENDANT'],
      subtypes: ['RADAR_MOTION'],
      warnings: ['HICCUP'],
    }
    assert.deepEqual(
      healthPayload(
        healthFacts({ account, panel: panelHealth({ eventDelay: { least: 0, most: 9000 }, unknown }) }),
      ),
      {
        status: 'held',
        account: { phase: 'held', heldUntil: iso(60_000), apiVersion: '14.0', signIns: 2 },
        budget: { limit: 30, usedLastMinute: 3, waiting: 0, wanted: 6, usedToday: 900 },
        license: null,
        panel: {
          online: true,
          transports: { broadband: null, mobile: null },
          state: 'fine',
          reportsArming: null,
          polls: {
            state: { lastAt: iso(20), lastOk: iso(0), ageMs: 1500, failures: 0 },
            events: { lastAt: null, lastOk: null, ageMs: null, failures: null },
            devices: { lastAt: null, lastOk: null, ageMs: null, failures: null },
          },
        },
        freshness: {
          state: { targetMs: 15_000, medianMs: 5000, p95Ms: 9000 },
          events: { targetMs: null, medianMs: null, p95Ms: null, serviceMs: { least: 0, most: 9000 } },
          devices: { targetMs: null, medianMs: null, p95Ms: null },
        },
        cluster: null,
        lastError: { code: 'RATE_LIMITED', message: errorCodeRows.RATE_LIMITED.sentence, at: iso(10) },
        versions: { plugin: '0.1.0', nodeRed: '4.1.0', node: '20.19.0' },
        unknown,
      },
    )
  })

  it('has numbers of the cluster and no names, is offline while that is away, and the message names the instance', () => {
    const leases = { wanted: 3, held: 1, passed: 0 }
    const cluster = {
      state: 'connected',
      instance: 'garage',
      instances: ['attic', 'garage'],
      leases,
    } as const
    const payload = healthPayload(healthFacts({ cluster: { ...cluster, latestFailure: undefined } }))
    assert.deepEqual(payload.cluster, { state: 'connected', instances: 2, leases })
    assert.equal(payload.status, 'ok')
    const latestFailure = { code: 'SHARED_STATE_AWAY', failedAt: 0, at: 0 } as const
    const away = healthPayload(healthFacts({ cluster: { ...cluster, state: 'away', latestFailure } }))
    assert.deepEqual([away.status, away.lastError?.code], ['offline', 'SHARED_STATE_AWAY'])
    const source = { name: 'Home', panel: null, fetchedAt: '', stale: false }
    const passed = healthPayload(
      healthFacts({ cluster: { ...cluster, leases: { ...leases, passed: 1 }, latestFailure: undefined } }),
    )
    assert.deepEqual([passed.status, passed.cluster?.leases.passed], ['degraded', 1])
    assert.equal(healthMessage(source, payload, 'garage').instance, 'garage')
    assert.ok(!('instance' in healthMessage(source, payload)))
  })

  it('has null for missing values', () => {
    const account = accountHealth({ apiVersion: undefined })
    const payload = healthPayload(healthFacts({ account, panel: undefined }))
    assert.deepEqual([payload.account.heldUntil, payload.account.apiVersion], [null, null])
    assert.deepEqual([payload.panel, payload.lastError], [null, null])
    assert.deepEqual(payload.unknown, { typeIds: [], deviceTypes: [], subtypes: [], warnings: [] })
  })

  it('has the latest failure of account and panel, or the reason why neither can be used', () => {
    const [early, late] = [failure('TIMEOUT', 1), failure('SERVER_ERROR', 2)]
    const code = (ofAccount = early, ofPanel = late, unusable?: typeof early) =>
      healthPayload(
        healthFacts({
          account: accountHealth({ latestFailure: ofAccount }),
          panel: panelHealth({ latestFailure: ofPanel }),
          unusable,
        }),
      ).lastError?.code
    assert.equal(code(early, late), 'SERVER_ERROR')
    assert.equal(code(late, early), 'SERVER_ERROR')
    assert.equal(code(early, late, failure('BAD_SETTING', 0)), 'BAD_SETTING')
  })

  it('has a general sentence for every error code', () => {
    for (const code of errorCodes) {
      const account = accountHealth({ latestFailure: failure(code) })
      const { lastError } = healthPayload(healthFacts({ account }))
      assert.deepEqual(lastError, { code, message: errorCodeRows[code].sentence, at: iso(0) })
      assert.match(lastError?.message ?? '', /^[A-Z][^"<>/\d]+\.$/)
    }
  })

  it('shares no objects with its input or with another one, nor does the message', () => {
    const facts = healthFacts()
    const edited = healthPayload(facts)
    edited.unknown.typeIds.push(1)
    edited.budget.limit = 0
    edited.versions.plugin = ''
    if (edited.panel !== null) edited.panel.polls.state.failures = 9
    assert.deepEqual(healthPayload(facts), healthPayload(healthFacts()))
    assert.notEqual(healthMessage(source, edited).panel, source.panel)
  })

  it('is complete for a panel that cannot be opened', () => {
    const { panel } = healthPayload(healthFacts({ panel: unopenedPanel, unusable: failure('BAD_SETTING') }))
    assert.deepEqual([panel?.online, panel?.state], [false, 'idle'])
    assert.deepEqual(Object.keys(panel?.polls ?? {}), ['state', 'events', 'devices'])
  })
})

describe('A change of health', () => {
  const fresh = accountHealth({ phase: 'signed-out', signIns: 0 })
  const of = (fields: Parameters<typeof accountHealth>[0] = {}, panel = panelHealth()) =>
    healthFacts({ account: { ...fresh, ...fields }, panel })
  const ready = of({ phase: 'ready' })
  const degraded = of({ phase: 'ready' }, panelHealth({ failing: ['SERVER_ERROR'] }))

  /** Returns the indexes of the checks at which a change was reported. */
  function reportedChanges(...checks: ReturnType<typeof of>[]): number[] {
    const change = new HealthChange()
    return checks.flatMap((health, index) => {
      if (!change.isDue(health)) return []
      change.note(health)
      return [index]
    })
  }

  it('is not reported while the account is not signed in and nothing fails', () => {
    assert.deepEqual(reportedChanges(of(), of(), of()), [])
  })

  it('is reported once, after it was seen twice in a row', () => {
    assert.deepEqual(
      reportedChanges(of(), ready, ready, ready, degraded, degraded, degraded, ready, ready),
      [2, 5, 8],
    )
  })

  it('includes another code of the last error, but not another time', () => {
    const failed = (after: number) => of({ latestFailure: failure('TIMEOUT', after) })
    const other = of({ latestFailure: failure('TLS', 9) })
    assert.deepEqual(reportedChanges(failed(1), failed(2), failed(3), failed(4), other, other), [1, 5])
  })

  it('includes a license that begins to end or has ended, but not one that is valid', () => {
    const limits = { notBefore: null, notAfter: null, limits: [] }
    const [valid, ending, ended] = (['valid', 'ending', 'ended'] as const).map((validity) =>
      of({ phase: 'ready', license: { validity, ...limits } }),
    )
    if (!valid || !ending || !ended) assert.fail()
    assert.deepEqual(
      reportedChanges(ready, ready, valid, valid, ending, ending, ending, ended, ended),
      [1, 5, 8],
    )
    const payload = healthPayload(
      healthFacts({ account: accountHealth({ license: { validity: 'ending', ...limits } }) }),
    )
    assert.deepEqual(payload.license, { validity: 'ending', ...limits })
  })

  it('does not include counters and ages', () => {
    const later = panelHealth({
      polls: { ...panelHealth().polls, state: { lastAt: 9, lastOk: 8, ageMs: 7, failures: 0, ages: [1] } },
    })
    const busy = {
      phase: 'ready',
      signIns: 5,
      budget: { limit: 30, usedLastMinute: 29, waiting: 9, wanted: 6, usedToday: 900 },
    } as const
    assert.deepEqual(reportedChanges(ready, ready, of(busy, later), of(busy, later)), [1])
  })

  it('is found without building the message, so without the age of any poll', () => {
    let looks = 0
    const watched = panelHealth()
    const panel = {
      ...watched,
      get polls() {
        looks += 1
        return watched.polls
      },
    }
    assert.deepEqual(reportedChanges(of({}, panel), of({ phase: 'ready' }, panel), of({}, panel)), [])
    assert.equal(looks, 0)
    healthPayload(of({}, panel))
    assert.ok(looks > 0)
  })

  it('does not include an expired session, however long the new sign-in takes', () => {
    const signingIn = of({ phase: 'signing-in' })
    const gone = of({ phase: 'signed-out' })
    assert.deepEqual(reportedChanges(ready, ready, gone, signingIn, signingIn, signingIn, ready, ready), [1])
  })

  it('is not reported if it lasts for only one check', () => {
    assert.deepEqual(reportedChanges(ready, ready, degraded, ready, degraded, ready), [1])
  })

  it('is not reported again after another message has contained it', () => {
    const change = new HealthChange()
    change.isDue(degraded)
    change.note(degraded)
    assert.equal(change.isDue(degraded), false)
    const signingIn = of({ phase: 'signing-in' }, panelHealth({ failing: ['SERVER_ERROR'] }))
    change.note(signingIn)
    assert.deepEqual([change.isDue(degraded), change.isDue(degraded)], [false, false])
  })
})
