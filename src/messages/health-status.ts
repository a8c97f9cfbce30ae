import type { AccountHealth } from '../account/account-health.ts'
import type { Failure } from '../account/requests/request-history.ts'
import type { PanelHealth } from '../panel/panel-health.ts'
import { errorCodeRows, type FailureStatus } from '../service/error-codes.ts'

/** The overall status of account and panel. */
export type HealthStatus = FailureStatus | 'ok'

/** Unanswered attempts in a row that are an outage; a single attempt can be lost by chance. */
const unansweredInAnOutage = 2

/**
 * Returns the overall status of account and panel.
 *
 * An account that has not signed in yet is no failure: an account that no node uses is `ok`.
 * @param unusable the reason why the settings cannot be used
 */
export function healthStatus({
  account,
  panel,
  unusable,
  cluster,
}: {
  account: AccountHealth
  panel: PanelHealth | undefined
  unusable: Failure | undefined
  cluster?: { readonly state: string; readonly leases: { readonly passed: number } } | undefined
}): HealthStatus {
  const failing = panel?.failing ?? []
  const failsAs = (status: FailureStatus) => failing.some((code) => errorCodeRows[code].health === status)
  const isBug = unusable?.code === 'INTERNAL_ERROR'
  if (unusable !== undefined && !isBug) return 'rejected'
  if (account.phase === 'rejected' || panel?.isRejected) return 'rejected'
  if (failsAs('rejected')) return 'rejected'
  if (account.phase === 'held' || failsAs('held')) return 'held'
  // Nothing is known of a panel that a bug in this package keeps from being opened.
  if (isBug) return 'degraded'
  if (account.unanswered >= unansweredInAnOutage) return 'offline'
  if (cluster?.state === 'away') return 'offline'
  if (panel?.online === false || failsAs('offline')) return 'offline'
  // Another instance works for this one, which could not take over from it.
  if ((cluster?.leases.passed ?? 0) > 0) return 'degraded'
  if (failing.length > 0 || panel?.holderFails) return 'degraded'
  if (panel?.state === 'stale' || panel?.cursorFails || panel?.lacksPartition) return 'degraded'
  // An account without a panel has no polls to judge by; only a failing sign-in shows a problem.
  const isSignedOut = account.phase === 'signed-out' || account.phase === 'signing-in'
  return isSignedOut && account.isFailing ? 'degraded' : 'ok'
}
