import { channel } from 'node:diagnostics_channel'
import { EventEmitter } from 'node:events'
import { type IncomingHttpHeaders, validateHeaderName, validateHeaderValue } from 'node:http'
import { type Answer, BoundedBody, transport } from '../../src/account/http/http-client.ts'
import type { Simulator } from '../../src/simulator/simulator.ts'
import { connectInMemory, systemError } from './memory-connections.ts'

type SentAttempt = Parameters<typeof transport.begin>[1]

/** A simulator that answers without connections, and its responses that are still to come. */
interface Answering {
  /** Nothing else keeps the simulator of a past test. */
  simulator: WeakRef<Simulator>
  open: Set<MemoryResponse>
}

const { begin } = transport

/** Node publishes there what arrives over connections; the record of the suite counts it. */
const requestStart = channel('http.server.request.start')

/** By the beginnings of their addresses. */
const answering = new Map<string, Answering>()

/** The value of a header that arrives as it was sent. */
const isPlain = /^([!-~]([ -~]*[!-~])?)?$/

/**
 * Lets a simulator answer the attempts of clients in this process without HTTP, which would take most of the time of a
 * request. While a fault needs a connection, attempts get one in memory; TLS always needs one.
 */
export function answerInMemory(simulator: Simulator): void {
  connectInMemory(simulator)
  if (simulator.url.startsWith('https:')) return
  const open = new Set<MemoryResponse>()
  simulator.server.on('close', () => {
    for (const response of open) response.destroy()
  })
  answering.set(simulator.url, { simulator: new WeakRef(simulator), open })
  transport.begin = beginInMemory
}

/** Lets clients reach a simulator only over connections in memory: for a test of what passes over them. */
export function answerOverConnections({ url }: Simulator): void {
  answering.delete(url)
}

const beginInMemory: typeof begin = (client, attempt) => {
  const url = new URL(attempt.url)
  const { simulator, open } = answering.get(url.origin) ?? {}
  const service = simulator?.deref()
  const isSimple = Object.values(attempt.headers).every((value) => isPlain.test(value))
  if (service === undefined || open === undefined || !isSimple) return begin(client, attempt)
  let isEnded = false
  let end = () => {}
  let cutOff = () => {}
  const answer = new Promise<Answer>((resolve, reject) => {
    const response = new MemoryResponse(open, resolve, reject)
    end = () => {
      isEnded = true
      reject(new Error('ended'))
      process.nextTick(() => response.destroy())
    }
    // As over a connection, neither end hears of the other one in the middle of a call.
    process.nextTick(() => {
      if (isEnded) return
      if (service.server.listening && !service.faults.needConnection) {
        attempt.onSend?.()
        // The caller may have ended it just now.
        if (!isEnded) receive(service, url, attempt, response)
        return
      }
      const begun = begin(client, attempt)
      end = begun.end
      cutOff = begun.cutOff
      resolve(begun.answer)
    })
  })
  return { answer, end: () => end(), cutOff: () => cutOff() }
}

/** Gives a simulator a request, with the members of one that it reads. */
function receive(
  { server }: Simulator,
  { host, port, pathname, search }: URL,
  { method, headers, body }: SentAttempt,
  response: MemoryResponse,
): void {
  const names = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])
  const request = Object.assign(new EventEmitter(), {
    method,
    url: `${pathname}${search}`,
    headers: { host, ...Object.fromEntries(names) },
    socket: { localPort: Number(port) },
  })
  requestStart.publish({ request, response, socket: request.socket, server })
  server.emit('request', request, response)
  if (body !== undefined) request.emit('data', Buffer.from(JSON.stringify(body)))
  request.emit('end')
}

/** A response of the simulator, with the members that it uses while no fault needs a connection. */
class MemoryResponse extends EventEmitter {
  statusCode = 200
  statusMessage = ''
  headersSent = false
  writableEnded = false
  destroyed = false
  /** It has no port, so the client has no open connection either. */
  readonly socket = {
    destroyed: false,
    writableEnded: false,
    remotePort: undefined,
    resetAndDestroy: () => this.destroy(),
  }
  readonly #headers: IncomingHttpHeaders = {}
  readonly #open: Set<MemoryResponse>
  readonly #resolve: (answer: Answer) => void
  readonly #reject: (error: unknown) => void

  constructor(
    open: Set<MemoryResponse>,
    resolve: (answer: Answer) => void,
    reject: (error: unknown) => void,
  ) {
    super()
    this.#open = open.add(this)
    this.#resolve = resolve
    this.#reject = reject
  }

  setHeader(name: string, value: string): void {
    validateHeaderName(name)
    validateHeaderValue(name, value)
    this.#headers[name.toLowerCase()] = value.trim()
  }

  end(text: string): void {
    this.headersSent = true
    this.writableEnded = true
    process.nextTick(() => {
      if (this.destroyed) return
      this.#pass(text)
      this.#close()
    })
  }

  /** Ends it as the end of its connection does. */
  destroy(): void {
    if (this.destroyed) return
    this.destroyed = true
    this.#reject(systemError('ECONNRESET'))
    process.nextTick(() => this.#close())
  }

  /** Passes the answer to the client, within the limits of the client. */
  #pass(text: string): void {
    const body = new BoundedBody()
    try {
      // A 204 has no body.
      if (text !== '' && this.statusCode !== 204) body.add(Buffer.from(text))
      this.#resolve({ status: this.statusCode, headers: this.#headers, body })
    } catch (thrown) {
      this.#reject(thrown)
    }
  }

  #close(): void {
    this.#open.delete(this)
    this.emit('close')
  }
}
