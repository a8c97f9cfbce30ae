import type { Clock } from '../clock.ts'
import { second } from '../duration.ts'
import { closedError, type DialogError, dialogError, type KeyholderError } from '../service/error.ts'
import type { ClusterSettings } from './cluster-settings.ts'
import { tryCommands, usedCommands } from './lua/check.lua.ts'
import { Connection, type ConnectionOptions, type Sender } from './redis/connection.ts'
import { performHandshake, type QuietTimes } from './redis/handshake.ts'
import { refusal } from './redis/redis-error.ts'
import { keyOf, pairsIn, Scripts, script, usersKey } from './redis/scripts.ts'
import type { ServerInfo } from './redis/server-info.ts'
import { SharedClock } from './redis/shared-clock.ts'

/** The steps of the check, in this order. */
export type ClusterStep =
  | 'settings'
  | 'server'
  | 'version'
  | 'memory'
  | 'replicas'
  | 'rights'
  | 'instances'
  | 'quiet'

/** A live instance. */
export interface SeenInstance {
  name: string
  /** The time since it joined the cluster. */
  seconds: number
  /** True for the deployed node whose dialog checks. */
  isOwn: boolean
}

/** The result of a step. It may be shown to the person who typed the settings. */
export interface ClusterFacts {
  host?: string
  version?: string
  instances?: readonly SeenInstance[]
}

/** A notice of the check: the cluster works, but its user should know something. */
export interface Notice {
  notice: 'forgetful' | 'splits' | 'sameName' | 'quiet'
  values?: Readonly<Record<string, string | number>>
}

/** One line of the check. The first failed step is the last line. */
export type ClusterFinding =
  | { step: ClusterStep; state: 'running' }
  | ({ step: ClusterStep; state: 'done' } & ClusterFacts)
  | ({ step: ClusterStep; state: 'notice' } & Notice & ClusterFacts)
  | ({
      step: ClusterStep
      state: 'failed'
      /** A command for an administrator of the server that allows what is missing. */
      command?: string
    } & DialogError)

/** The dependencies of a check. */
export interface ClusterCheckOptions {
  clock: Clock
  /** Aborts when the caller leaves. */
  signal: AbortSignal
  /** The session of the deployed node; 0 without one. */
  ownSession: number
  quiet?: QuietTimes
  load?: ConnectionOptions['load']
}

/** The findings of an attempt to connect, as far as it came. */
interface Discovery {
  error?: KeyholderError | undefined
  server?: ServerInfo
  /** Milliseconds of quiet time left. */
  quiet?: number
  instances?: readonly SeenInstance[]
}

const trial = script(tryCommands)

/**
 * Checks the server of a cluster step by step, and shows who is in the cluster. It performs the handshake too: a server
 * that knows nothing then begins its pause now, and not at the first deploy.
 */
export async function* checkCluster(
  settings: ClusterSettings,
  options: ClusterCheckOptions,
): AsyncGenerator<ClusterFinding> {
  yield { step: 'server', state: 'running' }
  const { error, server, instances = [], quiet = 0 } = await connect(settings, options)
  if (options.signal.aborted) return
  const failedStep = steps[error?.detail.text ?? ''] ?? 'server'
  if (error === undefined || (failedStep !== 'settings' && failedStep !== 'server')) {
    const host = settings.address.servers.map((one) => `${one.host}:${one.port}`).join(', ')
    yield { step: 'server', state: 'done', host }
    if (server !== undefined) yield* serverFindings(settings, server)
  }
  if (error !== undefined) {
    const command = failedStep === 'rights' ? { command: aclLine(settings) } : {}
    yield { step: failedStep, state: 'failed', ...command, ...dialogError(error) }
    return
  }
  yield { step: 'rights', state: 'done' }
  yield instancesFinding(settings, instances)
  if (quiet > 0) {
    yield { step: 'quiet', state: 'notice', notice: 'quiet', values: { seconds: Math.ceil(quiet / second) } }
  }
}

