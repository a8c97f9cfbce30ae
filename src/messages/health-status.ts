import type { AccountHealth } from '../account/account-health.ts'
import type { Failure } from '../account/failure.ts'
import type { PanelHealth } from '../panel/panel-health.ts'
import type { ErrorCode } from '../service/error.ts'

/** How account and panel are as a whole; of several that are true the first in this order is said. */
export type HealthStatus =
  /** A setting, password or code is wrong: nothing goes on until somebody changes it. */
  | 'rejected'
  /** The service asked for a pause; it goes on by itself. */
  | 'held'
  /** The service, or the panel behind it, is out of reach; it goes on by itself. */
  | 'offline'
  /** Something fails or is out of date. */
  | 'degraded'
  | 'ok'

/** What only somebody who changes a setting can mend. */
const wrongSettings: readonly ErrorCode[] = [
  'NOT_CONFIGURED',
  'BAD_SETTING',
  'BAD_CREDENTIALS',
  'WRONG_USER_CODE',
  'UNSUPPORTED_VERSION',
]

/** What polls fail with in a pause, and after it until the next one has been answered. */
const pauses: readonly ErrorCode[] = ['RATE_LIMITED', 'LOGIN_BLOCKED']

/** One attempt may be lost; two in a row are an outage. */
const unansweredInAnOutage = 2

/**
 * How account and panel are as a whole.
 *
 * Where nobody has signed in yet nothing is wrong: an account that no node asks is well.
 * @param unusable why what is set cannot be used
 */
export function healthStatus({
  account,
  panel,
  unusable,
}: {
  account: AccountHealth
  panel: PanelHealth | undefined
  unusable: Failure | undefined
}): HealthStatus {
  const failing = panel?.failing ?? []
  if (unusable !== undefined || account.phase === 'rejected' || panel?.isRejected) return 'rejected'
  if (failing.some((code) => wrongSettings.includes(code))) return 'rejected'
  if (account.phase === 'held' || failing.some((code) => pauses.includes(code))) return 'held'
  if (account.unanswered >= unansweredInAnOutage) return 'offline'
  if (panel?.online === false || failing.includes('PANEL_OFFLINE')) return 'offline'
  if (failing.length > 0 || panel?.state === 'stale' || panel?.cursorFails) return 'degraded'
  // An account that no panel is chosen with has no polls to tell by, but a sign-in that does not succeed.
  const isSignedOut = account.phase === 'signed-out' || account.phase === 'signing-in'
  return isSignedOut && account.isFailing ? 'degraded' : 'ok'
}
