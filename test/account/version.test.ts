import assert from 'node:assert/strict'
import { neverAborted, startAccountHarness } from '../../harness/account.ts'
import { requestsTo } from '../../harness/simulator.ts'
import { KeyholderError } from '../../src/service/error.ts'
import { operations } from '../../src/service/operations.ts'

const now = { lane: 'urgent', maxAge: 0 } as const

/** Returns the versions in the paths of the requests, in order, without duplicates. */
function versionsAsked(requests: readonly { path: string }[]): string[] {
  const versions = requests.map(({ path }) => /\/rest_api\/(\d+\.\d+)\//.exec(path)?.[1] ?? '')
  return [...new Set(versions.filter((version) => version !== ''))]
}

describe('The API version of the service', () => {
  // @spec 9
  it('is the numerically highest one available, not the last one alphabetically', async () => {
    const at = await startAccountHarness({ versions: ['8.0', '9.0', '10.0'] })
    await at.account.sendRead(operations.panels, { ...now, signal: neverAborted() })
    assert.deepEqual(versionsAsked(at.simulator.requests), ['10.0'])
    await at.close()
  })

  it('is the pinned one if one is configured, without a version request', async () => {
    const at = await startAccountHarness({ versions: ['13.0', '14.0'] }, { apiVersion: '13.0' })
    await at.account.sendRead(operations.panels, { ...now, signal: neverAborted() })
    assert.deepEqual(versionsAsked(at.simulator.requests), ['13.0'])
    assert.equal(requestsTo(at.simulator, 'version'), 0)
    await at.close()
  })

  // @spec 9
  it('is refused below 8, before any sign-in', async () => {
    const at = await startAccountHarness({ versions: ['3.0', '4.0'] })
    await assert.rejects(at.account.sendRead(operations.panels, { ...now, signal: neverAborted() }), {
      code: 'UNSUPPORTED_VERSION',
    })
    assert.equal(at.simulator.accounts.signIns, 0)
    await at.close()
  })

  it('is 8 if that is the only one available', async () => {
    const at = await startAccountHarness({ versions: ['8.0'] })
    await at.account.sendRead(operations.panels, { ...now, signal: neverAborted() })
    assert.deepEqual(versionsAsked(at.simulator.requests), ['8.0'])
    assert.deepEqual(at.notices, [])
    await at.close()
  })

  // @spec versions
  it('causes one notice if it is newer than all known ones, and is used', async () => {
    const at = await startAccountHarness({ versions: ['15.0'] })
    await at.account.sendRead(operations.panels, { ...now, signal: neverAborted() })
    assert.equal(at.notices.length, 1)
    assert.match(at.notices[0] ?? '', /15\.0/)
    await at.close()
  })

  for (const [how, answer] of [
    ['404', { status: 404, body: 'not found' }],
    ['a web page', { status: 200, body: '<!doctype html><title>gone</title>' }],
  ] as const) {
    // @spec deprecation
    it(`is requested again if the current one was removed, reported by ${how}, and the request is repeated with the new one`, async () => {
      const at = await startAccountHarness({ versions: ['13.0', '14.0'] })
      at.simulator.respondOnce('version', { status: 200, body: { rest_versions: ['13.0'] } })
      await at.account.sendRead(operations.panels, { ...now, signal: neverAborted() })
      at.clock.advance(31_000)
      at.simulator.respondOnce('panels', answer)
      const { value } = await at.account.sendRead(operations.panels, { ...now, signal: neverAborted() })
      assert.equal(value.length, 2)
      assert.deepEqual(versionsAsked(at.simulator.requests), ['13.0', '14.0'])
      await at.close()
    })
  }

  for (const [what, body, description] of [
    ['data of another shape', [], 'does not have the expected structure'],
    ['a web page', '<!doctype html><title>gone</title>', 'is a web page'],
    ['neither', 'It works!', 'is not JSON'],
  ] as const) {
    it(`cannot be determined from an answer with ${what}, and the error describes the answer`, async () => {
      const at = await startAccountHarness()
      at.simulator.respondOnce('version', { status: 200, body })
      const thrown = await at.account.negotiate().catch((error: KeyholderError) => error)
      await at.close()
      assert.ok(thrown instanceof KeyholderError)
      const { code, status, message } = thrown
      assert.deepEqual([code, status], ['BAD_RESPONSE', 200])
      assert.ok(
        message.startsWith(
          `The answer to "version" ${description}. Check "Service address" in the alarm account node. `,
        ),
        message,
      )
    })
  }

  it('is kept if only an operation is missing', async () => {
    const at = await startAccountHarness({ missingOperations: ['alarms'] })
    const panel = at.panel
    await assert.rejects(at.account.sendRead(operations.alarms, { ...now, panel, signal: neverAborted() }), {
      code: 'NOT_FOUND',
      status: 404,
    })
    await at.account.sendRead(operations.status, { ...now, panel, signal: neverAborted() })
    await at.close()
  })
})
