import type { Redis, RedisOptions } from 'ioredis'
import { readAuthority } from '../../account/http/certificate-authority.ts'
import { type Clock, within } from '../../clock.ts'
import { second } from '../../duration.ts'
import { closedError, KeyholderError } from '../../service/error.ts'
import { badField, type ClusterSettings, unprotected } from '../cluster-settings.ts'
import { isPrivateAddress } from '../private-address.ts'
import { away, redisError } from './redis-error.ts'
import { checkServerInfo, type ServerInfo } from './server-info.ts'

/** An argument of a command. */
export type Argument = string | number | Buffer

/** Sends commands to the server. */
export interface Sender {
  /**
   * Sends a command once and returns the answer, texts as buffers.
   * @throws KeyholderError, or `MissingScript`
   */
  send(command: string, args: readonly Argument[]): Promise<unknown>
}

/** Thrown if the server does not know a script by its digest. */
export class MissingScript {}

/** The dependencies of a connection. */
export interface ConnectionOptions {
  clock: Clock
  /** Performs the handshake after each connect, before any other command. If it rejects, the connection is made again. */
  handshake(sender: Sender, server: ServerInfo): Promise<void>
  /** Called when the connection is there, lost, or fails for another reason than before. Must not throw. */
  onChange(): void
  /** Imports the library; a test replaces it. */
  load?: (() => Promise<typeof import('ioredis')>) | undefined
}

/**
 * Milliseconds until a connection must be there, Sentinels included, and until a command must be answered: a little less than a
 * session is valid without a heartbeat, so that a server that is too slow is left instead of waited for, without a word.
 */
const connectTimeout = 5 * second
const answerTimeout = 3.4 * second

/** Milliseconds until the next attempt to connect: doubling, and longer if only a change of settings can help. */
const firstPause = 100
const maxPause = 2 * second
const pauseAfterRefusal = 5 * second

/** Milliseconds until an instance is connected again, at most, once the server is there and refuses nothing. */
export const maxReconnect = maxPause + connectTimeout + answerTimeout

/**
 * The connection to the shared state: made again whenever it is lost, but nothing is ever sent twice.
 *
 * The only file that knows ioredis. Each attempt uses a client of its own without the client's reconnects and
 * queues: after a reconnect, the handshake must come before anything else, and a lost answer must stay lost.
 */
export class Connection implements Sender {
  readonly #settings: ClusterSettings
  readonly #options: ConnectionOptions
  #client: Redis | undefined
  /** True while commands can be sent. */
  isOpen = false
  /** The reason why there is no connection; undefined while there is one, or before the first attempt has ended. */
  failure: KeyholderError | undefined
  #isClosed = false
  #failures = 0
  #cancelRetry = () => {}
  /** Rejects the commands that wait for an answer of the present client. */
  readonly #unanswered = new Set<(error: KeyholderError) => void>()

  constructor(settings: ClusterSettings, options: ConnectionOptions) {
    this.#settings = settings
    this.#options = options
  }

  /** Connects, and again whenever the connection is lost, until `close`. Never throws. */
  open(): void {
    void this.#connect()
  }

