import type { Phase } from './account.ts'
import type { BudgetFigures } from './budget.ts'
import type { Failure } from './failure.ts'

/** How an account is, from what is known already: nothing in here is asked for. */
export interface AccountHealth {
  phase: Phase
  /** When a hold ends, in milliseconds since 1970. */
  heldUntil: number | undefined
  /** The version of the service's interface that is spoken; nothing while it is not known, or `url` is a whole base address. */
  apiVersion: string | undefined
  /** How often this process has signed in. */
  signIns: number
  /** How many attempts in a row got no answer at all. */
  unanswered: number
  /** Whether the latest question failed. */
  isFailing: boolean
  /** The latest failure of a question, also when all is well again. */
  latestFailure: Failure | undefined
  budget: BudgetFigures
}

/** An account that cannot be opened, as long as its settings are what they are: it can send nothing. */
export const unopenedAccount: AccountHealth = {
  phase: 'signed-out',
  heldUntil: undefined,
  apiVersion: undefined,
  signIns: 0,
  unanswered: 0,
  isFailing: false,
  latestFailure: undefined,
  budget: { limit: 0, usedLastMinute: 0, waiting: 0 },
}
