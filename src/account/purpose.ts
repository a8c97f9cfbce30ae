/**
 * The mode of an account: `deployed` uses deployed settings, `trial` tests settings that are still being
 * typed.
 *
 * A trial shares the budget, the backoff and the rejected credentials with the deployed accounts, and never
 * removes a rejection.
 */
export type AccountMode = 'deployed' | 'trial'
