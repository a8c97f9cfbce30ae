import assert from 'node:assert/strict'
import { checkConnection, checkUserCode, type Finding } from '../../src/account/connection-check.ts'
import { asKeyholderError, dialogError } from '../../src/service/error.ts'
import type { RawSettings } from '../../src/settings.ts'
import type { Fault } from '../../src/simulator/faults/active-faults.ts'
import { type AccountHarness, neverAborted, startAccountHarness } from '../account.ts'

/** The operations of a check. */
const asked = ['version', 'auth', 'panels', 'panel/login']

/** A step of a check that has failed. */
export type FailedFinding = Extract<Finding, { state: 'failed' }>

/** Returns true if a step has failed. */
export const isFailed = (finding: Finding): finding is FailedFinding => finding.state === 'failed'

/** Returns all findings of a check. */
export async function allFindings(
  at: AccountHarness,
  findings: AsyncGenerator<Finding, void>,
): Promise<Finding[]> {
  const found: Finding[] = []
  for (;;) {
    const { value, done } = await at.waitFor(findings.next())
    if (done) return found
    found.push(value)
  }
}

/** Returns the failures of both checks, that of the connection and that of the user code, with the settings of a form. */
export async function failures(
  at: AccountHarness,
  settings: RawSettings = {},
  userCode = at.panel.userCode,
): Promise<FailedFinding[]> {
  const found: Finding[] = []
  for (const check of [checkConnection, checkUserCode]) {
    try {
      const account = at.openTrialAccount(settings)
      const panel = { ...at.panel, userCode }
      const findings =
        check === checkConnection
          ? checkConnection(account, neverAborted())
          : checkUserCode(account, panel, neverAborted())
      found.push(...(await allFindings(at, findings)))
      void at.releaseAccount(account)
    } catch (thrown) {
      found.push({ step: 'settings', state: 'failed', ...dialogError(asKeyholderError(thrown)) })
    }
  }
  return found.filter(isFailed)
}

/** Adds tests of the texts of failures, one for each of these faults: each is met at each operation of a check. */
export function testTextsOfFindings(faults: readonly (() => Fault)[]): void {
  for (const make of faults)
    it(`have a text in every language during ${make().name}`, async () => {
      for (const operation of asked) {
        const at = await startAccountHarness()
        try {
          at.simulator.faults.start(make(), { operation })
          for (const { text, message } of await failures(at)) assert.ok(text, `${operation}: ${message}`)
        } finally {
          await at.close()
        }
      }
    })
}
