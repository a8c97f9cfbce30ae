import type { LicenseHealth } from './license.ts'
import type { Failure } from './requests/request-history.ts'
import type { BudgetFigures } from './service-user/rate-limit/budget.ts'

/** The phase of an account. */
export type Phase = 'signed-out' | 'signing-in' | 'ready' | 'held' | 'rejected'

/** The known health of an account. Reading it sends no request. */
export interface AccountHealth {
  phase: Phase
  /** The end of the backoff, in milliseconds since 1970. */
  heldUntil: number | undefined
  /**
   * The version of the service interface in use; undefined while it is not known, or if `url` is a complete
   * base address.
   */
  apiVersion: string | undefined
  /** The number of sign-ins in this process. */
  signIns: number
  /** The number of consecutive attempts without any answer. */
  unanswered: number
  /** True if the latest request failed. */
  isFailing: boolean
  /** The latest failure of a request. It stays when later requests succeed. */
  latestFailure: Failure | undefined
  budget: BudgetFigures
  /** Undefined before the first sign-in, and for an account without a license. */
  license: LicenseHealth | undefined
}

/** The health of an account that cannot be opened with its current settings: it cannot send anything. */
export const unopenedAccount: AccountHealth = {
  phase: 'signed-out',
  heldUntil: undefined,
  apiVersion: undefined,
  signIns: 0,
  unanswered: 0,
  isFailing: false,
  latestFailure: undefined,
  budget: { limit: 0, usedLastMinute: 0, waiting: 0, wanted: 0, usedToday: 0 },
  license: undefined,
}
