import {
  type ClientRequest,
  Agent as HttpAgent,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { connect, type NetConnectOpts, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { TLSSocket } from 'node:tls'
import type { Got, Response } from 'got'
import { type Clock, onAbort } from '../../clock.ts'
import { second } from '../../duration.ts'
import type { Reply } from '../../service/classify-error.ts'
import { checkService, closedError, KeyholderError } from '../../service/error.ts'
import { readAuthority } from './certificate-authority.ts'
import { httpError, noAnswer } from './http-error.ts'

/** Early heads such as 103 that may precede the answer's. A flood of them would keep this process busy. */
const maxEarlyHeads = 100

/** The options of Node's own agents: an idle connection is kept for a moment, for the next request. */
const waiting = { keepAlive: true, scheduling: 'lifo', timeout: 5000 } as const

/** Opens the connections of an agent. */
interface Connector {
  connect(options: NetConnectOpts): Duplex
}

/** The connector of `http://`: TCP. A test on a fake clock replaces it by one in memory, which needs no sockets. */
export const plainConnector: Connector = { connect }

class PlainAgent extends HttpAgent {
  override createConnection(options: NetConnectOpts): Duplex {
    return plainConnector.connect(options)
  }
}

/** The agents for `http://` and `https://`. */
type Agents = { readonly http: PlainAgent; readonly https: HttpsAgent }

/**
 * Our own agents, by the milliseconds for the connection to each address of a host: Node's would use a proxy named in the
 * environment, these connect only to the service. Node itself breaks off all addresses but the last after 250 ms, which a slow line
 * needs for one handshake (field fact).
 */
const agents = new Map<number, Agents>()

/** The number of addresses of a host that share the time of an attempt, and the least milliseconds for each of them. */
const addresses = 4
const minConnect = 2 * second

/** Returns the agents for attempts of this many milliseconds. */
function agentsFor(timeout: number): Agents {
  const autoSelectFamilyAttemptTimeout = Math.max(minConnect, Math.round(timeout / addresses))
  const known = agents.get(autoSelectFamilyAttemptTimeout)
  if (known !== undefined) return known
  const options = { ...waiting, autoSelectFamilyAttemptTimeout }
  const made = { http: new PlainAgent(options), https: new HttpsAgent(options) }
  agents.set(autoSelectFamilyAttemptTimeout, made)
  return made
}

/** One HTTP attempt. */
export interface Attempt {
  method: 'GET' | 'POST'
  url: string
  headers: Readonly<Record<string, string>>
  /** Sent as JSON. */
  body?: Readonly<Record<string, unknown>> | undefined
  signal: AbortSignal
  /** Called before the first byte is sent: the service may then execute the request. Must not throw. */
  onSend?: (() => void) | undefined
  /** Gets what closes the connection, whatever the attempt does, as long as it has one. */
  held?: { cutOff(): void } | undefined
}

/** An answer that was read to its end. */
export interface Answer {
  status: number
  headers: IncomingHttpHeaders
  body: BoundedBody
}

/** An attempt that has begun. */
interface BegunAttempt {
  /** May be rejected with any error. */
  answer: Promise<Answer>
  /** Ends the attempt, and with it the connection; the answer is rejected if it is still to come. */
  end(): void
  /** Closes the connection, also if `end` did not. Must not throw. */
  cutOff(): void
}

/** Sends the attempts of clients. */
interface Transport {
  begin(client: Got, attempt: Omit<Attempt, 'signal' | 'held'>): BegunAttempt
}

/** The transport of all clients. A test replaces it by one that asks a simulator in the same process, without a connection. */
export const transport: Transport = { begin }

/** The settings of HTTP attempts. */
interface HttpSettings {
  /** Seconds for one attempt, from its start to the last byte. */
  timeout: number
  /** PEM file with a private certificate authority, or empty. */
  caFile: string
}

/**
 * Makes HTTP attempts: one call is one attempt, without hidden retries or redirects.
 *
 * got's own errors contain the request with its password and tokens, so none of them leaves this file.
 */
export class HttpClient {
  /** Milliseconds after its start at which an attempt has ended. */
  readonly timeout: number
  readonly #settings: HttpSettings
  readonly #clock: Clock
  /** Undefined before the first attempt that could create it: a file that cannot be read now may be readable at the next. */
  #client: Got | undefined

  constructor(settings: HttpSettings, clock: Clock) {
    this.#settings = settings
    this.timeout = settings.timeout * second
    this.#clock = clock
  }

  /**
   * Makes one attempt and reads the answer, with any status.
   * @throws KeyholderError TIMEOUT, NETWORK, TLS, RESPONSE_TOO_LARGE, BAD_SETTING (caFile) or CLOSED (signal)
   */
  async fetch({ signal, held, ...attempt }: Attempt): Promise<Reply> {
    const { timeout } = this.#settings
    let isOverdue = false
    let end = () => {}
    // got's own listener of a signal outlasts the attempt, and its deadline does not end a 101 and continues to read
    // for the sake of its error (got 14).
    const leave = onAbort(signal, () => end())
    const callOffDeadline = this.#clock.after(timeout * 1000, () => {
      isOverdue = true
      end()
    })
    try {
      // First attempts at the same time may create several: they are all the same. A file on a drive that hangs may never be
      // read, and the attempt holds its place in the queue.
      this.#client ??= await new Promise<Got>((resolve, reject) => {
        end = () => reject(signal.aborted ? closedError() : unreadable())
        this.#createClient().then(resolve, reject)
      })
      const begun = transport.begin(this.#client, attempt)
      end = begun.end
      if (held !== undefined) held.cutOff = begun.cutOff
      if (signal.aborted || isOverdue) end()
      const { status, headers, body } = await begun.answer
      const { date, age, 'retry-after': retryAfter, 'content-type': contentType } = headers
      return { status, retryAfter, date, age, contentType, body: body.text() }
    } catch (thrown) {
      throw httpError(thrown, new URL(attempt.url).host, { isClosed: signal.aborted, isOverdue, timeout })
    } finally {
      callOffDeadline()
      leave()
      // The connection serves the next attempt.
      if (held !== undefined) held.cutOff = () => {}
    }
  }

  async #createClient(): Promise<Got> {
    const { caFile } = this.#settings
    const ca = caFile === '' ? undefined : await authority(caFile)
    // Loaded with the first request: it takes longer than all our own modules.
    const { default: got } = await import('got')
    return got.extend({
      retry: { limit: 0 },
      followRedirect: false,
      throwHttpErrors: false,
      agent: agentsFor(this.timeout),
      // Set explicitly, so that nothing in the environment can override it.
      https: { rejectUnauthorized: true, ...(ca === undefined ? {} : { certificateAuthority: ca }) },
    })
  }
}

