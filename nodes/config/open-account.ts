import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Node, NodeAPI } from 'node-red'
import { Account } from '../../src/account/account.ts'
import { AccountRegistry, digest } from '../../src/account/account-registry.ts'
import { type AccountMode, accountSettings } from '../../src/account/account-settings.ts'
import type { RequestLog } from '../../src/account/requests/request-history.ts'
import { systemClock } from '../../src/clock.ts'
import { second } from '../../src/duration.ts'
import type { PanelSettings } from '../../src/panel/panel-settings.ts'
import { nodeCursors, type PanelStores } from '../../src/panel/panel-stores.ts'
import { type ErrorCode, KeyholderError } from '../../src/service/error.ts'
import { labelOf, labels, missingSetting, type RawSettings, text } from '../../src/settings.ts'
import { configNode, type OpenAccount, type OpenCluster } from './config-nodes.ts'
import { demoOf, demoSettings, isDemo } from './demo.ts'

/** Sign-ins and rate limits; they survive a redeploy and are shared with the checks of dialogs. */
const shared = new AccountRegistry(systemClock)

/** The user of an account that is opened. */
interface AccountUser {
  mode: AccountMode
  /** Gets lines about the requests: a node, or the log of Node-RED itself. */
  log: LogTarget
  /** Gets each sentence for the log; one with a code is also for Catch nodes. */
  onNotice(sentence: string, code?: ErrorCode): void
}

/**
 * Opens an account, with the cluster that it selects; call `release` to end its use.
 * @param id of the config node, deployed or not
 * @param raw settings including credentials
 * @throws KeyholderError if a setting is invalid
 */
export async function openAccount(
  RED: NodeAPI,
  id: string,
  raw: RawSettings,
  { mode, log, onNotice }: AccountUser,
): Promise<OpenAccount> {
  const cluster = await openClusterOf(RED, raw, mode)
  try {
    const demo = isDemo(raw) ? await demoOf(id, raw, (line) => RED.log.info(line)) : undefined
    const settings = accountSettings(
      { ...raw, ...(demo && demoSettings(demo.simulator)) },
      { appId: lastingId(id), deviceInfo: await nameAndVersion() },
    )
    // The service of an account has the language of its country. A check does not change it.
    if (mode === 'deployed' && demo !== undefined) {
      demo.simulator.setLocale(settings.locale)
      // Something happens soon, then the house rests while the user tries the nodes.
      for (const { residents } of demo.simulator.world.panels) residents?.welcome()
    }
    const folder = demo?.folder ?? dataFolder(RED)
    const shares = cluster === undefined ? {} : { cluster: cluster.cluster }
    const dependencies = {
      clock: systemClock,
      folder,
      random: Math.random,
      log: requestLog(RED, log),
      ...shares,
    }
    const account = new Account(settings, shared, dependencies, onNotice, mode)
    const release = async () => {
      const released = shared.release(account)
      cluster?.release()
      await released
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
  settings: PanelSettings,
  onNotice: (sentence: string) => void,
): PanelStores | undefined {
  if (cluster === undefined) return undefined
  const { id, serial } = settings
  const { url, email } = account.settings
  const { host } = new URL(url)
  // Without the user: all accounts of a panel have one command queue.
  const commands = cluster.cluster.panels.commands(digest(host, serial), serial)
  const copyOf = nodeCursors({ id, serial }, folder, onNotice)
  // Without the id of the config node: another flow has the same panel and works on it together with this one.
  const panel = digest(host, email.toLowerCase(), serial)
  cluster.cluster.panels.leases.noteSettings(panel, comparedSettings(account.settings, settings))
  return { ...cluster.cluster.panels.stores(panel, copyOf), ...commands }
}

/** Returns the settings that should be the same in all instances, by the label of their field. */
function comparedSettings(
  { requestsPerMinute, locale }: Account['settings'],
  { stateEvery, eventsEvery, devicesEvery }: PanelSettings,
): Record<string, string> {
  const every = (interval: number | null) => (interval === null ? 'automatic' : `${interval / second} s`)
  return {
    [labelOf('requestsPerMinute')]: `${requestsPerMinute}`,
    [labelOf('locale')]: locale,
    [labelOf('stateEvery')]: every(stateEvery),
    [labelOf('eventsEvery')]: every(eventsEvery),
    [labelOf('devicesEvery')]: every(devicesEvery),
  }
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
export function dataFolder(RED: NodeAPI): string {
  return join(RED.settings.userDir ?? join(homedir(), '.node-red'), 'keyholder')
}

/** The part of settings.js that sets what Node-RED logs, by the name of the log. */
interface LogSettings {
  logging?: Record<string, { level?: string } | undefined>
}

type LogTarget = Pick<Node, 'debug' | 'trace'>

/** Returns the log of an account's requests, with the levels that a log in settings.js has turned on. */
export function requestLog(RED: NodeAPI, target: LogTarget): RequestLog {
  const { logging = {} } = RED.settings as LogSettings
  const levels = Object.values(logging ?? {}).map((log) => log?.level)
  const isTracing = levels.includes('trace')
  return {
    ...(isTracing || levels.includes('debug') ? { debug: (line) => target.debug(line) } : {}),
    ...(isTracing ? { trace: (line) => target.trace(line) } : {}),
  }
}

/**
 * Opens the cluster that an account selects; undefined if it selects none, or is the demo. Waits for the first attempt
 * to connect, because a request before it would fail.
 * @param raw settings of the account
 * @throws KeyholderError if there is no such cluster, or a setting of it is invalid
 */
async function openClusterOf(
  RED: NodeAPI,
  raw: RawSettings,
  mode: AccountMode,
): Promise<OpenCluster | undefined> {
  const id = text(raw, 'cluster')
  if (id === '' || isDemo(raw)) return undefined
  const node = configNode(RED, 'keyholder-cluster', id)
  if (node === undefined)
    throw mode === 'trial' ? undeployed() : missingSetting('cluster', 'the alarm account node')
  const opened = await node.open()
  await opened.tried
  return opened
}

function undeployed(): KeyholderError {
  const sentence = `${labels.cluster}: it is not deployed yet. Deploy, then try again.`
  return new KeyholderError('NOT_CONFIGURED', sentence, {}, { text: 'finding.clusterUndeployed' })
}
