import { randomUUID } from 'node:crypto'
import { Account } from '../../src/account/account.ts'
import { AccountRegistry } from '../../src/account/account-registry.ts'
import { accountSettings } from '../../src/account/account-settings.ts'
import { second } from '../../src/duration.ts'
import { Panel } from '../../src/panel/panel.ts'
import { planFor, type RehearsalScene } from '../../src/simulator/scenarios/rehearsal-scenes.ts'
import { type Simulator, startSimulator } from '../../src/simulator/simulator.ts'
import { createFolder, deleteFolder, demoSettings } from '../config/demo.ts'
import { copiedPlan } from './copied-plan.ts'
import { endingClock } from './ending-clock.ts'

/** Milliseconds between two polls of the simulated panel. */
const pollInterval = second

/** A simulated panel that is a copy of a real one, and the client that reads it. */
export interface RehearsalPanel {
  simulator: Simulator
  panel: Panel
  /** Ends both and deletes their folder. Never rejects. */
  close(): Promise<void>
}

/**
 * Opens a simulated copy of a panel. It shares nothing with the real one: it has a service, a sign-in and a folder of its
 * own, and belongs to no cluster.
 * @param pace 2 makes the delays half as long
 */
export async function openRehearsalPanel(
  real: Panel,
  scene: RehearsalScene,
  pace: number,
): Promise<RehearsalPanel> {
  const { settings: realAccount } = real.account
  const { clock, end } = endingClock(real.account.clock)
  const { locale } = realAccount
  const folder = await createFolder()
  const plan = planFor(scene, copiedPlan(real, pace))
  const simulator = await startSimulator({ clock, locale, plans: [plan], isPrivate: true, hasConsole: false })
  // It has the names of a real house, which other users of this machine must not read.
  simulator.accounts.setPassword(randomUUID())
  const settings = accountSettings(
    { ...demoSettings(simulator), locale, requestsPerDay: 0 },
    { appId: randomUUID(), deviceInfo: 'rehearsal' },
  )
  const registry = new AccountRegistry(clock)
  const account = new Account(settings, registry, { clock, folder, random: Math.random }, () => {})
  const polls = { stateEvery: pollInterval, eventsEvery: pollInterval, devicesEvery: pollInterval }
  const panelSettings = { ...real.settings, ...polls, userCode: simulator.userCode }
  const silent = { outage: () => {}, recovery: () => {}, notice: () => {} }
  const panel = new Panel(panelSettings, account, folder, silent)
  return {
    simulator,
    panel,
    close: async () => {
      await simulator.close().catch(() => {})
      await panel.close().catch(() => {})
      // An account notes a minute after its sign-in that the service has accepted it: nobody would delete that file.
      end()
      await registry.release(account)
      await deleteFolder(folder)
    },
  }
}