/** Connects once, performs the handshake and looks around. Never rejects. */
function connect(
  settings: ClusterSettings,
  { clock, signal, ownSession, quiet, load }: ClusterCheckOptions,
): Promise<Discovery> {
  const { clusterName } = settings
  const sharedClock = new SharedClock(clock)
  const found: Discovery = {}
  const handshake = async (sender: Sender, server: ServerInfo) => {
    const calls = new Scripts({ sender, sharedClock, clock, clusterName })
    found.server = server
    const { quiet: left } = await performHandshake(calls, sharedClock, server, quiet)
    const [denied] = await calls.run(trial, ['check'], [usersKey])
    if (denied !== '') throw refusal('NOPERM')
    const now = sharedClock.now()
    const alive = (await calls.send('ZRANGEBYSCORE', ['members'], [`(${now}`, '+inf'])) as Buffer[]
    const fields = (await calls.send('HGETALL', ['names'])) as Buffer[]
    const names = new Map([...pairsIn(fields)].map(([session, name]) => [Number(session), `${name}`]))
    found.quiet = left
    // The number of a session is the shared time at which it began.
    found.instances = alive.map(Number).map((session) => ({
      name: names.get(session) ?? '',
      seconds: Math.max(0, Math.round((now - session) / second)),
      isOwn: session === ownSession,
    }))
  }
  return new Promise((resolve) => {
    const end = (error?: KeyholderError) => {
      signal.removeEventListener('abort', leave)
      // First, because the end of the connection is a change too.
      resolve({ ...found, error })
      connection.close()
    }
    const leave = () => end(closedError())
    const connection = new Connection(settings, {
      clock,
      handshake,
      onChange: () => end(connection.failure),
      load,
    })
    signal.addEventListener('abort', leave)
    if (signal.aborted) leave()
    else connection.open()
  })
}

/** The steps at which errors happen that are not about the connection. */
const steps: Partial<Record<string, ClusterStep>> = {
  'cluster.finding.noPackage': 'settings',
  'finding.caFile': 'settings',
  'cluster.finding.oldServer': 'version',
  'cluster.finding.evicting': 'memory',
  'cluster.finding.rights': 'rights',
  'cluster.finding.otherFormat': 'instances',
}

function* serverFindings(
  { address }: ClusterSettings,
  { product, isAppendOnly, needsReplicas }: ServerInfo,
): Iterable<ClusterFinding> {
  yield { step: 'version', state: 'done', version: product }
  if (isAppendOnly) yield { step: 'memory', state: 'done' }
  else yield { step: 'memory', state: 'notice', notice: 'forgetful' }
  // Sentinels may put a second server in charge while the first one still takes writes.
  const maySplit = address.master !== undefined && !needsReplicas
  if (maySplit) yield { step: 'replicas', state: 'notice', notice: 'splits' }
}

/** Returns who is there, with a notice if two have the same name: the others could not tell them apart. */
function instancesFinding({ instance }: ClusterSettings, instances: readonly SeenInstance[]): ClusterFinding {
  const names = [instance, ...instances.filter(({ isOwn }) => !isOwn).map(({ name }) => name)]
  const name = names.find((one, index) => names.indexOf(one) !== index)
  if (name === undefined) return { step: 'instances', state: 'done', instances }
  return { step: 'instances', state: 'notice', notice: 'sameName', values: { name }, instances }
}

/** Returns the command with which an administrator of the server allows a user all that a cluster needs, and no more. */
export function aclLine({ username, clusterName, address }: ClusterSettings): string {
  const outside = ['info', 'script|load', 'evalsha', 'eval', ...(address.database === 0 ? [] : ['select'])]
  const commands = [...outside, ...usedCommands.map((command) => command.toLowerCase())]
  const rights = commands.map((command) => `+${command}`).join(' ')
  return `ACL SETUSER ${username || 'default'} ~${keyOf(clusterName, '*')} ~${usersKey} ${rights}`
}
