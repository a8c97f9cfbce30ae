import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Node, NodeAPI } from 'node-red'
import { Account } from '../../src/account/account.ts'
import { AccountRegistry, digest } from '../../src/account/account-registry.ts'
import { type AccountMode, accountSettings } from '../../src/account/account-settings.ts'
import type { RequestLog } from '../../src/account/requests/request-log.ts'
import { systemClock } from '../../src/clock.ts'
import type { DemoPanels, PanelSettings } from '../../src/panel/panel-settings.ts'
import { nodeCursors, type PanelStores } from '../../src/panel/panel-stores.ts'
import type { RawSettings } from '../../src/settings.ts'
import { demoOf, demoSettings, isDemo } from './demo.ts'
import type { OpenCluster } from './open-cluster.ts'

/** An account with all that a panel needs to use it. */
export interface OpenAccount {
  account: Account
  /** Folder for data that must survive a restart. */
  folder: string
  /** The panels of the demo, if the account is the demo. */
  demo: DemoPanels | undefined
  /** The cluster that the account belongs to; undefined if it is alone. */
  cluster: OpenCluster | undefined
  /** Ends the use of the account; its tokens are kept for a while, for a redeploy. */
  release(): void
}

/** Sign-ins and rate limits; they survive a redeploy and are shared with the checks of dialogs. */
const shared = new AccountRegistry(systemClock)

/**
 * Opens an account; call `release` to end its use.
 * @param id of the config node, deployed or not
 * @param raw settings including credentials
 * @param onNotice gets each sentence for the log
 * @param log gets lines about the requests
 * @param cluster the cluster that the account belongs to; released with the account
 * @throws KeyholderError if a setting is invalid
 */
export async function openAccount(
  RED: NodeAPI,
  id: string,
  raw: RawSettings,
  onNotice: (sentence: string) => void,
  mode: AccountMode,
  log: RequestLog = {},
  cluster: OpenCluster | undefined = undefined,
): Promise<OpenAccount> {
  try {
    const demo = isDemo(raw)
      ? await demoOf(id, String(raw.name || id), (line) => RED.log.info(line))
      : undefined
    const settings = accountSettings(
      { ...raw, ...(demo && demoSettings(demo.simulator)) },
      { appId: lastingId(id), deviceInfo: await nameAndVersion() },
    )
    // The service of an account has the language of its country. A check does not change it.
    if (mode === 'deployed') demo?.simulator.setLocale(settings.locale)
    const folder = demo?.folder ?? dataFolder(RED)
    const shares = cluster === undefined ? {} : { cluster: cluster.cluster }
    const dependencies = { clock: systemClock, folder, random: Math.random, log, ...shares }
    const account = new Account(settings, shared, dependencies, onNotice, mode)
    const release = () => {
      shared.release(account)
      cluster?.release()
    }
    return { account, folder, demo: demo?.simulator, cluster, release }
  } catch (thrown) {
    cluster?.release()
    throw thrown
  }
}

/**
 * Returns what the instances of the account's cluster share about a panel; undefined if the account is alone.
 * @param onNotice gets each sentence for the log; must not throw
 */
export function panelStoresOf(
  { account, cluster, folder }: OpenAccount,
  { id, serial }: PanelSettings,
  onNotice: (sentence: string) => void,
): PanelStores | undefined {
  if (cluster === undefined) return undefined
  const { url, email } = account.settings
  const { host } = new URL(url)
  // Without the user: all accounts of a panel have one command queue.
  const commandQueue = cluster.cluster.commandQueue(digest(host, serial), serial)
  const copyOf = nodeCursors({ id, serial }, folder, onNotice)
  // Without the id of the config node: another flow has the same panel and works on it together with this one.
  const panel = digest(host, email.toLowerCase(), serial)
  return { ...cluster.cluster.panelStores(panel, copyOf), commandQueue }
}

/** Returns the device info that is sent with a sign-in. */
async function nameAndVersion(): Promise<string> {
  const { name, version } = await packageInfo()
  return `${name} ${version}`
}

/** Returns a UUID that stays the same for the same node, for flows that were not created in the editor. */
function lastingId(id: string): string {
  const hash = createHash('sha256').update(`keyholder ${id}`).digest('hex')
  return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-4${hash.slice(13, 16)}-8${hash.slice(17, 20)}-${hash.slice(20, 32)}`
}

let read: Promise<{ name: string; version: string }> | undefined

/** Returns name and version of this package. */
export function packageInfo(): Promise<{ name: string; version: string }> {
  read ??= readFile(new URL('../../package.json', import.meta.url), 'utf8').then((text) => JSON.parse(text))
  return read
}

/** Returns the folder for data that must survive a restart. */
function dataFolder(RED: NodeAPI): string {
  return join(RED.settings.userDir ?? join(homedir(), '.node-red'), 'keyholder')
}

/** The part of settings.js that sets what Node-RED logs, by the name of the log. */
interface LogSettings {
  logging?: Record<string, { level?: string } | undefined>
}

/**
 * Returns the log of an account's requests, with the levels that a log in settings.js has turned on.
 * @param target the node that the lines belong to, or the log of Node-RED itself
 */
export function requestLog(RED: NodeAPI, target: Pick<Node, 'debug' | 'trace'>): RequestLog {
  const { logging = {} } = RED.settings as LogSettings
  const levels = Object.values(logging ?? {}).map((log) => log?.level)
  const isTracing = levels.includes('trace')
  return {
    ...(isTracing || levels.includes('debug') ? { debug: (line) => target.debug(line) } : {}),
    ...(isTracing ? { trace: (line) => target.trace(line) } : {}),
  }
}
