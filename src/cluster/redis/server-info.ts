import { badField } from '../cluster-settings.ts'
import { away } from './redis-error.ts'

/** A server's description of itself. */
export interface ServerInfo {
  /** Another one after each start of the server, and after a failover. */
  runId: string
  version: string
  /** Name and version of the program, for display. */
  product: string
  /** True if the server appends each write to a file, so that it knows them after a restart. */
  isAppendOnly: boolean
  /** True if the server takes writes only while it has replicas, so that two sides of a split network never both write. */
  needsReplicas: boolean
}

/** The lowest version with all that the scripts use. */
const minVersion = { major: 6, minor: 2 }

/**
 * Reads the answer to INFO.
 * @throws KeyholderError BAD_SETTING if the server is too old or may evict our keys, SHARED_STATE_AWAY if it takes no
 * writes at the moment
 */
export function checkServerInfo(answer: string): ServerInfo {
  const fields = new Map([...answer.matchAll(/^(\w+):(.*?)\r?$/gm)].map(([, name, value]) => [name, value]))
  const version = fields.get('redis_version') ?? '0'
  const valkey = fields.get('valkey_version')
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major < minVersion.major || (major === minVersion.major && minor < minVersion.minor)) {
    throw badField('address', `the server has version ${version}. Use Redis 6.2 or later, or Valkey`, {
      text: 'cluster.finding.oldServer',
      values: { version },
    })
  }
  if (fields.get('loading') === '1') throw away('the server is loading its data')
  if ((fields.get('role') ?? 'master') !== 'master') throw away('the server is a replica')
  const policy = fields.get('maxmemory_policy') ?? ''
  // A removed count is an exceeded limit.
  if (policy.startsWith('allkeys')) {
    throw badField(
      'address',
      `the server may remove our data (maxmemory-policy ${policy}). Set maxmemory-policy noeviction in its configuration`,
      { text: 'cluster.finding.evicting', values: { policy } },
    )
  }
  return {
    runId: fields.get('run_id') ?? '',
    version,
    product: valkey === undefined ? `Redis ${version}` : `Valkey ${valkey}`,
    isAppendOnly: fields.get('aof_enabled') === '1',
    // The server tells their number only then.
    needsReplicas: fields.has('min_slaves_good_slaves'),
  }
}
