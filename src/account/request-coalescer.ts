import type { Clock } from '../clock.ts'
import { KeyholderError } from '../service/error.ts'
import type { Lane } from './allowance.ts'

/** What the service answered to a question, and when. */
export interface Answer<T> {
  readonly value: T
  /** Milliseconds since 1970, for people. */
  readonly fetchedAt: number
  /** Milliseconds of the monotonic clock, for ages. */
  readonly at: number
  /** When it was asked for, on the same clock: of two answers the one asked for later is the newer one. */
  readonly sentAt: number
}

/** How a question is asked. */
export interface Asking {
  lane: Lane
  /** An answer younger than this many milliseconds needs no flight; 0 asks now. */
  maxAge: number
  /** The one who asks goes away; the flight ends when nobody waits for it any more. */
  signal: AbortSignal
}

interface Flight {
  readonly landing: Promise<Answer<unknown>>
  readonly recall: AbortController
  waiting: number
}

/**
 * One flight per question: all who ask the same at the same time share one call to the service.
 *
 * An urgent question does not join a poll, which may stand far back in line; a poll joins either. A failed flight
 * fails all its waiters and is not kept.
 */
export class Flights {
  readonly #clock: Clock
  readonly #flying = new Map<string, Flight>()
  readonly #landed = new Map<string, Answer<unknown>>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /**
   * The answer to a question, from memory, from a flight under way, or from a new one.
   * @param key names the question; the same key must always mean the same type
   * @param kept whether the answer is worth keeping for the next who asks
   */
  async ask<T>(
    key: string,
    { lane, maxAge, signal }: Asking,
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
    // A recalled flight is left at once, so that the next who asks does not join it.
    recall.signal.addEventListener('abort', cleared)
    return flight
  }
}

/** Waits for a flight until it lands or the one who waits goes away. */
function arrival(flight: Flight, signal: AbortSignal): Promise<Answer<unknown>> {
  return new Promise((resolve, reject) => {
    flight.waiting += 1
    const gone = () => {
      flight.waiting -= 1
      if (flight.waiting === 0) flight.recall.abort()
      reject(new KeyholderError('CLOSED', 'The node was closed while it waited for an answer.'))
    }
    if (signal.aborted) return gone()
    signal.addEventListener('abort', gone, { once: true })
    flight.landing.then(resolve, reject).finally(() => signal.removeEventListener('abort', gone))
  })
}
