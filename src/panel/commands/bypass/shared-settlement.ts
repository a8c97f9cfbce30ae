import type { AccountRegistry } from '../../../account/account-registry.ts'
import type { BypassRecords } from './bypass-records.ts'
import { BypassSettlement, type SettlementUser } from './bypass-settlement.ts'

/** The settlements of the panels, by host and serial. */
const settlements = new WeakMap<AccountRegistry, Map<string, BypassSettlement>>()

/**
 * Adds a config node to the settlement of its panel, which all of them share, also through different accounts: what
 * one has left bypassed must not depend on its node.
 * @param openRecords opens the records of the panel for the first config node
 */
export function joinSettlement(user: SettlementUser, openRecords: () => BypassRecords): BypassSettlement {
  const { registry, settings, clock } = user.panel.account
  const byPanel = settlements.get(registry) ?? new Map<string, BypassSettlement>()
  settlements.set(registry, byPanel)
  const key = JSON.stringify([new URL(settings.url).host, user.panel.settings.serial])
  const known = byPanel.get(key)
  const settlement = known?.isClosed === false ? known : new BypassSettlement(openRecords(), clock)
  byPanel.set(key, settlement)
  settlement.join(user)
  return settlement
}
