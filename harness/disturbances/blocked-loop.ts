import fc from 'fast-check'
import { minute, second } from '../../src/duration.ts'
import type { HttpResponse } from '../../src/simulator/http/http-response.ts'
import { atEnd, type LastingDisturbance, lastingDisturbance } from './lasting-disturbance.ts'

/** Milliseconds for which an event loop can be blocked. */
export const blockTimes = [2 * second, 5 * second, 8 * second] as const

/** Blocks the event loop of this process, whose clock is real. */
export function blockEventLoop(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

/**
 * Returns JavaScript for a function node that blocks the event loop of a Node-RED, and needs no processor meanwhile.
 * @param ms an expression for the milliseconds
 */
export function blockingCode(ms: string): string {
  return `Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ${ms})`
}

/** Returns an event loop that is blocked once: now, or as soon as a request is under way. */
export function blockedLoop(ms: number, when: 'now' | 'during a request'): LastingDisturbance {
  const isNow = when === 'now'
  const what = isNow ? 'event loop blocked' : `event loop blocked for ${ms} ms during the next request`
  return lastingDisturbance(what, isNow ? ms : minute, ({ clock, simulator }, signal) => {
    if (isNow) {
      clock.stall(ms)
      return
    }
    const answer = (getOriginal: () => HttpResponse) => {
      const response = getOriginal()
      clock.stall(ms)
      return response
    }
    atEnd(signal, simulator.faults.start({ name: what, answer }, { times: 1 }))
  })
}

/** An arbitrary for blocked event loops. */
export const blockedLoops: fc.Arbitrary<LastingDisturbance> = fc
  .tuple(fc.constantFrom(...blockTimes), fc.constantFrom('now' as const, 'during a request' as const))
  .map((values) => blockedLoop(...values))
