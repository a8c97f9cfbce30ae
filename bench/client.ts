import { SharedAccess } from '../src/account/access.ts'
import { Account } from '../src/account/account.ts'
import { accountSettings, type RawSettings } from '../src/account/settings.ts'
import type { PanelKey } from '../src/account/sign-in.ts'
import { type Clock, systemClock } from '../src/clock.ts'
import type { Delivery } from '../src/panel/event-stream.ts'
import { Panel } from '../src/panel/panel.ts'
import { panelSettings } from '../src/panel/settings.ts'

/** An account as its config node opens it, but for the cap, which may be any. */
export function openAccount(raw: RawSettings, requestsPerMinute: number, folder: string): Account {
  const settings = accountSettings(raw, { appId: '5f0c9d4e-8f5b-4c93-a0c5-0b7a2c6c1f11', deviceInfo: '' })
  const surroundings = { clock: systemClock as Clock, folder, random: Math.random }
  const shared = new SharedAccess(systemClock)
  return new Account({ ...settings, requestsPerMinute }, shared, surroundings, () => {})
}

/** Seconds between the polls of a panel. */
export interface Intervals {
  stateEvery: number
  eventsEvery: number
  devicesEvery: number
}

/** A panel with a listener to its state, its devices and its events, as three flow nodes are; `stop` ends it. */
export function listenedPanel(
  account: Account,
  key: PanelKey,
  folder: string,
  intervals: Intervals,
  onEvent: (delivery: Delivery) => void,
): { panel: Panel; stop(): Promise<void> } {
  const reports = { loss: () => {}, recovery: () => {}, notice: () => {} }
  const settings = panelSettings({ id: `panel ${key.serial}`, ...key, ...intervals }, undefined, 1)
  const panel = new Panel(settings, account, folder, reports)
  const leave = panel.stream.join('node', {
    policy: { first: 'skip', missed: 'deliver' },
    events: (deliveries) => deliveries.forEach(onEvent),
    gap: () => {},
  })
  const listener = { news: () => {}, condition: () => {} }
  const stops = [panel.state, panel.devices, panel.events].map((watch) => watch.listen(listener))
  return {
    panel,
    stop: async () => {
      for (const stop of stops) stop()
      leave()
      await panel.stream.close()
    },
  }
}
