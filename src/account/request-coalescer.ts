import type { Clock } from '../clock.ts'
import { closedError } from '../service/error.ts'
import type { Lane } from './rate-limit/sliding-window.ts'

/** The answer of the service to a request, and its times. */
export interface Answer<T> {
  readonly value: T
  /** Milliseconds since 1970, for display. */
  readonly fetchedAt: number
  /** Milliseconds of the monotonic clock, for ages. */
  readonly at: number
  /** The time of the request, on the same clock: of two answers, the one with the later request is newer. */
  readonly sentAt: number
}

/** The options of a read request. */
export interface ReadOptions {
  lane: Lane
  /** An answer younger than this many milliseconds is reused; 0 reuses none. */
  maxAge: number
  /** Aborted when the caller leaves. The call ends when no caller waits for it any more. */
  signal: AbortSignal
}

interface Flight {
  readonly landing: Promise<Answer<unknown>>
  readonly recall: AbortController
  waiting: number
}

/**
 * Coalesces requests: equal requests at the same time share one call to the service.
 *
 * An urgent request does not join a poll, which may be far back in the queue; a poll joins either. A failed
 * call fails for all its callers and is not kept.
 */
export class RequestCoalescer {
  readonly #clock: Clock
  readonly #flying = new Map<string, Flight>()
  readonly #landed = new Map<string, Answer<unknown>>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /**
   * Returns the answer to a request: a kept answer, that of a call in flight, or that of a new call.
   * @param key identifies the request; answers with the same key must always have the same type
   * @param kept true if the answer is worth keeping for the next caller
   */
  async ask<T>(
    key: string,
    { lane, maxAge, signal }: ReadOptions,
    kept: boolean,
    fly: (signal: AbortSignal) => Promise<{ value: T; sentAt: number }>,
  ): Promise<Answer<T>> {
    const known = this.#landed.get(key)
    if (known !== undefined && this.#clock.monotonic() - known.at < maxAge) return known as Answer<T>
    const urgent = `urgent ${key}`
    const name = lane === 'urgent' || this.#flying.has(urgent) ? urgent : key
    const flight = this.#flying.get(name) ?? this.#start(name, key, kept, fly)
    return (await arrival(flight, signal)) as Answer<T>
  }

  #start(
    name: string,
    key: string,
    kept: boolean,
    fly: (signal: AbortSignal) => Promise<{ value: unknown; sentAt: number }>,
  ): Flight {
    const recall = new AbortController()
    const landing = fly(recall.signal).then(({ value, sentAt }) => {
      const answer = { value, fetchedAt: this.#clock.wall(), at: this.#clock.monotonic(), sentAt }
      const known = this.#landed.get(key)
      if (kept && (known === undefined || known.sentAt <= sentAt)) this.#landed.set(key, answer)
      return answer
    })
    const flight = { landing, recall, waiting: 0 }
    this.#flying.set(name, flight)
    const cleared = () => {
      if (this.#flying.get(name) === flight) this.#flying.delete(name)
    }
    landing.then(cleared, cleared)
    // An aborted call is removed at once, so that the next caller does not join it.
    recall.signal.addEventListener('abort', cleared)
    return flight
  }
}

/** Waits for a call until it completes or the caller leaves. */
function arrival(flight: Flight, signal: AbortSignal): Promise<Answer<unknown>> {
  return new Promise((resolve, reject) => {
    flight.waiting += 1
    const gone = () => {
      flight.waiting -= 1
      if (flight.waiting === 0) flight.recall.abort()
      reject(closedError())
    }
    if (signal.aborted) return gone()
    signal.addEventListener('abort', gone, { once: true })
    flight.landing.then(resolve, reject).finally(() => signal.removeEventListener('abort', gone))
  })
}
