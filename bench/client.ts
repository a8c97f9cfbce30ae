import { Account } from '../src/account/account.ts'
import { AccountRegistry, type Dependencies } from '../src/account/account-registry.ts'
import { accountSettings } from '../src/account/account-settings.ts'
import type { PanelKey } from '../src/account/requests/request.ts'
import { type Clock, systemClock } from '../src/clock.ts'
import type { DeliveredEvent } from '../src/panel/events/subscription.ts'
import { Panel } from '../src/panel/panel.ts'
import { panelSettings } from '../src/panel/panel-settings.ts'
import type { RawSettings } from '../src/settings.ts'

/** Stores in the place of the files of an account, for example those of a cluster. */
export type SharedStores = NonNullable<Dependencies['cluster']>

/** Returns an account, opened as by its config node, but with any cap; with other stores than files if there are some. */
export function openAccount(
  raw: RawSettings,
  requestsPerMinute: number,
  folder: string,
  cluster?: SharedStores,
): Account {
  const settings = accountSettings(raw, { appId: '5f0c9d4e-8f5b-4c93-a0c5-0b7a2c6c1f11', deviceInfo: '' })
  const shares = cluster === undefined ? {} : { cluster }
  const surroundings = { clock: systemClock as Clock, folder, random: Math.random, ...shares }
  const shared = new AccountRegistry(systemClock)
  return new Account({ ...settings, requestsPerMinute }, shared, surroundings, () => {})
}

/** Seconds between the polls of a panel. */
export interface Intervals {
  stateEvery: number
  eventsEvery: number
  devicesEvery: number
}

/**
 * Returns a panel with subscribers to its state, devices and events, like three flow nodes; `stop` ends it.
 */
export function openPanel(
  account: Account,
  key: PanelKey,
  folder: string,
  intervals: Intervals,
  onEvent: (delivery: DeliveredEvent) => void,
): { panel: Panel; stop(): Promise<void> } {
  const reports = { outage: () => {}, recovery: () => {}, notice: () => {} }
  const settings = panelSettings({ id: `panel ${key.serial}`, ...key, ...intervals }, undefined, 1)
  const panel = new Panel(settings, account, folder, reports)
  const leave = panel.eventDeliveries.subscribe(
    { id: 'node', instances: 'one' },
    {
      policy: { first: 'skip', missed: 'deliver' },
      events: (deliveries) => deliveries.forEach(onEvent),
      gap: () => {},
    },
  )
  const listener = { snapshot: () => {}, condition: () => {} }
  const stops = [panel.state, panel.devices, panel.events].map((watch) => watch.subscribe(listener))
  return {
    panel,
    stop: async () => {
      for (const stop of stops) stop()
      leave()
      await panel.eventDeliveries.close()
    },
  }
}
