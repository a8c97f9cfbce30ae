import fc from 'fast-check'
import { atEnd, type LastingDisturbance, lastingDisturbance } from './lasting-disturbance.ts'
import { lengths } from './lengths.ts'

/** Returns a panel whose events reach the service late, with their own times; at the end, all of them have arrived. */
export function lateEvents(seconds: number, lasts: number): LastingDisturbance {
  const what = `events ${seconds} s late`
  return lastingDisturbance(what, lasts, ({ simulator, serial }, signal) =>
    atEnd(signal, simulator.world.panel(serial).delayEvents(seconds)),
  )
}

/** An arbitrary for panels whose events are late. */
export const anyLateEvents: fc.Arbitrary<LastingDisturbance> = fc
  .tuple(fc.constantFrom(5, 45, 90, 300), lengths)
  .map((values) => lateEvents(...values))
