import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Account } from '../src/account/account.ts'
import { AccountRegistry } from '../src/account/account-registry.ts'
import { type AccountMode, accountSettings } from '../src/account/account-settings.ts'
import type { PanelKey, ReadRequest } from '../src/account/requests/request.ts'
import type { RequestLog } from '../src/account/requests/request-history.ts'
import type { Clock } from '../src/clock.ts'
import type { RawSettings } from '../src/settings.ts'
import { type Simulator, type SimulatorOptions, startSimulator } from '../src/simulator/simulator.ts'
import { AutoAdvance } from './clock/auto-advance.ts'
import { FakeClock } from './clock/fake-clock.ts'
import { answerInMemory } from './clock/memory-exchange.ts'
import { PendingIo } from './clock/pending-io.ts'
import { ProcessClock } from './clock/process-clock.ts'
import { showRequests } from './simulator.ts'

/** An account connected to its own simulator; both use the same fake clock. */
export interface AccountHarness {
  simulator: Simulator
  clock: FakeClock
  pendingIo: PendingIo
  /** Advances the clock while a test waits. */
  time: AutoAdvance
  /** The folder of the account's files. */
  folder: string
  account: Account
  panel: PanelKey
  /** The sentences that the accounts have logged. */
  notices: string[]
  /** Returns an urgent request about the panel that accepts no cached answer. */
  createRequest(): ReadRequest & { panel: PanelKey }
  /** Opens another account in the same process, as its config node does. */
  openAccount(settings?: RawSettings, log?: RequestLog): Account
  /** Opens an account for settings that are not deployed, as a dialog does. */
  openTrialAccount(settings?: RawSettings): Account
  /** Closes the config node of an account, as a redeploy or the end of Node-RED does. */
  releaseAccount(account: Account): Promise<void>
  /** Kills the process of all accounts opened so far, even if requests are under way. */
  killProcess(): void
  /** Opens an account after a restart of the process: only the folder is left. */
  openAfterRestart(settings?: RawSettings): Account
  /** Waits until a promise is settled, however long that takes on the fake clock; returns or throws its result. */
  waitFor<T>(promise: Promise<T>): Promise<T>
  close(): Promise<void>
}

/** Starts a simulator and opens an account on one fake clock; close the harness after the test. */
export async function startAccountHarness(
  options: SimulatorOptions = {},
  settings: RawSettings = {},
  log: RequestLog = {},
): Promise<AccountHarness> {
  const clock = new FakeClock()
  const folder = await mkdtemp(join(tmpdir(), 'keyholder-'))
  const simulator = await startSimulator({ clock, ...options })
  answerInMemory(simulator)
  const hideRequests = showRequests(simulator, clock)
  const pendingIo = new PendingIo(() => simulator.withheldPorts)
  pendingIo.start()
  const time = new AutoAdvance(clock, pendingIo, { ioDuration: 0 })
  const processClock = new ProcessClock(clock)
  const notices: string[] = []
  // The values at the start; a test may change them at the simulator later.
  const { url, email, password } = simulator
  const open = (
    registry: AccountRegistry,
    own: RawSettings = {},
    mode: AccountMode = 'deployed',
    accountClock: Clock = processClock,
    ownLog = log,
  ) => {
    const raw = { url, email, password, requestsPerMinute: 6000, ...settings, ...own }
    const checked = accountSettings(raw, {
      appId: '5f0c9d4e-8f5b-4c93-a0c5-0b7a2c6c1f11',
      deviceInfo: 'test',
    })
    const environment = { clock: accountClock, folder, random: () => 0.5, log: ownLog }
    return new Account(checked, registry, environment, (sentence) => notices.push(sentence), mode)
  }
  const registry = new AccountRegistry(processClock)
  const panel = { serial: simulator.serials[0] ?? '', userCode: simulator.userCode }
  return {
    simulator,
    clock,
    pendingIo,
    time,
    folder,
    account: open(registry),
    panel,
    notices,
    createRequest: () => ({ lane: 'urgent', maxAge: 0, signal: neverAborted(), panel }),
    openAccount: (own, ownLog) => open(registry, own, 'deployed', processClock, ownLog),
    openTrialAccount: (own) => open(registry, own, 'trial'),
    releaseAccount: (account) => registry.release(account),
    killProcess: () => processClock.stop(),
    openAfterRestart: (own) => open(new AccountRegistry(clock), own, 'deployed', clock),
    waitFor: (promise) => time.waitFor(promise),
    close: async () => {
      time.endWaits()
      hideRequests()
      pendingIo.stop()
      await simulator.close()
      // The attempt log may still write the end of an attempt.
      await rm(folder, { recursive: true, force: true, maxRetries: 10 })
    },
  }
}

/** Returns a signal that is never aborted. */
export function neverAborted(): AbortSignal {
  return new AbortController().signal
}
