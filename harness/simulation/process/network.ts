import type { Answer, BoundedBody, transport } from '../../../src/account/http/http-client.ts'
import type { Simulator } from '../../../src/simulator/simulator.ts'
import { systemError } from '../../clock/memory-connections.ts'
import { giveRequest } from '../../clock/memory-response.ts'
import type { Scheduler } from '../scheduler.ts'
import type { SimulatedProcess } from './simulated-process.ts'
import { type Arrival, SimulatedResponse } from './simulated-response.ts'

type Begin = (typeof transport)['begin']
type SentAttempt = Parameters<Begin>[1]

/** A request that a process has sent, to any address. */
export interface SentRequest {
  readonly process: SimulatedProcess
  /** Milliseconds of the scheduler's clock, at its departure. */
  readonly at: number
  readonly url: URL
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Readonly<Record<string, unknown>> | undefined
  /** The answer of the service; undefined before that. */
  arrival: Arrival | undefined
}

/** Hears of all requests. */
export interface RequestListener {
  /** A process has sent it. */
  sent(request: SentRequest): void
  /** The service has received it. */
  received(request: SentRequest): void
  /** The process that sent it takes its answer, or the error of its connection. */
  answered(request: SentRequest): void
}

/** The address of the service in a simulation. */
export const serviceUrl = 'https://alarm.example'

/** The address of the watcher outside that nodes call. */
export const watcherUrl = 'https://watcher.example/call'

/** The milliseconds that a request, or an answer, is on its way: the least, the most. */
const wayTimes = [5, 120] as const

/**
 * The network between processes and the service: each request and each answer is on its way for a time that the seed
 * chooses, so that answers can overtake each other. A process that ends meanwhile gets none, and the service may have executed the request.
 */
export class Network {
  /** In the order of their departure. */
  readonly requests: SentRequest[] = []
  /** The calls of the watcher. */
  readonly calls: { readonly process: SimulatedProcess; readonly at: number }[] = []
  readonly #scheduler: Scheduler
  readonly #service: Simulator
  #listener: RequestListener | undefined
  #receiving: SentRequest | undefined

  constructor(scheduler: Scheduler, service: Simulator) {
    this.#scheduler = scheduler
    this.#service = service
  }

  /** The request that the service is about to answer at this moment, in the middle of a call. */
  get receiving(): SentRequest | undefined {
    return this.#receiving
  }

  /** Tells all requests from now on. */
  tell(listener: RequestListener): void {
    this.#listener = listener
  }

  /**
   * Returns the transport of a process.
   * @param createBody makes a body of the copy of the product in that process, with its limits
   */
  transportOf(process: SimulatedProcess, createBody: () => BoundedBody): Begin {
    return (_client, attempt) => {
      let isOver = false
      let fail = (_error: Error) => {}
      const answer = new Promise<Answer>((resolve, reject) => {
        fail = (error) => {
          isOver = true
          reject(error)
        }
        const take = (arrival: Arrival) => {
          if (isOver) return false
          isOver = true
          try {
            resolve(answerOf(arrival, createBody()))
          } catch (thrown) {
            reject(thrown)
          }
          return true
        }
        process.queue(() => {
          if (isOver) return
          attempt.onSend?.()
          if (!isOver) this.#send(process, attempt, take)
        })
      })
      const end = () => fail(new Error('ended'))
      return { answer, end, cutOff: end }
    }
  }

  #send(process: SimulatedProcess, attempt: SentAttempt, take: (arrival: Arrival) => boolean): void {
    const { method, headers, body } = attempt
    const url = new URL(attempt.url)
    const local = process.servers.at(url)
    if (local !== undefined) {
      const response = new SimulatedResponse((arrival) => process.queue(() => take(arrival)))
      giveRequest({ server: local, url: url.origin }, `${url.pathname}${url.search}`, attempt, response)
      return
    }
    // One of a rehearsal that has just ended, which had waited for a slow disk: it has nothing of the real panel.
    if (process.servers.isClosed(url)) {
      process.queue(() => take({ error: systemError('ECONNREFUSED') }))
      return
    }
    const at = this.#scheduler.clock.monotonic()
    if (url.href === watcherUrl) {
      this.calls.push({ process, at })
      const arrival = { status: 200, headers: {}, body: Buffer.alloc(0) }
      this.#carry(() => process.queue(() => take(arrival)))
      return
    }
    const request: SentRequest = { process, at, url, method, headers, body, arrival: undefined }
    this.requests.push(request)
    this.#listener?.sent(request)
    const answer = (arrival: Arrival) => {
      request.arrival = arrival
      this.#carry(() =>
        process.queue(() => {
          if (take(arrival)) this.#listener?.answered(request)
        }),
      )
    }
    if (url.origin === serviceUrl) this.#carry(() => this.#receive(request, answer))
    else answer({ error: systemError('ENOTFOUND') })
  }

  /** Lets something arrive after a time. */
  #carry(arrive: () => void): void {
    const [least, most] = wayTimes
    this.#scheduler.clock.after(this.#scheduler.random.between(least, most), arrive)
  }

  /** Gives the service a request. */
  #receive(sent: SentRequest, answer: (arrival: Arrival) => void): void {
    this.#listener?.received(sent)
    if (!this.#service.server.listening) {
      answer({ error: systemError('ECONNREFUSED') })
      return
    }
    const { pathname, search } = sent.url
    this.#receiving = sent
    giveRequest(this.#service, `${pathname}${search}`, sent, new SimulatedResponse(answer))
    this.#receiving = undefined
  }
}

/** @throws KeyholderError for a body that is too large, or the error of the connection */
function answerOf(arrival: Arrival, body: BoundedBody): Answer {
  if ('error' in arrival) throw arrival.error
  if (arrival.body.length > 0) body.add(arrival.body)
  return { status: arrival.status, headers: arrival.headers, body }
}
