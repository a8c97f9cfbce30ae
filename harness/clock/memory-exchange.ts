import { channel } from 'node:diagnostics_channel'
import { type Answer, BoundedBody, transport } from '../../src/account/http/http-client.ts'
import type { Simulator } from '../../src/simulator/simulator.ts'
import { connectInMemory, systemError } from './memory-connections.ts'
import { giveRequest, MemoryResponse } from './memory-response.ts'

type SentAttempt = Parameters<typeof transport.begin>[1]

/** A simulator that answers without connections, and its responses that are still to come. */
interface Answering {
  /** Nothing else keeps the simulator of a past test. */
  simulator: WeakRef<Simulator>
  open: Set<ExchangedResponse>
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
  const open = new Set<ExchangedResponse>()
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
    const response = new ExchangedResponse(open, resolve, reject)
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

/** Gives a simulator a request. */
function receive(
  simulator: Simulator,
  { pathname, search }: URL,
  attempt: SentAttempt,
  response: ExchangedResponse,
): void {
  const { server } = simulator
  giveRequest(simulator, `${pathname}${search}`, attempt, response, (request) =>
    requestStart.publish({ request, response, socket: request.socket, server }),
  )
}

/** A response of the simulator, with the members that it uses while no fault needs a connection. */
class ExchangedResponse extends MemoryResponse {
  readonly #open: Set<ExchangedResponse>
  readonly #resolve: (answer: Answer) => void
  readonly #reject: (error: unknown) => void

  constructor(
    open: Set<ExchangedResponse>,
    resolve: (answer: Answer) => void,
    reject: (error: unknown) => void,
  ) {
    super()
    this.#open = open.add(this)
    this.#resolve = resolve
    this.#reject = reject
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
      this.#resolve({ status: this.statusCode, headers: this.headers, body })
    } catch (thrown) {
      this.#reject(thrown)
    }
  }

  #close(): void {
    this.#open.delete(this)
    this.emit('close')
  }
}
