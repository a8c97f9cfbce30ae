import type { HealthPayload } from './health-message.ts'

/** The parts of the health whose change is reported; counters and ages are not reported. */
interface HealthSummary {
  status: HealthPayload['status']
  phase: HealthPayload['account']['phase']
  code: string | null
  /** Null also while the license is valid. */
  license: string | null
}

/**
 * Decides whether the health has changed since it was last sent to a flow.
 *
 * A change must be seen twice in a row. Signing in is not a change, so an ordinary expiry with its short
 * sign-in is not reported. As long as nothing was sent, the health is compared with that of an unused
 * account: so the first sign-in is reported once, and a problem that exists at the start is reported too.
 */
export class HealthChange {
  #reported: HealthSummary = { status: 'ok', phase: 'signed-out', code: null, license: null }
  #seen = ''

  /** Notes that this health was sent, for whatever reason. */
  note(health: HealthPayload): void {
    this.#reported = this.#summaryOf(health)
  }

  /** Checks the current health and returns true if it should be sent now. */
  isDue(health: HealthPayload): boolean {
    const summary = this.#summaryOf(health)
    const seen = JSON.stringify(summary)
    const isSteady = seen === this.#seen
    this.#seen = seen
    return isSteady && seen !== JSON.stringify(this.#reported)
  }

  #summaryOf({ status, account, lastError, license }: HealthPayload): HealthSummary {
    const phase = account.phase === 'signing-in' ? this.#reported.phase : account.phase
    const validity = license?.validity ?? 'valid'
    return { status, phase, code: lastError?.code ?? null, license: validity === 'valid' ? null : validity }
  }
}
