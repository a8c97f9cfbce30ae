import { hostname } from 'node:os'
import { KeyholderError } from '../service/error.ts'
import type { ErrorDetail } from '../service/finding-texts.ts'
import { type RawSettings, refuseUnsetVariables, text } from '../settings.ts'
import { isPrivateHost } from './private-address.ts'

/** The labels of the cluster's fields in the English dialog: an error names a field as the dialog does. */
export const clusterLabels = {
  address: 'Address',
  master: 'Sentinel group',
  username: 'User name',
  password: 'Password',
  caFile: 'CA certificate',
  clusterName: 'Cluster name',
  instance: 'Instance name',
} as const

/** A field of the cluster's dialog. */
export type ClusterField = keyof typeof clusterLabels

/** A server, by host and port. */
interface ServerAddress {
  host: string
  port: number
}

/** The address of the shared state: a server, or the Sentinels that know which server is in charge. */
interface ClusterAddress {
  servers: readonly ServerAddress[]
  /** The name of the group at the Sentinels; undefined without Sentinels. */
  master: string | undefined
  /** The number of the database. */
  database: number
  isTls: boolean
}

/** The checked settings of a cluster. */
export interface ClusterSettings {
  address: ClusterAddress
  /** Empty if the server knows only one user. */
  username: string
  password: string
  /** PEM file with a private certificate authority, or empty. */
  caFile: string
  /** Tells apart what must not mix, such as test and production. */
  clusterName: string
  /** The name that the other instances show. */
  instance: string
}

/** The port of Redis, and that of its Sentinels. */
const defaultPort = { server: 6379, sentinel: 26_379 }

const forms =
  'enter redis://host:port, rediss://host:port for TLS, or the host:port of several Sentinels, separated by commas'

/**
 * Checks the settings of a cluster.
 * @throws KeyholderError NOT_CONFIGURED, or BAD_SETTING that names the field
 */
export function clusterSettings(raw: RawSettings): ClusterSettings {
  refuseUnsetVariables(raw, 'cluster.')
  const clusterName = text(raw, 'clusterName') || 'keyholder'
  if (!/^[\w.-]{1,64}$/.test(clusterName)) {
    throw badField('clusterName', 'use at most 64 letters, digits, dots, hyphens and underscores', {
      text: 'cluster.invalid.clusterName',
    })
  }
  const password = typeof raw.password === 'string' ? raw.password : ''
  const username = text(raw, 'username')
  if (username !== '' && password === '') {
    throw badField('password', 'a user name needs a password', { text: 'cluster.finding.passwordMissing' })
  }
  return {
    address: parseAddress(text(raw, 'address'), text(raw, 'master')),
    username,
    password,
    caFile: text(raw, 'caFile'),
    clusterName,
    instance: (text(raw, 'instance') || process.env.HOSTNAME || hostname()).slice(0, 64),
  }
}

/**
 * Returns the error for an invalid setting of a cluster.
 * @param why what is wrong and the remedy, without the full stop
 * @param detail how the dialog says it
 */
export function badField(field: ClusterField, why: string, detail: ErrorDetail): KeyholderError {
  return new KeyholderError('BAD_SETTING', `${clusterLabels[field]} of the cluster: ${why}.`, {}, detail)
}

/**
 * Parses an address. It never appears in an error, because a password may be in it.
 * @throws KeyholderError
 */
function parseAddress(entered: string, master: string): ClusterAddress {
  if (entered === '') {
    const sentence = `${clusterLabels.address} of the cluster is empty: ${forms}.`
    throw new KeyholderError('NOT_CONFIGURED', sentence, {}, { text: 'cluster.invalid.address' })
  }
  const [, scheme, rest = ''] = /^(?:(rediss?):\/\/)?(.+)$/i.exec(entered) ?? []
  if (rest.includes('@')) {
    throw badField('address', 'enter user name and password in their own fields, not in the address', {
      text: 'cluster.finding.credentialsInAddress',
    })
  }
  const [list = '', database = '', ...more] = rest.split('/')
  const isSentinel = scheme === undefined || list.includes(',')
  if (more.length > 0 || !/^\d{0,4}$/.test(database)) throw badAddress()
  const port = isSentinel ? defaultPort.sentinel : defaultPort.server
  const servers = list.split(',').map((one) => parseServer(one.trim(), port))
  const isTls = scheme?.toLowerCase() === 'rediss'
  if (!isTls && servers.some(({ host }) => !isPrivateHost(host))) throw unprotected()
  return {
    servers,
    master: isSentinel ? master || 'mymaster' : undefined,
    database: Number(database),
    isTls,
  }
}

function badAddress(): KeyholderError {
  return badField('address', forms, { text: 'cluster.invalid.address' })
}

function parseServer(entered: string, defaultPort: number): ServerAddress {
  const [, bracketed, plain, port] = /^(?:\[([\da-f:.]+)\]|([\w.-]+))(?::(\d{1,5}))?$/i.exec(entered) ?? []
  const host = bracketed ?? plain
  const number = port === undefined ? defaultPort : Number(port)
  if (host === undefined || number < 1 || number > 65_535) throw badAddress()
  return { host, port: number }
}

/** Returns the error for a connection without TLS that would leave the private network. */
export function unprotected(): KeyholderError {
  return badField(
    'address',
    'without TLS, the server must be on this machine or in a private network. Use rediss://',
    { text: 'cluster.finding.unprotected' },
  )
}
