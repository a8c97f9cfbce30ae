import assert from 'node:assert/strict'
import { type AccountHarness, neverAborted, startAccountHarness } from '../../harness/account.ts'
import { Canaries } from '../../harness/fixtures/canaries.ts'
import { plantSecrets } from '../../harness/fixtures/planted-secrets.ts'
import { secretsIn } from '../../harness/fixtures/private-data.ts'
import type { Account } from '../../src/account/account.ts'
import { type DiagnosticsFile, diagnosticsFile } from '../../src/messages/diagnostics-file.ts'
import { recordAnswers } from '../../src/panel/diagnostics/recording.ts'
import { unopenedPanel } from '../../src/panel/panel-health.ts'
import { hasCode } from '../../src/service/error.ts'
import { readable } from '../../src/service/operations.ts'

const versions = { plugin: '0.2.0', nodeRed: '4.1.0', node: '20.19.0' }
const forAll = { times: Number.POSITIVE_INFINITY }
const allReads = ['session', ...Object.keys(readable)]

interface Answered {
  panels?: { answer: { panel_serial: string }[] }
  panel_info?: { answer: { serial: string } }
}

describe('The diagnostics file', () => {
  let harness: AccountHarness
  beforeEach(async () => {
    harness = await startAccountHarness({ scenario: 'day' })
  })
  afterEach(() => harness.close())

  const record = async (
    account: Account = harness.openTrialAccount(),
    panel = harness.panel,
  ): Promise<DiagnosticsFile> => {
    const steps = recordAnswers(account, panel, neverAborted())
    let step = await harness.waitFor(steps.next())
    while (!step.done) step = await harness.waitFor(steps.next())
    const now = harness.clock.wall()
    const { serial } = panel
    const panelHealth = {
      ...unopenedPanel,
      unknown: {
        typeIds: [7_391_001],
        deviceTypes: ['PENDANT', 'GARDENGATE'],
        subtypes: ['RADAR_MOTION'],
        warnings: ['OPENED', 'SUMMERHOUSE'],
      },
    }
    return diagnosticsFile({ now, versions, account, panelHealth, serial, recording: step.value })
  }
  const requests = () =>
    harness.simulator.requests.map(({ path }) => path.replace(/^\/rest_api\/([0-9.]+\/)?/, ''))

  it('has the answer to each operation that reads, each asked once', async () => {
    const { answers, requests: past, format } = await record()
    assert.equal(format, 'keyholder-diagnostics-1')
    assert.deepEqual(Object.keys(answers), allReads)
    for (const [name, recorded] of Object.entries(answers)) assert.ok('answer' in recorded, name)
    const count = requests().length
    assert.equal(new Set(requests()).size, count)
    assert.equal(past.length, count)
    assert.deepEqual(past.at(-1)?.operation, 'users')
  })

  it('is not made after a stop, which ends the requests too', async () => {
    const stop = new AbortController()
    const steps = recordAnswers(harness.openTrialAccount(), harness.panel, stop.signal)
    // The sign-in, and the panels, which are not asked yet.
    await harness.waitFor(steps.next())
    await harness.waitFor(steps.next())
    const count = requests().length
    stop.abort()
    await assert.rejects(harness.waitFor(steps.next()), { code: 'CLOSED' })
    assert.equal(requests().length, count)
  })

  it('has versions, the health and the same stand-in for the serial wherever it is', async () => {
    const { health, serial, answers, account } = await record()
    assert.deepEqual(health.versions, versions)
    assert.deepEqual([account.type, account.apiVersion, account.locale], ['user', '14.0', 'en_US'])
    assert.equal(health.account.phase, 'ready')
    const { panels, panel_info } = answers as Answered
    assert.deepEqual([panels?.answer[0]?.panel_serial, panel_info?.answer.serial], [serial, serial])
    assert.notEqual(serial, harness.panel.serial)
  })

  it('has stand-ins for unknown words in the health too', async () => {
    const { health } = await record()
    assert.equal(health.unknown.warnings[0], 'OPENED')
    assert.match(health.unknown.warnings[1] ?? '', /^text-\d+$/)
    assert.equal(health.unknown.deviceTypes[0], 'PENDANT')
    assert.match(health.unknown.deviceTypes[1] ?? '', /^text-\d+$/)
    assert.match(health.unknown.subtypes[0] ?? '', /^text-\d+$/)
    assert.ok((health.unknown.typeIds[0] ?? 0) > 1_000_000)
    assert.notEqual(health.unknown.typeIds[0], 7_391_001)
  })

  it('has no secret, in whatever answers they are planted', async () => {
    for (const [seed, share] of [
      [1, 0.05],
      [2, 0.3],
      [3, 1],
    ] as const) {
      const stop = harness.simulator.faults.start(plantSecrets(seed, share))
      assert.deepEqual(secretsIn(JSON.stringify(await record())), [])
      stop()
    }
  })

  it('has no password, code, token or serial, even if the service repeats them everywhere and in its errors', async () => {
    const canaries = new Canaries(harness.simulator)
    canaries.add(harness.panel.serial)
    const panel = { ...harness.panel, userCode: harness.simulator.userCode }
    const account = harness.openTrialAccount({ password: harness.simulator.password })
    harness.simulator.respondOnce('devices', { status: 400, body: canaries.all.join(' ') })
    canaries.assertUnseenIn(await record(account, panel))
    harness.simulator.faults.start(canaries.echo({ inData: true }))
    canaries.assertUnseenIn(await record(account, panel))
  })

  it('tells what the service sends and this package does not know', async () => {
    const { differences } = await record()
    assert.deepEqual(
      differences.devices?.filter(({ difference }) => difference === 'unknown word'),
      [{ path: '[].subtype', difference: 'unknown word' }],
    )
  })

  it('has the error of each operation that fails, and the answers of the others', async () => {
    harness.simulator.respondOnce('status', { status: 403, body: { error_reason_code: 'NotAllowed' } })
    harness.simulator.respondOnce('users', { status: 500, body: { error_reason_code: 'Wilhelmina' } })
    harness.simulator.respondOnce('events', { status: 200, body: 'no JSON' })
    const { answers } = await record()
    assert.deepEqual(answers.status, { error: { code: 'NOT_ALLOWED', status: 403, reason: 'NotAllowed' } })
    assert.deepEqual(answers.users, { error: { code: 'SERVER_ERROR', status: 500, reason: null } })
    assert.deepEqual(answers.events, { error: { code: 'BAD_RESPONSE', status: 200, reason: null } })
    assert.ok('answer' in (answers.devices ?? {}))
  })

  it('has an answer that is shaped otherwise, and says so', async () => {
    for (const name of ['devices', 'panels'] as const) {
      harness.simulator.respondOnce(name, { status: 200, body: { devices: [] } })
      const { answers, differences } = await record()
      assert.deepEqual(answers[name], { answer: { devices: [] } })
      assert.equal(differences[name]?.[0]?.difference, 'unusable answer')
    }
  })

  it('ends after a rejected password, which is sent once', async () => {
    const account = harness.openTrialAccount({ password: 'wrong' })
    const { answers } = await record(account)
    assert.deepEqual(answers, {
      session: { error: { code: 'BAD_CREDENTIALS', status: 400, reason: 'WrongCombination' } },
    })
    await record(account)
    assert.deepEqual(requests(), ['version', 'auth'])
  })

  it('sends a rejected user code once', async () => {
    const { answers } = await record(undefined, { ...harness.panel, userCode: '9999' })
    const codes = new Set(Object.values(answers).flatMap((one) => ('error' in one ? [one.error.code] : [])))
    assert.deepEqual([...codes], ['WRONG_USER_CODE'])
    assert.equal(requests().filter((operation) => operation === 'panel/login').length, 1)
  })

  it('is not made for a serial that the account does not have, and the serial is not sent', async () => {
    await assert.rejects(record(undefined, { ...harness.panel, serial: 'ZZZ' }), (thrown) =>
      hasCode(thrown, 'BAD_SETTING'),
    )
    assert.ok(!requests().includes('panel/login'))
  })

  it('ends after two operations in a row without any answer', async () => {
    for (const operation of ['panel_info', 'feature_set']) harness.simulator.hang(operation)
    const { answers } = await record()
    assert.deepEqual(Object.keys(answers), ['session', 'panels', 'panel_info', 'feature_set'])
  })

  it('keeps within the request limit', async () => {
    const started = harness.clock.monotonic()
    await record(harness.openTrialAccount({ requestsPerMinute: 6 }))
    const tookMinutes = (harness.clock.monotonic() - started) / 60_000
    assert.ok(
      tookMinutes >= requests().length / 6 - 1,
      `${requests().length} requests in ${tookMinutes} minutes`,
    )
  })

  it('stops asking after the service asks for a pause', async () => {
    harness.simulator.respondOnce('panel_info', { status: 429, headers: { 'Retry-After': '600' }, ...forAll })
    const { answers } = await record()
    assert.deepEqual(requests().at(-1), 'panel_info')
    assert.equal(Object.keys(answers).length, allReads.length)
  })
})
