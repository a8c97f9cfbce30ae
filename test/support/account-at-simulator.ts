import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SharedAccess } from '../../src/account/access.ts'
import { Account } from '../../src/account/account.ts'
import type { Question } from '../../src/account/calls.ts'
import type { Purpose } from '../../src/account/purpose.ts'
import { accountSettings, type RawSettings } from '../../src/account/settings.ts'
import type { PanelKey } from '../../src/account/sign-in.ts'
import { type Simulator, type SimulatorOptions, startSimulator } from '../../src/simulator/simulator.ts'
import { DrivenClock } from './driven-clock.ts'

/** An account that talks to a simulator of its own, both on one driven clock. */
export interface Stage {
  simulator: Simulator
  clock: DrivenClock
  folder: string
  account: Account
  panel: PanelKey
  notices: string[]
  /** A question about the panel as somebody asks it who waits; an older answer will not do. */
  question(): Question & { panel: PanelKey }
  /** A further account, as a config node would open it in the same process. */
  another(settings?: RawSettings): Account
  /** An account as a dialog opens it for settings that are not deployed. */
  trial(settings?: RawSettings): Account
  /** Closes an account's config node, as a redeploy does. */
  leave(account: Account): void
  /** An account as it is opened after a restart: nothing but the folder is left. */
  afterRestart(settings?: RawSettings): Account
  /** How many requests went to an operation, by the end of its path. */
  requestsTo(operation: string): number
  close(): Promise<void>
}

/** Sets a simulator and an account on one driven clock; close it after the test. */
export async function stage(options: SimulatorOptions = {}, settings: RawSettings = {}): Promise<Stage> {
  const clock = new DrivenClock()
  const folder = await mkdtemp(join(tmpdir(), 'keyholder-'))
  const simulator = await startSimulator({ clock, ...options })
  const surroundings = { clock, folder, random: () => 0.5 }
  const notices: string[] = []
  // As they are at the start: a test may change them at the service afterwards.
  const { url, email, password } = simulator
  const open = (shared: SharedAccess, own: RawSettings = {}, purpose: Purpose = 'deployed') => {
    const raw = { url, email, password, requestsPerMinute: 6000, ...settings, ...own }
    const checked = accountSettings(raw, {
      appId: '5f0c9d4e-8f5b-4c93-a0c5-0b7a2c6c1f11',
      deviceInfo: 'test',
    })
    return new Account(checked, shared, surroundings, (sentence) => notices.push(sentence), purpose)
  }
  const shared = new SharedAccess(clock)
  const panel = { serial: simulator.serials[0] ?? '', userCode: simulator.userCode }
  return {
    simulator,
    clock,
    folder,
    account: open(shared),
    panel,
    notices,
    question: () => ({ lane: 'urgent', maxAge: 0, signal: patient(), panel }),
    another: (own) => open(shared, own),
    trial: (own) => open(shared, own, 'trial'),
    leave: (account) => shared.release(account),
    afterRestart: (own) => open(new SharedAccess(clock), own),
    requestsTo: (operation) => simulator.requests.filter(({ path }) => path.endsWith(operation)).length,
    close: async () => {
      await simulator.close()
      // The ledger may still be noting the end of an attempt.
      await rm(folder, { recursive: true, force: true, maxRetries: 10 })
    },
  }
}

/** A signal of somebody who never goes away. */
export function patient(): AbortSignal {
  return new AbortController().signal
}