  async send(command: string, args: readonly Argument[]): Promise<unknown> {
    if (this.#isClosed) throw closedError()
    if (!this.isOpen || this.#client === undefined) throw this.failure ?? away('not connected yet')
    return this.#sendTo(this.#client, command, args)
  }

  /** Ends the connection for good; commands without an answer are rejected. */
  close(): void {
    this.#isClosed = true
    this.#cancelRetry()
    this.#drop(closedError())
  }

  /** Drops a connection that does not answer, and makes a new one. */
  reconnect(error: KeyholderError): void {
    if (this.#isClosed || this.#client === undefined) return
    this.#drop(error)
    this.#retry(error)
  }

  /** Looks if the server may still be used: its configuration may have changed. Never rejects. */
  async check(): Promise<void> {
    const client = this.#client
    if (!this.isOpen || client === undefined) return
    try {
      checkServerInfo(`${await this.#sendTo(client, 'INFO', [])}`)
    } catch (thrown) {
      if (this.#client === client) this.reconnect(redisError(thrown))
    }
  }

  /** Never rejects. */
  async #connect(): Promise<void> {
    let client: Redis | undefined
    try {
      client = await this.#createClient()
      if (this.#isClosed) return client.disconnect()
      this.#client = client
      const made = client
      const server = await this.#identify(made)
      await this.#options.handshake({ send: (...command) => this.#sendTo(made, ...command) }, server)
      if (this.#client !== client) return
      this.#failures = 0
      this.failure = undefined
      this.isOpen = true
      this.#options.onChange()
    } catch (thrown) {
      if (this.#isClosed || (client !== undefined && this.#client !== client)) return
      const error = redisError(thrown)
      this.#drop(error)
      this.#retry(error)
    }
  }

  async #createClient(): Promise<Redis> {
    const { load = () => import('ioredis') } = this.#options
    const library = await load().catch(() => {
      throw new KeyholderError(
        'NOT_CONFIGURED',
        "A cluster needs the package ioredis. In Node-RED's user directory, run: npm install ioredis. Then restart Node-RED.",
        {},
        { text: 'cluster.finding.noPackage' },
      )
    })
    const authority = await authorityOf(this.#settings, this.#options.clock)
    return new library.Redis(clientOptions(this.#settings, authority))
  }

  /** Connects and signs in; returns what the server says about itself. */
  async #identify(client: Redis): Promise<ServerInfo> {
    let latest: unknown
    // Without this listener, the client would write to the console.
    client.on('error', (thrown) => {
      latest = thrown
    })
    client.on('close', () => this.#lost(client, latest))
    // The library has no limit for all Sentinels together.
    const cancel = this.#options.clock.after(connectTimeout, () => {
      if (this.#client === client) this.reconnect(away('ETIMEDOUT'))
    })
    await client
      .connect()
      .catch((thrown) => {
        throw latest ?? thrown
      })
      .finally(cancel)
    const { address, username, password } = this.#settings
    // Before the password is sent: only now is it known where a name or a Sentinel has led.
    const { remoteAddress } = client.stream
    // It is unknown if the server has ended the connection already.
    if (remoteAddress === undefined) throw latest ?? away('ECONNRESET')
    if (!address.isTls && !isPrivateAddress(remoteAddress)) throw unprotected()
    const send = (command: string, ...args: Argument[]) => this.#sendTo(client, command, args)
    if (password !== '') await send('AUTH', ...(username === '' ? [] : [username]), password)
    if (address.database !== 0) await send('SELECT', address.database)
    return checkServerInfo(`${await send('INFO')}`)
  }

  #sendTo(client: Redis, command: string, args: readonly Argument[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const settle = () => {
        cancel()
        this.#unanswered.delete(fail)
      }
      const fail = (error: unknown) => {
        settle()
        reject(error)
      }
      const cancel = this.#options.clock.after(answerTimeout, () => {
        const error = away('no answer')
        fail(error)
        this.reconnect(error)
      })
      this.#unanswered.add(fail)
      client.callBuffer(command, [...args]).then(
        (answer) => {
          settle()
          resolve(answer)
        },
        (thrown) => {
          const isMissing = thrown instanceof Error && thrown.message.startsWith('NOSCRIPT')
          fail(isMissing ? new MissingScript() : this.#judge(client, thrown))
        },
      )
    })
  }

  /** Returns our own error for a refused command. A server that takes no writes any more is left. */
  #judge(client: Redis, thrown: unknown): KeyholderError {
    const error = redisError(thrown)
    const isOpen = this.isOpen && this.#client === client
    if (isOpen && error.code === 'SHARED_STATE_AWAY') this.reconnect(error)
    return error
  }

  #lost(client: Redis, thrown: unknown): void {
    // While it connects, the call that waits for it has the error.
    if (this.#client !== client || !this.isOpen) return
    this.reconnect(redisError(thrown ?? {}))
  }

  /** Leaves the present client; its unanswered commands fail. */
  #drop(error: KeyholderError): void {
    const client = this.#client
    const wasOpen = this.isOpen
    this.#client = undefined
    this.isOpen = false
    this.failure = error
    client?.disconnect()
    for (const fail of [...this.#unanswered]) fail(error)
    if (wasOpen) this.#options.onChange()
  }

  #retry(error: KeyholderError): void {
    this.#failures += 1
    const doubled = Math.min(maxPause, firstPause * 2 ** (this.#failures - 1))
    const pause = error.code === 'SHARED_STATE_AWAY' ? doubled : pauseAfterRefusal
    if (this.#failures === 1 || pause === pauseAfterRefusal) this.#options.onChange()
    this.#cancelRetry()
    this.#cancelRetry = this.#options.clock.after(pause, () => void this.#connect())
  }
}

/** Returns the options of a client that connects once and sends nothing by itself. */
function clientOptions(
  { address }: ClusterSettings,
  authority: string | undefined,
): Omit<RedisOptions, 'replyMapping'> {
  const tls = { rejectUnauthorized: true, ...(authority === undefined ? {} : { ca: authority }) }
  const [server = { host: '', port: 0 }] = address.servers
  const isSentinel = address.master !== undefined
  return {
    ...(isSentinel ? { sentinels: [...address.servers], name: address.master } : server),
    ...(address.isTls
      ? { tls, ...(isSentinel ? { sentinelTLS: tls, enableTLSForSentinelMode: true } : {}) }
      : {}),
    // With version 3 the client would send a greeting of its own, before it may know the password.
    protocol: 2,
    lazyConnect: true,
    connectTimeout,
    // Each Sentinel, and then the server, has the same share.
    sentinelCommandTimeout: connectTimeout / (address.servers.length + 1),
    enableOfflineQueue: false,
    enableReadyCheck: false,
    disableClientInfo: true,
    autoResendUnfulfilledCommands: false,
    autoResubscribe: false,
    maxRetriesPerRequest: 0,
    retryStrategy: null,
    sentinelRetryStrategy: () => null,
  }
}

/**
 * Reads the certificate authority, if there is one, for `connectTimeout` at most: a file on a drive that hangs may never be read.
 * @throws KeyholderError BAD_SETTING
 */
async function authorityOf({ address, caFile }: ClusterSettings, clock: Clock): Promise<string | undefined> {
  if (!address.isTls || caFile === '') return undefined
  let content: string | undefined
  const reading = readAuthority(caFile).then(
    (read) => {
      content = read
    },
    () => {},
  )
  await within(clock, connectTimeout, reading)
  if (content !== undefined) return content
  throw badField(
    'caFile',
    'Node-RED cannot read this file, or it is not a PEM certificate. Enter the path of a PEM file, or leave the field empty',
    { text: 'finding.caFile', fields: ['cluster.caFile'] },
  )
}
