import type { HealthPayload } from './health.ts'

/** What of the health is news when it changes; counters and ages are not. */
interface Mark {
  status: HealthPayload['status']
  phase: HealthPayload['account']['phase']
  code: string | null
}

/**
 * Decides whether the health has changed since a flow was told of it.
 *
 * What changed must be seen twice in a row, and a sign-in under way is no change: an ordinary expiry, with its moment
 * of signing in, is nobody's business. What nobody has been told of yet is compared with an account that nobody has
 * used: so the first sign-in is told once, and a trouble that stands at the start too.
 */
export class HealthChange {
  #told: Mark = { status: 'ok', phase: 'signed-out', code: null }
  #seen = ''

  /** Takes in the health as it was told, for whatever reason. */
  tell(health: HealthPayload): void {
    this.#told = this.#markOf(health)
  }

  /** Looks at the health of this moment: whether it is to be told now. */
  isDue(health: HealthPayload): boolean {
    const mark = this.#markOf(health)
    const seen = JSON.stringify(mark)
    const isSteady = seen === this.#seen
    this.#seen = seen
    return isSteady && seen !== JSON.stringify(this.#told)
  }

  #markOf({ status, account, lastError }: HealthPayload): Mark {
    const phase = account.phase === 'signing-in' ? this.#told.phase : account.phase
    return { status, phase, code: lastError?.code ?? null }
  }
}