/** Begins an attempt, and reads its answer. */
function begin(
  client: Got,
  { method, url, headers, body, onSend }: Omit<Attempt, 'signal' | 'held'>,
): BegunAttempt {
  const json = body === undefined ? {} : { json: body }
  const stream = client.stream(url, { method, headers, ...json })
  const end = () => {
    stream.destroy(new Error('ended'))
  }
  let sent: ClientRequest | undefined
  const answer = new Promise<Answer>((resolve, reject) => {
    const received = new BoundedBody()
    stream.on('request', (request: ClientRequest) => {
      limitAnswer(request, reject)
      if (onSend !== undefined) request.once('socket', (socket) => onceConnected(socket, onSend))
      sent = request
    })
    stream.on('data', (chunk: Buffer) => {
      try {
        received.add(chunk)
      } catch (thrown) {
        reject(thrown)
        stream.destroy()
      }
    })
    stream.on('response', ({ statusCode: status, headers }: Response) => {
      stream.on('end', () => resolve({ status, headers, body: received }))
    })
    // A 101 detaches the socket: nobody else would close it, or notice its errors.
    stream.on('upgrade', (_response: IncomingMessage, socket: Socket) => {
      socket.destroy()
      stream.destroy()
    })
    // It stays: an error after the end would be unhandled and end the process.
    stream.on('error', reject)
    stream.on('close', () => reject(noAnswer(new URL(url).host)))
  })
  return { answer, end, cutOff: () => sent?.socket?.destroy() }
}

