import { ageWithSleep, type Clock, onAbort } from '../../clock.ts'
import { closedError } from '../../service/error.ts'
import type { Answer, Success } from '../answer.ts'
import { allLanes, type Lane } from '../service-user/rate-limit/budget.ts'
import type { ReadOptions } from './request.ts'

interface InFlightRequest {
  /** Lane and key. */
  readonly name: string
  readonly answer: Promise<Answer<unknown>>
  readonly controller: AbortController
  callers: number
}

/**
 * Coalesces requests: equal requests at the same time share one call to the service.
 *
 * A request does not join a call of a slower lane, which may be far back in its queue. A failed call fails
 * for all its callers and is not cached.
 */
export class RequestCoalescer {
  readonly #clock: Clock
  readonly #inFlight = new Map<string, InFlightRequest>()
  readonly #completed = new Map<string, Answer<unknown>>()
  /** The controller of a completed call, for the next one: a new one takes longer than all else that is done here. */
  #spareController: AbortController | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /**
   * Returns the answer to a request: a cached answer, that of a call in flight, or that of a new call.
   * @param key identifies the request; answers with the same key must always have the same type
   * @param isCacheable true if the answer is worth keeping for the next caller
   * @param onReuse receives the reason why no new call is made
   */
  async coalesce<T>(
    key: string,
    { lane, maxAge, signal }: ReadOptions,
    isCacheable: boolean,
    send: (signal: AbortSignal) => Promise<Success<T>>,
    onReuse?: (reason: string) => void,
  ): Promise<Answer<T>> {
    const known = this.recent<T>(key, maxAge)
    if (known !== undefined) {
      onReuse?.('a recent answer is used')
      return known
    }
    const inFlight = this.#joinable(key, lane)
    if (inFlight !== undefined) onReuse?.('the answer to an equal request is awaited')
    return (await this.#waitFor(inFlight ?? this.#start(key, lane, isCacheable, send), signal)) as Answer<T>
  }

  /** Keeps an answer that another process has had, unless a newer one is kept. */
  keep(key: string, answer: Answer<unknown>): void {
    const known = this.#completed.get(key)
    if (known === undefined || known.sentAt <= answer.sentAt) this.#completed.set(key, answer)
  }

  /** Returns the latest answer that is kept, however old it is; undefined if there is none. */
  recall<T>(key: string): Answer<T> | undefined {
    return this.#completed.get(key) as Answer<T> | undefined
  }

  /** Returns an answer that is younger than some milliseconds; undefined if none is kept. */
  recent<T>(key: string, maxAge: number): Answer<T> | undefined {
    const known = this.#completed.get(key)
    if (known === undefined) return undefined
    const age = ageWithSleep({ wall: known.fetchedAt, monotonic: known.at }, this.#clock)
    return age < maxAge ? (known as Answer<T>) : undefined
  }

  /** Returns a call in flight of the same lane or of a faster one. */
  #joinable(key: string, lane: Lane): InFlightRequest | undefined {
    for (const faster of allLanes) {
      const inFlight = this.#inFlight.get(`${faster} ${key}`)
      if (inFlight !== undefined || faster === lane) return inFlight
    }
    return undefined
  }

  #start(
    key: string,
    lane: Lane,
    isCacheable: boolean,
    send: (signal: AbortSignal) => Promise<Success<unknown>>,
  ): InFlightRequest {
    const controller = this.#spareController ?? new AbortController()
    this.#spareController = undefined
    const name = `${lane} ${key}`
    const answer = this.#answerTo(name, key, isCacheable, controller, send)
    const request = { name, answer, controller, callers: 0 }
    this.#inFlight.set(name, request)
    return request
  }

  /** Makes a call, and notes its end unless all callers have left before. */
  async #answerTo(
    name: string,
    key: string,
    isCacheable: boolean,
    controller: AbortController,
    send: (signal: AbortSignal) => Promise<Success<unknown>>,
  ): Promise<Answer<unknown>> {
    try {
      const success = await send(controller.signal)
      const fetchedAt = this.#clock.wall() - (success.cached ?? 0)
      const completed = { ...success, fetchedAt, at: this.#clock.monotonic() }
      if (isCacheable) this.keep(key, completed)
      return completed
    } finally {
      if (!controller.signal.aborted) {
        this.#inFlight.delete(name)
        this.#spareController = controller
      }
    }
  }

  /** Waits for a call until it completes or the caller leaves. */
  #waitFor(request: InFlightRequest, signal: AbortSignal): Promise<Answer<unknown>> {
    return new Promise((resolve, reject) => {
      const { name, answer, controller } = request
      request.callers += 1
      const stay = onAbort(signal, () => {
        request.callers -= 1
        // If it has ended, another one may use its controller.
        if (request.callers === 0 && this.#inFlight.get(name) === request) {
          // At once, so that the next caller does not join it.
          this.#inFlight.delete(name)
          controller.abort()
        }
        reject(closedError())
      })
      answer.then(stay, stay)
      answer.then(resolve, reject)
    })
  }
}
