import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Account } from '../src/account/account.ts'
import { AccountRegistry } from '../src/account/account-registry.ts'
import { type AccountMode, accountSettings } from '../src/account/account-settings.ts'
import type { PanelKey, ReadRequest } from '../src/account/request.ts'
import type { RequestLog } from '../src/account/request-log.ts'
import type { Clock } from '../src/clock.ts'
import type { RawSettings } from '../src/settings.ts'
import { type Simulator, type SimulatorOptions, startSimulator } from '../src/simulator/simulator.ts'
import { FakeClock } from './clock/fake-clock.ts'
import { PendingIo } from './clock/pending-io.ts'
import { ProcessClock } from './clock/process-clock.ts'

/** An account that talks to a simulator of its own, both on one fake clock. */
export interface AccountHarness {
  simulator: Simulator
  clock: FakeClock
  /** Knows when nothing more happens until the clock goes on. */
  pendingIo: PendingIo
  folder: string
  account: Account
  panel: PanelKey
  notices: string[]
  /** A question about the panel as somebody asks it who waits; an older answer will not do. */
  createRequest(): ReadRequest & { panel: PanelKey }
  /** A further account, as a config node would open it in the same process. */
  openAccount(settings?: RawSettings, log?: RequestLog): Account
  /** An account as a dialog opens it for settings that are not deployed. */
  openTrialAccount(settings?: RawSettings): Account
  /** Closes an account's config node, as a redeploy does. */
  releaseAccount(account: Account): void
  /** Ends the process of all accounts so far, in the middle of whatever they do. */
  killProcess(): void
  /** An account as it is opened after a restart: nothing but the folder is left. */
  openAfterRestart(settings?: RawSettings): Account
  /** How many requests went to an operation, by the end of its path. */
  requestsTo(operation: string): number
  /** Lets the time pass until a promise is settled, and answers as it does. */
  waitFor<T>(promise: Promise<T>): Promise<T>
  close(): Promise<void>
}

/** Sets a simulator and an account on one fake clock; close it after the test. */
export async function startAccountHarness(
  options: SimulatorOptions = {},
  settings: RawSettings = {},
  log: RequestLog = {},
): Promise<AccountHarness> {
  const clock = new FakeClock()
  const folder = await mkdtemp(join(tmpdir(), 'keyholder-'))
  const simulator = await startSimulator({ clock, ...options })
  const work = new PendingIo(() => simulator.withheldPorts)
  work.start()
  const life = new ProcessClock(clock)
  const notices: string[] = []
  // As they are at the start: a test may change them at the service afterwards.
  const { url, email, password } = simulator
  const open = (
    shared: AccountRegistry,
    own: RawSettings = {},
    mode: AccountMode = 'deployed',
    inProcess: Clock = life,
    ownLog = log,
  ) => {
    const raw = { url, email, password, requestsPerMinute: 6000, ...settings, ...own }
    const checked = accountSettings(raw, {
      appId: '5f0c9d4e-8f5b-4c93-a0c5-0b7a2c6c1f11',
      deviceInfo: 'test',
    })
    const surroundings = { clock: inProcess, folder, random: () => 0.5, log: ownLog }
    return new Account(checked, shared, surroundings, (sentence) => notices.push(sentence), mode)
  }
  const shared = new AccountRegistry(life)
  const panel = { serial: simulator.serials[0] ?? '', userCode: simulator.userCode }
  return {
    simulator,
    clock,
    pendingIo: work,
    folder,
    account: open(shared),
    panel,
    notices,
    createRequest: () => ({ lane: 'urgent', maxAge: 0, signal: neverAborted(), panel }),
    openAccount: (own, ownLog) => open(shared, own, 'deployed', life, ownLog),
    openTrialAccount: (own) => open(shared, own, 'trial'),
    releaseAccount: (account) => shared.release(account),
    killProcess: () => life.stop(),
    openAfterRestart: (own) => open(new AccountRegistry(clock), own, 'deployed', clock),
    requestsTo: (operation) => simulator.requests.filter(({ path }) => path.endsWith(operation)).length,
    waitFor: async (promise) => {
      const state = { isOver: false }
      const over = () => {
        state.isOver = true
      }
      promise.then(over, over)
      work.expectHashing(Number.POSITIVE_INFINITY)
      for (;;) {
        await work.untilIdle()
        if (state.isOver) return promise
        assert.ok(clock.untilNext !== undefined, 'it never settles')
        clock.advance(clock.untilNext)
      }
    },
    close: async () => {
      work.stop()
      await simulator.close()
      // The attempt log may still be noting the end of an attempt.
      await rm(folder, { recursive: true, force: true, maxRetries: 10 })
    },
  }
}

/** A signal of somebody who never goes away. */
export function neverAborted(): AbortSignal {
  return new AbortController().signal
}
