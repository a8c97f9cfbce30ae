import type { Simulator } from '../../src/simulator/simulator.ts'
import type { FakeClock } from '../clock/fake-clock.ts'
import type { ComputingFlow } from './computing-flow.ts'
import type { Slowness } from './slowness.ts'

/** All that a disturbance can reach: a client on a fake clock, and its service. */
export interface Surroundings {
  readonly clock: FakeClock
  readonly simulator: Simulator
  /** The serial of the panel that is disturbed. */
  readonly serial: string
  /** The slowness of the client's stores. */
  readonly stores: Slowness
  /** The flow behind the client. */
  readonly flow: ComputingFlow
}

/** A disturbance that makes something slow, late, incomplete or wrong, but ends nothing. */
export interface LastingDisturbance {
  /** The disturbance in words, with its length. */
  readonly description: string
  /** Milliseconds; Infinity if it never ends by itself. */
  readonly lasts: number
  /** Starts it; it ends when the signal is aborted. */
  start(surroundings: Surroundings, signal: AbortSignal): void
  /** Returns the description, for the report of a failed property. */
  toString(): string
}

/** Returns a disturbance. */
export function lastingDisturbance(
  what: string,
  lasts: number,
  start: LastingDisturbance['start'],
): LastingDisturbance {
  const description = `${what}, ${lasts === Number.POSITIVE_INFINITY ? 'for ever' : `for ${lasts / 1000} s`}`
  return { description, lasts, start, toString: () => description }
}

/** Starts a disturbance; it ends after its time, or when the signal is aborted before. */
export function disturb(
  { lasts, start }: LastingDisturbance,
  surroundings: Surroundings,
  signal: AbortSignal,
): void {
  if (signal.aborted) return
  const own = new AbortController()
  let cancel = () => {}
  const end = () => {
    cancel()
    signal.removeEventListener('abort', end)
    own.abort()
  }
  signal.addEventListener('abort', end)
  if (lasts < Number.POSITIVE_INFINITY) cancel = surroundings.clock.after(lasts, end)
  start(surroundings, own.signal)
}

/** Calls `end` when the signal is aborted. */
export function atEnd(signal: AbortSignal, end: () => void): void {
  signal.addEventListener('abort', end, { once: true })
}