/** @throws KeyholderError BAD_SETTING */
function authority(file: string): Promise<string> {
  return readAuthority(file).catch(() => {
    throw unreadable()
  })
}

function unreadable(): KeyholderError {
  return new KeyholderError(
    'BAD_SETTING',
    'CA certificate: Node-RED cannot read this file, or it is not a PEM certificate. Enter the path of a PEM file, or leave the field empty.',
    {},
    { text: 'finding.caFile' },
  )
}

/** Calls `call` once bytes can be sent: on a reused connection, or after its certificate was accepted. */
function onceConnected(socket: Socket, call: () => void): void {
  if (socket.connecting) socket.once(socket instanceof TLSSocket ? 'secureConnect' : 'connect', call)
  else call()
}

/**
 * Ends an answer that never begins, because Node itself accepts any number of early heads, or that comes in too many chunks. Node
 * takes each chunk by itself, and its reader gets those together that have come together: so they are counted where Node adds them.
 */
function limitAnswer(request: ClientRequest, fail: (error: KeyholderError) => void): void {
  let heads = 0
  const count = () => {
    heads += 1
    if (heads <= maxEarlyHeads) return
    request.off('information', count)
    request.destroy()
  }
  request.on('information', count)
  request.once('response', (response: IncomingMessage) => {
    const { push } = response
    let chunks = 0
    response.push = (chunk, encoding) => {
      chunks += 1
      if (chunks > maxChunks && !request.destroyed) {
        fail(tooLarge(`has more than ${maxChunks.toLocaleString('en-US')} chunks`))
        request.destroy()
      }
      return push.call(response, chunk, encoding)
    }
  })
}

/** Bytes. No answer of the service comes near it; a larger one is cut off before it fills the memory. */
const maxBodyBytes = 4 * 1024 * 1024

/**
 * The largest number of values. No answer of the service comes near it: a list of 1,000 events has 27,000.
 *
 * The cost of parsing JSON depends on its values, not on its bytes: 4 MB of brackets alone would take a
 * second and 360 MB to parse, and nothing else in Node-RED would run meanwhile.
 */
const maxValues = 100_000

/** The largest number of chunks. 4 MB in packets of a slow line have 3,000; in chunks of one byte they would keep this process busy. */
const maxChunks = 20_000

/** The body of an answer as it arrives, within limits. */
export class BoundedBody {
  readonly #chunks: Buffer[] = []
  #size = 0
  #counted = 0
  #values = 0

  /**
   * Adds a decompressed chunk. A decompression bomb, small in transfer, reaches the limit here before it
   * fills the memory.
   * @throws KeyholderError RESPONSE_TOO_LARGE
   */
  add(chunk: Buffer): void {
    this.#chunks.push(chunk)
    this.#size += chunk.length
    // A body cannot have more values than bytes.
    if (this.#size > maxValues) this.#count()
    if (this.#size > maxBodyBytes) throw tooLarge(`is larger than ${maxBodyBytes / 1024 ** 2} MB`)
    if (this.#values > maxValues) throw tooLarge(`has more than ${maxValues.toLocaleString('en-US')} values`)
  }

  text(): string {
    const [first] = this.#chunks
    // Most bodies arrive in one chunk, which need not be copied.
    const body = first !== undefined && this.#chunks.length === 1 ? first : Buffer.concat(this.#chunks)
    return body.toString('utf8')
  }

  #count(): void {
    for (const chunk of this.#chunks.slice(this.#counted)) this.#values += valuesIn(chunk)
    this.#counted = this.#chunks.length
  }
}

/** Counts commas, colons and opening brackets: one precedes every value and every name but the first. */
function valuesIn(json: Buffer): number {
  let count = 0
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at] as number
    // The codes of the two opening brackets differ in one bit.
    if (byte === 0x2c || byte === 0x3a || (byte & 0xdf) === 0x5b) count += 1
  }
  return count
}

function tooLarge(bound: string): KeyholderError {
  return new KeyholderError(
    'RESPONSE_TOO_LARGE',
    `The answer of the service ${bound} and was cut off. ${checkService}`,
  )
}
