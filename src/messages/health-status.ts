import type { AccountHealth } from '../account/account-health.ts'
import type { Failure } from '../account/requests/request-history.ts'
import type { PanelHealth } from '../panel/panel-health.ts'
import type { ErrorCode } from '../service/error.ts'

/** The overall status of account and panel; if several apply, the first in this order is used. */
export type HealthStatus =
  /** A setting, password or code is wrong; nothing continues until someone changes it. */
  | 'rejected'
  /** Requests are paused, at the request of the service or to protect the account; they continue automatically. */
  | 'held'
  /** The service, or the panel behind it, cannot be reached; everything continues automatically. */
  | 'offline'
  /** Something fails or is out of date. */
  | 'degraded'
  | 'ok'

/** Errors that only a change of the settings can solve. */
const wrongSettings: readonly ErrorCode[] = [
  'NOT_CONFIGURED',
  'BAD_SETTING',
  'BAD_CREDENTIALS',
  'WRONG_USER_CODE',
  'UNSUPPORTED_VERSION',
]

/** Errors of polls during a backoff, and after it until the next poll is answered. */
const pauses: readonly ErrorCode[] = ['RATE_LIMITED', 'LOGIN_BLOCKED']

/** Errors of polls while the panel, or the state that the instances of a cluster share, cannot be reached. */
const outOfReach: readonly ErrorCode[] = ['PANEL_OFFLINE', 'SHARED_STATE_AWAY']

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
  const failsWith = (codes: readonly ErrorCode[]) => failing.some((code) => codes.includes(code))
  const isBug = unusable?.code === 'INTERNAL_ERROR'
  if (unusable !== undefined && !isBug) return 'rejected'
  if (account.phase === 'rejected' || panel?.isRejected) return 'rejected'
  if (failsWith(wrongSettings)) return 'rejected'
  if (account.phase === 'held' || failsWith(pauses)) return 'held'
  // Nothing is known of a panel that a bug in this package keeps from being opened.
  if (isBug) return 'degraded'
  if (account.unanswered >= unansweredInAnOutage) return 'offline'
  if (cluster?.state === 'away') return 'offline'
  if (panel?.online === false || failsWith(outOfReach)) return 'offline'
  // Another instance works for this one, which could not take over from it.
  if ((cluster?.leases.passed ?? 0) > 0) return 'degraded'
  if (failing.length > 0 || panel?.holderFails) return 'degraded'
  if (panel?.state === 'stale' || panel?.cursorFails || panel?.lacksPartition) return 'degraded'
  // An account without a panel has no polls to judge by; only a failing sign-in shows a problem.
  const isSignedOut = account.phase === 'signed-out' || account.phase === 'signing-in'
  return isSignedOut && account.isFailing ? 'degraded' : 'ok'
}
