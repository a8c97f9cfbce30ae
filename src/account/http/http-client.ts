import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { type ClientRequest, Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import got, { type Got } from 'got'
import { OnDemand } from '../on-demand.ts'
import { KeyholderError } from '../service/error.ts'
import type { Reply } from '../service/verdict.ts'
import { AnswerBody } from './answer-body.ts'
import { transportError } from './transport-error.ts'

/** Heads such as 103 that may come before that of the answer; a flood of them would keep this process busy. */
const mostEarlyHeads = 100

/** As Node's own agents are: an idle connection waits a moment for the next question. */
const waiting = { keepAlive: true, scheduling: 'lifo', timeout: 5000 } as const

/** Node's own would take a detour where the environment names a proxy; these go to the service and nowhere else. */
const agent = { http: new HttpAgent(waiting), https: new HttpsAgent(waiting) }

/** One HTTP attempt. */
export interface Attempt {
  method: 'GET' | 'POST'
  url: string
  headers: Readonly<Record<string, string>>
  /** Sent as JSON. */
  body?: Readonly<Record<string, unknown>>
  signal: AbortSignal
  /** Called before the first byte leaves: from then on the service may do what it is asked. Must not throw. */
  onLeaving?(): void
}

/** How attempts are made. */
export interface TransportSettings {
  /** Seconds for one attempt from start to last byte. */
  timeout: number
  /** PEM file with a private certificate authority, or empty. */
  caFile: string
}

/**
 * Makes HTTP attempts: one call is one attempt, with no retry and no redirect behind anybody's back.
 *
 * got's own errors hold the request with its password and tokens, so none of them leaves this file.
 */
export class Transport {
  readonly #settings: TransportSettings
  /** A file that cannot be read now may be there the next time. */
  readonly #client = new OnDemand(() => this.#prepare())

  constructor(settings: TransportSettings) {
    this.#settings = settings
  }

  /**
   * Makes one attempt and reads the answer, whatever its status.
   * @throws KeyholderError TIMEOUT, NETWORK, TLS, RESPONSE_TOO_LARGE, BAD_SETTING (caFile) or CLOSED (signal)
   */
  async attempt({ method, url, headers, body, signal, onLeaving = () => {} }: Attempt): Promise<Reply> {
    const { timeout } = this.#settings
    const client = await this.#client.get()
    // A signal for this attempt alone, since got listens to it for longer than the attempt lasts. Not one of
    // AbortSignal.any: with a listener left on it, it stays in the memory for ever, and the whole request with it.
    const ending = new AbortController()
    const end = () => ending.abort()
    signal.addEventListener('abort', end, { once: true })
    if (signal.aborted) end()
    // Our own deadline and not got's, which does not end a 101, and reads on for the sake of its error (version 14).
    let isOverdue = false
    const deadline = setTimeout(() => {
      isOverdue = true
      end()
    }, timeout * 1000)
    try {
      const options = { method, headers, signal: ending.signal, ...(body ? { json: body } : {}) }
      const stream = client.stream(url, options)
      // An error after the end, such as a late abort, would be nobody's and end the process.
      stream.on('error', () => {})
      stream.on('request', (request: ClientRequest) => {
        endFloods(request)
        request.once('socket', (socket) => whenOpen(socket, onLeaving))
      })
      const answer = new AnswerBody()
      for await (const chunk of stream) answer.add(chunk as Buffer)
      const { response } = stream
      if (response === undefined) throw new KeyholderError('NETWORK', 'The service closed the connection.')
      const { date, 'retry-after': retryAfter } = response.headers
      return { status: response.statusCode, retryAfter, date, body: answer.text() }
    } catch (thrown) {
      throw transportError(thrown, new URL(url).host, { isClosed: signal.aborted, isOverdue, timeout })
    } finally {
      clearTimeout(deadline)
      signal.removeEventListener('abort', end)
    }
  }

  async #prepare(): Promise<Got> {
    const { caFile } = this.#settings
    const ca = caFile === '' ? undefined : await certificateAuthority(caFile)
    return got.extend({
      retry: { limit: 0 },
      followRedirect: false,
      throwHttpErrors: false,
      agent,
      // Said in so many words, so that nothing in the environment can say the opposite.
      https: { rejectUnauthorized: true, ...(ca === undefined ? {} : { certificateAuthority: ca }) },
    })
  }
}

async function certificateAuthority(file: string): Promise<string> {
  try {
    const content = await readFile(file, 'utf8')
    // TLS takes any text and then trusts nobody; this reads the first certificate, or throws.
    new X509Certificate(content)
    return content
  } catch {
    throw new KeyholderError(
      'BAD_SETTING',
      'caFile: the file cannot be read or is no PEM certificate. Give the path of a PEM file, or leave it empty.',
    )
  }
}

/** Calls when bytes can go through a connection: one that is used again, or one whose certificate was found good. */
function whenOpen(socket: Socket, call: () => void): void {
  if (socket.connecting) socket.once(socket instanceof TLSSocket ? 'secureConnect' : 'connect', call)
  else call()
}

/** Ends an answer that never begins: Node itself takes any number of early heads. */
function endFloods(request: ClientRequest): void {
  let heads = 0
  request.on('information', () => {
    heads += 1
    if (heads > mostEarlyHeads) request.destroy()
  })
}
