import { type AccountHealth, unopenedAccount } from '../../src/account/account-health.ts'
import type { Failure } from '../../src/account/request-stats.ts'
import type { HealthFacts } from '../../src/messages/health-message.ts'
import { type PanelHealth, unopenedPanel } from '../../src/panel/panel-health.ts'
import type { ErrorCode } from '../../src/service/error.ts'

/** Noon of the fake clock's first day. */
export const noon = Date.UTC(2026, 10, 20, 12, 0, 0)

/** A failure so many milliseconds after noon. */
export function failure(code: ErrorCode, after = 0): Failure {
  return { code, failedAt: noon + after, at: after }
}

/** An account that is signed in and well; the given fields replace its own. */
export function accountHealth(fields: Partial<AccountHealth> = {}): AccountHealth {
  const budget = { limit: 30, usedLastMinute: 3, waiting: 0 }
  return { ...unopenedAccount, phase: 'ready', apiVersion: '14.0', signIns: 1, budget, ...fields }
}

/** A panel whose state is polled and that is well; the given fields replace its own. */
export function panelHealth(fields: Partial<PanelHealth> = {}): PanelHealth {
  const polls = {
    ...unopenedPanel.polls,
    state: { lastAt: noon + 20, lastOk: noon, ageMs: 1500, failures: 0 },
  }
  return { ...unopenedPanel, online: true, state: 'fine', polls, ...fields }
}

/** All is well; the given facts replace these. */
export function healthFacts(fields: Partial<HealthFacts> = {}): HealthFacts {
  const versions = { plugin: '0.1.0', nodeRed: '4.1.0', node: '20.19.0' }
  return { account: accountHealth(), panel: panelHealth(), unusable: undefined, versions, ...fields }
}
