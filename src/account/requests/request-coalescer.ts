import type { Clock } from '../../clock.ts'
import { closedError } from '../../service/error.ts'
import { allLanes } from '../rate-limit/sliding-window.ts'
import { type Answer, ageOf, type ReadOptions } from './request.ts'

interface InFlightRequest {
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
    send: (signal: AbortSignal) => Promise<{ value: T; sentAt: number }>,
    onReuse: (reason: string) => void = () => {},
  ): Promise<Answer<T>> {
    const known = this.recent<T>(key, maxAge)
    if (known !== undefined) {
      onReuse('a recent answer is used')
      return known
    }
    const names = allLanes.slice(0, allLanes.indexOf(lane) + 1).map((one) => `${one} ${key}`)
    const name = names.find((one) => this.#inFlight.has(one)) ?? `${lane} ${key}`
    const inFlight = this.#inFlight.get(name)
    if (inFlight !== undefined) onReuse('the answer to an equal request is awaited')
    const request = inFlight ?? this.#start(name, key, isCacheable, send)
    return (await waitFor(request, signal)) as Answer<T>
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
    const known = this.recall<T>(key)
    return known !== undefined && ageOf(known, this.#clock) < maxAge ? known : undefined
  }

  #start(
    name: string,
    key: string,
    isCacheable: boolean,
    send: (signal: AbortSignal) => Promise<{ value: unknown; sentAt: number }>,
  ): InFlightRequest {
    const controller = new AbortController()
    const answer = send(controller.signal).then(({ value, sentAt }) => {
      const completed = { value, fetchedAt: this.#clock.wall(), at: this.#clock.monotonic(), sentAt }
      if (isCacheable) this.keep(key, completed)
      return completed
    })
    const request = { answer, controller, callers: 0 }
    this.#inFlight.set(name, request)
    const remove = () => {
      if (this.#inFlight.get(name) === request) this.#inFlight.delete(name)
    }
    answer.then(remove, remove)
    // An aborted call is removed at once, so that the next caller does not join it.
    controller.signal.addEventListener('abort', remove)
    return request
  }
}

/** Waits for a call until it completes or the caller leaves. */
function waitFor(request: InFlightRequest, signal: AbortSignal): Promise<Answer<unknown>> {
  return new Promise((resolve, reject) => {
    request.callers += 1
    const leave = () => {
      request.callers -= 1
      if (request.callers === 0) request.controller.abort()
      reject(closedError())
    }
    if (signal.aborted) return leave()
    signal.addEventListener('abort', leave, { once: true })
    request.answer.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave))
  })
}
