import { createHash } from 'node:crypto'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { NodeAPI } from 'node-red'
import { SharedAccess } from '../../src/account/access.ts'
import { Account } from '../../src/account/account.ts'
import type { Purpose } from '../../src/account/purpose.ts'
import { accountSettings, type RawSettings } from '../../src/account/settings.ts'
import { systemClock } from '../../src/clock.ts'
import { demoOf, demoSettings, firstPanel } from './demo.ts'
import { manifest } from './manifest.ts'

/** An account as panels see it. */
export interface OpenAccount {
  account: Account
  /** Folder for what must survive a restart. */
  folder: string
  /** Serial and user code of the first demo panel, when the account is the demo. */
  demo: { serial: string; userCode: string } | undefined
  /** Ends the use of the account; its tokens stay for a while, as for a redeploy. */
  release(): void
}

/** Sign-ins and budgets, which outlive a redeploy and serve trials too. */
const shared = new SharedAccess(systemClock)

/**
 * Opens an account; `release` ends it.
 * @param id of the config node, deployed or not
 * @param raw its settings with its credentials
 * @param onNotice takes a sentence that is worth a line in the log
 * @throws KeyholderError what is wrong with the settings
 */
export async function openAccount(
  RED: NodeAPI,
  id: string,
  raw: RawSettings,
  onNotice: (sentence: string) => void,
  purpose: Purpose,
): Promise<OpenAccount> {
  const demo = isDemo(raw) ? await demoOf(id, (line) => RED.log.info(line)) : undefined
  const settings = accountSettings(
    { ...raw, ...(demo && demoSettings(demo.simulator)) },
    { appId: lastingId(id), deviceInfo: await nameAndVersion() },
  )
  const folder = demo?.folder ?? join(RED.settings.userDir ?? join(homedir(), '.node-red'), 'keyholder')
  const surroundings = { clock: systemClock, folder, random: Math.random }
  const account = new Account(settings, shared, surroundings, onNotice, purpose)
  return { account, folder, demo: demo && firstPanel(demo.simulator), release: () => shared.release(account) }
}

/** Whether an account's settings choose the demo. */
export function isDemo({ source }: RawSettings): boolean {
  return source === 'demo'
}

/** What the service sign-in is told of us. */
async function nameAndVersion(): Promise<string> {
  const { name, version } = await manifest()
  return `${name} ${version}`
}

/** A UUID that stays the same for the same node, for flows that were not made by the editor. */
function lastingId(id: string): string {
  const hash = createHash('sha256').update(`keyholder ${id}`).digest('hex')
  return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-4${hash.slice(13, 16)}-8${hash.slice(17, 20)}-${hash.slice(20, 32)}`
}
